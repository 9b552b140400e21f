/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef REPLAY_OPTION_TABLE_H
#define REPLAY_OPTION_TABLE_H

#include "option-table.h"
#include "replay-options.h"

#include <ostream>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief Make the table of the options of wl-replay.
 *
 * @param options what the options set; must outlive the table
 * @return the table
 */
OptionTable CreateReplayOptionTable(ReplayOptions& options);

/**
 * @ingroup workload-replay
 * @brief Print the help of wl-replay.
 *
 * @param os where to
 */
void PrintReplayHelp(std::ostream& os);

/**
 * @ingroup workload-replay
 * @brief Read the command line and the configuration file it names.
 *
 * The command line wins over the configuration file, both win over the set that the option fabric
 * names, and of one option given twice the last. An option that may be given several times, such as
 * straggler, keeps a value for each rank.
 *
 * @param arguments the arguments without the program's name
 * @return what they ask for, contradictions not checked
 * @throws WorkloadError if an argument is no option, or a value is wrong
 */
ReplayOptions ParseReplayOptions(const std::vector<std::string>& arguments);

/**
 * @ingroup workload-replay
 * @brief Find what is missing, and options that contradict each other or would do nothing.
 *
 * @param options what the user asks for
 * @throws WorkloadError naming the option at fault
 */
void CheckReplayOptions(const ReplayOptions& options);

} // namespace ns3

#endif /* REPLAY_OPTION_TABLE_H */
