/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "collective-data-test-case.h"
#include "server-test-tools.h"
#include "workload-test-tools.h"

#include "ns3/nccl-graph.h"
#include "ns3/nccl-topology.h"
#include "ns3/ring-collective.h"
#include "ns3/test.h"
#include "ns3/tree-collective.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

using namespace ns3;

namespace
{

/// A DGX H100.
const char* const DGX_H100 = "gpu0+nic0 gpu1+nic1 gpu2+nic2 gpu3+nic3 / "
                             "gpu4+nic4 gpu5+nic5 gpu6+nic6 gpu7+nic7";

/**
 * @param ring a ring
 * @param size number of members
 * @return its members from member 0 on, with blanks between
 */
std::string
Spell(const RailRing& ring, uint32_t size)
{
    std::string text;
    for (uint32_t i = 0; i < size; ++i)
    {
        const auto member = ring.GetMember((ring.GetPosition(0) + i) % size);
        text += (i > 0 ? " " : "") + std::to_string(member);
    }
    return text;
}

} // namespace

/**
 * @ingroup workload-replay-tests
 * @brief Descriptions of servers, right and wrong ones.
 */
class ServerDescriptionTestCase : public TestCase
{
  public:
    ServerDescriptionTestCase()
        : TestCase("descriptions of servers")
    {
    }

  private:
    void DoRun() override
    {
        const auto server = ServerDescription::Parse({REPORTED_SERVER, {"test", 0, 0, ""}});
        NS_TEST_EXPECT_MSG_EQ(server.gpus.size(), 8, "GPUs");
        NS_TEST_EXPECT_MSG_EQ(server.nics.size(), 7, "NICs");
        NS_TEST_EXPECT_MSG_EQ(server.gpus[3].cpu, 0, "the first CPU");
        NS_TEST_EXPECT_MSG_EQ(server.gpus[4].cpu, 1, "the second CPU");
        NS_TEST_EXPECT_MSG_EQ(server.FindNic(0).has_value(), false, "GPU 0 stands alone");
        NS_TEST_EXPECT_MSG_EQ(server.FindNearestNic(0), 0, "a NIC of its CPU");
        NS_TEST_EXPECT_MSG_EQ(server.FindNic(7).value_or(99), 6, "the NIC beside GPU 7");
        const auto shared = ServerDescription::Parse({"gpu0+gpu1+nic0+nic1", {"test", 0, 0, ""}});
        NS_TEST_EXPECT_MSG_EQ(shared.FindNic(0).value_or(99), 0, "two NICs for two GPUs");
        NS_TEST_EXPECT_MSG_EQ(shared.FindNic(1).value_or(99), 1, "two NICs for two GPUs");
        CheckFault("gpu0+nic0 cpu1", "found 'cpu1'");
        CheckFault("gpu0+nic0 gpu2",
                   "expected gpu1, GPUs and NICs each in order from 0 on, found "
                   "'gpu2'");
        CheckFault("gpu0 gpu0+nic0", "found 'gpu0'");
        CheckFault("gpu0 gpu1", "found no NIC");
        CheckFault("", "found no GPU");
    }

    /**
     * @param text a wrong description
     * @param end how the message about it ends
     */
    void CheckFault(const std::string& text, const std::string& end)
    {
        std::string message = "no error";
        try
        {
            ServerDescription::Parse({text, {"--server", 0, 0, ""}});
        }
        catch (const WorkloadError& error)
        {
            message = error.what();
        }
        NS_TEST_EXPECT_MSG_EQ(message.find("--server: error: expected "), 0, message);
        const auto place = message.find(end);
        const bool isEnd = place != std::string::npos && place + end.size() == message.size();
        NS_TEST_EXPECT_MSG_EQ(isEnd, true, message);
    }
};

/**
 * @ingroup workload-replay-tests
 * @brief Servers as NCCL and clouds describe them.
 */
class NcclTopologyTestCase : public TestCase
{
  public:
    NcclTopologyTestCase()
        : TestCase("topologies of NCCL in XML")
    {
    }

