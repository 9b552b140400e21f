/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-test-case.h"
#include "scheduled-call.h"
#include "topology-test-tools.h"
#include "workload-test-tools.h"

#include "ns3/circuit-file.h"
#include "ns3/topology-builder.h"
#include "ns3/topology-file.h"
#include "ns3/topology-json-file.h"
#include "ns3/uinteger.h"

#include <fstream>
#include <set>
#include <vector>

using namespace ns3;

namespace
{

/**
 * @param text an option
 * @param world number of ranks
 * @param gpusPerServer ranks of a server
 * @return the topology, with NICs of 100 Gb/s
 */
TopologyGraph
Build(const std::string& text, uint32_t world, uint32_t gpusPerServer = 1)
{
    FabricParameters parameters;
    parameters.gpusPerServer = gpusPerServer;
    parameters.nicRate = DataRate("100Gbps");
    parameters.nvlinkRate = DataRate("400Gbps");
    return TopologyBuilder::Build(TopologySpec(text), world, parameters);
}

/**
 * @ingroup workload-replay-tests
 * @brief Rails without spines: routes, times, failures.
 */
class RailOnlyTestCase : public RdmaTestCase
{
  public:
    RailOnlyTestCase()
        : RdmaTestCase("rail without spines: ranks relay to other rails")
    {
    }

  private:
    /**
     * @param graph four servers of four
     * @return when messages to the same ranks of the next servers have arrived, by sender
     */
    std::vector<Time> TimeRails(const TopologyGraph& graph)
    {
        Reset();
        Install(graph);
        for (uint32_t rank = 0; rank < 16; ++rank)
        {
            Post(Time(0), rank, (rank + 4) % 16, 50 * MTU);
        }
        Simulator::Run();
        ExpectAllDelivered();
        std::vector<Time> times;
        for (const auto& fate : m_fates)
        {
            times.push_back(fate.arrivedAt);
        }
        return times;
    }

    void DoRun() override
    {
        const auto graph = Build("rail:spines=0", 16, 4);
        const EcmpRouteTable table(graph);
        NS_TEST_EXPECT_MSG_EQ(CountNodes(graph, "spine"), 0, "no spines");
        NS_TEST_EXPECT_MSG_EQ(table.GetHopCount(0, 4), 2, "the same rail");
        std::string path;
        uint32_t node = 0;
        for (const auto link : table.GetPath(0, 5, 0, 0))
        {
            node = graph.GetPeer(link, node);
            path += graph.GetNode(node).name + " ";
        }
        NS_TEST_EXPECT_MSG_EQ(path,
                              "nvswitch0 host1 rail1-leaf0 host5 ",
                              "NVLink first, then the rail of the destination");
        NS_TEST_EXPECT_MSG_EQ((TimeRails(graph) == TimeRails(Build("rail", 16, 4))),
                              true,
                              "what stays on its rail needs no spine");
        CheckFailure(graph);
        std::stringstream file;
        WriteTopologyJson(file, graph);
        NS_TEST_EXPECT_MSG_EQ((file.str().find("\"hostsRelay\": true") != std::string::npos),
                              true,
                              "the file says that hosts relay");
        const auto error = [](const std::string& text) {
            return WorkloadErrorOf([&text] { Build(text, 16, 4); });
        };
        NS_TEST_EXPECT_MSG_EQ(error("rail:spines=0,serversPerGroup=2"),
                              "--topology: error: expected serversPerGroup of at least 4, the "
                              "servers of the job, for a rail without spines, which would join "
                              "groups, found 2",
                              "groups would be apart");
        NS_TEST_EXPECT_MSG_EQ(error("rail:spines=0,uplinkRate=1Gbps"),
                              "--topology: error: expected a key of rail (serversPerGroup, "
                              "spines), found 'uplinkRate'",
                              "no uplinks");
    }

    /**
     * The NVLink of the sender fails in mid-message and comes back; meanwhile the way leads through
     * the other server.
     *
     * @param graph the fabric
     */
    void CheckFailure(const TopologyGraph& graph)
    {
        Reset();
        m_fabric->SetNicAttribute("RetransmissionTimeout", TimeValue(MicroSeconds(200)));
        Install(graph);
        Post(Time(0), 0, 5, 2000 * MTU);
        const auto link = graph.GetFirstLink(0, true);
        const auto network = m_fabric->GetNetwork();
        Simulator::Schedule(MicroSeconds(50), &RdmaNetwork::SetLinkUp, network, link, false);
        Simulator::Schedule(MicroSeconds(600), &RdmaNetwork::SetLinkUp, network, link, true);
        Simulator::Run();
        ExpectAllDelivered();
        const auto nic = graph.GetFirstLink(0, false);
        NS_TEST_EXPECT_MSG_GT(m_fabric->GetDevice(nic, 0)->GetCounters().packets,
                              100,
                              "its own rail, then NVLink of the other server");
    }
};

/**
 * @ingroup workload-replay-tests
 * @brief Rotor switches: matchings, and how much of a message each slot carries.
 */
class RotorTestCase : public RdmaTestCase
{
  public:
    RotorTestCase()
        : RdmaTestCase("rotor: every two racks are joined once a round, and packets wait for it")
    {
    }

