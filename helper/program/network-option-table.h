/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef NETWORK_OPTION_TABLE_H
#define NETWORK_OPTION_TABLE_H

#include "network-options.h"
#include "option-table.h"

#include <cstdint>
#include <ostream>
#include <string>

namespace ns3
{

/// Most ranks of a job; more is a slip of the keyboard, and would fill the memory.
constexpr uint64_t MAX_WORLD = 1000000;

/// Heading of the options of collectives in the help.
constexpr const char* COLLECTIVE_GROUP = "Collectives";

/// Heading of the options of the run itself in the help.
constexpr const char* RUN_GROUP = "Run";

/**
 * @ingroup workload-replay
 * @brief Add the options that say what the ranks run on.
 *
 * @param table the table
 * @param o what the options set; must outlive the table
 * @param dryRunHelp what the option dryRun does
 */
void AddFabricOptions(OptionTable& table, NetworkOptions& o, const std::string& dryRunHelp);

/**
 * @ingroup workload-replay
 * @brief Add the options that say how messages move.
 *
 * @param table the table
 * @param o what the options set; must outlive the table
 */
void AddTransportOptions(OptionTable& table, NetworkOptions& o);

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
 * @brief Print the part of the help that stands below the options: topologies, and what ns-3 takes.
 *
 * @param os where to
 */
void PrintNetworkHelp(std::ostream& os);

} // namespace ns3

#endif /* NETWORK_OPTION_TABLE_H */