  private:
    void DoRun() override
    {
        // As clouds write it: classes of devices alone, CPUs not in the order of the buses.
        const std::string bridge = "<pci busid=\"ffff:ff:01.0\" class=\"0x060400\">";
        const auto cloud =
            Read("<!-- a cloud -->\n<system version=\"1\">\n<cpu numaid=\"0\">" + bridge +
                 MakeGpu(3) + MakeNic(3) + "</pci>" + bridge + MakeGpu(2) + MakeNic(2) +
                 "</pci></cpu>\n<cpu numaid=\"1\">" + bridge + MakeGpu(0) + MakeGpu(1) +
                 MakeNic(0) + "<pci busid=\"0:5\" class=\"0x010802\"/></pci></cpu>\n</system>\n");
        NS_TEST_EXPECT_MSG_EQ(Describe(cloud),
                              "gpu 1.2 1.2 0.1 0.0 nic 1.2 0.1 0.0",
                              "GPUs in the order of their buses");
        NS_TEST_EXPECT_MSG_EQ(cloud.nicRate + cloud.nvlinkRate, 0, "no rates");
        NS_TEST_EXPECT_MSG_EQ(cloud.notes.size(), 1, "which a note says");
        // As NCCL dumps it: devices with numbers, rates and links of NVLink, bridges in bridges.
        const std::string links = "<nvlink target=\"a\" count=\"2\" tclass=\"0x068000\"/>"
                                  "<nvlink target=\"b\" count=\"10\" tclass=\"0x068000\"/>";
        const auto gpu = [&](const std::string& dev, const std::string& sm) {
            return "<pci busid=\"0:1\" class=\"0x030200\"><gpu dev=\"" + dev + "\" sm=\"" + sm +
                   "\">" + links + "</gpu></pci>";
        };
        const auto nic = [](const std::string& dev, const std::string& speed) {
            return "<pci busid=\"0:2\" class=\"0x020700\"><nic><net dev=\"" + dev + "\" speed=\"" +
                   speed + "\"/></nic></pci>";
        };
        const auto dump =
            Read("<system><cpu>" + bridge + "0" + bridge + gpu("1", "80") + "</pci>" + bridge +
                 nic("1", "200000") + "</pci></pci>" + nic("2", "100000") + "</cpu><cpu>" + bridge +
                 gpu("0", "80") + nic("0", "200000") + "</pci></cpu></system>");
        NS_TEST_EXPECT_MSG_EQ(Describe(dump),
                              "gpu 1.2 0.0 nic 1.2 0.0",
                              "by number, one slow NIC less");
        NS_TEST_EXPECT_MSG_EQ(dump.nicRate, 200000000000, "200 Gb/s");
        NS_TEST_EXPECT_MSG_EQ(dump.nvlinkRate, 2400000000000, "12 links of 25 GB/s");
        NS_TEST_EXPECT_MSG_EQ(dump.notes.size(), 1, "a note of the slow NIC");
        const auto blackwell =
            Read("<system><cpu>" + gpu("0", "100") + nic("0", "400000") + "</cpu></system>");
        NS_TEST_EXPECT_MSG_EQ(blackwell.nvlinkRate, 4800000000000, "12 links of 50 GB/s");
    }

    /**
     * @param number a number
     * @return a GPU whose bus has it
     */
    static std::string MakeGpu(int number)
    {
        return "<pci busid=\"000" + std::to_string(number) + ":00\" class=\"0x030200\"/>";
    }

    /**
     * @param number a number
     * @return a NIC whose bus has it
     */
    static std::string MakeNic(int number)
    {
        return "<pci busid=\"010" + std::to_string(number) + ":00\" class=\"0x020700\"/>";
    }

    /**
     * @param xml a file
     * @return the server that it describes
     */
    NcclServer Read(const std::string& xml)
    {
        const auto file = CreateTempDirFilename("server.xml");
        WriteWorkloadFile(file, xml);
        return ReadNcclTopology(file);
    }

    /**
     * @param read a server
     * @return CPU and PCIe switch of each GPU and NIC
     */
    static std::string Describe(const NcclServer& read)
    {
        const auto& server = read.server;
        std::string text;
        for (const auto* places : {&server.gpus, &server.nics})
        {
            text += places == &server.gpus ? "gpu" : " nic";
            for (const auto& place : *places)
            {
                text += " " + std::to_string(place.cpu) + "." + std::to_string(place.bridge);
            }
        }
        return text;
    }
};

/**
 * @ingroup workload-replay-tests
 * @brief Channels against those that NCCL 2.18.6 has reported on such servers.
 */
class ReportedChannelsTestCase : public TestCase
{
  public:
    ReportedChannelsTestCase()
        : TestCase("channels that NCCL has reported")
    {
    }