  private:
    /**
     * @param racks number of racks of one host
     * @param rotors number of rotors
     */
    void CheckMatchings(uint32_t racks, uint32_t rotors)
    {
        const auto graph = Build("rotor:hostsPerTor=1,rotors=" + std::to_string(rotors), racks);
        std::map<std::pair<uint32_t, uint32_t>, uint32_t> ports;
        uint32_t circuits = 0;
        for (uint32_t i = 0; i < graph.GetNLinks(); ++i)
        {
            const auto& link = graph.GetLink(i);
            if (link.slot != TopologyGraph::ALWAYS)
            {
                ++circuits;
                ++ports[{link.slot, link.a}];
                ++ports[{link.slot, link.b}];
            }
        }
        NS_TEST_EXPECT_MSG_EQ(circuits, racks * (racks - 1) / 2, "each two racks once");
        for (const auto& [key, count] : ports)
        {
            NS_TEST_EXPECT_MSG_LT_OR_EQ(count, rotors, "an uplink of a rack has one circuit");
        }
        const auto matchings = racks - (racks % 2 == 0 ? 1 : 0);
        NS_TEST_EXPECT_MSG_EQ(graph.GetSlotCycle().count,
                              (matchings + rotors - 1) / rotors,
                              "slots of a round");
    }

    void DoRun() override
    {
        CheckMatchings(2, 1);
        CheckMatchings(7, 3);
        CheckMatchings(8, 1);
        CheckMatchings(16, 4);
        for (const uint32_t maxTrain : {1, 64})
        {
            CheckSlots(maxTrain);
            CheckHost(maxTrain);
        }
        CheckFailure();
        const auto error = [](const std::string& text) {
            return WorkloadErrorOf([&text] { Build(text, 8); });
        };
        NS_TEST_EXPECT_MSG_EQ(error("rotor:hostsPerTor=2,rotors=4"),
                              "--topology: error: expected at most as many rotors as there are "
                              "matchings of 4 racks, 3, found 4",
                              "a rotor without a matching");
        NS_TEST_EXPECT_MSG_EQ(error("rotor:hostsPerTor=4,rotors=2"),
                              "--topology: error: expected at most as many rotors as there are "
                              "matchings of 2 racks, 1, found 2",
                              "two rotors between two racks");
        NS_TEST_EXPECT_MSG_EQ(error("rotor:hostsPerTor=2,darkTime=200us"),
                              "--topology: error: expected a darkTime below the slotTime of "
                              "200000ns, found 200000ns",
                              "always dark");
        NS_TEST_EXPECT_MSG_EQ(error("rotor:rotors=1"),
                              "--topology: error: expected two racks or more for rotors to join, "
                              "such as of hostsPerTor 4, found one of 32 NICs",
                              "one rack");
    }

    /**
     * Four racks, two rotors: three matchings in two slots. A packet takes 324 ns, a slot 100 us,
     * of which 10 us are dark. So 278 packets begin in a slot, and half the time is lost, and a
     * tenth.
     *
     * @param maxTrain most packets of a train
     */
    void CheckSlots(uint32_t maxTrain)
    {
        Reset();
        m_fabric->SetNicAttribute("MaxTrain", UintegerValue(maxTrain));
        const auto graph = Build("rotor:hostsPerTor=1,rotors=2,slotTime=100us,darkTime=10us", 4);
        Install(graph);
        // Racks 0 and 1 meet in the first slot, 0 and 2 in the second one.
        Post(Time(0), 3, 2, 3 * 278 * MTU);
        Post(Time(0), 0, 2, 3 * 278 * MTU);
        const std::map<uint32_t, uint32_t> slots{{0, FindSlot(graph, 3, 2)},
                                                 {1, FindSlot(graph, 0, 2)}};
        Simulator::Run();
        ExpectAllDelivered();
        for (const auto& [message, slot] : slots)
        {
            ExpectThirdSlot(message, slot, 2);
        }
    }

