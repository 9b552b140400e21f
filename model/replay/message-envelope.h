/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef MESSAGE_ENVELOPE_H
#define MESSAGE_ENVELOPE_H

#include "ns3/message-transport.h"

#include <cstddef>
#include <cstdint>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief What the receiver needs to match a message. Ranks attach it to their messages.
 */
struct MessageEnvelope
{
    uint64_t context{0}; //!< collective call, or messages of two ranks, that it belongs to; its tag
                         //!< in programs that need CPUs and NICs, which have no collectives
    uint32_t tag{0};     //!< distinguishes messages of one context and pair
    uint32_t kind{0};    //!< what the sender believes the context to be
    uint64_t total{0};   //!< bytes the sender believes the context to be about
    uint32_t origin{0};  //!< line of the sender's program that caused the message

    /**
     * @param message message of a rank
     * @return the envelope that is attached to it
     */
    static MessageEnvelope Of(const Message& message)
    {
        const auto& words = message.attachment;
        const auto join = [&words](std::size_t high) {
            return static_cast<uint64_t>(words[high]) << 32 | words[high + 1];
        };
        return {join(0), words[2], words[3], join(4), words[6]};
    }

    /**
     * @param [in,out] message message of a rank
     */
    void AttachTo(Message& message) const
    {
        message.attachment = {static_cast<uint32_t>(context >> 32),
                              static_cast<uint32_t>(context),
                              tag,
                              kind,
                              static_cast<uint32_t>(total >> 32),
                              static_cast<uint32_t>(total),
                              origin};
    }
};

} // namespace ns3

#endif /* MESSAGE_ENVELOPE_H */
