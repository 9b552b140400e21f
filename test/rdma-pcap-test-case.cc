/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-frame-test-tools.h"

#include "ns3/pcap-file-wrapper.h"
#include "ns3/rdma-fabric-helper.h"
#include "ns3/rdma-pcap-helper.h"
#include "ns3/simulator.h"
#include "ns3/topology-graph.h"
#include "ns3/uinteger.h"
#include "ns3/workload-error.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

std::string
ToHex(const std::vector<uint8_t>& bytes)
{
    static const char* const digits = "0123456789abcdef";
    std::string hex;
    for (const uint8_t byte : bytes)
    {
        hex += digits[byte >> 4];
        hex += digits[byte & 0xf];
    }
    return hex;
}

std::vector<uint8_t>
GetBytes(Ptr<const Packet> packet)
{
    std::vector<uint8_t> bytes(packet->GetSize());
    packet->CopyData(bytes.data(), packet->GetSize());
    return bytes;
}

namespace
{

/// A record of a pcap file: time, bytes.
using Record = std::pair<Time, std::vector<uint8_t>>;

/**
 * @ingroup workload-replay
 * @brief Files of a run of two hosts at one switch.
 *
 * Links of 1 Gb/s, 8 ns a byte, and 1 us; a switch with room for all. A message of 2501 bytes is
 * two packets of 1000 and one of 501 bytes, which take 62 + 20 bytes more, the last one 3 of
 * padding too: 8656, 8656 and 4688 ns. The last one waits at the switch for the one before it.
 */
class RdmaPcapTestCase : public TestCase
{
  public:
    RdmaPcapTestCase()
        : TestCase("pcap files of two hosts")
    {
    }

  private:
    void DoRun() override
    {
        TopologyGraph graph;
        const uint32_t a = graph.AddHost("a");
        const uint32_t b = graph.AddHost("b");
        const uint32_t s = graph.AddSwitch("s");
        graph.AddLink(a, s, DataRate("1Gbps"), MicroSeconds(1));
        graph.AddLink(b, s, DataRate("1Gbps"), MicroSeconds(1));
        const std::string prefix = CreateTempDirFilename("rdma");
        Run(graph, prefix);

        // Sent by a: at once. Acknowledged by b: 66 + 20 bytes take 688 ns on each link.
        const auto atA = Read(prefix + "-0-0.pcap");
        const auto atB = Read(prefix + "-1-0.pcap");
        ExpectTimes(atA, {0, 8656, 17312, 32656 + 2 * 1688});
        ExpectTimes(atB, {19312, 27968, 32656, 32656});
        ExpectSizes(atA);
        ExpectSizes(atB);
        NS_TEST_EXPECT_MSG_EQ(Read(prefix + "-2-0.pcap").size(), 4, "records at the switch");
        if (atA.size() == 4 && atB.size() == 4)
        {
            // The receiver's port has another address than that of the switch's port at a.
            ExpectSame(atA[0].second, atB[0].second, 12);
            ExpectSame(atA[3].second, atB[3].second, 12);
            NS_TEST_EXPECT_MSG_EQ(+atA[2].second[42], 2, "SEND LAST");
            NS_TEST_EXPECT_MSG_EQ(+atA[2].second[43], 0x30, "3 bytes of padding");
            NS_TEST_EXPECT_MSG_EQ(+atA[3].second[57], 1, "one message has arrived");
        }
        ExpectError();
    }

    /**
     * Send a message from rank 0 to rank 1.
     *
     * @param graph the fabric
     * @param prefix beginning of the files' names
     */
    void Run(const TopologyGraph& graph, const std::string& prefix)
    {
        RdmaFabricHelper fabric;
        fabric.SetCongestionControl("ns3::RdmaNoCongestionControl");
        fabric.SetMtu(1000);
        fabric.SetSwitchAttribute("BufferSize", UintegerValue(1000000));
        fabric.SetNicAttribute("MaxTrain", UintegerValue(1));
        fabric.Install(graph);
        RdmaPcapHelper().EnablePcap(prefix, fabric.GetNodes());
        for (const auto& transport : fabric.GetTransports())
        {
            transport->SetCallbacks(MakeCallback(&RdmaPcapTestCase::Arrive, this),
                                    MakeCallback(&RdmaPcapTestCase::Sent, this));
        }
        Message message;
        message.destination = 1;
        message.bytes = 2501;
        fabric.GetTransports()[0]->Send(message);
        Simulator::Run();
        Simulator::Destroy();
    }

