/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef NETWORK_TROUBLES_H
#define NETWORK_TROUBLES_H

#include "ns3/replay-result.h"

#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief Say why packets were dropped, and what has fewer sent again.
 *
 * @param links what directions of links have seen
 * @param timeoutAttribute attribute that says how long senders wait
 * @return it, a sentence; empty = none was dropped
 */
std::vector<std::string> ListLosses(const std::vector<LinkUse>& links,
                                    const std::string& timeoutAttribute);

/**
 * @ingroup workload-replay
 * @brief Say how long flow control has kept ports from sending, and what usually shortens that.
 *
 * @param links what directions of links have seen
 * @param duration how long the run was
 * @return it, a sentence; empty = no port was paused for 1 % of the time
 */
std::vector<std::string> ListPauses(const std::vector<LinkUse>& links, Time duration);

} // namespace ns3

#endif /* NETWORK_TROUBLES_H */
