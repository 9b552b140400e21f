/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef NCCL_TESTS_RUNS_H
#define NCCL_TESTS_RUNS_H

#include "ns3/workload-text.h"
#include "ns3/workload-types.h"

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief What a log of nccl-tests says of the job beside its times.
 */
struct NcclTestsJob
{
    std::optional<CollectiveKind> kind; //!< what was timed; nothing = not known
    uint32_t ranks{0};                  //!< number of ranks; 0 = not known
    uint32_t servers{0};                //!< number of hosts that they run on; 0 = not known
};

/**
 * @ingroup workload-replay
 * @brief The runs of nccl-tests in one log: what the lines before the times of each say of it.
 *
 * A run begins with its program's name, in a line of its own or in that of the command, and with a
 * line for each rank. Scripts write several runs into one log, of which those of one collective
 * count.
 */
class NcclTestsRuns
{
  public:
    /**
     * @param wanted the collective whose runs count, and those that do not say theirs; nothing =
     *        all count
     */
    explicit NcclTestsRuns(std::optional<CollectiveKind> wanted);

    /**
     * Take note of a line of the log.
     *
     * @param words its words
     */
    void Add(const std::vector<TextField>& words);

    /**
     * Take note of a line with a time.
     *
     * @param size where its size stands
     * @return whether its run counts
     * @throws WorkloadError if its run counts and differs from the first one that does in the
     *         collective or the ranks
     */
    bool AddTime(const TextField& size);

    /// @return the last run that counts; of a log without times what its last lines say
    NcclTestsJob GetJob() const;

    /// @return the runs that do not count: collective and ranks, each once
    const std::set<std::string>& GetLeftOut() const;

  private:
    /// @return the run that the lines so far belong to
    NcclTestsJob Observe() const;

    std::optional<CollectiveKind> m_wanted; //!< the collective that counts
    std::optional<CollectiveKind> m_kind;   //!< what the program named last times
    std::set<std::pair<std::string, std::string>> m_processes; //!< processes of ranks, and hosts
    std::set<std::string> m_hosts;                             //!< the hosts
    bool m_isTimed{false};              //!< a time stands behind the last line of a rank
    std::optional<NcclTestsJob> m_last; //!< the run of the last time that counts; nothing = none
    std::set<std::string> m_leftOut;    //!< runs that do not count, in words
};

} // namespace ns3

#endif /* NCCL_TESTS_RUNS_H */
