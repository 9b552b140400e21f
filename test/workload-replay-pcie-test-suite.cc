/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-test-case.h"
#include "topology-test-tools.h"
#include "workload-test-tools.h"

#include "ns3/replay-option-table.h"
#include "ns3/topology-builder.h"

#include <vector>

using namespace ns3;

namespace
{

/// Packets of a message of the tests.
constexpr int64_t PACKETS = 100;

/// Time of a full packet at the rate of PCIe, ns.
constexpr int64_t FAST = 162;
/// Time of a full packet at the rate of NICs and between CPUs, ns.
constexpr int64_t SLOW = 324;

/// Delay of a link inside a server, ns.
constexpr int64_t DELAY = 100;

/**
 * @return servers of three PCIe switches on two CPUs
 */
FabricParameters
MakeParameters()
{
    FabricParameters parameters;
    parameters.gpusPerServer = 4;
    parameters.pcie = true;
    parameters.server =
        ServerDescription::Parse({"gpu0+gpu1+nic0 gpu2+nic1 / gpu3+nic2", {"--server", 0, 0, ""}});
    parameters.pcieRate = DataRate("200Gbps");
    parameters.socketRate = DataRate("100Gbps");
    parameters.nicRate = DataRate("100Gbps");
    parameters.nvlinkDelay = NanoSeconds(DELAY);
    parameters.linkDelay = NanoSeconds(DELAY);
    return parameters;
}

/**
 * @ingroup workload-replay-tests
 * @brief Rates between GPUs of a server, and to other servers.
 */
class PcieRateTestCase : public RdmaTestCase
{
  public:
    PcieRateTestCase()
        : RdmaTestCase("PCIe: rates on one switch, two switches, two sockets, and to the network")
    {
    }

  private:
    /**
     * @param pairs senders and receivers of a message each
     * @param expected when the last one was to arrive, without acknowledgements in the way, ns
     * @param what what they share
     */
    void Expect(const std::vector<std::pair<uint32_t, uint32_t>>& pairs,
                int64_t expected,
                const std::string& what)
    {
        Reset();
        Install(TopologyBuilder::Build(TopologySpec("rail"), 8, MakeParameters()));
        for (const auto& [from, to] : pairs)
        {
            Post(Time(0), from, to, PACKETS * MTU);
        }
        Simulator::Run();
        ExpectAllDelivered();
        const auto end = m_fates[m_order.back()].arrivedAt.GetNanoSeconds();
        NS_TEST_EXPECT_MSG_GT_OR_EQ(end, expected, what);
        NS_TEST_EXPECT_MSG_LT(end, expected * 1.05, what);
    }

    void DoRun() override
    {
        Expect({{0, 1}}, PACKETS * FAST + FAST + 2 * DELAY, "one switch");
        Expect({{0, 2}}, PACKETS * FAST + 3 * FAST + 4 * DELAY, "two switches of a CPU");
        Expect({{0, 3}}, PACKETS * SLOW + 4 * FAST + 5 * DELAY, "two sockets");
        Expect({{0, 3}, {2, 3}},
               2 * PACKETS * SLOW + 4 * FAST + 5 * DELAY,
               "two GPUs share the link of the sockets");
        Expect({{0, 1}, {2, 1}},
               2 * PACKETS * FAST + FAST + 2 * DELAY,
               "two GPUs share that of the third");
        // GPU, switch, NIC, leaf, NIC, switch, GPU.
        const auto hops = 4 * FAST + SLOW + 6 * DELAY;
        Expect({{0, 4}}, PACKETS * SLOW + hops, "the NIC is the bottleneck");
        Expect({{0, 4}, {1, 5}}, 2 * PACKETS * SLOW + hops, "and two GPUs share it");
        Expect({{0, 4}, {2, 6}}, PACKETS * SLOW + hops, "others have their own");
        Expect({{0, 1}, {0, 2}, {0, 4}},
               3 * PACKETS * FAST + FAST + 2 * DELAY,
               "one link of PCIe leads to neighbours and network");
    }
};

/**
 * @ingroup workload-replay-tests
 * @brief Nodes and links, and what is refused.
 */
class PcieShapeTestCase : public TestCase
{
  public:
    PcieShapeTestCase()
        : TestCase("PCIe: nodes, links, and what cannot be")
    {
    }

