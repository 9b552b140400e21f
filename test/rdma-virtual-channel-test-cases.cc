/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-routing-test-case.h"
#include "rdma-test-case.h"

#include "ns3/boolean.h"
#include "ns3/config.h"
#include "ns3/rdma-deadlock.h"
#include "ns3/rdma-virtual-channels.h"
#include "ns3/string.h"
#include "ns3/topology-builder.h"
#include "ns3/uinteger.h"
#include "ns3/workload-error.h"

#include <map>
#include <string>
#include <tuple>
#include <vector>

namespace ns3
{

namespace
{

/// Priorities that channels may have: all but that of acknowledgements.
constexpr RdmaEgressQueues::Mask FREE = 0x7f;

/// Priority of data.
constexpr uint8_t DATA_CLASS = 3;

/**
 * @param hosts hosts of a ring of switches, one each
 * @return its hosts, its switches, the links of the former, by number, then the ring's
 */
TopologyGraph
MakeSwitchRing(uint32_t hosts)
{
    TopologyGraph graph;
    for (uint32_t host = 0; host < hosts; ++host)
    {
        graph.AddHost("h" + std::to_string(host));
    }
    for (uint32_t host = 0; host < hosts; ++host)
    {
        graph.AddSwitch("s" + std::to_string(host));
        graph.AddLink(host, hosts + host, DataRate("100Gbps"), NanoSeconds(500));
    }
    for (uint32_t ring = 0; ring < hosts; ++ring)
    {
        graph.AddLink(hosts + ring,
                      hosts + (ring + 1) % hosts,
                      DataRate("100Gbps"),
                      NanoSeconds(500));
    }
    return graph;
}

} // namespace

/**
 * @ingroup workload-replay-tests
 * @brief Channels of each hop, by hand.
 */
class VirtualChannelTestCase : public TestCase
{
  public:
    VirtualChannelTestCase()
        : TestCase("virtual channels: those of each hop")
    {
    }

  private:
    void DoRun() override
    {
        FabricParameters parameters;
        parameters.gpusPerServer = 1;
        // A group has a link to each other one: routers 0 to 3 are group 0, 4 to 7 group 1, ...
        m_graph = TopologyBuilder::Build(TopologySpec("dragonfly:p=2"), 72, parameters);
        // Three links between switches at most, each of which needs a channel of its own.
        Check({72, 73}, {}, {4}, "a link");
        Check({73, 72, 76, 78}, {}, {4, 5, 6}, "shortest, by links of both groups");
        Check({73, 72, 76}, {76, 78}, {1, 2, 4}, "a detour by way of another group");
        Check({73, 72, 76, 78}, {78, 79}, {1, 2, 3, 4}, "the longest path to the switch");
        // Up and down a tree is a channel.
        m_graph = TopologyBuilder::Build(TopologySpec("clos:leaves=4"), 16, parameters);
        const uint32_t spine = 20;
        Check({16, spine, 17}, {}, {6, 6}, "shortest in a leaf-spine");
        Check({16, spine, 18}, {18, spine + 1, 17}, {5, 5, 6, 6}, "a detour in it");
        // In a ring of 5 paths have two links, in one of 9 four, which is too many.
        m_graph = MakeSwitchRing(5);
        Check({5, 6, 7}, {7, 8, 9}, {3, 4, 5, 6}, "a ring");
        m_graph = MakeSwitchRing(9);
        std::string what;
        try
        {
            Make();
        }
        catch (const WorkloadError& error)
        {
            what = error.what();
        }
        NS_TEST_EXPECT_MSG_NE(what.find("at most 3 virtual channels"), std::string::npos, what);
    }

    /// @return channels of the graph
    RdmaVirtualChannels Make() const
    {
        std::vector<uint32_t> switches;
        for (const uint32_t host : m_graph.GetHosts())
        {
            switches.push_back(m_graph.GetPeer(m_graph.GetLinksOf(host).front(), host));
        }
        return RdmaVirtualChannels(m_graph, switches, FREE);
    }

    /**
     * @param a a node
     * @param b a neighbour
     * @return a link between them
     */
    uint32_t FindLink(uint32_t a, uint32_t b)
    {
        for (const uint32_t link : m_graph.GetLinksOf(a))
        {
            if (m_graph.GetPeer(link, a) == b)
            {
                return link;
            }
        }
        NS_TEST_EXPECT_MSG_EQ(a, b, "no link");
        return 0;
    }

