/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef COLLECTIVE_FIT_REPORT_H
#define COLLECTIVE_FIT_REPORT_H

#include "collective-bench-options.h"

#include <ostream>
#include <string>
#include <vector>

namespace ns3
{

struct CollectiveFitLog;

/**
 * @ingroup workload-replay
 * @brief Fit the fabric that the user names to the tables that they name, print what comes of it,
 *        and write the fabric.
 *
 * @param options what the user asks for; checked, and its attributes are the defaults of ns-3
 * @param os where to
 * @param errors where it is reported if the fabric could not be written
 * @return whether it was written, if it was to be
 * @throws WorkloadError if a table is wrong or cannot be replayed
 */
bool FitCollectives(const CollectiveBenchOptions& options, std::ostream& os, std::ostream& errors);

/**
 * @ingroup workload-replay
 * @brief Find rows that cannot both be right, whatever the fabric.
 *
 * @param logs measured tables
 * @return one line for each pair of rows: a size that takes longer than the next larger one of its
 *         table, and a size that takes different times in tables of the same ranks
 */
std::vector<std::string> FindContradictions(const std::vector<CollectiveFitLog>& logs);

} // namespace ns3

#endif /* COLLECTIVE_FIT_REPORT_H */
