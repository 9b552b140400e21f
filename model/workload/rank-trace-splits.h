/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RANK_TRACE_SPLITS_H
#define RANK_TRACE_SPLITS_H

#include "rank-trace-lowering.h"

#include <cstdint>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief Estimate how the all-to-alls of a group share out their buffers.
 *
 * A trace states what each member puts into an all-to-all, not to whom it goes. All-to-alls come in
 * pairs within an op: the first one brings tokens to their experts, the second one takes the
 * results back, so what a member puts into one of the two is what it got out of the other. A member
 * is taken to send to each other one in proportion to that. An all-to-all without a partner is
 * shared out in equal parts.
 *
 * @param members traces of the members, in the order of the group
 * @param index index of one of them
 * @return the splits of its all-to-alls, null where no member puts anything in; none at all if all
 *         members have the same trace, as their parts are then equal
 * @throws WorkloadError if the members do not have the same number of all-to-alls in each op
 */
RankTraceSplits EstimateSplits(const std::vector<const RankTrace*>& members, uint32_t index);

} // namespace ns3

#endif /* RANK_TRACE_SPLITS_H */