    /**
     * Check the priorities of a packet on its path.
     *
     * @param first switches to its destination, or to another switch
     * @param second switches from there on; none = there is no detour
     * @param expected priorities, link by link
     * @param what what is looked at
     */
    void Check(const std::vector<uint32_t>& first,
               const std::vector<uint32_t>& second,
               const std::vector<uint32_t>& expected,
               const std::string& what)
    {
        const auto channels = Make();
        const RdmaPacketPtr packet(new RdmaPacket(RdmaPacket::DATA, 1000));
        packet->priority = DATA_CLASS;
        std::vector<uint32_t> priorities;
        for (const auto* path : {&first, &second})
        {
            if (!path->empty())
            {
                channels.Begin(*packet, path == &first && !second.empty());
            }
            for (std::size_t i = 1; i < path->size(); ++i)
            {
                const uint32_t node = path->at(i - 1);
                channels.Move(*packet, FindLink(node, path->at(i)), node);
                priorities.push_back(packet->priority);
            }
        }
        NS_TEST_EXPECT_MSG_EQ((priorities == expected), true, what);
        const uint32_t last = (second.empty() ? first : second).back();
        for (const uint32_t link : m_graph.GetLinksOf(last))
        {
            const uint32_t peer = m_graph.GetPeer(link, last);
            if (m_graph.GetNode(peer).kind == TopologyGraph::HOST)
            {
                channels.Move(*packet, link, last);
                NS_TEST_EXPECT_MSG_EQ(+packet->priority, +DATA_CLASS, "to a host, " << what);
            }
        }
    }

    TopologyGraph m_graph; //!< the fabric
};

/**
 * @ingroup workload-replay-tests
 * @brief A ring of five switches under Valiant's routing, from each of which a host sends: with one
 * channel packets wait for each other in a circle, with several all arrive, and channels only grow.
 */
class VirtualChannelRunTestCase : public RdmaTestCase
{
  public:
    VirtualChannelRunTestCase()
        : RdmaTestCase("virtual channels: a ring that would lock up")
    {
    }

  private:
    void DoRun() override
    {
        for (const bool usesCredits : {false, true})
        {
            for (const bool hasChannels : {false, true})
            {
                Run(usesCredits, hasChannels);
            }
        }
    }

    /**
     * @param usesCredits whether flow control is by credits
     * @param hasChannels whether packets have several channels
     */
    void Run(bool usesCredits, bool hasChannels)
    {
        Reset();
        m_last.clear();
        m_fabric->SetRouting("ns3::RdmaValiantRouting");
        Config::SetDefault("ns3::RdmaDetourRouting::VirtualChannels", BooleanValue(hasChannels));
        if (usesCredits)
        {
            m_fabric->SetDeviceAttribute("FlowControl", StringValue("credits"));
            m_fabric->SetDeviceAttribute("LaneBuffer", UintegerValue(16384));
        }
        else
        {
            // Hardly more than the headroom of one priority, and of all channels and data.
            m_fabric->SetSwitchAttribute("BufferSize",
                                         UintegerValue(hasChannels ? 600000 : 400000));
        }
        Install(MakeSwitchRing(SIZE));
        Listen();
        StringValue weights;
        m_fabric->GetDevice(SIZE, SIZE)->GetAttribute("Weights", weights);
        NS_TEST_EXPECT_MSG_EQ(weights.Get(),
                              (hasChannels ? "0,0,0,1,1,1,1,0" : "0,0,0,0,0,0,0,0"),
                              "channels in turn");
        for (uint32_t host = 0; host < SIZE; ++host)
        {
            Post(Time(0), host, (host + 2) % SIZE, 1000 * MTU);
        }
        Simulator::Stop(MilliSeconds(100));
        Simulator::Run();
        const std::string what = std::string(usesCredits ? "credits" : "pauses") +
                                 (hasChannels ? " with channels" : " without");
        const auto deadlocks = FindDeadlocks(ListPortWaits(*m_fabric));
        NS_TEST_EXPECT_MSG_EQ(deadlocks.empty(), hasChannels, "locks up, " << what);
        if (hasChannels)
        {
            ExpectAllDelivered();
            NS_TEST_EXPECT_MSG_EQ(m_most, 6, "the last of four channels, " << what);
        }
        Config::Reset();
    }

    /// Look at all packets that begin to be sent by switches to each other.
    void Listen()
    {
        for (uint32_t link = SIZE; link < 2 * SIZE; ++link)
        {
            for (const uint32_t node : {link, SIZE + (link + 1) % SIZE})
            {
                m_fabric->GetDevice(link, node)
                    ->TraceConnectWithoutContext(
                        "PhyTxBegin",
                        MakeCallback(&VirtualChannelRunTestCase::Look, this));
            }
        }
    }

    /**
     * @param packet a packet that begins to be sent
     */
    void Look(const RdmaPacket& packet)
    {
        if (packet.type == RdmaPacket::DATA)
        {
            uint8_t& last = m_last[{packet.source, packet.sequence, packet.sentAt}];
            NS_TEST_EXPECT_MSG_GT_OR_EQ(+packet.priority, +last, "channels grow");
            last = packet.priority;
            m_most = std::max<uint32_t>(m_most, last);
        }
    }

    static constexpr uint32_t SIZE = 5; //!< switches, and hosts
    /// Last priority of each packet, by source, sequence and time of sending.
    std::map<std::tuple<uint32_t, uint64_t, int64_t>, uint8_t> m_last;
    uint32_t m_most{0}; //!< highest priority of any packet
};

std::vector<TestCase*>
MakeRdmaVirtualChannelTestCases()
{
    return {new VirtualChannelTestCase, new VirtualChannelRunTestCase};
}

} // namespace ns3
