/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "fabric-observation-test-cases.h"

#include "rdma-test-case.h"

#include "ns3/config.h"
#include "ns3/file-helper.h"
#include "ns3/gnuplot-helper.h"
#include "ns3/names.h"
#include "ns3/rdma-net-device.h"
#include "ns3/rdma-queue-pair-watch.h"
#include "ns3/simulator.h"
#include "ns3/test.h"
#include "ns3/topology-builder.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

namespace
{

/// Time and value, as FileHelper and GnuplotHelper write them.
using Rows = std::vector<std::pair<double, double>>;

/**
 * @ingroup workload-replay-tests
 * @param file path of a file of two numbers a line
 * @return the numbers
 */
Rows
ReadRows(const std::string& file)
{
    std::ifstream stream(file);
    Rows rows;
    for (double time = 0, value = 0; stream >> time >> value;)
    {
        rows.emplace_back(time, value);
    }
    return rows;
}

/**
 * @ingroup workload-replay-tests
 * @brief Probes of ns-3, and so its FileHelper and GnuplotHelper, take the traced values.
 *
 * Two hosts send 10 packets each to a third one at the same time, all over links of one rate, 324
 * ns a packet. So two packets come to the port of the third one every 324 ns and one leaves: of the
 * first two one is sent at once and one waits, and of each further pair one more waits, so that 10
 * wait when the last pair has come, but for the one that is sent then.
 */
class ProbeTestCase : public RdmaTestCase
{
  public:
    ProbeTestCase()
        : RdmaTestCase("FileHelper and GnuplotHelper take queues, rates and windows")
    {
    }

  private:
    /// Packets that each host sends.
    static constexpr uint32_t PACKETS = 10;

    /// Bytes of a packet in a queue: all but preamble and gap.
    static constexpr uint32_t FRAME = MTU + 62;

    /// Window of the queue pairs, bytes.
    static constexpr uint32_t WINDOW = 100 * MTU;

    void DoRun() override
    {
        Reset();
        m_fabric->SetNicAttribute("MaxTrain", UintegerValue(1));
        Install(MakeStar(3, "100Gbps", NanoSeconds(500)));
        m_fabric->GetCongestionControl()->SetAttribute("Window", UintegerValue(WINDOW));
        auto watch = CreateObject<RdmaQueuePairWatch>();
        watch->Watch(m_fabric->GetNic(1), m_fabric->GetNic(2)->GetAddress());
        Names::Add("observed", watch);
        const std::string name = CreateTempDirFilename("observed");
        const auto port = m_fabric->GetDevice(2, 3);
        const auto queue = "/NodeList/" + std::to_string(port->GetNode()->GetId()) +
                           "/DeviceList/" + std::to_string(port->GetIfIndex()) +
                           "/$ns3::RdmaNetDevice/BytesInQueue";
        {
            std::vector<std::unique_ptr<FileHelper>> files;
            const auto write =
                [&](const std::string& suffix, const std::string& probe, const std::string& path) {
                    files.push_back(std::make_unique<FileHelper>(name + suffix,
                                                                 FileAggregator::SPACE_SEPARATED));
                    files.back()->WriteProbe(probe, path, "Output");
                };
            write("-queue", "ns3::Uinteger32Probe", queue);
            write("-rate", "ns3::DoubleProbe", "/Names/observed/Rate");
            write("-window", "ns3::DoubleProbe", "/Names/observed/Window");
            GnuplotHelper plot;
            plot.ConfigurePlot(name, "queue", "s", "bytes");
            plot.PlotProbe("ns3::Uinteger32Probe", queue, "Output", "port of the third host");
            for (const uint32_t source : {0, 1})
            {
                Post(Time(0), source, 2, PACKETS * MTU);
            }
            Simulator::Run();
            ExpectAllDelivered();
        }
        CheckQueue(ReadRows(name + "-queue.txt"));
        CheckQueue(ReadRows(name + ".dat"));
        const auto rates = ReadRows(name + "-rate.txt");
        NS_TEST_ASSERT_MSG_EQ(rates.size(), 1, "the rate never changes");
        NS_TEST_EXPECT_MSG_EQ(rates[0].second, 1e11, "rate of the port");
        const auto windows = ReadRows(name + "-window.txt");
        NS_TEST_ASSERT_MSG_EQ(windows.size(), 1, "nor does the window");
        NS_TEST_EXPECT_MSG_EQ(windows[0].second, WINDOW, "the window");
        Names::Clear();
    }

