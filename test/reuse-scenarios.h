/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef REUSE_SCENARIOS_H
#define REUSE_SCENARIOS_H

#include "reuse-run.h"

#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay-tests
 * @return what may befall collectives that are reused, or are to be
 */
std::vector<ReuseScenario> MakeReuseScenarios();

} // namespace ns3

#endif /* REUSE_SCENARIOS_H */
