/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-routing-test-case.h"

#include "ns3/topology-builder.h"

#include <algorithm>
#include <string>
#include <vector>

namespace ns3
{

namespace
{

/**
 * @ingroup workload-replay-tests
 * @brief Loads of a dragonfly against those of Kim et al. (ISCA 2008, section 4.2): if all of a
 * group send to the next group, shortest paths share one link, while Valiant's routing and UGAL use
 * all links of the group; if all send alike everywhere, Valiant's routing takes twice as long, and
 * UGAL hardly longer than shortest paths.
 */
class RdmaDetourLoadTestCase : public RdmaRoutingTestCase
{
  public:
    RdmaDetourLoadTestCase()
        : RdmaRoutingTestCase("routing: detours in a dragonfly")
    {
    }

  private:
    /// Hosts of a group: 4 routers of 2, with 2 global links each, so that there are 9 groups.
    static constexpr uint32_t GROUP = 8;

    /// All hosts.
    static constexpr uint32_t HOSTS = 9 * GROUP;

    /// Packets of a message.
    static constexpr uint32_t PACKETS = 50;

    void DoRun() override
    {
        // A packet takes 400 ns. What eight hosts send takes so long over one link. By hops, some
        // pairs of two groups are nearer by way of a third one, so that not all take it.
        const double one = 400.0 * PACKETS * GROUP;
        NS_TEST_EXPECT_MSG_GT(GetTime("Ecmp", true), 0.7 * one, "one link for most of a group");
        // Each packet takes two of the eight links of a group that lead to others, at the least.
        const double valiant = GetTime("Valiant", true);
        const double global = GetTime("UgalGlobal", true);
        NS_TEST_EXPECT_MSG_GT(valiant, 2 * one / GROUP, "two links for each packet");
        NS_TEST_EXPECT_MSG_LT(valiant, 0.5 * one, "against the pattern of one link");
        NS_TEST_EXPECT_MSG_LT(GetTime("Ugal", true), 0.5 * one, "UGAL likewise");
        NS_TEST_EXPECT_MSG_LT(global, 1.1 * valiant, "by all queues as well as the better");
        // Eight messages of each host, one to each of the other groups, are eight over each link,
        // and twice as many with Valiant's routing.
        const double even = GetTime("Valiant", false);
        NS_TEST_EXPECT_MSG_GT(even, 1.9 * one, "twice the load");
        NS_TEST_EXPECT_MSG_LT(even, 2.6 * one, "and little more");
        NS_TEST_EXPECT_MSG_LT(GetTime("Ugal", false), 0.9 * even, "fewer detours");
        NS_TEST_EXPECT_MSG_LT(GetTime("UgalGlobal", false), 0.7 * even, "by all queues fewer");
    }

    /**
     * @param routing how nodes choose
     * @param isAdverse whether all of a group send to the next one, else to all others alike
     * @return time until all has arrived, ns
     */
    double GetTime(const std::string& routing, bool isAdverse)
    {
        DoTeardown();
        FabricParameters parameters;
        parameters.gpusPerServer = 1;
        parameters.nicRate = DataRate("100Gbps");
        m_graph = TopologyBuilder::Build(TopologySpec("dragonfly:p=2"), HOSTS, parameters);
        Install(routing);
        for (uint32_t host = 0; host < HOSTS; ++host)
        {
            const uint32_t last = isAdverse ? 1 : HOSTS / GROUP - 1;
            for (uint32_t group = 1; group <= last; ++group)
            {
                Post(Time(0), host, (host + group * GROUP) % HOSTS, PACKETS * MTU);
            }
        }
        Simulator::Run();
        ExpectAllDelivered();
        Time end;
        for (const auto& fate : m_fates)
        {
            end = Max(end, fate.arrivedAt);
        }
        return end.ToDouble(Time::NS);
    }
};

/**
 * @ingroup workload-replay-tests
 * @brief Packets arrive through failures, and hosts of one switch take no detours.
 */
class RdmaDetourPathTestCase : public RdmaRoutingTestCase
{
  public:
    RdmaDetourPathTestCase()
        : RdmaRoutingTestCase("routing: detours on a leaf-spine")
    {
    }

  private:
    void DoRun() override
    {
        for (const auto* routing : {"Valiant", "Ugal", "UgalGlobal"})
        {
            // Of three leaves the third one is the only detour between the others.
            DoTeardown();
            Shape shape;
            shape.leaves = 3;
            shape.hostsPerLeaf = 2;
            shape.spines = 2;
            Build(shape);
            Install(routing);
            Post(Time(0), 0, 1, 100 * MTU);
            Simulator::Run();
            ExpectAllDelivered();
            const auto up = GetUplinkPackets(0);
            NS_TEST_EXPECT_MSG_EQ(up[0] + up[1], 0, routing << ": hosts of one switch");
            RunThroughFailures(routing, 0);
            RunThroughFailures(routing, 1);
        }
    }
};

} // namespace

} // namespace ns3

std::vector<ns3::TestCase*>
ns3::MakeRdmaDetourTestCases()
{
    return {new RdmaDetourLoadTestCase, new RdmaDetourPathTestCase};
}
