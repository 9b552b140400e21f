/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef NCCL_TESTS_RUNS_H
#define NCCL_TESTS_RUNS_H

#include "ns3/workload-text.h"
#include "ns3/workload-types.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief What nccl-tests says of a run beside its times.
 */
struct NcclTestsJob
{
    std::optional<CollectiveKind> kind; //!< what was timed; nothing = not known, or other
    std::string other;                  //!< name of what was timed if it is no kind; empty = it is
    uint32_t ranks{0};                  //!< number of ranks; 0 = not known
    uint32_t servers{0};                //!< number of hosts that they run on; 0 = not known
};

/**
 * @ingroup workload-replay
 * @param job a run
 * @return its ranks and servers as far as they are known, such as "16 ranks on 2 servers"
 */
std::string DescribeNcclTestsRanks(const NcclTestsJob& job);

/**
 * @ingroup workload-replay
 * @param job a run
 * @return it in words, such as "all-reduce of 16 ranks on 2 servers"
 */
std::string DescribeNcclTestsJob(const NcclTestsJob& job);

/**
 * @ingroup workload-replay
 * @brief A time that nccl-tests or rccl-tests has measured.
 */
struct NcclTestsRow
{
    TextField size;        //!< bytes
    TextField time;        //!< us
    TextField series;      //!< type and, if it is known, reduction, by which rows belong together
    NcclTestsJob job;      //!< the run that it belongs to
    bool isInPlace{false}; //!< whether the call was made in place and others may not have been
    double busFactor{0};   //!< busbw over algbw; 0 = too small to be known
};

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
     * Take note of a line without a time.
     *
     * @param words its words
     */
    void Add(const std::vector<TextField>& words);

    /**
     * Take note of a rank. Programs that were built without MPI all have the rank 0, and are alone.
     *
     * @param group its group, each of which calls the collective by itself
     * @param rank its number
     * @param host name of its host
     */
    void AddRank(const std::string& group, const std::string& rank, const std::string& host);

    /**
     * Take note of a line with a time.
     *
     * @return its run
     */
    NcclTestsJob AddTime();

  private:
    NcclTestsJob m_program; //!< what the program named last times, without ranks
    /// Hosts by rank, of each group.
    std::map<std::string, std::map<std::string, std::string>> m_groups;
    bool m_isTimed{false}; //!< a time stands behind the last line of a rank
};

/**
 * @ingroup workload-replay
 * @param text a file
 * @return whether it is output of nccl-tests or rccl-tests as text, be it without a time
 */
bool HasNcclTestsLines(const WorkloadText& text);

/**
 * @ingroup workload-replay
 * @param text a log of nccl-tests or rccl-tests as text
 * @return its rows, in the order of the file
 */
std::vector<NcclTestsRow> ReadNcclTestsLines(const WorkloadText& text);

} // namespace ns3

#endif /* NCCL_TESTS_RUNS_H */
