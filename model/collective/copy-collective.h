/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef COPY_COLLECTIVE_H
#define COPY_COLLECTIVE_H

#include "collective-algorithm.h"

#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief A shift by copy engines: each member writes into the memory of the next one.
 *
 * This is how the ring exchange of Transformer Engine's userbuffers moves a piece
 * (transformer_engine/common/comm_gemm_overlap, userbuffers_send() with use_ce, the default): a
 * copy between memories of one server, then a flag that the receiver waits for. No kernel of NCCL
 * runs. So a copy has all of NVLink, where sends and receives of NCCL have as much as a pair's
 * channels carry, it is launched from a stream that was filled ahead, and leaves the
 * multiprocessors to computations.
 */
class CopyCollective : public CollectiveAlgorithm
{
  public:
    /// Its name.
    static constexpr const char* NAME = "copy";

    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    CopyCollective();

    bool RunsKernels() const override;
    std::vector<CollectiveProtocol> GetProtocols() const override;
    std::string FindUnsupportedReason(const CollectiveCall& call) const override;

  private:
    ChunkPipelines DoPlan(const CollectiveCall& call) const override;
};

} // namespace ns3

#endif /* COPY_COLLECTIVE_H */