  private:
    /// What was reported of a communicator; rates in GB/s.
    struct Row
    {
        uint32_t servers;        //!< number of servers
        uint32_t perServer;      //!< GPUs of each
        uint32_t rings;          //!< rings
        double ringRate;         //!< rate of each
        bool isSimpleTree;       //!< pattern 3, not 1
        double treeIntra;        //!< rate of each of as many trees inside a server
        double treeInter;        //!< and between servers
        uint32_t heads;          //!< of NVLS
        double nvlsRate;         //!< rate of each
        uint32_t channels;       //!< that calls use
        ServerPathType ringType; //!< worst path to a NIC
    };

    void DoRun() override
    {
        using Type = ServerPathType;
        const Row rows[] = {
            {2, 1, 2, 20, true, 40, 20, 0, 0, 4, Type::PHB},
            {2, 2, 4, 20, false, 40, 20, 0, 0, 8, Type::PHB},
            {2, 4, 6, 24, true, 24, 24, 3, 30, 12, Type::PIX},
            {2, 8, 6, 24, true, 24, 24, 7, 17.5, 12, Type::PXN},
            {1, 2, 8, 20, false, 40, 40, 0, 0, 16, Type::PIX},
            {1, 4, 8, 20, false, 20, 20, 4, 30, 16, Type::PIX},
            {1, 8, 8, 20, false, 20, 20, 8, 15, 16, Type::PIX},
        };
        for (const auto& row : rows)
        {
            Check(row);
        }
        CheckOrders(2, {"0 1 2 3", "0 3 2 1"});
        CheckOrders(4, {"0 3 6 5 4 7 2 1", "0 1 7 6 4 5 3 2", "0 2 5 7 4 6 1 3"});
        CheckOrders(8,
                    {"0 10 15 14 13 12 11 9 8 2 7 6 5 4 3 1",
                     "0 11 15 14 13 12 10 9 8 3 7 6 5 4 2 1",
                     "0 7 6 5 12 11 10 9 8 15 14 13 4 3 2 1"});
        // What GPU 0 sends in the first ring of 16 goes by the NIC beside GPU 2.
        const auto placement = PlaceInServers(m_servers, 2, 8);
        const auto& ring = placement->GetRing(0);
        NS_TEST_EXPECT_MSG_EQ(ring.GetRelay(ring.GetPosition(0)), 2, "through NVLink");
        NS_TEST_EXPECT_MSG_EQ(ring.GetServed(2)[0], ring.GetPosition(0), "passes on");
        NS_TEST_EXPECT_MSG_EQ(ring.GetRelay(ring.GetPosition(7)), 7, "inside the server");
    }

    /**
     * @param row what was reported
     */
    void Check(const Row& row)
    {
        const auto what = std::to_string(row.perServer) + " GPUs in each of " +
                          std::to_string(row.servers) + " servers";
        const auto placement = PlaceInServers(m_servers, row.servers, row.perServer);
        const auto& found = *placement->GetChannels();
        NS_TEST_EXPECT_MSG_EQ(found.GetRing().channels, row.rings, what);
        NS_TEST_EXPECT_MSG_EQ(found.GetRing().intra / 1e9, row.ringRate, what);
        NS_TEST_EXPECT_MSG_EQ(found.GetRing().inter / 1e9, row.ringRate, what);
        NS_TEST_EXPECT_MSG_EQ((found.GetRing().typeInter == row.ringType), true, what);
        NS_TEST_EXPECT_MSG_EQ(found.GetTree().channels, row.rings, what);
        NS_TEST_EXPECT_MSG_EQ(found.GetTree().isSimpleTree, row.isSimpleTree, what);
        NS_TEST_EXPECT_MSG_EQ(found.GetTree().intra / 1e9, row.treeIntra, what);
        NS_TEST_EXPECT_MSG_EQ(found.GetTree().inter / 1e9, row.treeInter, what);
        NS_TEST_EXPECT_MSG_EQ(found.GetNvls().channels, row.heads, what);
        if (row.heads > 0)
        {
            NS_TEST_EXPECT_MSG_EQ(found.GetNvls().intra / 1e9, row.nvlsRate, what);
        }
        NS_TEST_EXPECT_MSG_EQ(found.GetChannels(), row.channels, what);
    }

