/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef NCCL_TESTS_LOG_H
#define NCCL_TESTS_LOG_H

#include "nccl-tests-runs.h"

#include "ns3/workload-text.h"
#include "ns3/workload-types.h"

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @param text a file
 * @return whether it is output of nccl-tests or rccl-tests, as text or as JSON
 */
bool LooksLikeNcclTests(const WorkloadText& text);

/**
 * @ingroup workload-replay
 * @brief Times of a log of nccl-tests.
 */
struct NcclTestsTimes
{
    std::map<uint64_t, double> times; //!< us by bytes; at least one, all above 0
    std::set<std::string> leftOut;    //!< runs of other collectives, each once: collective, ranks
};

/**
 * @ingroup workload-replay
 * @brief Read the output of nccl-tests or rccl-tests: out-of-place times by size.
 *
 * As text: lines of size, count, type, with some versions and collectives reduction and root, then
 * time, algbw, busbw and errors, out of place and in place. mpirun or srun may have put a tag
 * before each line, and other lines may stand between. Of a size that was measured several times
 * the mean is taken, and one of 0 bytes is left out. Several runs may stand in one log: of those of
 * the collective that is asked for all must have as many ranks. As JSON: what nccl-tests -J writes,
 * and rccl-tests -Z.
 *
 * @param text a file for which LooksLikeNcclTests() holds
 * @param kind the collective that is asked for; nothing = the only one of the log. Runs that do not
 *        say theirs are taken to be of it
 * @return its times
 * @throws WorkloadError if a line is wrong, there is none of the collective, or lines of it are of
 *         different types, reductions or numbers of ranks
 */
NcclTestsTimes ReadNcclTests(const WorkloadText& text, std::optional<CollectiveKind> kind);

/**
 * Ranks and hosts are those of the lines "Rank R ... on HOST device D". The kind is that of the
 * program's name before the times, or else what reduction and bandwidths leave: all-reduce and
 * reduce-scatter are distinguished from another by busbw over algbw, which is 2 (n - 1) / n or half
 * of that.
 *
 * @param text a file
 * @param kind the collective whose runs count; nothing = all, or all if there is none of it
 * @return what it reports, of several runs the last one that counts
 * @throws WorkloadError if its runs are of different collectives or numbers of ranks
 */
NcclTestsJob ReadNcclTestsJob(const WorkloadText& text, std::optional<CollectiveKind> kind);

} // namespace ns3

#endif /* NCCL_TESTS_LOG_H */
