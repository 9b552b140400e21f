/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "fabric-packet-test-cases.h"
#include "workload-test-tools.h"

#include "ns3/ecmp-hash.h"
#include "ns3/ecmp-route-table.h"
#include "ns3/test.h"
#include "ns3/topology-builder.h"
#include "ns3/topology-graph.h"
#include "ns3/topology-spec.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

using namespace ns3;

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
 * @param text an option
 * @param world number of ranks
 * @param gpusPerServer ranks of a server
 * @return the topology
 */
TopologyGraph
Build(const std::string& text, uint32_t world, uint32_t gpusPerServer = 8)
{
    FabricParameters parameters;
    parameters.gpusPerServer = gpusPerServer;
    return TopologyBuilder::Build(TopologySpec(text), world, parameters);
}

/**
 * @param graph a graph
 * @param prefix how a name starts
 * @return number of nodes with such a name
 */
uint32_t
CountNodes(const TopologyGraph& graph, const std::string& prefix)
{
    uint32_t count = 0;
    for (uint32_t node = 0; node < graph.GetNNodes(); ++node)
    {
        count += graph.GetNode(node).name.compare(0, prefix.size(), prefix) == 0 ? 1 : 0;
    }
    return count;
}

/**
 * @param graph a graph
 * @param name name of a node
 * @return the node, or the number of nodes if there is none
 */
uint32_t
FindNode(const TopologyGraph& graph, const std::string& name)
{
    uint32_t node = 0;
    while (node < graph.GetNNodes() && graph.GetNode(node).name != name)
    {
        ++node;
    }
    return node;
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

} // namespace

/**
 * @ingroup workload-replay-tests
 * @brief Reachability of hosts: through switches only, unless hosts are linked to hosts.
 */
class FabricReachabilityTestCase : public TestCase
{
  public:
    FabricReachabilityTestCase()
        : TestCase("unreachable pairs are named")
    {
    }

  private:
    void DoRun() override;
};