    /**
     * @param perServer GPUs of each of two servers
     * @param orders the rings that were reported, from member 0 on
     */
    void CheckOrders(uint32_t perServer, const std::vector<std::string>& orders)
    {
        const auto placement = PlaceInServers(m_servers, 2, perServer);
        NS_TEST_ASSERT_MSG_EQ(placement->GetChannels()->CountRings(), orders.size(), "rings");
        for (uint32_t channel = 0; channel < orders.size(); ++channel)
        {
            NS_TEST_EXPECT_MSG_EQ(Spell(placement->GetRing(channel), 2 * perServer),
                                  orders[channel],
                                  "ring " << channel);
        }
    }

    std::shared_ptr<const ServerChannels> m_servers{
        DescribeServer(REPORTED_SERVER, 8)}; //!< the servers
};

/**
 * @ingroup workload-replay-tests
 * @brief Channels that NCCL has written, instead of those that the search finds.
 */
class NcclGraphTestCase : public TestCase
{
  public:
    NcclGraphTestCase()
        : TestCase("channels that NCCL has written")
    {
    }

  private:
    /// A channel: the NIC by which it enters and leaves, and its GPUs.
    struct Channel
    {
        uint32_t nic;                //!< number of the NIC
        std::vector<uint32_t> order; //!< the GPUs
    };

    void DoRun() override
    {
        // Rings of 16 GPUs as the log of these servers has them, each twice, on NICs 1 to 3.
        const std::vector<Channel> reported{{1, {2, 7, 6, 5, 4, 3, 1, 0}},
                                            {2, {3, 7, 6, 5, 4, 2, 1, 0}},
                                            {3, {4, 3, 2, 1, 0, 7, 6, 5}}};
        auto twice = reported;
        twice.insert(twice.end(), reported.begin(), reported.end());
        CheckRings(twice,
                   "24",
                   {"0 10 15 14 13 12 11 9 8 2 7 6 5 4 3 1",
                    "0 11 15 14 13 12 10 9 8 3 7 6 5 4 2 1",
                    "0 7 6 5 12 11 10 9 8 15 14 13 4 3 2 1"});
        // A ring that no search finds: it would take a NIC that stands beside its first GPU.
        CheckRings({{6, {0, 1, 2, 3, 4, 5, 6, 7}}},
                   "10.5",
                   {"0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15"});
        CheckServer();
        CheckErrors();
    }

    /**
     * @param channels channels
     * @param rate their rate, GB/s
     * @return the file that NCCL writes of them
     */
    static std::string Write(const std::vector<Channel>& channels, const std::string& rate)
    {
        std::string text = "<graphs version=\"1\">\n<graph id=\"0\" pattern=\"4\" crossnic=\"0\" "
                           "nchannels=\"" +
                           std::to_string(channels.size()) + "\" speedintra=\"" + rate +
                           "\" speedinter=\"" + rate +
                           "\" typeintra=\"NVL\" typeinter=\"PXN\" samechannels=\"0\">\n";
        for (const auto& channel : channels)
        {
            const auto net = "<net dev=\"" + std::to_string(channel.nic) + "\"/>";
            text += "<channel>" + net;
            for (const auto gpu : channel.order)
            {
                text += "<gpu dev=\"" + std::to_string(gpu) + "\"/>";
            }
            text += net + "</channel>\n";
        }
        return text + "</graph>\n</graphs>\n";
    }

    /**
     * @param text a file
     * @return what it says
     */
    NcclGraphs Read(const std::string& text)
    {
        const auto file = CreateTempDirFilename("graph.xml");
        WriteWorkloadFile(file, text);
        return ReadNcclGraphs(file);
    }

