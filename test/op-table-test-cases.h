/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef OP_TABLE_TEST_CASES_H
#define OP_TABLE_TEST_CASES_H

#include "ns3/test.h"

#include <string>
#include <vector>

namespace ns3
{

/// The header line of an op table.
inline const std::string OP_TABLE_HEADER =
    "name\tforward_compute_time\tforward_comm_type\tforward_comm_size\tbackward_compute_time\t"
    "backward_comm_type\tbackward_comm_size\tweight_grad_compute_time\tweight_grad_comm_type\t"
    "weight_grad_comm_size\tprocess_time\n";

/**
 * @ingroup workload-replay-tests
 * @brief Make the cases about wrong tables and options.
 *
 * @return new test cases, which the caller owns
 */
std::vector<TestCase*> MakeOpTableErrorTestCases();

} // namespace ns3

#endif /* OP_TABLE_TEST_CASES_H */
