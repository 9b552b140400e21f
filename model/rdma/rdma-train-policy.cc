/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-train-policy.h"

#include <algorithm>

namespace ns3
{

namespace
{

/// Who has met others is among others for so many of the longest trains.
constexpr uint64_t TRAINS_AMONG_OTHERS = 16;

} // namespace

uint16_t
RdmaTrainPolicy::GetLength(const Parameters& parameters, const Situation& situation) const
{
    // What follows a train is a full packet: a shorter one would overtake the train's last packet
    // on a fast link behind a slow one. So the last full packet of a message goes by itself.
    const uint64_t before = situation.fullPackets > 0 ? situation.fullPackets - 1 : 0;
    const uint64_t ofMessage =
        situation.messagePackets /
        (situation.isShared ? parameters.trainsPerSharingMessage : parameters.trainsPerMessage);
    // A train is acknowledged when its last packet has come, and holds up the window until then.
    const uint64_t ofWindow = situation.window / parameters.trainsPerWindow;
    const uint64_t common = std::min(before, ofWindow);
    // Queue pairs that have been slowed down keep their pace: they save up nothing while they wait.
    const uint64_t undisturbed =
        std::min({uint64_t{m_length},
                  uint64_t{situation.isShared ? parameters.maxSharedTrain : parameters.maxTrain},
                  common,
                  ofMessage,
                  situation.untilDue});
    uint64_t count = undisturbed;
    if (situation.isSlowed)
    {
        const uint64_t queued =
            std::min({uint64_t{parameters.maxQueuedTrain}, common, situation.unnoticed});
        count = std::max(std::min(undisturbed, situation.perNotification), queued);
    }
    return static_cast<uint16_t>(std::max<uint64_t>(count, 1));
}

void
RdmaTrainPolicy::Adapt(bool delayed,
                       uint64_t acknowledged,
                       uint64_t next,
                       const Parameters& parameters)
{
    if (delayed)
    {
        Restart(next);
        m_loneFrom = next + TRAINS_AMONG_OTHERS * parameters.maxTrain;
    }
    else if (acknowledged > m_from)
    {
        const bool isAmongOthers = acknowledged < m_loneFrom;
        m_length =
            std::min(2 * m_length, isAmongOthers ? parameters.maxSharedTrain : parameters.maxTrain);
        m_from = next;
    }
}

void
RdmaTrainPolicy::Restart(uint64_t next)
{
    m_length = 1;
    m_from = next;
}

} // namespace ns3
