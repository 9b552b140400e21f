/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef TORUS_TEST_CASES_H
#define TORUS_TEST_CASES_H

#include "ns3/test.h"
#include "ns3/torus-grid.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <numeric>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay-tests
 * @param sizes lengths of the dimensions of a torus
 * @return its ranks
 */
inline std::vector<uint32_t>
ListTorusRanks(const std::vector<uint32_t>& sizes)
{
    std::vector<uint32_t> ranks(
        std::accumulate(sizes.begin(), sizes.end(), 1U, std::multiplies<>()));
    std::iota(ranks.begin(), ranks.end(), 0);
    return ranks;
}

/**
 * @ingroup workload-replay-tests
 * @param sizes lengths of the dimensions of a torus, or a mesh
 * @param ranks members of a communicator
 * @param wraps whether it is a torus
 * @return how they stand
 */
inline std::unique_ptr<const TorusGrid>
MakeTorusGrid(const std::vector<uint32_t>& sizes,
              const std::vector<uint32_t>& ranks,
              bool wraps = true)
{
    return TorusGrid::Make(sizes,
                           std::vector<bool>(sizes.size(), wraps),
                           std::vector<uint32_t>(sizes.size(), 1),
                           ranks);
}

/**
 * @ingroup workload-replay-tests
 * @brief Make the cases about what is found in a fabric: dimensions, rows and rings of links.
 *
 * @return new test cases, which the caller owns
 */
std::vector<TestCase*> MakeTorusShapeTestCases();

} // namespace ns3

#endif /* TORUS_TEST_CASES_H */
