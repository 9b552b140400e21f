/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef NCCL_TESTS_LOG_H
#define NCCL_TESTS_LOG_H

#include "ns3/workload-text.h"

#include <cstdint>
#include <map>

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
 * the mean is taken, and one of 0 bytes is left out. As JSON: what nccl-tests -J writes.
 *
 * @param text a file for which LooksLikeNcclTests() holds
 * @return times, us, by bytes; at least one, all above 0
 * @throws WorkloadError if a line is wrong, there is none, or lines are of different types or
 *         reductions
 */
std::map<uint64_t, double> ReadNcclTests(const WorkloadText& text);

} // namespace ns3

#endif /* NCCL_TESTS_LOG_H */
