/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef COLLECTIVE_DATA_TEST_CASE_H
#define COLLECTIVE_DATA_TEST_CASE_H

#include "ns3/collective-checker.h"
#include "ns3/test.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay-tests
 * @param sizes members of each server
 * @return the server of each member, server after server
 */
std::vector<uint32_t> SpreadInBlocks(const std::vector<uint32_t>& sizes);

/**
 * @ingroup workload-replay-tests
 * @return numbers of members to try algorithms' settings with: the small ones, and those around
 * powers of two and whole servers, where trees and rails change their shape. (Every number is tried
 * with the settings that are defaults, see AllAlgorithmsTestCase.)
 */
const std::vector<uint32_t>& GetMemberCounts();

/**
 * @ingroup workload-replay-tests
 * @return members of each server, for several placements: equal servers, and those with more or
 * fewer in the first, the last or the middle ones
 */
const std::vector<std::vector<uint32_t>>& GetServerSizes();

/**
 * @ingroup workload-replay-tests
 * @param checker checks a collective
 * @return what is wrong with it; empty = nothing
 */
std::string DescribeFault(CollectiveChecker& checker);

/**
 * @ingroup workload-replay-tests
 * @brief Checks an algorithm with a CollectiveChecker, and how long its messages are.
 */
class CollectiveDataTestCase : public TestCase
{
  public:
    /**
     * @param what what is checked, for the name
     * @param algorithm the algorithm
     * @param chunkBytes longest message allowed, bytes; 0 = any
     */
    CollectiveDataTestCase(const std::string& what,
                           Ptr<const CollectiveAlgorithm> algorithm,
                           uint64_t chunkBytes);

  protected:
    /**
     * Check all kinds that the algorithm supports but all-to-all, and that suit where the members
     * stand, with the roots of CollectiveChecker::ListRoots().
     *
     * @param bytes length of the buffer
     * @param size number of members
     * @param placement where they stand; null = not known
     */
    void CheckAll(uint64_t bytes, uint32_t size, const CollectivePlacement* placement = nullptr);

    /**
     * Check a collective in equal parts.
     *
     * @param call the collective as any member calls it
     * @return bytes that the members send in all
     */
    uint64_t Check(const CollectiveCall& call);

  private:
    Ptr<const CollectiveAlgorithm> m_algorithm; //!< the algorithm
    uint64_t m_chunkBytes;                      //!< longest message allowed
};

} // namespace ns3

#endif /* COLLECTIVE_DATA_TEST_CASE_H */
