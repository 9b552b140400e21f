/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef PARALLEL_LAYOUT_H
#define PARALLEL_LAYOUT_H

#include "workload.h"

#include "ns3/workload-error.h"

#include <cstdint>
#include <optional>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief What a file or a user says about the shape of a job; anything may be left open.
 *
 * The members have the names of the options: tp is --tp.
 */
struct LayoutRequest
{
    std::optional<uint32_t> world;        //!< ranks in all
    std::optional<uint32_t> tp;           //!< tensor parallel ranks
    std::optional<uint32_t> cp;           //!< context parallel ranks
    std::optional<uint32_t> ep;           //!< expert parallel ranks
    std::optional<uint32_t> dp;           //!< data parallel ranks
    std::optional<uint32_t> pp;           //!< pipeline stages
    std::optional<uint32_t> microbatches; //!< microbatches of one iteration and pipeline
    std::optional<uint32_t> vpp;          //!< model chunks of a stage (virtual pipeline size)
};

/**
 * @ingroup workload-replay
 * @brief Put together what the file and the user say; the user wins where both say something.
 *
 * @param file what the file says
 * @param user what the user says
 * @return both
 */
LayoutRequest MergeLayouts(const LayoutRequest& file, const LayoutRequest& user);

/**
 * @ingroup workload-replay
 * @brief Find the shape of a job from what the file and the user say about it.
 *
 * The user wins where both say something. Of world and dp one may be open: world = tp cp dp pp. All
 * others are 1 if neither says anything. vpp is only checked, for it is not part of the shape.
 *
 * @param file what the file says
 * @param fileLocation where the file says it
 * @param user what the user says
 * @return the shape: no count is 0, world = tp cp dp pp, and ep divides dp
 * @throws WorkloadError naming the numbers that do not go together, located at the option of one of
 *         them, or in the file if all of them are the file's
 */
ParallelLayout CompleteLayout(const LayoutRequest& file,
                              const SourceLocation& fileLocation,
                              const LayoutRequest& user);

} // namespace ns3

#endif /* PARALLEL_LAYOUT_H */
