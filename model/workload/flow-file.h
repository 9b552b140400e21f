/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef FLOW_FILE_H
#define FLOW_FILE_H

#include "ns3/nstime.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief A message from host to host that belongs to no job.
 */
struct BackgroundFlow
{
    Time start;              //!< when it begins, from the beginning of its traffic
    uint32_t source{0};      //!< host
    uint32_t destination{0}; //!< another host
    uint64_t bytes{0};       //!< payload, at least 1
};

/**
 * @ingroup workload-replay
 * @brief Read flows from a file of the form of flows.csv: a line of column names, of which
 * src_rank, dst_rank, bytes and start_ns are needed and the others of flows.csv are allowed, then a
 *        line for each flow, in any order.
 *
 * @param file path of the file
 * @param hosts number of hosts
 * @return the flows in the order of their starts, of the file where those are equal
 * @throws WorkloadError if the file is wrong
 */
std::vector<BackgroundFlow> ReadFlowFile(const std::string& file, uint32_t hosts);

} // namespace ns3

#endif /* FLOW_FILE_H */