void
FabricReachabilityTestCase::DoRun()
{
    const SourceLocation where{"--topology", 0, 0, ""};
    const DataRate rate("1Gbps");
    TopologyGraph parted;
    for (const auto name : {"a", "b", "c"})
    {
        parted.AddHost(name);
    }
    const auto left = parted.AddSwitch("left");
    const auto right = parted.AddSwitch("right");
    parted.AddLink(0, left, rate, Time());
    parted.AddLink(1, left, rate, Time());
    parted.AddLink(2, right, rate, Time());
    NS_TEST_EXPECT_MSG_EQ(WorkloadErrorOf([&] { parted.Validate(where); }),
                          "--topology: error: expected a path between all hosts, found none for 2 "
                          "pairs, such as a and c",
                          "two switches without a link");
    parted.AddLink(1, right, rate, Time());
    NS_TEST_EXPECT_MSG_EQ(WorkloadErrorOf([&] { parted.Validate(where); }),
                          "--topology: error: expected a path between all hosts, found none for 1 "
                          "pair: a and c",
                          "a host with two links does not relay");
    NS_TEST_EXPECT_MSG_EQ(EcmpRouteTable(parted).GetHopCount(0, 2),
                          EcmpRouteTable::UNREACHABLE,
                          "nor does it in the routes");
    parted.AddLink(left, right, rate, Time());
    NS_TEST_EXPECT_MSG_EQ(WorkloadErrorOf([&] { parted.Validate(where); }),
                          "no error",
                          "joined by a link");

    TopologyGraph chain;
    for (const auto name : {"a", "b", "c"})
    {
        chain.AddHost(name);
    }
    chain.AddLink(0, 1, rate, Time());
    chain.AddLink(1, 2, rate, Time());
    NS_TEST_EXPECT_MSG_EQ(WorkloadErrorOf([&] { chain.Validate(where); }),
                          "no error",
                          "hosts linked to hosts relay");
    NS_TEST_EXPECT_MSG_EQ(EcmpRouteTable(chain).GetHopCount(0, 2), 2, "also in the routes");

    TopologyGraph copy = chain;
    copy.AddHost("d");
    copy.AddLink(2, 3, rate, Time());
    copy.SetLossRate(0, 0.5);
    copy.SetName("copy");
    chain.AddLink(0, 2, rate, Time());
    NS_TEST_EXPECT_MSG_EQ(chain.GetNNodes(), 3, "a copy has hosts of its own");
    NS_TEST_EXPECT_MSG_EQ(chain.GetLinksOf(2).size(), 2, "and links of its own");
    NS_TEST_EXPECT_MSG_EQ(chain.GetLink(0).lossRate, 0, "with their own properties");
    NS_TEST_EXPECT_MSG_EQ(chain.GetName(), "", "and its own name");
    NS_TEST_EXPECT_MSG_EQ(copy.GetLinksOf(0).size(), 1, "as the graph has that was copied");
    NS_TEST_EXPECT_MSG_EQ(EcmpRouteTable(copy).GetHopCount(0, 3), 3, "routes of the copy");

    TopologyGraph lonely;
    lonely.AddHost("a");
    lonely.AddHost("b");
    NS_TEST_EXPECT_MSG_EQ(WorkloadErrorOf([&] { lonely.Validate(where); }),
                          "--topology: error: expected a path between all hosts, found none for 1 "
                          "pair: a and b",
                          "hosts without links");
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
    EcmpRouteTable table(Build("single-switch", 4, 2));
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
    NS_TEST_EXPECT_MSG_EQ(EcmpRouteTable(Build("clos:leaves=4", 64)).GetNHostClasses(),
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
    const EcmpRouteTable table(Build("clos:hostsPerLeaf=32,leaves=2,spines=16", 64, 1));
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

/**
 * @ingroup workload-replay-tests
 * @brief Counts of nodes and links of leaf-spines, and their oversubscription.
 */
class FabricClosTestCase : public TestCase
{
  public:
    FabricClosTestCase()
        : TestCase("clos: counts, placement, oversubscription")
    {
    }

  private:
    /**
     * Check the counts of a topology, and the bandwidth of its leaves.
     *
     * @param text the option
     * @param world number of ranks
     * @param leaves leaf switches expected
     * @param spines spine switches expected
     * @param uplinks links of a leaf to spines expected
     * @param ratio host bandwidth of leaf 0 / its uplink bandwidth expected; 0 = no uplinks
     */
    void Check(const std::string& text,
               uint32_t world,
               uint32_t leaves,
               uint32_t spines,
               uint32_t uplinks,
               double ratio);
    void DoRun() override;
};

void
FabricClosTestCase::Check(const std::string& text,
                          uint32_t world,
                          uint32_t leaves,
                          uint32_t spines,
                          uint32_t uplinks,
                          double ratio)
{
    const auto graph = Build(text, world);
    NS_TEST_EXPECT_MSG_EQ(graph.GetHosts().size(), world, text << ": hosts");
    NS_TEST_EXPECT_MSG_EQ(CountNodes(graph, "leaf"), leaves, text << ": leaves");
    NS_TEST_EXPECT_MSG_EQ(CountNodes(graph, "spine"), spines, text << ": spines");
    double hostRate = 0;
    double uplinkRate = 0;
    uint32_t found = 0;
    const auto leaf = FindNode(graph, "leaf0");
    for (const auto link : graph.GetLinksOf(leaf))
    {
        const bool isHost = graph.GetNode(graph.GetPeer(link, leaf)).kind == TopologyGraph::HOST;
        (isHost ? hostRate : uplinkRate) += graph.GetLink(link).rate.GetBitRate();
        found += isHost ? 0 : 1;
    }
    NS_TEST_EXPECT_MSG_EQ(found, uplinks, text << ": uplinks of leaf 0");
    NS_TEST_EXPECT_MSG_EQ_TOL(hostRate, ratio * uplinkRate, ratio, text << ": oversubscription");
}

void
FabricClosTestCase::DoRun()
{
    Check("clos", 128, 4, 32, 32, 1);
    Check("clos:oversubscription=4", 128, 4, 8, 8, 4);
    Check("clos:hostsPerLeaf=24,oversubscription=1.5", 96, 4, 16, 16, 1.5);
    Check("clos:hostsPerLeaf=12,oversubscription=1.2", 96, 8, 10, 10, 1.2);
    Check("clos:hostsPerLeaf=16,spines=4,oversubscription=0.5,uplinkRate=800Gbps",
          128,
          8,
          4,
          16,
          0.5);
    Check("clos:leaves=4", 64, 4, 16, 16, 1);

    // 128 ranks in 16 servers: 128 NVLinks, 128 NICs, and 32 uplinks of each of four leaves.
    const auto whole = Build("clos", 128);
    NS_TEST_EXPECT_MSG_EQ(CountNodes(whole, "nvswitch"), 16, "one per server");
    NS_TEST_EXPECT_MSG_EQ(whole.GetNLinks(), 128 + 128 + 4 * 32, "links");
    // Three servers, of which the last holds one rank and so needs no NVSwitch.
    const auto partial = Build("clos", 17);
    NS_TEST_EXPECT_MSG_EQ(CountNodes(partial, "nvswitch"), 2, "none for a single rank");
    NS_TEST_EXPECT_MSG_EQ(CountNodes(partial, "spine"), 0, "none for a single leaf");
    NS_TEST_EXPECT_MSG_EQ(partial.GetNLinks(), 16 + 17, "links");
    NS_TEST_EXPECT_MSG_EQ(Build("clos", 64, 1).GetNLinks(), 64 + 2 * 32, "no NVLink");
    NS_TEST_EXPECT_MSG_EQ(CountNodes(Build("clos", 33), "leaf"), 2, "33 ranks need a second leaf");

    const auto leafOf = [](const TopologyGraph& graph, uint32_t rank) {
        return graph.GetNode(graph.GetPeer(graph.GetFirstLink(rank, false), rank)).name;
    };
    const auto block = Build("clos:leaves=4", 64);
    const auto interleaved = Build("clos:leaves=4,placement=interleaved", 64);
    NS_TEST_EXPECT_MSG_EQ(leafOf(block, 15), "leaf0", "block: servers 0 and 1");
    NS_TEST_EXPECT_MSG_EQ(leafOf(block, 16), "leaf1", "block: servers 2 and 3");
    NS_TEST_EXPECT_MSG_EQ(leafOf(interleaved, 8), "leaf1", "interleaved: server 1");
    NS_TEST_EXPECT_MSG_EQ(leafOf(interleaved, 39), "leaf0", "interleaved: server 4");
}

/**
 * @ingroup workload-replay-tests
 * @brief Messages of all faults of a topology option.
 */
class FabricSpecErrorTestCase : public TestCase
{
  public:
    FabricSpecErrorTestCase()
        : TestCase("faults of the topology option")
    {
    }

  private:
    void DoRun() override;
};

void
FabricSpecErrorTestCase::DoRun()
{
    const std::string count = " to be a whole number from 1 to 4294967295, found ";
    const std::string rate = "uplinkRate to be a rate with its unit (such as Mbps, Gbps), from "
                             "1bps to 1000000Gbps, found ";
    const std::vector<std::pair<std::string, std::string>> faults{
        {"closs",
         "a topology (auto, single-switch, clos, fat-tree, rail, dual-plane, dual-tor, "
         "dragonfly, torus, ring, rotor), found 'closs'; did you mean clos?"},
        {"", "NAME[:key=value,...], found ''"},
        {"clos:", "key=value after 'clos:', found ''"},
        {"clos:leaves", "key=value after 'clos:', found 'leaves'"},
        {"clos:leaves=4,leaves=4", "each key once, found 'leaves' twice"},
        {"clos:spine=4",
         "a key of clos (hostsPerLeaf, leaves, oversubscription, placement, spines, uplinkRate), "
         "found 'spine'; did you mean spines?"},
        {"single-switch:leaves=4", "no keys for single-switch, found 'leaves'"},
        {"auto:spines=4", "no keys for auto, found 'spines'"},
        {"clos:leaves=0", "leaves" + count + "'0'"},
        {"clos:spines=4x", "spines" + count + "'4x'"},
        {"clos:hostsPerLeaf=4294967296", "hostsPerLeaf" + count + "'4294967296'"},
        {"clos:oversubscription=-1", "oversubscription to be a number above 0, found '-1'"},
        {"clos:oversubscription=nan", "oversubscription to be a number above 0, found 'nan'"},
        {"clos:oversubscription=4:1", "oversubscription to be a number above 0, found '4:1'"},
        {"clos:uplinkRate=400", rate + "'400'"},
        {"clos:uplinkRate=400Gbit", rate + "'400Gbit'; did you mean 400Gbps?"},
        {"clos:uplinkRate=0Gbps", rate + "'0Gbps'"},
        {"clos:placement=interleave",
         "placement to be one of block, interleaved, found 'interleave'; did you mean "
         "interleaved?"},
        {"clos:leaves=4,hostsPerLeaf=16",
         "room for 128 NICs, found 4 leaves x 16 NICs per leaf = 64"},
        {"clos:leaves=6,hostsPerLeaf=22,placement=interleaved",
         "at least 24 NICs per leaf for 16 servers of 8 interleaved over 6 leaves, found 22"},
        {"clos:oversubscription=3",
         "a whole number of uplinks per leaf, from 1 to 1000000, found 32 NIC ports x 400Gbps / "
         "(oversubscription 3 x uplinks of 400Gbps) = 10.6667"},
        {"clos:spines=5",
         "a number of spines that divides the uplinks per leaf (32 NIC ports x 400Gbps / "
         "(oversubscription 1 x uplinks of 400Gbps) = 32), found 5 spines"},
    };
    for (const auto& [text, message] : faults)
    {
        const auto option = text;
        NS_TEST_EXPECT_MSG_EQ(WorkloadErrorOf([&] { Build(option, 128); }),
                              "--topology: error: expected " + message,
                              "option " << option);
    }
    NS_TEST_EXPECT_MSG_EQ(WorkloadErrorOf([] { TopologySpec("", "run.json"); }),
                          "run.json: error: expected NAME[:key=value,...], found ''",
                          "the caller's source");
}

/**
 * @ingroup workload-replay-tests
 * @brief Graphs, routes and IPv4 fabrics.
 */
class WorkloadReplayFabricTestSuite : public TestSuite
{
  public:
    WorkloadReplayFabricTestSuite()
        : TestSuite("workload-replay-fabric", TestSuite::Type::UNIT)
    {
        AddTestCase(new FabricReachabilityTestCase);
        AddTestCase(new FabricNextHopTestCase);
        AddTestCase(new FabricPreferenceTestCase);
        AddTestCase(new FabricSpreadTestCase);
        AddTestCase(new FabricClosTestCase);
        AddTestCase(new FabricSpecErrorTestCase);
        for (const auto testCase : MakeFabricPacketTestCases())
        {
            AddTestCase(testCase);
        }
    }
};

/// The suite registers itself.
static WorkloadReplayFabricTestSuite g_workloadReplayFabricTestSuite;
