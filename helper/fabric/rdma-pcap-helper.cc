/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-pcap-helper.h"

#include "ns3/assert.h"
#include "ns3/boolean.h"
#include "ns3/callback.h"
#include "ns3/mac48-address.h"
#include "ns3/node-list.h"
#include "ns3/pcap-file-wrapper.h"
#include "ns3/rdma-frame.h"
#include "ns3/rdma-net-device.h"
#include "ns3/rdma-nic.h"
#include "ns3/simulator.h"
#include "ns3/workload-error.h"

#include <cerrno>
#include <cstring>
#include <string>

namespace ns3
{

namespace
{

/**
 * @param name name of the file
 * @return the file, ready for Ethernet frames
 */
Ptr<PcapFileWrapper>
OpenFile(const std::string& name)
{
    auto file = CreateObject<PcapFileWrapper>();
    // A packet of 4096 bytes takes 82 ns at 400 Gb/s, so that microseconds would not keep packets
    // apart.
    file->SetAttribute("NanosecMode", BooleanValue(true));
    // Fail() does not say why. errno does, unless an earlier call has left a value there.
    errno = 0;
    file->Open(name, std::ios::out);
    if (file->Fail())
    {
        throw WorkloadError({name, 0, 0, ""},
                            "a pcap file that can be written",
                            "one that cannot be opened (" + std::string(strerror(errno)) + ")");
    }
    file->Init(PcapHelper::DLT_EN10MB);
    return file;
}

/**
 * @param file where to write
 * @param from address of the port that sends
 * @param to address of the port that receives
 * @param packet the packet that is sent or has come in
 */
void
WriteFrame(Ptr<PcapFileWrapper> file, Mac48Address from, Mac48Address to, const RdmaPacket& packet)
{
    file->Write(Simulator::Now(), RdmaFrame::Make(packet, from, to));
}

/// Make sure that all hosts send packets that have frames: those of RoCEv2, one by one.
void
RefuseOthers()
{
    for (auto node = NodeList::Begin(); node != NodeList::End(); ++node)
    {
        const auto nic = (*node)->GetObject<RdmaNic>();
        const uint32_t maxTrain = nic ? nic->MakeQueuePairConfig().trains.maxTrain : 1;
        if (maxTrain > 1)
        {
            throw WorkloadError({"ns3::RdmaNic::MaxTrain", 0, 0, ""},
                                "1, since a train has no frame",
                                std::to_string(maxTrain));
        }
        using Feature = RdmaProtocol::Feature;
        if (nic && !nic->GetNetworkProtocol()->FindUnsupportedReason(Feature::CAPTURE).empty())
        {
            throw WorkloadError({"pcap file", 0, 0, ""},
                                "the protocol rdma, whose frames are those of RoCEv2",
                                nic->GetNetworkProtocol()->GetName());
        }
    }
}

} // namespace

void
RdmaPcapHelper::EnablePcapInternal(std::string prefix,
                                   Ptr<NetDevice> device,
                                   bool promiscuous [[maybe_unused]],
                                   bool explicitFilename)
{
    // EnablePcapAll() asks for every device of a node; only ports of rdma are meant here.
    auto port = DynamicCast<RdmaNetDevice>(device);
    if (!port)
    {
        return;
    }
    const auto peer = port->GetPeer();
    NS_ASSERT_MSG(peer, "a port without a cable has nothing to write");
    if (port->UsesCredits())
    {
        throw WorkloadError({"ns3::RdmaNetDevice::FlowControl", 0, 0, ""},
                            "pfc where frames are written, which are those of Ethernet",
                            "credits");
    }
    RefuseOthers();
    auto file =
        OpenFile(explicitFilename ? prefix : PcapHelper().GetFilenameFromDevice(prefix, device));
    const auto here = Mac48Address::ConvertFrom(port->GetAddress());
    const auto there = Mac48Address::ConvertFrom(peer->GetAddress());
    port->TraceConnectWithoutContext("PhyTxBegin",
                                     MakeBoundCallback(&WriteFrame, file, here, there));
    port->TraceConnectWithoutContext("PhyRxEnd", MakeBoundCallback(&WriteFrame, file, there, here));
}

} // namespace ns3
