/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef REPLAY_SINK_H
#define REPLAY_SINK_H

#include "ns3/message-transport.h"
#include "ns3/nstime.h"
#include "ns3/replay-records.h"

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief Takes what happens in a replay, in the order of time, and at one time in that of ranks:
 * an order that does not depend on which process simulates which rank.
 */
class ReplaySink
{
  public:
    virtual ~ReplaySink() = default;

    /**
     * @param record an op that has finished
     */
    virtual void AddOp(const OpRecord& record) = 0;

    /**
     * @param record a collective that a member is done with
     */
    virtual void AddCollective(const CollectiveRecord& record) = 0;

    /**
     * @param record an iteration that a rank has finished
     */
    virtual void AddIteration(const IterationRecord& record) = 0;

    /**
     * @param message a message
     * @param arrival when it has arrived
     */
    virtual void AddMessage(const Message& message, Time arrival) = 0;
};

} // namespace ns3

#endif /* REPLAY_SINK_H */
