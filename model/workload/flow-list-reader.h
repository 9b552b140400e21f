/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef FLOW_LIST_READER_H
#define FLOW_LIST_READER_H

#include "flow-list.h"

#include <string>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @param file path of a file
 * @return whether it is a flow list of HPCC or conweave, or a connection matrix of htsim
 */
bool IsFlowList(const std::string& file);

/**
 * @ingroup workload-replay
 * @brief Read a flow list.
 *
 * Of HPCC and conweave: the number of flows, then a line for each with source, destination,
 * priority group, port (not in conweave), bytes and start in seconds. Priority group and port are
 * not used. Of htsim: lines Nodes, Connections, Triggers and Failures with numbers, lines of flows
 * SRC->DST with id, start (picoseconds), trigger, size, send_done_trigger, recv_done_trigger, prio
 * and msg, lines of triggers, and lines of failures, which are left.
 *
 * @param file path of the file, for which IsFlowList() holds
 * @return the flows in the order of the file
 * @throws WorkloadError if it is wrong
 */
FlowList ReadFlowList(const std::string& file);

} // namespace ns3

#endif /* FLOW_LIST_READER_H */
