/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef REPLAY_OPTION_TABLE_H
#define REPLAY_OPTION_TABLE_H

#include "option-table.h"
#include "replay-options.h"

#include <ostream>

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

} // namespace ns3

#endif /* REPLAY_OPTION_TABLE_H */
