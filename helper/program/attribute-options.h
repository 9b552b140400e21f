/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef ATTRIBUTE_OPTIONS_H
#define ATTRIBUTE_OPTIONS_H

#include "network-options.h"

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief Find arguments for ns-3 that an option contradicts, and attributes of the module that
 *        would do nothing in this run. What the named set of a fabric says is let be.
 *
 * @param options what the user asks for
 * @throws WorkloadError naming the argument at fault
 */
void CheckAttributeOptions(const NetworkOptions& options);

} // namespace ns3

#endif /* ATTRIBUTE_OPTIONS_H */