    /**
     * @param channels channels of eight GPUs
     * @param rate their rate, GB/s
     * @param orders the rings of two servers, from member 0 on
     */
    void CheckRings(const std::vector<Channel>& channels,
                    const std::string& rate,
                    const std::vector<std::string>& orders)
    {
        const auto given = std::make_shared<const NcclGraphs>(Read(Write(channels, rate)));
        const auto servers =
            std::make_shared<const ServerChannels>(DescribeServer(REPORTED_SERVER, 8)->GetModel(),
                                                   given);
        const auto placement = PlaceInServers(servers, 2, 8);
        const auto& found = *placement->GetChannels();
        NS_TEST_EXPECT_MSG_EQ(found.GetRing().channels, channels.size(), "channels");
        NS_TEST_EXPECT_MSG_EQ_TOL(found.GetRing().inter / 1e9, std::stod(rate), 1e-9, "rate");
        NS_TEST_ASSERT_MSG_EQ(found.CountRings(), orders.size(), "rings that differ");
        for (uint32_t ring = 0; ring < orders.size(); ++ring)
        {
            NS_TEST_EXPECT_MSG_EQ(Spell(placement->GetRing(ring), 16),
                                  orders[ring],
                                  "ring " << ring);
        }
        // Other GPUs are searched for.
        const auto others = PlaceInServers(servers, 2, 4);
        NS_TEST_EXPECT_MSG_EQ(others->GetChannels()->GetRing().channels,
                              6,
                              "4 GPUs of each server");
    }

    /// A server is made of channels, and the search compared with them.
    void CheckServer()
    {
        const auto given = Read(Write({{1, {2, 0, 1}}, {0, {0, 2, 1}}}, "24"));
        const auto server = given.MakeServer();
        NS_TEST_EXPECT_MSG_EQ(server.gpus.size(), 3, "GPUs");
        NS_TEST_EXPECT_MSG_EQ(server.FindNic(2).value_or(9),
                              1,
                              "beside the GPU that enters from it");
        NS_TEST_EXPECT_MSG_EQ(server.FindNic(0).value_or(9), 0, "likewise");
        NS_TEST_EXPECT_MSG_EQ(server.FindNic(1).has_value(), false, "no NIC is left");
        auto other = given.ring;
        NS_TEST_EXPECT_MSG_EQ(CompareChannels("rings", given.ring, other),
                              "the file has the rings that the search finds: 2 of 24 and 24 GB/s",
                              "the same");
        std::swap(other.gpus[0], other.gpus[1]);
        NS_TEST_EXPECT_MSG_EQ(CompareChannels("rings", given.ring, other),
                              "the file has other rings than the search finds, though as many and "
                              "as fast: in channel 0 NIC 1: 2 0 1, not NIC 1: 0 2 1",
                              "another order");
        other.rateInter = 12000;
        NS_TEST_EXPECT_MSG_EQ(CompareChannels("rings", given.ring, other),
                              "the file has other rings than the search finds: 2 of 24 and 24 GB/s "
                              "inside and between servers, not 2 of 24 and 12 GB/s",
                              "another rate");
    }

    /// Files that are wrong.
    void CheckErrors()
    {
        const auto right = Write({{1, {2, 0, 1}}, {0, {0, 2, 1}}}, "24");
        const auto file = CreateTempDirFilename("graph.xml");
        const auto check = [&](const std::string& part,
                               const std::string& other,
                               const std::string& message) {
            NS_TEST_EXPECT_MSG_EQ(WorkloadErrorOf([&] { Read(ReplaceFirst(right, part, other)); }),
                                  file + message,
                                  other + " for " + part);
        };
        check("nchannels=\"2\"",
              "nchannels=\"3\"",
              ":/graphs/graph/0: error: expected 3 channels, as nchannels says, found 2");
        check("pattern=\"4\"",
              "pattern=\"1\"",
              ":/graphs/graph/0: error: expected pattern as a whole number from 4 to 4, found '1'");
        check("<gpu dev=\"0\"/>",
              "<gpu dev=\"2\"/>",
              ":/graphs/graph/0/channel/0: error: expected a channel of GPUs, each once, found one "
              "of them twice");
        check(
            "<net dev=\"0\"/>",
            "",
            ":/graphs/graph/0/channel/1: error: expected two NICs, by which it enters and leaves, "
            "found 1");
        check("<gpu dev=\"0\"/><gpu dev=\"2\"/>",
              "<gpu dev=\"2\"/>",
              ":/graphs/graph/0/channel/1: error: expected the 3 GPUs of the first channel, found "
              "others");
        check("speedinter=\"24\"",
              "speedinter=\"0\"",
              ":/graphs/graph/0: error: expected speedinter as a rate in GB/s above 0, found '0'");
        check("<graph id=\"0\"",
              "<graph id=\"2\"",
              ":/graphs: error: expected a graph of rings, with id 0 and a channel, found none");
        const auto message = WorkloadErrorOf([&] { Read(right).Place(Read(right).MakeServer()); });
        NS_TEST_EXPECT_MSG_EQ(message, "no error", "devices of the server");
        const auto few = ServerDescription::Parse({"gpu0+nic0 gpu1 gpu2", {"--server", 0, 0, ""}});
        NS_TEST_EXPECT_MSG_EQ(WorkloadErrorOf([&] { Read(right).Place(few); }),
                              file +
                                  ": error: expected channels of the 1 NICs of the server, found "
                                  "some of NIC 1",
                              "a NIC that is not there");
    }
};

