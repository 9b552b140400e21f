/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef COLLECTIVE_FIT_LOG_H
#define COLLECTIVE_FIT_LOG_H

#include "collective-bench-options.h"

#include "ns3/workload-types.h"

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief A measured table that a fabric is fitted to.
 */
struct CollectiveFitLog
{
    std::string file;                                //!< path of the file
    CollectiveKind kind{CollectiveKind::ALL_REDUCE}; //!< what was timed
    uint32_t ranks{0};                               //!< ranks that took part, at least 2
    uint32_t servers{0};              //!< servers that they stand on; 0 = as few as hold them
    std::map<uint64_t, double> times; //!< us by bytes; at least one, all above 0
    std::size_t nLeft{0};             //!< sizes that the file has beyond the bounds of the options
    std::set<std::string> leftOut;    //!< other runs that the file has
};

/**
 * @ingroup workload-replay
 * @brief Read the tables that --fit names: FILE[:KEY=VALUE,...], several with commas between.
 *
 * What was timed, ranks and servers are those of the keys kind, ranks and servers, else what a log
 * of nccl-tests says itself, else the options of these names. Of a log of several collectives the
 * key kind, or the option, says which one is read. A log of several numbers of ranks or servers
 * makes a table of each, unless the keys ranks and servers, or the options, say which.
 *
 * @param options what the user asks for; minBytes and maxBytes count if they were given
 * @return the tables
 * @throws WorkloadError if a file or a key is wrong, or nothing says what was timed on how many
 *         ranks
 */
std::vector<CollectiveFitLog> ReadCollectiveFitLogs(const CollectiveBenchOptions& options);

} // namespace ns3

#endif /* COLLECTIVE_FIT_LOG_H */
