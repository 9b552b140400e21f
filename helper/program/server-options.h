/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef SERVER_OPTIONS_H
#define SERVER_OPTIONS_H

#include "network-options.h"
#include "option-table.h"

#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @return names of the options that say what servers and links are like
 */
const std::vector<std::string>& GetServerAndLinkOptions();

/**
 * @ingroup workload-replay
 * @brief Add the options that say what servers and links are like.
 *
 * @param table the table; FABRIC_GROUP is its last group or none of it
 * @param fabric what the options set; must outlive the table
 */
void AddServerAndLinkOptions(OptionTable& table, FabricParameters& fabric);

/**
 * @ingroup workload-replay
 * @param options what the user asks for
 * @throws WorkloadError if options of servers contradict each other, or the transport or the costs
 *         of the fabric cannot make of them what they say
 */
void CheckServerOptions(const NetworkOptions& options);

} // namespace ns3

#endif /* SERVER_OPTIONS_H */
