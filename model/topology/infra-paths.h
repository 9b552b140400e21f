/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef INFRA_PATHS_H
#define INFRA_PATHS_H

#include "infra-model.h"

#include <string>
#include <vector>

namespace ns3
{

// Components are named by a path of names and indices, such as host.0.cx5.1.port.0; files name
// several at once with slices as Python has them: host[0:2] and cx5[0:2].port[0].

/**
 * @ingroup workload-replay
 * @param count how many parts of a model there are
 * @param where what they come of
 * @throws WorkloadError if there are too many
 */
void CheckInfraCount(uint64_t count, const SourceLocation& where);

/**
 * @ingroup workload-replay
 * @param device a device
 * @param name a name
 * @return its components of that name; null = there are none
 */
const InfraComponent* FindInfraComponent(const InfraDevice& device, const std::string& name);

/**
 * @ingroup workload-replay
 * @param model devices
 * @param name name of a device
 * @return the device
 * @throws WorkloadError if there is none
 */
const InfraDevice& FindInfraDevice(const InfraModel& model, const TextField& name);

/**
 * @ingroup workload-replay
 * @param model devices
 * @param device name of one of them
 * @param field names and slices of components
 * @return their paths within the device
 * @throws WorkloadError if there are none
 */
std::vector<std::string> ExpandInfraComponents(const InfraModel& model,
                                               const std::string& device,
                                               const TextField& field);

/**
 * @ingroup workload-replay
 * @param model devices and instances
 * @param instance name and slice of an instance
 * @param components names and slices of components
 * @return their paths
 * @throws WorkloadError if there are none
 */
std::vector<std::string> ExpandInfraInstances(const InfraModel& model,
                                              const TextField& instance,
                                              const TextField& components);

} // namespace ns3

#endif /* INFRA_PATHS_H */
