/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef MESSAGE_CONTEXT_H
#define MESSAGE_CONTEXT_H

#include "message-envelope.h"

#include "ns3/abort.h"
#include "ns3/message-transport.h"

#include <cstdint>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief What the context of a message says, MessageEnvelope::context: the communicator that it
 *        belongs to, and which of the communicator's collectives.
 */
struct MessageContext
{
    /// Stands where the number of a collective stands, in point-to-point messages.
    static constexpr uint32_t POINT_TO_POINT = UINT32_MAX;

    uint32_t communicator{0};          //!< id of the communicator in the workload
    uint32_t sequence{POINT_TO_POINT}; //!< how many collectives ran in it before

    /**
     * @return the context
     */
    uint64_t Pack() const
    {
        return static_cast<uint64_t>(communicator) << 32 | sequence;
    }

    /**
     * @param context a context
     * @return what it says
     */
    static MessageContext Unpack(uint64_t context)
    {
        return {static_cast<uint32_t>(context >> 32), static_cast<uint32_t>(context)};
    }

    /**
     * @param message message of a rank
     * @return what its context says
     */
    static MessageContext Of(const Message& message)
    {
        return Unpack(MessageEnvelope::Of(message).context);
    }
};

/**
 * @ingroup workload-replay
 * @brief What the tag of a message to or from a switch that takes part in a collective says. Of
 *        other messages of a collective the tag is the pipeline.
 *
 * The rail of a member is its index among the members of its server.
 */
struct SwitchTag
{
    /// Rail that stands for all members of the server.
    static constexpr uint32_t ALL = 0xffff;

    uint32_t pipeline{0}; //!< pipeline of the collective, below 32768
    /// To the switch: rail of the member that gets the sum, or ALL: send it on to all. From the
    /// switch: rail of the member that sent it on or, of a sum, that gets it. With switches of the
    /// network: the server of the head that it is from or, of a result, that gets it; of what
    /// switches send each other any server below the lower one.
    uint32_t rail{0};
    /// Whether it is a sum of an NVSwitch, or to be added up there: a member may get sums and what
    /// it multicasts itself in the same pipeline.
    bool isSum{false};

    /**
     * @return the tag
     */
    uint32_t Pack() const
    {
        NS_ABORT_MSG_IF(
            pipeline > 0x7fff || rail > 0xffff,
            "collectives of switches take at most 32,768 pipelines and 65,536 servers: ask for "
            "fewer Channels or a smaller PipelineDepth or Window");
        return rail << 16 | (isSum ? 0x8000 : 0) | pipeline;
    }

    /**
     * @param tag a tag
     * @return what it says
     */
    static SwitchTag Unpack(uint32_t tag)
    {
        return {tag & 0x7fff, tag >> 16, (tag & 0x8000) != 0};
    }

    /**
     * @param message message to or from a switch
     * @return what its tag says
     */
    static SwitchTag Of(const Message& message)
    {
        return Unpack(MessageEnvelope::Of(message).tag);
    }
};

} // namespace ns3

#endif /* MESSAGE_CONTEXT_H */