/**
 * @ingroup workload-replay-tests
 * @brief Which GPU a tree over servers is tied to, where the trees of a server are balanced: the
 *        first GPU of its chain has the parent and the second child, the second GPU has the first
 *        child (connect.cc of NCCL 2.18.6).
 */
class BalancedTreeTestCase : public TestCase
{
  public:
    BalancedTreeTestCase()
        : TestCase("balanced trees over servers")
    {
    }

  private:
    static constexpr uint32_t NONE = UINT32_MAX; //!< no server

    /// A server of a tree, as trees.cc has it.
    struct Row
    {
        uint32_t parent; //!< its parent
        uint32_t first;  //!< its first child
        uint32_t second; //!< its second child
    };

    void DoRun() override
    {
        // In the first tree 0 is the root, above 2 or 4; the second one is the first mirrored if
        // servers are even in number and shifted by one if not.
        Check({{NONE, NONE, 2}, {2, NONE, NONE}, {0, 1, 3}, {2, NONE, NONE}}, 0);
        Check({{1, NONE, NONE}, {3, 2, 0}, {1, NONE, NONE}, {NONE, NONE, 1}}, 1);
        Check({{NONE, NONE, 4}, {2, NONE, NONE}, {4, 1, 3}, {2, NONE, NONE}, {0, 2, NONE}}, 0);
        Check({{1, 3, NONE}, {NONE, NONE, 0}, {3, NONE, NONE}, {0, 2, 4}, {3, NONE, NONE}}, 1);
    }

    /**
     * @param rows what is expected of each server, which has two GPUs
     * @param channel a channel of trees
     */
    void Check(const std::vector<Row>& rows, uint32_t channel)
    {
        const auto servers = static_cast<uint32_t>(rows.size());
        const auto placement = PlaceInServers(DescribeServer(REPORTED_SERVER, 8), servers, 2);
        const auto& found = *placement->GetChannels();
        NS_TEST_ASSERT_MSG_EQ(found.GetTree().isSimpleTree, false, "they are balanced");
        // All servers are alike: the GPU that has the parent in the one has it in the others.
        const uint32_t up = found.FindTreePlace(channel, 0).parent == 1 ? 1 : 0;
        const auto member = [up](uint32_t server, bool isFirst) {
            return 2 * server + (isFirst ? up : 1 - up);
        };
        for (uint32_t server = 0; server < servers; ++server)
        {
            const auto& row = rows[server];
            const auto what = "server " + std::to_string(server) + " of " + std::to_string(servers);
            const auto top = found.FindTreePlace(channel, member(server, true));
            const auto below = found.FindTreePlace(channel, member(server, false));
            std::vector<uint32_t> children;
            if (row.second != NONE)
            {
                children.push_back(member(row.second, true));
            }
            children.push_back(member(server, false));
            NS_TEST_EXPECT_MSG_EQ((top.children == children), true, what << ": second child");
            children.clear();
            if (row.first != NONE)
            {
                children.push_back(member(row.first, true));
            }
            NS_TEST_EXPECT_MSG_EQ((below.children == children), true, what << ": first child");
            NS_TEST_EXPECT_MSG_EQ(below.parent, member(server, true), what << ": inside");
            auto parent = TreePlace::NO_PARENT;
            if (row.parent != NONE)
            {
                parent = member(row.parent, rows[row.parent].first != server);
            }
            NS_TEST_EXPECT_MSG_EQ(top.parent, parent, what << ": parent");
        }
    }
};

/**
 * @ingroup workload-replay-tests
 * @brief All members have all contributions after an all-reduce on the channels found, with those
 *        who pass on for others; and no member of a tree has more than two neighbours below.
 */
class ChannelDataTestCase : public TestCase
{
  public:
    ChannelDataTestCase()
        : TestCase("all-reduces on the channels found")
    {
    }

