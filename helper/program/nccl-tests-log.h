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
#include <vector>

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
    NcclTestsJob job;                 //!< the run that they are of
    std::set<std::string> leftOut;    //!< other runs, each once: collective, ranks, servers
};

/**
 * @ingroup workload-replay
 * @brief Read the output of nccl-tests or rccl-tests: out-of-place times by size.
 *
 * As text: lines of size, count, type, with some versions and collectives reduction and root, then
 * time, algbw, busbw and errors, out of place and in place. mpirun or srun may have put a tag
 * before each line, and other lines may stand between. Of a size that was measured several times
 * the mean is taken, and one of 0 bytes is left out. Several runs may stand in one log: those of
 * one collective with as many ranks on as many servers are taken together. As JSON: what nccl-tests
 * -J writes, and rccl-tests -Z.
 *
 * @param text a file for which LooksLikeNcclTests() holds
 * @param wanted the collective, ranks and servers that are asked for; nothing or 0 = the only ones
 *        of the log. Runs that do not say their collective are taken to be of it, and a log that
 *        has one number of ranks and servers is read whatever ranks and servers are asked for
 * @return its times
 * @throws WorkloadError if a line is wrong, there is none that is asked for, or those that are
 *         differ in collective, type, reduction, ranks or servers
 */
NcclTestsTimes ReadNcclTests(const WorkloadText& text, const NcclTestsJob& wanted);

/**
 * Ranks and hosts are those of the lines "Rank R ... on HOST device D". The kind is that of the
 * program's name before the times, or else what reduction and bandwidths leave: all-reduce and
 * reduce-scatter are distinguished from another by busbw over algbw, which is 2 (n - 1) / n or half
 * of that.
 *
 * @param text a file
 * @param wanted the collective, ranks and servers whose runs count, as ReadNcclTests() has it
 * @return what it reports of them: each number of ranks and servers once, ascending. If there is no
 *         run of the collective, of those of others; empty = there is no time at all
 * @throws WorkloadError if several collectives count, or of several numbers of ranks and servers
 *         none is asked for
 */
std::vector<NcclTestsJob> ListNcclTestsJobs(const WorkloadText& text, const NcclTestsJob& wanted);

} // namespace ns3

#endif /* NCCL_TESTS_LOG_H */
