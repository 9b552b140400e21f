/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef TRAFFIC_CLASS_CHOICE_H
#define TRAFFIC_CLASS_CHOICE_H

#include "option-values.h"

#include "ns3/workload-error.h"
#include "ns3/workload-types.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

class Workload;

/**
 * @ingroup workload-replay
 * @brief The traffic class that the user wants for the messages of a dimension.
 */
struct TrafficClassChoice
{
    Dimension dimension{Dimension::WORLD}; //!< the dimension
    uint8_t trafficClass{0};               //!< its class, 0 to 7
    SourceLocation where;                  //!< where it was given
};

/**
 * @ingroup workload-replay
 * @param value DIMENSION:CLASS once or several times with commas between
 * @return the choices in their order
 * @throws WorkloadError if it is anything else, or chooses twice for the same dimension
 */
std::vector<TrafficClassChoice> ParseTrafficClasses(const TextField& value);

/**
 * @ingroup workload-replay
 * @param choices what the user wants, with the transport rdma
 * @throws WorkloadError if a class is that of acknowledgements
 */
void CheckTrafficClasses(const std::vector<TrafficClassChoice>& choices);

/**
 * @ingroup workload-replay
 * @param choices what the user wants of a job
 * @param workload the job
 * @throws WorkloadError if no ranks of the job communicate in one of the dimensions
 */
void CheckTrafficClasses(const std::vector<TrafficClassChoice>& choices, const Workload& workload);

/**
 * @ingroup workload-replay
 * @brief Have flow control act on the classes as on the one that all messages have without them.
 *
 * @param choices what the user wants
 * @return value of LosslessPriorities of RdmaSwitch: those that it has, and the classes
 */
uint32_t GetLosslessPriorities(const std::vector<TrafficClassChoice>& choices);

/**
 * @ingroup workload-replay
 * @param choices what the user wants
 * @return them as ParseTrafficClasses() takes them
 */
std::string DescribeTrafficClasses(const std::vector<TrafficClassChoice>& choices);

} // namespace ns3

#endif /* TRAFFIC_CLASS_CHOICE_H */