  private:
    void DoRun() override
    {
        for (uint32_t perServer = 1; perServer <= 8; ++perServer)
        {
            Check(DescribeServer(REPORTED_SERVER, 8), 2, perServer);
            Check(DescribeServer(REPORTED_SERVER, 8), 3, perServer);
        }
        Check(DescribeServer(DGX_H100, 18), 1, 8);
        Check(DescribeServer(DGX_H100, 18), 4, 8);
        CheckRelays();
    }

    /**
     * The three rings of 10 GPUs leave each server by GPUs 2, 3 and 4, which GPU 0 hands to. They
     * pass on beside their own steps, 18 of an all-reduce: each step goes on when it is there.
     */
    void CheckRelays()
    {
        const auto placement = PlaceInServers(DescribeServer(REPORTED_SERVER, 8), 2, 5);
        const auto ring = CreateObject<RingCollective>();
        ring->SetAttribute("ChunkBytes", UintegerValue(100000000));
        const auto plan = [&](uint32_t member) {
            CollectiveCall call{CollectiveKind::ALL_REDUCE, 100000000, member, 10};
            call.placement = placement.get();
            return ring->Plan(call);
        };
        const auto own = static_cast<uint32_t>(plan(1).size());
        NS_TEST_ASSERT_MSG_EQ(own, 3, "three rings, one piece in each");
        for (const uint32_t relay : {2, 3, 4})
        {
            const auto pipelines = plan(relay);
            NS_TEST_ASSERT_MSG_EQ(pipelines.size(), own + 1, "passes on in one of them");
            for (uint32_t pipeline = 0; pipeline < pipelines.size(); ++pipeline)
            {
                uint32_t steps = 0;
                for (CollectiveStep step; pipelines[pipeline]->Next(step); step.clear())
                {
                    ++steps;
                }
                const bool isOwn = pipeline < own;
                // Steps overlap by one: the last one only sends.
                NS_TEST_EXPECT_MSG_EQ(steps, (isOwn ? 18 : 19), "steps of pipeline " << pipeline);
                NS_TEST_EXPECT_MSG_EQ((pipelines[pipeline]->GetPeerPipeline(pipeline) < own),
                                      true,
                                      "whom to");
                NS_TEST_EXPECT_MSG_EQ((pipelines[pipeline]->GetPeerPipeline(pipeline) == pipeline),
                                      isOwn,
                                      "its own");
            }
        }
    }

    /**
     * @param channels finds the channels of a server
     * @param servers number of servers
     * @param perServer GPUs of each
     */
    void Check(std::shared_ptr<const ServerChannels> channels, uint32_t servers, uint32_t perServer)
    {
        const auto placement = PlaceInServers(channels, servers, perServer);
        const auto size = servers * perServer;
        const uint64_t bytes = 10000 + size;
        // Each channel has several chunks, and a last one that is shorter.
        auto ring = CreateObject<RingCollective>();
        ring->SetAttribute("ChunkBytes", UintegerValue(300));
        const std::vector<Ptr<CollectiveAlgorithm>> algorithms{ring,
                                                               CreateObject<TreeCollective>()};
        for (const auto& algorithm : algorithms)
        {
            CollectiveChecker checker(
                algorithm,
                {CollectiveKind::ALL_REDUCE, bytes, 0, size, nullptr, placement.get()});
            NS_TEST_ASSERT_MSG_EQ(DescribeFault(checker),
                                  "",
                                  algorithm->GetName() << " on " << servers << " of " << perServer);
        }
    }
};

/**
 * @ingroup workload-replay-tests
 * @brief Servers that are described, and the channels that collectives use in them.
 */
class WorkloadReplayServerTestSuite : public TestSuite
{
  public:
    WorkloadReplayServerTestSuite()
        : TestSuite("workload-replay-server", TestSuite::Type::UNIT)
    {
        AddTestCase(new ServerDescriptionTestCase);
        AddTestCase(new NcclTopologyTestCase);
        AddTestCase(new NcclGraphTestCase);
        AddTestCase(new ReportedChannelsTestCase);
        AddTestCase(new BalancedTreeTestCase);
        AddTestCase(MakeChannelTuningTestCase());
        AddTestCase(new ChannelDataTestCase);
        for (auto* testCase : MakePeerChannelsTestCases())
        {
            AddTestCase(testCase);
        }
    }
};

/// The suite; its constructor registers it.
static WorkloadReplayServerTestSuite g_workloadReplayServerTestSuite;
