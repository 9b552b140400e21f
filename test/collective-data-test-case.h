/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef COLLECTIVE_DATA_TEST_CASE_H
#define COLLECTIVE_DATA_TEST_CASE_H

#include "symbolic-job.h"

#include "ns3/test.h"

#include <cstdint>
#include <string>

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
 * @brief Checks that every member of a collective ends with the data it should have.
 *
 * All members share one layout of the buffer: what a member brings to a gather and gets from a
 * scatter stands where its block is.
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
     * stand, with all roots of few members, and of many with those at both ends and in the middle.
     *
     * @param bytes length of the buffer
     * @param size number of members
     * @param placement where they stand; null = not known
     */
    void CheckAll(uint64_t bytes, uint32_t size, const CollectivePlacement* placement = nullptr);

    /**
     * Check all-to-all in equal parts.
     *
     * @param bytes what each member sends in all
     * @param size number of members
     * @param placement where they stand; null = not known
     */
    void CheckAllToAll(uint64_t bytes,
                       uint32_t size,
                       const CollectivePlacement* placement = nullptr);

  private:
    /**
     * @param call the collective as member 0 calls it
     */
    void Check(const CollectiveCall& call);

    /**
     * Check a reduction. A set holds 64 members, so others bring nothing while these are counted:
     * the first 64 and then the last 64.
     *
     * @param call the collective as member 0 calls it
     * @param first the first of the members that bring something
     */
    void CheckReduction(const CollectiveCall& call, uint32_t first);

    /**
     * Check a collective that only moves data.
     *
     * @param call the collective as member 0 calls it
     */
    void CheckMove(const CollectiveCall& call);

    /**
     * @param call the collective as a member calls it
     * @return what of the buffer holds the result when it ends
     */
    static BufferPart GetResultPart(const CollectiveCall& call);

    /**
     * @param job a job that has run
     * @param call the collective as a member called it
     */
    void CheckTraffic(SymbolicJob& job, const CollectiveCall& call);

    Ptr<const CollectiveAlgorithm> m_algorithm; //!< the algorithm
    uint64_t m_chunkBytes;                      //!< longest message allowed
};

} // namespace ns3

#endif /* COLLECTIVE_DATA_TEST_CASE_H */