    /**
     * Check that a message takes three slots of 278 packets.
     *
     * @param message its number
     * @param slot the slot
     * @param hops links from where it waits for the slot
     */
    void ExpectThirdSlot(uint32_t message, uint32_t slot, int64_t hops)
    {
        const int64_t opens = 2 * 200000 + slot * 100000 + 10000;
        const int64_t last = opens + 277 * 324 + hops * (324 + 500);
        const auto arrived = m_fates[message].arrivedAt.GetNanoSeconds();
        NS_TEST_EXPECT_MSG_GT_OR_EQ(arrived, last - 324, "not before the third slot's end");
        NS_TEST_EXPECT_MSG_LT_OR_EQ(arrived, last + 324, "and not after it");
    }

    /**
     * The link of a host has the second slot, as long as those above, both ways.
     *
     * @param maxTrain most packets of a train
     */
    void CheckHost(uint32_t maxTrain)
    {
        for (const uint32_t sender : {0, 1})
        {
            Reset();
            m_fabric->SetNicAttribute("MaxTrain", UintegerValue(maxTrain));
            auto graph = MakeStar(2, "100Gbps", NanoSeconds(500));
            graph.SetSlotCycle({2, MicroSeconds(100), MicroSeconds(10)});
            graph.SetSlot(0, 1);
            Install(graph);
            Post(Time(0), sender, 1 - sender, 3 * 278 * MTU);
            Simulator::Run();
            ExpectAllDelivered();
            ExpectThirdSlot(0, 1, 2 - sender);
        }
    }

    /**
     * @param graph racks of one host
     * @param x a rack
     * @param y another one
     * @return the slot that joins them
     */
    uint32_t FindSlot(const TopologyGraph& graph, uint32_t x, uint32_t y)
    {
        const auto from = FindNode(graph, "tor" + std::to_string(x));
        const auto to = FindNode(graph, "tor" + std::to_string(y));
        for (const auto link : graph.GetLinksOf(from))
        {
            if (graph.GetPeer(link, from) == to)
            {
                return graph.GetLink(link).slot;
            }
        }
        return TopologyGraph::ALWAYS;
    }

    /// A circuit fails in mid-message; what has to go there takes two others, each in its slot.
    void CheckFailure()
    {
        Reset();
        m_fabric->SetNicAttribute("RetransmissionTimeout", TimeValue(MilliSeconds(1)));
        const auto graph = Build("rotor:hostsPerTor=1,rotors=1,slotTime=50us,darkTime=5us", 4);
        Install(graph);
        Post(Time(0), 0, 1, 1000 * MTU);
        const auto from = FindNode(graph, "tor0");
        uint32_t circuit = 0;
        for (const auto link : graph.GetLinksOf(from))
        {
            circuit = graph.GetNode(graph.GetPeer(link, from)).name == "tor1" ? link : circuit;
        }
        const auto network = m_fabric->GetNetwork();
        Simulator::Schedule(MicroSeconds(200), &RdmaNetwork::SetLinkUp, network, circuit, false);
        Simulator::Schedule(MilliSeconds(2), &RdmaNetwork::SetLinkUp, network, circuit, true);
        Simulator::Run();
        ExpectAllDelivered();
    }
};

/**
 * @ingroup workload-replay-tests
 * @brief Links that a file takes down and up.
 */
class CircuitFileTestCase : public RdmaTestCase
{
  public:
    CircuitFileTestCase()
        : RdmaTestCase("circuits: changes of a file, and what is wrong in one")
    {
    }

  private:
    /**
     * @param content a file
     * @return its name
     */
    std::string Write(const std::string& content)
    {
        const auto name = CreateTempDirFilename("circuits.json");
        std::ofstream(name) << content;
        return name;
    }

    /**
     * @param content a file
     * @param expected what is wrong in it, after its name
     */
    void Expect(const std::string& content, const std::string& expected)
    {
        const auto name = Write(content);
        const auto error = WorkloadErrorOf([&] { ReadCircuitFile(name, MakeRing()); });
        NS_TEST_EXPECT_MSG_EQ(error, name + expected, content);
    }

    /**
     * @return three switches with a host each, linked each to each
     */
    static TopologyGraph MakeRing()
    {
        TopologyGraph graph;
        for (uint32_t i = 0; i < 3; ++i)
        {
            graph.AddHost("h" + std::to_string(i));
        }
        for (uint32_t i = 0; i < 3; ++i)
        {
            const auto node = graph.AddSwitch("s" + std::to_string(i));
            graph.AddLink(i, node, DataRate("100Gbps"), NanoSeconds(100));
        }
        for (uint32_t i = 0; i < 3; ++i)
        {
            graph.AddLink(3 + i, 3 + (i + 1) % 3, DataRate("100Gbps"), NanoSeconds(100));
        }
        return graph;
    }