    /**
     * @param rows lengths of the queue over time
     */
    void CheckQueue(const Rows& rows)
    {
        // Each packet but the first comes and goes.
        NS_TEST_ASSERT_MSG_EQ(rows.size(), 2 * (2 * PACKETS - 1), "changes of the queue");
        NS_TEST_EXPECT_MSG_EQ(rows.back().second, 0, "the queue is empty at last");
        double longest = 0;
        for (const auto& row : rows)
        {
            longest = std::max(longest, row.second);
        }
        // One more if the last pair is told of before the packet that leaves then.
        NS_TEST_EXPECT_MSG_EQ((longest == PACKETS * FRAME || longest == (PACKETS + 1) * FRAME),
                              true,
                              "the longest queue, bytes: " << longest);
        // Nothing waits before a packet has come by two links and been stored, and the last of 20
        // leaves when 19 have been sent since. Files have six digits.
        const double first = 324e-9 + 500e-9;
        NS_TEST_EXPECT_MSG_EQ_TOL(rows.front().first, first, 1e-11, "the first one waits");
        NS_TEST_EXPECT_MSG_EQ_TOL(rows.back().first,
                                  first + 19 * 324e-9,
                                  1e-11,
                                  "the last one leaves");
    }
};

/**
 * @ingroup workload-replay-tests
 * @brief Config paths lead to all trace sources of a fabric that is made by hand.
 */
class FabricPathTestCase : public RdmaTestCase
{
  public:
    FabricPathTestCase()
        : RdmaTestCase("Config paths of a fabric made by hand")
    {
    }

  private:
    void DoRun() override
    {
        Reset();
        Install(MakeStar(3, "100Gbps", NanoSeconds(500)));
        const std::string node = "/NodeList/*/";
        Config::ConnectWithoutContext(node + "$ns3::RdmaMessageTransport/Posted",
                                      MakeCallback(&FabricPathTestCase::CountMessage, this));
        Config::ConnectWithoutContext(node + "$ns3::MessageTransport/Arrived",
                                      MakeCallback(&FabricPathTestCase::CountMessage, this));
        Config::ConnectWithoutContext(node + "$ns3::MessageTransport/Delivered",
                                      MakeCallback(&FabricPathTestCase::CountMessages, this));
        for (const std::string source : {"Enqueue", "Dequeue", "PhyTxBegin", "PhyRxEnd", "Drop"})
        {
            Expect(node + "DeviceList/*/$ns3::RdmaNetDevice/" + source,
                   MakeCallback(&FabricPathTestCase::CountPacket, this));
        }
        Expect(node + "$ns3::RdmaNic/Retransmission",
               MakeCallback(&FabricPathTestCase::CountPacket, this));
        for (const std::string source : {"LinkChange", "Convergence"})
        {
            Expect("/NodeList/0/$ns3::RdmaNic/Network/" + source,
                   MakeCallback(&FabricPathTestCase::CountLink, this));
        }
        Post(Time(0), 0, 1, 10 * MTU);
        Post(Time(0), 2, 1, 10 * MTU);
        m_fabric->GetNetwork()->SetLinkUp(2, false);
        m_fabric->GetNetwork()->SetLinkUp(2, true);
        Simulator::Run();
        ExpectAllDelivered();
        NS_TEST_EXPECT_MSG_EQ(m_messages, 2 + 2, "posted and arrived");
        NS_TEST_EXPECT_MSG_EQ(m_delivered, 2, "delivered");
        NS_TEST_EXPECT_MSG_GT(m_packets, 0, "packets");
        NS_TEST_EXPECT_MSG_EQ(m_changes, 2 + 2, "changes of links, and routes that follow them");
        CheckPorts();
    }

    /// Ports of a node are numbered in the order of its links.
    void CheckPorts()
    {
        const auto& graph = m_fabric->GetNetwork()->GetGraph();
        for (uint32_t node = 0; node < graph.GetNNodes(); ++node)
        {
            const auto object = m_fabric->GetNodes().Get(node);
            uint32_t port = 0;
            for (const auto link : graph.GetLinksOf(node))
            {
                NS_TEST_EXPECT_MSG_EQ(object->GetDevice(port++),
                                      m_fabric->GetDevice(link, node),
                                      "port of link " << link << " at node " << node);
            }
        }
    }

    /**
     * @param path a Config path
     * @param sink what is to listen there
     */
    void Expect(const std::string& path, const CallbackBase& sink)
    {
        NS_TEST_EXPECT_MSG_EQ(Config::ConnectWithoutContextFailSafe(path, sink), true, path);
    }

    /**
     * @param message a message
     */
    void CountMessage(const Message& message [[maybe_unused]])
    {
        ++m_messages;
    }

    /**
     * @param messages the first one of some
     * @param count how many
     */
    void CountMessages(const Message& messages [[maybe_unused]], uint64_t count)
    {
        m_delivered += count;
    }

    /**
     * @param packet a packet
     */
    void CountPacket(const RdmaPacket& packet [[maybe_unused]])
    {
        ++m_packets;
    }

    /**
     * @param link a link
     * @param isUp whether it carries packets
     */
    void CountLink(uint32_t link [[maybe_unused]], bool isUp [[maybe_unused]])
    {
        ++m_changes;
    }

    uint32_t m_messages{0};  //!< messages posted and arrived
    uint64_t m_delivered{0}; //!< messages delivered
    uint32_t m_packets{0};   //!< packets told of
    uint32_t m_changes{0};   //!< changes of links
};

} // namespace

std::vector<TestCase*>
MakeFabricObservationTestCases()
{
    return {new ProbeTestCase, new FabricPathTestCase};
}

} // namespace ns3
