/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_PCAP_HELPER_H
#define RDMA_PCAP_HELPER_H

#include "ns3/net-device.h"
#include "ns3/ptr.h"
#include "ns3/trace-helper.h"

#include <string>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief Writes what ports of an rdma fabric send and receive to pcap files, as RoCEv2 frames.
 *
 * EnablePcap() takes a prefix and a device, devices, or nodes such as RdmaFabricHelper::GetNodes();
 * EnablePcapAll() takes all devices of the simulation. Each device gets the file
 * PREFIX-NODE-DEVICE.pcap, in nanoseconds, with the ids of ns-3 or, where there are some, the names
 * of ns3::Names. Call it after the fabric is installed and before messages are sent. A train of
 * packets has no frame: have ns3::RdmaNic::MaxTrain be 1 on all hosts, or it throws.
 *
 * A packet is written when its first bit is sent and when its last bit has come in; what is lost on
 * the way in is not written. See RdmaFrame for what is in a frame. The attribute
 * ns3::PcapFileWrapper::CaptureSize cuts frames short: 128 keeps all headers.
 */
class RdmaPcapHelper : public PcapHelperForDevice
{
  private:
    /**
     * Write what a device sends and receives to a file. Devices of other kinds are passed over.
     *
     * @param prefix beginning of the file's name, or its whole name
     * @param device the device, whose cable must be plugged in
     * @param promiscuous not looked at: a cable has no other packets
     * @param explicitFilename whether the prefix is the whole name
     * @throws WorkloadError if the file cannot be opened, or if a host sends trains
     */
    void EnablePcapInternal(std::string prefix,
                            Ptr<NetDevice> device,
                            bool promiscuous,
                            bool explicitFilename) override;
};

} // namespace ns3

#endif /* RDMA_PCAP_HELPER_H */
