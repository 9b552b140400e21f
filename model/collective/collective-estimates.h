/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef COLLECTIVE_ESTIMATES_H
#define COLLECTIVE_ESTIMATES_H

#include "collective-algorithm.h"
#include "collective-costs.h"

#include <optional>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief Reckon as NCCL does (tuning.cc) how long all-reduce, all-gather or reduce-scatter takes
 *        when the NVSwitch of a server adds and multicasts: for CollectiveAlgorithm::Estimate().
 *
 * All-reduce: the base latency, and the bytes at the rate of a ring that carried twice 7/8 of what
 * is left of NVLink, since the switch moves seven of eight parts and both halves overlap.
 *
 * @param call the collective
 * @param protocol how it is to run
 * @param costs what latencies and wires cost
 * @return the time, seconds; none in several servers, for two members or fewer, with a protocol
 *         other than Simple, or if the switch cannot reduce
 */
std::optional<double> EstimateNvls(const CollectiveCall& call,
                                   CollectiveProtocol protocol,
                                   const CollectiveCosts& costs);

} // namespace ns3

#endif /* COLLECTIVE_ESTIMATES_H */
