/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef OBSERVATION_TEST_CASES_H
#define OBSERVATION_TEST_CASES_H

#include "workload-test-tools.h"

#include "ns3/replay-command.h"
#include "ns3/test.h"

#include <iostream>
#include <sstream>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay-tests
 * @brief Base of cases that run wl-replay, and look at what it does.
 */
class ObservationTestCase : public TestCase
{
  public:
    using TestCase::TestCase;

  protected:
    /**
     * @return path of a new op table of one layer, whose 5,000,000 elements of 4 bytes are reduced
     */
    std::string WriteTable()
    {
        const auto table = CreateTempDirFilename("observed.tsv");
        WriteWorkloadFile(table,
                          "name\tforward_compute_time\tforward_comm_type\tforward_comm_size\t"
                          "backward_compute_time\tbackward_comm_type\tbackward_comm_size\t"
                          "weight_grad_compute_time\tweight_grad_comm_type\tweight_grad_comm_size\t"
                          "process_time\n"
                          "layer\t1\tNone\t0\t0\tALLREDUCE\t5000000\t0\tNone\t0\t0\n");
        return table;
    }

    /**
     * @param transport kind of the transports
     * @return arguments of wl-replay for a ring of two hosts at a switch
     */
    std::vector<std::string> MakeRingArguments(const std::string& transport)
    {
        return {"--workload=" + WriteTable(),
                "--world=2",
                "--gpusPerServer=1",
                "--topology=single-switch",
                "--collective=all-reduce=ring",
                "--transport=" + transport,
                "--progress=off"};
    }

    /**
     * Run wl-replay to its end.
     *
     * @param arguments its arguments
     * @param hook see RunReplayCommand()
     * @return the report that it prints
     */
    std::string RunProgram(const std::vector<std::string>& arguments, const ReplayHook& hook = {})
    {
        std::ostringstream report;
        auto* const standard = std::cout.rdbuf(report.rdbuf());
        const auto code = RunReplayCommand(arguments, nullptr, hook);
        std::cout.rdbuf(standard);
        NS_TEST_EXPECT_MSG_EQ(code, ReplaySession::DONE, "exit code");
        return report.str();
    }
};

/**
 * @ingroup workload-replay-tests
 * @brief Make the cases of a ReplayReporter and of ReplaySampler, which scripts use.
 *
 * @return new test cases, which the caller owns
 */
std::vector<TestCase*> MakeReporterTestCases();

} // namespace ns3

#endif /* OBSERVATION_TEST_CASES_H */
