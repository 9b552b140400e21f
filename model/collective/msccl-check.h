/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef MSCCL_CHECK_H
#define MSCCL_CHECK_H

#include "msccl-plan.h"

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief Run an algorithm of MSCCL on symbolic data: chunks that know which chunks of which GPUs
 *        they are the sum of.
 *
 * It is run twice, thread blocks in the order of their numbers and against it, so that most steps
 * that need a dependency and have none are found.
 *
 * @param plan the algorithm
 * @throws WorkloadError naming the step that adds what was never written, the same twice or what
 *         does not belong together, that waits for ever or whose message has another length; or the
 *         first chunk of the result that is not what the kind of collective asks for
 */
void CheckMscclPlan(const MscclPlan& plan);

} // namespace ns3

#endif /* MSCCL_CHECK_H */
