/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "option-test-cases.h"
#include "workload-test-tools.h"

#include "ns3/astra-system.h"
#include "ns3/option-table.h"
#include "ns3/replay-option-table.h"

#include <string>
#include <vector>

namespace ns3
{

namespace
{

/**
 * @ingroup workload-replay-tests
 * @brief System configurations of ASTRA-sim as options.
 */
class AstraSystemTestCase : public TestCase
{
  public:
    AstraSystemTestCase()
        : TestCase("system configurations of ASTRA-sim")
    {
    }

  private:
    void DoRun() override;

    /**
     * @param text what stands in the braces of a configuration
     * @param topology what the option topology says
     * @return its options, one a line, then the notes
     */
    std::string Describe(const std::string& text, const std::string& topology = "")
    {
        const auto file = CreateTempDirFilename("system.json");
        WriteWorkloadFile(file, "{\"scheduling-policy\": \"FIFO\", " + text + "}");
        std::string lines;
        const auto config = ReadAstraSystem(file, topology, OptionTable());
        for (const auto& assignment : config.assignments)
        {
            lines += assignment.name + "=" + assignment.value.text + "\n";
        }
        for (const auto& note : config.notes)
        {
            lines += "note " + note.substr(0, note.find(file)) + "\n";
        }
        return lines;
    }
};

void
AstraSystemTestCase::DoRun()
{
    const std::string rings = R"("all-reduce-implementation": ["ring", "ring"])";
    const std::vector<std::pair<std::string, std::string>> rows{
        {R"("endpoint-delay": 10.5, "boost-mode": 0)", "stepLatency=10.5ns\n"},
        {R"("all-reduce-implementation": ["ring"], "all-gather-implementation": ["oneDirect"])",
         "collective=all-reduce=ring,all-gather=direct\n"},
        {R"("all-reduce-implementation": ["doubleBinaryTree"],
            "reduce-scatter-implementation": ["halvingDoubling"],
            "all-to-all-implementation": ["direct16"])",
         "ns3::DirectCollective::Concurrency=16\n"
         "collective=all-reduce=tree,reduce-scatter=halving-doubling,all-to-all=direct\n"},
        // Inside servers all exchange at once.
        {R"("all-reduce-implementation": ["direct"])",
         "collective=all-reduce=hierarchical\nnote all-reduce direct of \n"},
        {rings,
         "collective=all-reduce=hierarchical\nnote all-reduce: members of a server exchange "
         "directly where \n"},
        {R"("all-gather-implementation": ["direct", "ring"])",
         "collective=all-gather=hierarchical\n"},
        // There are rings between servers, and two levels.
        {R"("all-gather-implementation": ["ring", "direct"])",
         "note all-gather-implementation [\"ring\",\"direct\"] of \n"},
        {R"("all-to-all-implementation": ["ring"], "preferred-dataset-splits": 4)",
         "note all-to-all-implementation [\"ring\"], preferred-dataset-splits 4 of \n"},
        {R"("all-reduce-implementation-custom": ["a.et"], "peak-perf": 900, "local-mem-bw": 1600)",
         "note all-reduce-implementation-custom, peak-perf 900, local-mem-bw 1600 of \n"}};
    for (const auto& [text, options] : rows)
    {
        NS_TEST_EXPECT_MSG_EQ(Describe(text), options, text);
    }
    NS_TEST_EXPECT_MSG_EQ(Describe(rings, "torus:dims=4x4"),
                          "collective=all-reduce=bucket\n",
                          "on a torus");
    const auto network = CreateTempDirFilename("torus.yml");
    WriteWorkloadFile(network,
                      "topology: [Ring, Ring]\nnpus_count: [2, 3]\nbandwidth: [1, 1]\n"
                      "latency: [1, 1]\n");
    NS_TEST_EXPECT_MSG_EQ(Describe(rings, network),
                          "collective=all-reduce=bucket\n",
                          "on one of ASTRA-sim");

    const auto file = CreateTempDirFilename("whole.json");
    WriteWorkloadFile(file,
                      R"({"scheduling-policy": "FIFO", "endpoint-delay": 10, "peak-perf": 900,
                          "local-mem-bw": 1600, "roofline-enabled": 1})");
    const auto options = ParseReplayOptions({"--config=" + file});
    NS_TEST_EXPECT_MSG_EQ(options.stepLatency, NanoSeconds(10), "--config takes it");
    NS_TEST_EXPECT_MSG_EQ(options.peakFlops, 900e12, "TFLOPS");
    NS_TEST_EXPECT_MSG_EQ(options.memoryBandwidth, 1600e9, "GB/s");
}

} // namespace

std::vector<TestCase*>
MakeAstraSystemTestCases()
{
    return {new AstraSystemTestCase};
}

} // namespace ns3
