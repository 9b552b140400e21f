/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef GOAL_TEST_CASES_H
#define GOAL_TEST_CASES_H

#include "goal-test-schedule.h"
#include "replay-test-job.h"

#include "ns3/test.h"
#include "ns3/workload.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay-tests
 * @brief Parameters of the LogGOPS model, ns and bytes; at first those of LogGOPSim.
 */
struct GoalTestCosts
{
    uint64_t latency{2500};     //!< L
    uint64_t overhead{1500};    //!< o
    uint64_t gap{1000};         //!< g
    double byteGap{6};          //!< G
    double byteOverhead{0};     //!< O
    uint64_t eagerLimit{65535}; //!< S
};

/**
 * @ingroup workload-replay-tests
 * @brief Run a job on the network of the LogGOPS model.
 *
 * @param [in,out] job the job
 * @param world number of its ranks
 * @param costs the parameters
 * @param iterations iterations to run
 */
void RunGoalModel(ReplayTestJob& job,
                  uint32_t world,
                  const GoalTestCosts& costs = {},
                  uint32_t iterations = 1);

/**
 * @ingroup workload-replay-tests
 * @param workload a schedule
 * @param costs the parameters
 * @return when each rank ends on the network of the LogGOPS model, ns; -1 = it does not
 */
std::vector<int64_t> FindGoalEnds(std::shared_ptr<const Workload> workload,
                                  const GoalTestCosts& costs = {});

/**
 * @ingroup workload-replay-tests
 * @brief Base of cases that read small GOAL schedules.
 */
class GoalTestCase : public TestCase
{
  protected:
    /// @param name name of the case
    explicit GoalTestCase(const std::string& name);

    /**
     * @param content a schedule, text or binary
     * @return the workload
     */
    std::shared_ptr<const Workload> Read(const std::string& content);

    /**
     * @param content a wrong schedule
     * @return the error that it gives, with FILE in place of the file's name
     */
    std::string ErrorOf(const std::string& content);

    /**
     * @param text a message
     * @return it with FILE in place of the name of the latest file
     */
    std::string CutFile(std::string text) const;

    /**
     * @param schedule a schedule, of which text and binary form must give the same
     * @param costs the parameters
     * @return see FindGoalEnds()
     */
    std::vector<int64_t> FindEnds(const GoalTestSchedule& schedule,
                                  const GoalTestCosts& costs = {});

  private:
    uint32_t m_files{0}; //!< files written
    std::string m_file;  //!< the latest one
};

/**
 * @ingroup workload-replay-tests
 * @return cases about wrong schedules
 */
std::vector<TestCase*> MakeGoalErrorTestCases();

/**
 * @ingroup workload-replay-tests
 * @return cases about the LogGOPS model
 */
std::vector<TestCase*> MakeGoalModelTestCases();

/**
 * @ingroup workload-replay-tests
 * @return cases about messages of other transports
 */
std::vector<TestCase*> MakeGoalTransportTestCases();

} // namespace ns3

#endif /* GOAL_TEST_CASES_H */
