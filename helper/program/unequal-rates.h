/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef UNEQUAL_RATES_H
#define UNEQUAL_RATES_H

#include "ns3/topology-graph.h"

#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief Say which ports of a host are of different rates though parts that go over them are equal,
 *        so that the slowest rules.
 *
 * @param graph the fabric
 * @param splitsPorts messages are split over the ports of NICs, as NCCL does, in equal parts
 * @param hasReducers NVSwitches add up equal parts; other messages over them go by rate
 * @return it, one sentence each
 */
std::vector<std::string> ListUnequalPorts(const TopologyGraph& graph,
                                          bool splitsPorts,
                                          bool hasReducers);

/**
 * @ingroup workload-replay
 * @brief Say that some ranks have slower NICs than others, to whose pace collectives of all are
 *        bound. Not of fabrics whose hosts relay.
 *
 * @param graph the fabric
 * @return it, a sentence; empty = all are alike
 */
std::vector<std::string> ListUnequalNics(const TopologyGraph& graph);

} // namespace ns3

#endif /* UNEQUAL_RATES_H */
