/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef TOPOLOGY_VALUES_H
#define TOPOLOGY_VALUES_H

#include "topology-graph.h"

#include "ns3/data-rate.h"
#include "ns3/nstime.h"
#include "ns3/workload-text.h"

#include <string>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @param a kind of the node at one end of a link
 * @param b kind of the node at the other end
 * @return whether the link is NVLink where a file does not say: one between an NVSwitch and a host
 *         or another NVSwitch
 */
bool IsNvlinkByKind(TopologyGraph::NodeKind a, TopologyGraph::NodeKind b);

/**
 * @ingroup workload-replay
 * @brief Read the rate of a link in a topology file.
 *
 * ns-3's own parser takes a number without a unit and ends the program at an unknown one.
 *
 * @param field a decimal number with one of the units that DataRate knows, such as 400Gbps
 * @return the rate, rounded to bit/s, at least 1 bit/s and at most 10^15 bit/s
 * @throws WorkloadError if the field is anything else
 */
DataRate ParseLinkRate(const TextField& field);

/**
 * @ingroup workload-replay
 * @brief Read the propagation delay of a link in a topology file.
 *
 * @param field a decimal number with the unit ps, ns, us, ms or s, such as 0.0005ms
 * @return the delay, rounded to picoseconds, 0 to 1000 s
 * @throws WorkloadError if the field is anything else
 */
Time ParseLinkDelay(const TextField& field);

/**
 * @ingroup workload-replay
 * @brief Read the loss rate of a link in a topology file.
 *
 * @param field a decimal number
 * @return share of packets lost, 0 to 1
 * @throws WorkloadError if the field is anything else
 */
double ParseLossRate(const TextField& field);

/**
 * @ingroup workload-replay
 * @param rate a rate
 * @return the same rate, exactly, in the largest decimal unit that gives a whole number: 400Gbps
 */
std::string FormatLinkRate(DataRate rate);

/**
 * @ingroup workload-replay
 * @param delay a time of at least 0
 * @return the same time, exactly, in ns if that is a whole number, else in ps
 */
std::string FormatLinkDelay(Time delay);

} // namespace ns3

#endif /* TOPOLOGY_VALUES_H */
