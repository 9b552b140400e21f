/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef REPLAY_FORECAST_H
#define REPLAY_FORECAST_H

#include "rank-messenger.h"

#include "ns3/collective-message-count.h"
#include "ns3/collective-selection.h"
#include "ns3/workload-program.h"

#include <cstdint>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @param program a rank's program
 * @param messenger speaks for the rank
 * @param algorithms how collectives are carried out
 * @return bytes that an iteration of the rank receives
 */
uint64_t CountExpectedBytes(const WorkloadProgram& program,
                            const RankMessenger& messenger,
                            const CollectiveSelection& algorithms);

/**
 * @ingroup workload-replay
 * @param program a rank's program
 * @param messenger speaks for the rank
 * @param algorithms how collectives are carried out
 * @param [in,out] counts counts messages of collectives; to be shared by the ranks of a job
 * @return messages that an iteration of the rank receives, as near as counts allows
 */
uint64_t CountExpectedMessages(const WorkloadProgram& program,
                               const RankMessenger& messenger,
                               const CollectiveSelection& algorithms,
                               CollectiveMessageCount& counts);

} // namespace ns3

#endif /* REPLAY_FORECAST_H */
