/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "topology-test-cases.h"
#include "topology-test-tools.h"
#include "workload-test-tools.h"

#include <string>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay-tests
 * @brief Messages about counts that cannot be.
 */
class TopologyErrorTestCase : public TestCase
{
  public:
    TopologyErrorTestCase()
        : TestCase("impossible counts are named")
    {
    }

  private:
    void DoRun() override;
};

void
TopologyErrorTestCase::DoRun()
{
    const std::vector<std::pair<std::string, std::string>> faults{
        {"fat-tree:k=5", "k to be an even number from 2 to 256, found 5"},
        {"fat-tree:k=258", "k to be an even number from 2 to 256, found 258"},
        {"fat-tree:k=6", "room for 64 NICs, found 6 pods x 3 edge switches x 3 NICs = 54"},
        {"fat-tree:k=6,oversubscription=1.5",
         "a whole number of NICs per edge switch, found k/2 x oversubscription = 3 x 1.5 = 4.5"},
        {"fat-tree:spines=4", "a key of fat-tree (k, oversubscription), found 'spines'"},
        {"rail:serverPerGroup=4",
         "a key of rail (oversubscription, serversPerGroup, spines, uplinkRate), found "
         "'serverPerGroup'; did you mean serversPerGroup?"},
        {"rail:spines=3",
         "a number of spines that divides the uplinks per leaf (8 NIC ports x 400Gbps / "
         "(oversubscription 1 x uplinks of 400Gbps) = 8), found 3 spines"},
        {"rail:uplinkRate=3000Gbps",
         "a whole number of uplinks per leaf, from 1 to 1000000, found 8 NIC ports x 400Gbps / "
         "(oversubscription 1 x uplinks of 3000Gbps) = 1.06667"},
        {"dual-plane:leaves=2,hostsPerLeaf=16",
         "room for 64 NICs, found 2 leaves x 16 NICs per leaf = 32"},
        {"dual-tor:portRate=200",
         "portRate to be a rate with its unit (such as Mbps, Gbps), from 1bps to 1000000Gbps, "
         "found '200'"},
        {"dragonfly:a=4,h=2,groups=10", "at most a x h + 1 = 4 x 2 + 1 = 9 groups, found 10"},
        {"dragonfly:p=1,a=4,h=2", "room for 64 NICs, found 9 groups x 4 routers x 1 NICs = 36"},
        {"dragonfly:a=100000,groups=2",
         "at most 20000000 ports between routers, groups x a x (a - 1 + h), found 2 x 100000 x "
         "(100000 - 1 + 1)"},
        {"dragonfly:a=4294967295,h=4294967295,groups=4294967295",
         "at most 20000000 ports between routers, groups x a x (a - 1 + h), found 4294967295 x "
         "4294967295 x (4294967295 - 1 + 4294967295)"},
        {"torus:dims=4x4", "dims whose product is the world of 64, found 4 x 4, which is less"},
        {"torus:dims=65536x65536x65536x65536",
         "dims whose product is the world of 64, found 65536 x 65536 x 65536 x 65536, which is "
         "more"},
        {"torus:dims=4x4x",
         "dims to be whole numbers from 1 to 4294967295 joined by x, such as 4x4x4, found '4x4x'"},
        {"torus:dims=8xx8",
         "dims to be whole numbers from 1 to 4294967295 joined by x, such as 4x4x4, found '8xx8'"},
        {"ring:spines=4", "no keys for ring, found 'spines'"},
        {"auto:spines=4", "no keys for auto, found 'spines'"},
    };
    for (const auto& [text, message] : faults)
    {
        const auto option = text;
        NS_TEST_EXPECT_MSG_EQ(WorkloadErrorOf([&] { BuildTopology(option, 64, 8); }),
                              "--topology: error: expected " + message,
                              "option " << option);
    }
    const std::string rule = "--topology: error: expected nicsPerServer of at most 64 times the "
                             "gpusPerServer of 8, found ";
    const auto nics = [](const std::string& text, uint32_t count) {
        return WorkloadErrorOf([&] { BuildTopology(text, 64, 8, count); });
    };
    NS_TEST_EXPECT_MSG_EQ(nics("clos", 520), rule + "520; did you mean 512?", "too many");
    NS_TEST_EXPECT_MSG_EQ(nics("ring", 4),
                          "--topology: error: expected a NIC per rank for a ring, in which ranks "
                          "relay, found nicsPerServer 4 with gpusPerServer 8",
                          "shared NICs in a ring");
    NS_TEST_EXPECT_MSG_EQ(nics("torus", 16),
                          "--topology: error: expected one NIC per rank for a torus, which has "
                          "links from rank to rank, found nicsPerServer 16 with gpusPerServer 8",
                          "NICs in a torus");
}

std::vector<TestCase*>
MakeTopologyErrorTestCases()
{
    return {new TopologyErrorTestCase};
}

} // namespace ns3
