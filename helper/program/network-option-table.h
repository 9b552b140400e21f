/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef NETWORK_OPTION_TABLE_H
#define NETWORK_OPTION_TABLE_H

#include "network-options.h"
#include "option-table.h"

#include <ostream>
#include <string>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief Add the options that say what the ranks run on, and how messages move.
 *
 * @param table the table
 * @param o what the options set; must outlive the table
 * @param dryRunHelp what the option dryRun does
 */
void AddFabricOptions(OptionTable& table, NetworkOptions& o, const std::string& dryRunHelp);

/**
 * @ingroup workload-replay
 * @brief Add the options that say how collectives are carried out, but for the choice of
 * algorithms.
 *
 * @param table the table; COLLECTIVE_GROUP is its last group or none of it
 * @param o what the options set; must outlive the table
 */
void AddCollectiveOptions(OptionTable& table, NetworkOptions& o);

/**
 * @ingroup workload-replay
 * @brief Add the options that every run has: random numbers, configuration file, help.
 *
 * @param table the table; RUN_GROUP is its last group or none of it
 * @param o what the options set; must outlive the table
 */
void AddRunOptions(OptionTable& table, NetworkOptions& o);

/**
 * @ingroup workload-replay
 * @brief Print the part of the help that stands below the options: algorithms, topologies, and what
 *        ns-3 takes.
 *
 * @param os where to
 */
void PrintNetworkHelp(std::ostream& os);

/**
 * @ingroup workload-replay
 * @brief Find options of the network that contradict each other or would do nothing.
 *
 * @param options what the user asks for
 * @throws WorkloadError naming the option at fault
 */
void CheckNetworkOptions(const NetworkOptions& options);

} // namespace ns3

#endif /* NETWORK_OPTION_TABLE_H */
