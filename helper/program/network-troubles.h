/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef NETWORK_TROUBLES_H
#define NETWORK_TROUBLES_H

#include "network-options.h"
#include "unused-links.h"

#include "ns3/replay-result.h"

#include <string>
#include <vector>

namespace ns3
{

struct NetworkedJob;
struct ReplayPart;

/**
 * @ingroup workload-replay
 * @brief Say what a run has left idle of its network (ListUnusedLinks()), why packets were dropped,
 * and which ports flow control has paused for 1 % of the time or more; and what usually mends it.
 *
 * @param use what was used
 * @param links what directions of links have seen
 * @param timeoutAttribute attribute that says how long senders wait
 * @return it, one sentence each
 */
std::vector<std::string> ListTroubles(const NetworkUse& use,
                                      const std::vector<LinkUse>& links,
                                      const std::string& timeoutAttribute);

/**
 * @ingroup workload-replay
 * @brief The same of a job, with the options that mend it.
 *
 * @param options what the user asks for of the network; SetNetworkDefaults() has been called with
 *                it
 * @param graph the fabric
 * @param job the job, which has finished
 * @param part what is known of it
 * @return it, one sentence each
 */
std::vector<std::string> ListTroubles(const NetworkOptions& options,
                                      const TopologyGraph& graph,
                                      const NetworkedJob& job,
                                      const ReplayPart& part);

} // namespace ns3

#endif /* NETWORK_TROUBLES_H */
