/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LEVEL_COSTS_H
#define LEVEL_COSTS_H

#include "network-options.h"
#include "traffic-forecast.h"
#include "transport-kind.h"

#include <ostream>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief What a replay costs at one of the levels that simulate a network, about.
 */
struct LevelCost
{
    std::string transport; //!< name of the transport
    double seconds{0};     //!< CPU time of a core
    double bytes{0};       //!< memory
    std::string basis;     //!< what it is reckoned from
};

/**
 * @ingroup workload-replay
 * @brief Estimate what the levels cost: no core, a fluid, and the packets of a transport.
 *
 * A sum of what is simulated times a constant each, see the constants in level-costs.cc.
 *
 * @param traffic what an iteration sends
 * @param iterations number of iterations
 * @param transport name of the transport of packets
 * @param memory what the process has taken to read the job and to build the topology, bytes
 * @return the levels, the cheapest first
 */
std::vector<LevelCost> EstimateLevelCosts(const TrafficForecast& traffic,
                                          double iterations,
                                          const std::string& transport,
                                          double memory);

/**
 * @ingroup workload-replay
 * @brief Print what an iteration sends and what the levels cost, as ranges.
 *
 * @param os where to
 * @param traffic what an iteration sends
 * @param costs what the levels cost
 */
void PrintLevelCosts(std::ostream& os,
                     const TrafficForecast& traffic,
                     const std::vector<LevelCost>& costs);

/**
 * @ingroup workload-replay
 * @param seconds an estimate, s
 * @return the range in which it mostly is, such as "3 to 10 min"
 */
std::string FormatTimeRange(double seconds);

/**
 * @ingroup workload-replay
 * @param transport a transport
 * @return what simulates the same in less time; empty = nothing does
 */
std::string DescribeFasterLevels(const TransportKind& transport);

} // namespace ns3

#endif /* LEVEL_COSTS_H */