    void DoRun() override
    {
        const auto graph = MakeRing();
        const auto changes = ReadCircuitFile(Write(R"({"darkTime": "20us", "changes": [
                {"time": "0s", "down": "s0-s2"},
                {"time": "100us", "down": "s1-s0", "up": "s2-s0"}]})"),
                                             graph);
        NS_TEST_ASSERT_MSG_EQ(changes.size(), 3, "down, down, up");
        NS_TEST_EXPECT_MSG_EQ(changes[0].links.front(), 5, "s2-s0");
        NS_TEST_EXPECT_MSG_EQ(changes[1].time, MicroSeconds(100), "at once");
        NS_TEST_EXPECT_MSG_EQ(changes[2].time, MicroSeconds(120), "after the dark time");
        NS_TEST_EXPECT_MSG_EQ(changes[2].up, true, "up");
        CheckRun(changes);
        const std::string head = R"({"darkTime": "20us", "changes": [{"time": "1us", )";
        Expect(head + R"("down": "s0-s9"}]})",
               ":/changes/0/down: error: expected a link of the topology (fabric.json of --dryRun "
               "lists them), found 's0-s9'; did you mean s0-s1?");
        Expect(head + R"("up": "s0-s1"}]})",
               ":/changes/0/up: error: expected a link that is down at that time, found 's0-s1'");
        Expect(head + R"("down": "s0-s1"}, {"time": "0us", "up": "s0-s1"}]})",
               ":/changes/1/time: error: expected a time that is not before the last one, found "
               "0us");
        // It is dark until 70 us after the beginning.
        Expect(head + R"("down": "s0-s1"}, {"time": "50us", "up": "s0-s1"}, )" +
                   R"({"time": "60us", "down": "s1-s0"}]})",
               ":/changes/2/down: error: expected a link that is up at that time, as this is from "
               "70000ns on, found 's1-s0'");
        Expect(head + R"("dawn": "s0-s1"}]})",
               ":/changes/0/dawn: error: expected one of the keys time, down, up, found 'dawn'; "
               "did you mean "
               "down?");
        Expect(R"({"darkTime": "20us", "changes": [{"time": "1us"}]})",
               ":/changes/0/time: error: expected a link that goes down, or up, at that time, "
               "found none");
    }

    /**
     * Messages from 0 to 1 and from 0 to 2, whose circuits change under way.
     *
     * @param changes the changes
     */
    void CheckRun(const std::vector<CircuitChange>& changes)
    {
        Reset();
        m_fabric->SetNicAttribute("RetransmissionTimeout", TimeValue(MicroSeconds(200)));
        Install(MakeRing());
        Post(Time(0), 0, 1, 1000 * MTU);
        Post(Time(0), 0, 2, 5 * MTU);
        const auto network = m_fabric->GetNetwork();
        for (const auto& change : changes)
        {
            Simulator::Schedule(change.time,
                                &RdmaNetwork::Reconfigure,
                                network,
                                change.links,
                                change.up);
        }
        uint32_t epoch = 0;
        ScheduleCall(NanoSeconds(1), [&epoch, network] { epoch = network->GetEpoch(); });
        Simulator::Run();
        ExpectAllDelivered();
        NS_TEST_EXPECT_MSG_EQ(epoch, 1, "the routes change at once");
        // From 100 us to 120 us rank 0 reaches nobody; then rank 1 by way of switch 2.
        const auto sent = m_fabric->GetDevice(5, 3)->GetCounters().packets;
        NS_TEST_EXPECT_MSG_GT(sent, 600, "what was left after 308 packets");
        NS_TEST_EXPECT_MSG_LT(m_fates[1].arrivedAt, MicroSeconds(100), "over the first circuits");
    }
};

/**
 * @ingroup workload-replay-tests
 * @brief Networks with few switches, or whose links come and go.
 */
class WorkloadReplayCircuitTestSuite : public TestSuite
{
  public:
    WorkloadReplayCircuitTestSuite()
        : TestSuite("workload-replay-circuit", TestSuite::Type::UNIT)
    {
        AddTestCase(new RailOnlyTestCase);
        AddTestCase(new RotorTestCase);
        AddTestCase(new CircuitFileTestCase);
    }
};

/// The suite registers itself.
WorkloadReplayCircuitTestSuite g_workloadReplayCircuitTestSuite;

} // namespace
