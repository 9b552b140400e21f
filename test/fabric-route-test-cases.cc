/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "fabric-test-cases.h"
#include "topology-test-graphs.h"
#include "topology-test-tools.h"

#include "ns3/data-rate.h"
#include "ns3/ecmp-hash.h"
#include "ns3/ecmp-route-table.h"
#include "ns3/nstime.h"
#include "ns3/test.h"
#include "ns3/topology-graph.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

namespace
{

/// Links of a node, or of a path.
using Links = std::vector<uint32_t>;

/**
 * @param table routes
 * @param node node that a packet is at
 * @param destination node that it goes to
 * @return links that it may take next
 */
Links
Next(const EcmpRouteTable& table, uint32_t node, uint32_t destination)
{
    const auto span = table.GetNextLinks(node, destination);
    return Links(span.begin(), span.end());
}

/**
 * @param counts how often each of several equally likely things has happened
 * @return Pearson's chi-square statistic
 */
double
ChiSquare(const std::vector<uint32_t>& counts)
{
    double sum = 0;
    for (const auto count : counts)
    {
        sum += count;
    }
    const auto expected = sum / static_cast<double>(counts.size());
    double statistic = 0;
    for (const auto count : counts)
    {
        statistic += (count - expected) * (count - expected) / expected;
    }
    return statistic;
}

/**
 * @ingroup workload-replay-tests
 * @brief Next hops and delays of a small graph, counted by hand, as its links fail one by one.
 *
 * Two hosts, with two short ways between their switches, one of which has two parallel links at its
 * end, and a long one.
 */
class FabricNextHopTestCase : public TestCase
{
  public:
    FabricNextHopTestCase()
        : TestCase("next hops of a graph counted by hand, and after links go down")
    {
    }

  private:
    void DoRun() override;
};

void
FabricNextHopTestCase::DoRun()
{
    TopologyGraph graph;
    const auto from = graph.AddHost("from");
    const auto to = graph.AddHost("to");
    std::vector<uint32_t> s;
    for (uint32_t i = 0; i < 6; ++i)
    {
        s.push_back(graph.AddSwitch("s" + std::to_string(i)));
    }
    // Link i has a delay of 2^i ns, so that a sum tells which links are in it.
    const auto add = [&graph](uint32_t a, uint32_t b) {
        return graph.AddLink(a, b, DataRate("1Gbps"), NanoSeconds(1 << graph.GetNLinks()));
    };
    const auto first = add(from, s[0]);
    const auto s01 = add(s[0], s[1]);
    const auto s02 = add(s[0], s[2]);
    const auto s13 = add(s[1], s[3]);
    const auto s13too = add(s[3], s[1]);
    const auto s23 = add(s[2], s[3]);
    const auto s04 = add(s[0], s[4]);
    const auto s45 = add(s[4], s[5]);
    const auto s53 = add(s[5], s[3]);
    const auto last = add(s[3], to);
    EcmpRouteTable table(graph);

    NS_TEST_EXPECT_MSG_EQ((Next(table, from, to) == Links{first}), true, "host");
    NS_TEST_EXPECT_MSG_EQ((Next(table, s[0], to) == Links{s01, s02}), true, "two short ways");
    NS_TEST_EXPECT_MSG_EQ((Next(table, s[1], to) == Links{s13, s13too}), true, "parallel links");
    NS_TEST_EXPECT_MSG_EQ((Next(table, s[4], to) == Links{s45}), true, "on the long way");
    NS_TEST_EXPECT_MSG_EQ((Next(table, s[3], to) == Links{last}), true, "last switch");
    NS_TEST_EXPECT_MSG_EQ((Next(table, s[3], from) == Links{s13, s13too, s23}), true, "back");
    NS_TEST_EXPECT_MSG_EQ((Next(table, from, s[5]) == Links{first}), true, "to a switch");
    NS_TEST_EXPECT_MSG_EQ((Next(table, s[0], s[5]) == Links{s04}), true, "nearer to a switch");
    NS_TEST_EXPECT_MSG_EQ(Next(table, to, to).size(), 0, "arrived");
    NS_TEST_EXPECT_MSG_EQ(table.GetHopCount(from, to), 4, "from, s0, s1 or s2, s3, to");
    NS_TEST_EXPECT_MSG_EQ(table.GetHopCount(s[4], to), 3, "s4, s5, s3, to");
    NS_TEST_EXPECT_MSG_EQ(table.GetHopCount(from, s[0]), 1, "its switch");
    NS_TEST_EXPECT_MSG_EQ(table.GetHopCount(from, s[3]), 3, "a hop less than the host behind it");
    NS_TEST_EXPECT_MSG_EQ(table.GetHopCount(s[3], to), 1, "and the host behind it");
    NS_TEST_EXPECT_MSG_EQ(table.GetHopCount(from, from), 0, "at home");

    table.SetLinkUp(s01, false);
    table.SetLinkUp(s04, false);
    table.Recompute();
    NS_TEST_EXPECT_MSG_EQ((Next(table, s[0], to) == Links{s02}), true, "one short way is left");
    NS_TEST_EXPECT_MSG_EQ(table.GetDelay(table.GetPath(from, to, 5, 6)),
                          NanoSeconds(1 + 4 + 32 + 512),
                          "delays of its four links");

    table.SetLinkUp(s02, false);
    table.SetLinkUp(s04, true);
    table.Recompute();
    NS_TEST_EXPECT_MSG_EQ((table.GetPath(from, to, 5, 6) == Links{first, s04, s45, s53, last}),
                          true,
                          "the long way");
    NS_TEST_EXPECT_MSG_EQ(table.GetHopCount(from, to), 5, "the long way");

    table.SetLinkUp(s45, false);
    table.Recompute();
    NS_TEST_EXPECT_MSG_EQ(Next(table, from, to).size(), 0, "no way");
    NS_TEST_EXPECT_MSG_EQ(table.GetPath(from, to, 5, 6).size(), 0, "no way");
    NS_TEST_EXPECT_MSG_EQ(table.GetHopCount(from, to), EcmpRouteTable::UNREACHABLE, "no way");

    table.SetLinkUp(s01, true);
    table.Recompute();
    NS_TEST_EXPECT_MSG_EQ((Next(table, s[0], to) == Links{s01}), true, "up again");
}

/**
 * @ingroup workload-replay-tests
 * @brief NVLink at hosts and at relays, hosts with several NICs, and classes of destinations.
 */
class FabricPreferenceTestCase : public TestCase
{
  public:
    FabricPreferenceTestCase()
        : TestCase("NVLink wins at equal hop count; hosts with several links")
    {
    }

