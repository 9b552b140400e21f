/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef NCCL_TESTS_LOG_H
#define NCCL_TESTS_LOG_H

#include "ns3/workload-text.h"
#include "ns3/workload-types.h"

#include <cstdint>
#include <map>
#include <optional>

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
 * @brief Read the output of nccl-tests or rccl-tests: out-of-place times by size.
 *
 * As text: lines of size, count, type, with some versions and collectives reduction and root, then
 * time, algbw, busbw and errors, out of place and in place. mpirun or srun may have put a tag
 * before each line, and other lines may stand between. Of a size that was measured several times
 * the mean is taken, and one of 0 bytes is left out. Several runs may stand in one log, if they are
 * of one collective and of as many ranks. As JSON: what nccl-tests -J writes, and rccl-tests -Z.
 *
 * @param text a file for which LooksLikeNcclTests() holds
 * @return times, us, by bytes; at least one, all above 0
 * @throws WorkloadError if a line is wrong, there is none, or lines are of different types,
 *         reductions, collectives or numbers of ranks
 */
std::map<uint64_t, double> ReadNcclTests(const WorkloadText& text);

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
 * Ranks and hosts are those of the lines "Rank R ... on HOST device D". The kind is that of the
 * program's name before the times, or else what reduction and bandwidths leave: all-reduce and
 * reduce-scatter are distinguished from another by busbw over algbw, which is 2 (n - 1) / n or half
 * of that.
 *
 * @param text a file
 * @return what it reports, of several runs the last one
 * @throws WorkloadError if its runs are of different collectives or numbers of ranks
 */
NcclTestsJob ReadNcclTestsJob(const WorkloadText& text);

} // namespace ns3

#endif /* NCCL_TESTS_LOG_H */