  private:
    /**
     * @param arguments a command line, without the world
     * @param expected what is wrong with it
     */
    void Expect(std::vector<std::string> arguments, const std::string& expected)
    {
        arguments.insert(arguments.end(), {"--world=8", "--dryRun"});
        const auto error =
            WorkloadErrorOf([&arguments] { CheckReplayOptions(ParseReplayOptions(arguments)); });
        NS_TEST_EXPECT_MSG_EQ(error, expected, arguments.front());
    }

    void DoRun() override
    {
        // The second server has one GPU, and all its switches and NICs.
        const auto graph = TopologyBuilder::Build(TopologySpec("rail"), 5, MakeParameters());
        NS_TEST_EXPECT_MSG_EQ(CountNodes(graph, "-pcie"), 6, "three a server");
        NS_TEST_EXPECT_MSG_EQ(CountNodes(graph, "-cpu"), 4, "two a server");
        NS_TEST_EXPECT_MSG_EQ(CountNodes(graph, "-nic"), 6, "three a server");
        NS_TEST_EXPECT_MSG_EQ(CountNodes(graph, "-leaf"), 3, "a rail for each NIC");
        NS_TEST_EXPECT_MSG_EQ(PeersOf(graph, FindNode(graph, "server0-pcie0")),
                              "server0-cpu0 host0 host1 server0-nic0",
                              "what stands behind a switch");
        NS_TEST_EXPECT_MSG_EQ(graph.GetNLinks(),
                              2 * (3 + 1 + 3) + 5 + 6 + 3 * 2,
                              "switches, sockets, NICs; GPUs; leaves; uplinks");
        auto parameters = MakeParameters();
        parameters.server = {};
        const auto build = [&parameters] {
            TopologyBuilder::Build(TopologySpec("rail"), 8, parameters);
        };
        NS_TEST_EXPECT_MSG_EQ(WorkloadErrorOf(build),
                              "--topology: error: expected a server that says which GPUs and NICs "
                              "stand behind which PCIe switch, for servers without NVLink, found "
                              "none",
                              "what joins them is not known");
        Expect({"--intraServer=pci"},
               "--intraServer: error: expected nvlink or pcie, found 'pci'; did you mean pcie?");
        Expect({"--intraServer=pcie", "--fabric=h100"},
               "--intraServer: error: expected nvlink with a fabric, whose costs of collectives "
               "are those of NVLink, found 'pcie'");
        Expect({"--intraServer=pcie", "--nvSwitches=4"},
               "--nvSwitches: error: expected no nvSwitches with intraServer pcie, which has PCIe "
               "switches and CPUs instead, found one");
        Expect({"--intraServer=pcie"},
               "--intraServer: error: expected nvlink without a server that says which GPUs and "
               "NICs stand behind which PCIe switch, such as "
               "--server=\"gpu0+gpu1+nic0 / gpu2+gpu3+nic1\", found 'pcie'");
        Expect({"--intraServer=pcie", "--server=gpu0+nic0"}, "no error");
        Expect({"--pcieRate=252Gbps"},
               "--pcieRate: error: expected no pcieRate without intraServer=pcie, found one");
    }
};

/**
 * @ingroup workload-replay-tests
 * @brief Servers without NVLink.
 */
class WorkloadReplayPcieTestSuite : public TestSuite
{
  public:
    WorkloadReplayPcieTestSuite()
        : TestSuite("workload-replay-pcie", TestSuite::Type::UNIT)
    {
        AddTestCase(new PcieRateTestCase);
        AddTestCase(new PcieShapeTestCase);
    }
};

/// The suite registers itself.
WorkloadReplayPcieTestSuite g_workloadReplayPcieTestSuite;

} // namespace