  private:
    void DoRun() override;
};

void
FabricPreferenceTestCase::DoRun()
{
    // Two servers of two ranks at one switch: the first four links are NVLink, then come the NICs.
    EcmpRouteTable table(BuildTestTopology("single-switch", 4, 2));
    NS_TEST_EXPECT_MSG_EQ((Next(table, 0, 1) == Links{0}), true, "NVLink within a server");
    NS_TEST_EXPECT_MSG_EQ(table.GetHopCount(0, 1), 2, "over the NVSwitch");
    NS_TEST_EXPECT_MSG_EQ((table.GetPath(0, 1, 7, 8) == Links{0, 1}), true, "over the NVSwitch");
    NS_TEST_EXPECT_MSG_EQ((table.GetPath(0, 2, 7, 8) == Links{4, 6}), true, "NICs between servers");
    NS_TEST_EXPECT_MSG_EQ(Next(table, FindNode(table.GetGraph(), "nvswitch0"), 2).size(),
                          0,
                          "an NVSwitch leads out of no server");
    table.SetLinkUp(1, false);
    table.Recompute();
    NS_TEST_EXPECT_MSG_EQ((table.GetPath(0, 1, 7, 8) == Links{4, 5}), true, "NICs without NVLink");

    // A ring of four hosts, one of whose links is NVLink.
    TopologyGraph ring;
    for (uint32_t i = 0; i < 4; ++i)
    {
        ring.AddHost("host" + std::to_string(i));
    }
    for (uint32_t i = 0; i < 4; ++i)
    {
        ring.AddLink(i, (i + 1) % 4, DataRate("1Gbps"), Time(), i == 3);
    }
    const EcmpRouteTable ringTable(ring);
    NS_TEST_EXPECT_MSG_EQ((Next(ringTable, 0, 2) == Links{3}), true, "NVLink at a relay");
    NS_TEST_EXPECT_MSG_EQ((Next(ringTable, 1, 3) == Links{0, 1}), true, "both ways round");

    // A host with NICs at switches a, b and c; the destination is at a and c.
    TopologyGraph rails;
    const auto from = rails.AddHost("from");
    const auto to = rails.AddHost("to");
    for (uint32_t i = 0; i < 3; ++i)
    {
        rails.AddLink(from, rails.AddSwitch("rail"), DataRate("1Gbps"), Time());
    }
    rails.AddLink(to, 2, DataRate("1Gbps"), Time());
    rails.AddLink(to, 4, DataRate("1Gbps"), Time());
    const EcmpRouteTable railTable(rails);
    NS_TEST_EXPECT_MSG_EQ((Next(railTable, from, to) == Links{0, 2}), true, "two of three NICs");

    // 64 ranks at four leaves: the NVSwitches of the servers split no class.
    NS_TEST_EXPECT_MSG_EQ(EcmpRouteTable(BuildTestTopology("clos:leaves=4", 64)).GetNHostClasses(),
                          4,
                          "a search per leaf");
}

/**
 * @ingroup workload-replay-tests
 * @brief Spread of flows over equal paths, and what the salts do to it.
 */
class FabricSpreadTestCase : public TestCase
{
  public:
    FabricSpreadTestCase()
        : TestCase("flows spread evenly, independently at every node, by seed")
    {
    }

