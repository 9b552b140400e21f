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
 * @brief The runs of nccl-tests in one log: what the lines before the times of each say of it.
 *
 * A run begins with its program's name, in a line of its own or in that of the command, and with a
 * line for each rank. Scripts write several runs into one log.
 */
class NcclTestsRuns
{
  public:
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
     * @throws WorkloadError if its run differs from the first one in the collective or the ranks
     */
    void AddTime(const TextField& size);

    /// @return what the program of the last run times, or of none, what the last one named does;
    ///         nothing = no line says it
    std::optional<CollectiveKind> GetKind() const;

    /// @return ranks of the last run; 0 = no line says it
    uint32_t GetRanks() const;

    /// @return hosts that they run on; 0 = no line says it
    uint32_t GetServers() const;

  private:
    /// @return collective and ranks of the last run, as far as they are known
    std::string Describe() const;

    std::optional<CollectiveKind> m_kind;      //!< what the program named last times
    std::optional<CollectiveKind> m_timedKind; //!< that at the last time
    std::set<std::pair<std::string, std::string>> m_processes; //!< processes of ranks, and hosts
    std::set<std::string> m_hosts;                             //!< the hosts
    bool m_isTimed{false};              //!< a time stands behind the last line of a rank
    std::optional<std::string> m_first; //!< what Describe() was at the first time
};

} // namespace ns3

#endif /* NCCL_TESTS_RUNS_H */
