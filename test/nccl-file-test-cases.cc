/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "server-test-tools.h"
#include "workload-test-tools.h"

#include "ns3/nccl-graph.h"
#include "ns3/nccl-topology.h"
#include "ns3/replay-option-table.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

namespace
{

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
        CheckLinks();
        CheckServers();
        CheckOptions();
    }

    /**
     * @param gpus elements of GPUs
     * @return a server of one PCI device that has them, and a NIC
     */
    static std::string MakeDump(const std::string& gpus)
    {
        return "<system><cpu host_hash=\"0x1\"><pci busid=\"0:1\" class=\"0x120000\">" + gpus +
               "</pci>" + MakeNic(0) + "</cpu></system>";
    }

    /// Links of all kinds, by the GPUs that have them.
    void CheckLinks()
    {
        const auto read = [this](const std::string& gpu, const std::string& links) {
            return Read(MakeDump("<gpu dev=\"0\" " + gpu + ">" + links + "</gpu>"));
        };
        const std::string xgmi = "<xgmi target=\"a\" count=\"1\" tclass=\"0x120000\"/>"
                                 "<xgmi target=\"b\" count=\"6\" tclass=\"0x120000\"/>";
        const std::vector<std::pair<std::string, uint64_t>> rows{
            {"gcn=\"gfx942\"", 336},         // MI300X: 48 GB/s a link
            {"gcn=\"gfx950\"", 336},         // MI350X
            {"gcn=\"gfx90a:xnack-\"", 252},  // MI250X: 36 GB/s
            {"gcn=\"910\"", 252},            // as older dumps have it
            {"gcn=\"908\" sm=\"120\"", 168}, // MI100: 24 GB/s
        };
        for (const auto& [gpu, rate] : rows)
        {
            const auto server = read(gpu, xgmi);
            NS_TEST_EXPECT_MSG_EQ(server.nvlinkRate, rate * 8000000000, gpu);
            NS_TEST_EXPECT_MSG_EQ(server.notes.back(),
                                  "links of xGMI from GPU to GPU are taken for links to an "
                                  "NVSwitch",
                                  gpu);
        }
        const std::string nvlink = "<nvlink target=\"a\" count=\"4\" tclass=\"0x030200\"/>";
        // P100: 20 GB/s a link; RTX A6000: four links of 112.5 GB/s in both directions.
        NS_TEST_EXPECT_MSG_EQ(read("sm=\"60\"", nvlink).nvlinkRate, 640000000000, "P100");
        NS_TEST_EXPECT_MSG_EQ(read("sm=\"86\"", nvlink).nvlinkRate, 450000000000, "RTX A6000");
        NS_TEST_EXPECT_MSG_EQ(read("sm=\"86\"", nvlink).isLinkless, false, "has links");
        NS_TEST_EXPECT_MSG_EQ(read("sm=\"89\"", "").isLinkless, true, "L40S");
    }

    /// GPUs that are parts of one, one that has lost its links, and several servers in one file.
    void CheckServers()
    {
        const std::string links = "<nvlink target=\"a\" count=\"36\" tclass=\"0x068000\"/>";
        const auto gpu = [&links](const std::string& dev, bool hasLinks) {
            return "<gpu dev=\"" + dev + "\" sm=\"107\">" + (hasLinks ? links : "") + "</gpu>";
        };
        const auto parts = Read(MakeDump(gpu("0", true) + gpu("0", true)));
        NS_TEST_EXPECT_MSG_EQ(Describe(parts), "gpu 0.0 0.0 nic 0.1", "two GPUs for CUDA");
        NS_TEST_EXPECT_MSG_EQ(parts.nvlinkRate,
                              7200000000000,
                              "18 of 36 links of 50 GB/s for each");
        const auto cpu = [&](const std::string& hash, const std::string& dev, bool hasLinks) {
            return "<cpu host_hash=\"" + hash + "\"><pci busid=\"" + dev + "\">" +
                   gpu(dev, hasLinks) + "</pci>" + MakeNic(0) + "</cpu>";
        };
        const auto lost =
            Read("<system>" + cpu("a", "0", true) + cpu("a", "1", false) + "</system>");
        NS_TEST_EXPECT_MSG_EQ(lost.nvlinkRate, 14400000000000, "that of the other GPU");
        NS_TEST_EXPECT_MSG_EQ(lost.isLinkless, false, "one has links");
        NS_TEST_EXPECT_MSG_EQ(lost.notes.back(),
                              "1 of the 2 GPUs of " + m_file +
                                  " have no NVLinks; they are taken to have those of the others",
                              "a GPU without links");
        const auto two = Read("<system>" + cpu("a", "0", true) + cpu("a", "1", true) +
                              cpu("b", "0", true) + cpu("b", "1", true) + "</system>");
        NS_TEST_EXPECT_MSG_EQ(Describe(two), "gpu 0.0 1.2 nic 0.1 1.3", "the first of two servers");
        NS_TEST_EXPECT_MSG_EQ(two.notes.back(),
                              m_file + " has 2 servers, of which the first is taken; "
                                       "--nvlinkServers says how many NVLinks join",
                              "two servers");
    }

    /// GPUs without NVLinks reach each other through PCIe, unless the user says otherwise.
    void CheckOptions()
    {
        Read(MakeDump("<gpu dev=\"0\" sm=\"89\"/><gpu dev=\"1\" sm=\"89\"/>"));
        const auto parse = [this](std::vector<std::string> arguments) {
            arguments.push_back("--server=" + m_file);
            return ParseReplayOptions(arguments);
        };
        NS_TEST_EXPECT_MSG_EQ(parse({}).fabric.pcie, true, "as the file says");
        NS_TEST_EXPECT_MSG_EQ(parse({"--intraServer=nvlink"}).fabric.pcie, false, "NVLink");
        NS_TEST_EXPECT_MSG_EQ(parse({"--nvlinkRate=900Gbps"}).fabric.pcie, false, "its rate");
        const auto fabric = parse({"--fabric=h100"});
        NS_TEST_EXPECT_MSG_EQ(fabric.fabric.pcie, false, "a fabric has NVLinks");
        NS_TEST_EXPECT_MSG_EQ(fabric.configNotes.back(),
                              "GPUs of " + m_file +
                                  " have no NVLinks: they are taken to have those of the fabric",
                              "a fabric");
        NS_TEST_EXPECT_MSG_EQ(parse({}).configNotes.back(),
                              "GPUs of " + m_file +
                                  " have no NVLinks: they reach each other through PCIe "
                                  "(--intraServer=pcie)",
                              "PCIe");
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
        m_file = CreateTempDirFilename("server.xml");
        WriteWorkloadFile(m_file, xml);
        return ReadNcclTopology(m_file);
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

    std::string m_file; //!< the file that was read last
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
        CheckNewer();
        CheckErrors();
    }

    /// Newer versions have numbers in base 16, ranks of GPUs, and graphs without a channel.
    void CheckNewer()
    {
        auto text = Write({{10, {0, 1}}}, "24");
        text = ReplaceFirst(text, "\"10\"", "\"0xa\"");
        text = ReplaceFirst(text, "\"10\"", "\"0xa\"");
        text = ReplaceFirst(text, "<gpu dev=\"1\"", "<gpu dev=\"0x1\" rank=\"1\"");
        const auto empty = [](const std::string& id, const std::string& pattern) {
            return "<graph id=\"" + id + "\" pattern=\"" + pattern +
                   "\" crossnic=\"0\" nchannels=\"0\" speedintra=\"0\" speedinter=\"0\" "
                   "typeintra=\"LOC\" typeinter=\"LOC\" samechannels=\"0\"/>\n</graphs>";
        };
        text = ReplaceFirst(text, "</graphs>", empty("2", "3"));
        text = ReplaceFirst(text, "</graphs>", empty("3", "5"));
        const auto found = Read(text);
        NS_TEST_EXPECT_MSG_EQ(found.ring.nets.at(0).second, 10, "number of the NIC");
        NS_TEST_EXPECT_MSG_EQ(found.ring.GetGpu(0, 1), 1, "number of the GPU");
        NS_TEST_EXPECT_MSG_EQ(found.nvls.channels, 0, "no heads of NVLS");
        NS_TEST_EXPECT_MSG_EQ(found.notes.size(), 0, "nothing is left out");
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
        for (const std::string number : {"0x400", "0x100000000000001", "0x", "0x1g"})
        {
            check(
                "<gpu dev=\"2\"/>",
                "<gpu dev=\"" + number + "\"/>",
                ":/graphs/graph/0/channel/0/gpu/0: error: expected dev as a number in base 16, up "
                "to 0x3ff, of one server: channels of several, which NVLinks join, are not read, "
                "found '" +
                    number + "'");
        }
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

} // namespace

std::vector<TestCase*>
MakeNcclFileTestCases()
{
    return {new NcclTopologyTestCase, new NcclGraphTestCase, new ReportedChannelsTestCase};
}

} // namespace ns3