  private:
    void DoRun() override;
};

void
FabricSpreadTestCase::DoRun()
{
    // Every leaf has 32 uplinks, two to each of 16 spines.
    const EcmpRouteTable table(BuildTestTopology("clos:hostsPerLeaf=32,leaves=2,spines=16", 64, 1));
    const auto& graph = table.GetGraph();
    constexpr uint32_t flows = 32000;
    const auto spine = FindNode(graph, "spine0");
    std::vector<uint32_t> uplinks(graph.GetNLinks(), 0);
    std::vector<uint32_t> downlinks(graph.GetNLinks(), 0);
    uint32_t atSpine = 0;
    uint32_t same = 0;
    uint32_t repeated = 0;
    for (uint32_t i = 0; i < flows; ++i)
    {
        const auto hash = EcmpFlowHash(0, 63, 6, (i << 16) | 5000);
        const auto path = table.GetPath(0, 63, hash, 1);
        NS_TEST_ASSERT_MSG_EQ(path.size(), 4, "host, leaf, spine, leaf, host");
        ++uplinks[path[1]];
        same += path[1] == table.GetPath(0, 63, hash, 2)[1] ? 1 : 0;
        repeated += path == table.GetPath(0, 63, hash, 1) ? 1 : 0;
        if (graph.GetLink(path[1]).a == spine || graph.GetLink(path[1]).b == spine)
        {
            ++atSpine;
            ++downlinks[path[2]];
        }
    }
    const auto unused = [](std::vector<uint32_t>& counts) {
        counts.erase(std::remove(counts.begin(), counts.end(), 0), counts.end());
    };
    unused(uplinks);
    unused(downlinks);
    NS_TEST_EXPECT_MSG_EQ(uplinks.size(), 32, "all uplinks are used");
    // With 31 degrees of freedom the statistic exceeds 84.2 once in a million (Wilson-Hilferty).
    NS_TEST_EXPECT_MSG_LT(ChiSquare(uplinks), 84.2, "no uplink is favoured");
    // The spine must not repeat the choice of the leaf: its two links share its flows, of which
    // either has half, give or take five standard deviations of the binomial distribution.
    NS_TEST_ASSERT_MSG_EQ(downlinks.size(), 2, "both links down are used");
    NS_TEST_EXPECT_MSG_EQ_TOL(downlinks[0],
                              atSpine / 2.0,
                              5 * std::sqrt(atSpine / 4.0),
                              "the spine chooses independently of the leaf");
    NS_TEST_EXPECT_MSG_EQ(repeated, flows, "a seed repeats its choices");
    NS_TEST_EXPECT_MSG_EQ_TOL(same,
                              flows / 32.0,
                              5 * std::sqrt(flows / 32.0 * 31 / 32),
                              "another seed agrees with it by chance only");
}

} // namespace

std::vector<TestCase*>
MakeFabricRouteTestCases()
{
    return {new FabricNextHopTestCase, new FabricPreferenceTestCase, new FabricSpreadTestCase};
}

} // namespace ns3
