/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef REPLAY_REPORT_TABLES_H
#define REPLAY_REPORT_TABLES_H

#include "replay-figures.h"
#include "replay-result.h"

#include <ostream>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief Print figures that have a heading as a table, below a blank line.
 *
 * @param os where to
 * @param rows the figures of each row, all with the same headings; empty = nothing is printed
 */
void PrintFigures(std::ostream& os, const std::vector<Figures>& rows);

/**
 * @ingroup workload-replay
 * @brief Print where the time of the ranks went.
 *
 * @param os where to
 * @param statistics what the ranks did
 */
void PrintAccount(std::ostream& os, const ReplayStatistics& statistics);

/**
 * @ingroup workload-replay
 * @brief Print the ranks that finished last, and what each waited for longest.
 *
 * @param os where to
 * @param statistics what the ranks did
 */
void PrintSlowestRanks(std::ostream& os, const ReplayStatistics& statistics);

/**
 * @ingroup workload-replay
 * @brief Print the directions of links that sent most.
 *
 * @param os where to
 * @param result the result
 */
void PrintBusiestLinks(std::ostream& os, const ReplayResult& result);

/**
 * @ingroup workload-replay
 * @brief Print the collectives by class, those that took most time.
 *
 * @param os where to
 * @param statistics what the ranks did
 */
void PrintCollectives(std::ostream& os, const ReplayStatistics& statistics);

} // namespace ns3

#endif /* REPLAY_REPORT_TABLES_H */
