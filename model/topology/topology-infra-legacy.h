/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef TOPOLOGY_INFRA_LEGACY_H
#define TOPOLOGY_INFRA_LEGACY_H

#include "infra-model.h"

#include "ns3/input-yaml.h"

namespace ns3
{

/**
 * @ingroup workload-replay
 * @param file where the file stands
 * @param document a file of InfraGraph before its schema 2.0
 * @return what it describes
 * @throws WorkloadError if it is wrong
 */
InfraModel ReadLegacyInfraModel(const SourceLocation& file, const InputDocument& document);

} // namespace ns3

#endif /* TOPOLOGY_INFRA_LEGACY_H */