    /// @param message what has arrived
    void Arrive(const Message& message [[maybe_unused]])
    {
    }

    /// @param cookie of the message that is sent
    void Sent(uint64_t cookie [[maybe_unused]])
    {
    }

    /**
     * @param name name of a file
     * @return its records
     */
    std::vector<Record> Read(const std::string& name)
    {
        std::vector<Record> records;
        auto file = CreateObject<PcapFileWrapper>();
        file->Open(name, std::ios::in);
        NS_TEST_EXPECT_MSG_EQ(file->Fail(), false, name << " is a pcap file");
        NS_TEST_EXPECT_MSG_EQ(file->GetMagic(), 0xa1b23c4d, "in nanoseconds");
        NS_TEST_EXPECT_MSG_EQ(file->GetDataLinkType(), 1, "of Ethernet");
        Time time;
        for (auto packet = file->Read(time); packet; packet = file->Read(time))
        {
            records.emplace_back(time, GetBytes(packet));
        }
        return records;
    }

    /**
     * @param records records of a file
     * @param times their times, ns
     */
    void ExpectTimes(const std::vector<Record>& records, const std::vector<int64_t>& times)
    {
        NS_TEST_ASSERT_MSG_EQ(records.size(), times.size(), "records");
        for (std::size_t i = 0; i < times.size(); ++i)
        {
            NS_TEST_EXPECT_MSG_EQ(records[i].first, NanoSeconds(times[i]), "time of " << i);
        }
    }

    /**
     * @param records records of a host
     */
    void ExpectSizes(const std::vector<Record>& records)
    {
        const std::vector<std::size_t> sizes{1058, 1058, 562, 62};
        NS_TEST_ASSERT_MSG_EQ(records.size(), sizes.size(), "records");
        for (std::size_t i = 0; i < sizes.size(); ++i)
        {
            NS_TEST_EXPECT_MSG_EQ(records[i].second.size(), sizes[i], "size of " << i);
        }
    }

    /**
     * @param a a frame
     * @param b the same, elsewhere
     * @param addresses bytes in which they may differ, and do
     */
    void ExpectSame(const std::vector<uint8_t>& a,
                    const std::vector<uint8_t>& b,
                    std::size_t addresses)
    {
        const std::string first = ToHex(a);
        const std::string second = ToHex(b);
        NS_TEST_EXPECT_MSG_EQ(first.substr(2 * addresses), second.substr(2 * addresses), "frame");
        NS_TEST_EXPECT_MSG_NE(first.substr(0, 12), second.substr(0, 12), "destination");
        NS_TEST_EXPECT_MSG_NE(first.substr(12, 12), second.substr(12, 12), "source");
    }

    /// A file that cannot be opened is the user's fault.
    void ExpectError()
    {
        TopologyGraph graph;
        graph.AddLink(graph.AddHost("a"), graph.AddHost("b"), DataRate("1Gbps"), Time(0));
        std::string found = "no error";
        try
        {
            Run(graph, "/no/such/folder/x");
        }
        catch (const WorkloadError& error)
        {
            found = error.what();
        }
        NS_TEST_EXPECT_MSG_EQ(found,
                              "/no/such/folder/x-0-0.pcap: error: expected a pcap file that can be "
                              "written, found one that cannot be opened (No such file or "
                              "directory)",
                              "message");
        Simulator::Destroy();
    }
};

} // namespace

TestCase*
MakeRdmaPcapTestCase()
{
    return new RdmaPcapTestCase;
}

} // namespace ns3
