/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RING_DATA_TEST_CASE_H
#define RING_DATA_TEST_CASE_H

#include "symbolic-job.h"

#include "ns3/ring-collective.h"
#include "ns3/test.h"

#include <cstdint>
#include <string>

namespace ns3
{

/**
 * @ingroup workload-replay-tests
 * @brief Checks that every member of a ring collective ends with the data it should have.
 */
class RingDataTestCase : public TestCase
{
  public:
    /**
     * @param what what it is run on, for the name
     * @param channels attribute Channels
     * @param chunkBytes attribute ChunkBytes
     * @param depth attribute PipelineDepth
     */
    RingDataTestCase(const std::string& what,
                     uint32_t channels,
                     uint64_t chunkBytes,
                     uint32_t depth);

  protected:
    /**
     * Check all kinds of collectives on buffers of several lengths.
     *
     * @param size number of members, at most 64
     * @param placement where they stand; null = in one place
     */
    void CheckAll(uint32_t size, const CollectivePlacement* placement = nullptr);

  private:
    /**
     * @param bytes length of the buffer
     * @param size number of members
     * @param placement where they stand; null = in one place
     */
    void CheckAllReduce(uint64_t bytes, uint32_t size, const CollectivePlacement* placement);

    /**
     * @param bytes length of the buffer
     * @param size number of members
     * @param placement where they stand; null = in one place
     */
    void CheckReduceScatter(uint64_t bytes, uint32_t size, const CollectivePlacement* placement);

    /**
     * @param bytes length of the gathered buffer
     * @param size number of members
     * @param placement where they stand; null = in one place
     */
    void CheckAllGather(uint64_t bytes, uint32_t size, const CollectivePlacement* placement);

    /**
     * @param job a job that has run
     * @param call the collective as one member called it
     */
    void CheckTraffic(SymbolicJob& job, const CollectiveCall& call);

    Ptr<RingCollective> m_ring; //!< the algorithm
    uint64_t m_chunkBytes;      //!< its ChunkBytes
};

} // namespace ns3

#endif /* RING_DATA_TEST_CASE_H */
