/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef OUTPUT_OPTIONS_H
#define OUTPUT_OPTIONS_H

#include "option-table.h"
#include "replay-options.h"

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief Add the options that say which files a replay writes, and what they hold.
 *
 * @param table the table
 * @param o what the options set; must outlive the table
 */
void AddOutputOptions(OptionTable& table, ReplayOptions& o);

/**
 * @ingroup workload-replay
 * @brief Find those of these options that would do nothing.
 *
 * @param options what the user asks for
 * @throws WorkloadError naming the option at fault
 */
void CheckOutputOptions(const ReplayOptions& options);

} // namespace ns3

#endif /* OUTPUT_OPTIONS_H */
