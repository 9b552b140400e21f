/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RCCL_TESTS_RECORDS_H
#define RCCL_TESTS_RECORDS_H

#include "nccl-tests-runs.h"

#include "ns3/workload-text.h"

#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @param text a file
 * @return whether it is JSON of rccl-tests: a list of records, or one in each line
 */
bool HasRcclTestsRecords(const WorkloadText& text);

/**
 * @ingroup workload-replay
 * @param text a file for which HasRcclTestsRecords() holds (-Z json): a record for each size, out
 * of place or in place
 * @return its rows, in the order of the file
 * @throws WorkloadError if it is no JSON or a record is wrong
 */
std::vector<NcclTestsRow> ReadRcclTestsRecords(const WorkloadText& text);

} // namespace ns3

#endif /* RCCL_TESTS_RECORDS_H */
