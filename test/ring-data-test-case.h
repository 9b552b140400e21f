/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RING_DATA_TEST_CASE_H
#define RING_DATA_TEST_CASE_H

#include "collective-data-test-case.h"

#include <cstdint>
#include <string>

namespace ns3
{

/**
 * @ingroup workload-replay-tests
 * @brief Checks that every member of a ring collective ends with the data it should have.
 */
class RingDataTestCase : public CollectiveDataTestCase
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
     * @param size number of members
     * @param placement where they stand; null = in one place
     */
    void CheckRings(uint32_t size, const CollectivePlacement* placement = nullptr);
};

} // namespace ns3

#endif /* RING_DATA_TEST_CASE_H */
