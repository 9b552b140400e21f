/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef MESSAGE_MATCHER_H
#define MESSAGE_MATCHER_H

#include "collective-signature.h"

#include "ns3/message-transport.h"

#include <cstdint>
#include <map>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief Pairs the messages that reach a rank with the receives it has posted.
 *
 * First in, first out per (source, context, tag), as in MPI: messages without a receive wait, and
 * receives without a message wait. A context is one collective call or the point-to-point messages
 * of one communicator; it is forgotten when it is closed.
 */
class MessageMatcher
{
  public:
    /// A receive that was posted.
    struct Receive
    {
        std::size_t track{0}; //!< the poster's track that it is for
        uint32_t lane{0};     //!< the lane of the track's collective, if it runs one
        uint64_t bytes{0};    //!< bytes it expects
        uint64_t payload{0};  //!< how many of them are data, the rest being the protocol's
        uint32_t origin{0};   //!< line of the program that posts it
    };

    /// A receive and the message it was for.
    struct Match
    {
        Receive receive; //!< the receive
        Message message; //!< the message
    };

    /**
     * Compare what a member says of a collective with what the first one has said.
     *
     * @param context context of the collective
     * @param signature what the member says; kept if it is the first one
     * @return what the first one has said, if this one contradicts it
     */
    std::optional<CollectiveSignature> FindContradiction(uint64_t context,
                                                         const CollectiveSignature& signature);

    /**
     * @param context a context
     * @return true if something is known of it: a signature, a receive or a message
     */
    bool Knows(uint64_t context) const;

    /**
     * Post a receive.
     *
     * @param context the context
     * @param source the sending rank
     * @param tag the tag
     * @param receive the receive
     * @return the pair, if the message was there already
     */
    std::optional<Match> Post(uint64_t context,
                              uint32_t source,
                              uint32_t tag,
                              const Receive& receive);

    /**
     * Take in a message.
     *
     * @param message the message
     * @return the pair, if a receive was waiting for it
     */
    std::optional<Match> Arrive(const Message& message);

    /**
     * Forget a context whose receives are all complete.
     *
     * @param context the context
     * @return a message that nobody received, if there is one
     */
    std::optional<Message> Close(uint64_t context);

    /// Source and tag.
    using Key = std::pair<uint32_t, uint32_t>;

    /**
     * @param context a context
     * @return sources and tags of which a message is awaited in it, ascending, each once
     */
    std::vector<Key> GetAwaited(uint64_t context) const;

  private:
    /// What is under way in a context.
    struct Context
    {
        std::optional<CollectiveSignature> signature; //!< what the first member says of it
        std::multimap<Key, Receive> receives; //!< posted, no message yet; equal ones in order
        std::multimap<Key, Message> messages; //!< arrived, no receive yet; likewise
    };

    std::unordered_map<uint64_t, Context> m_contexts; //!< by context; never iterated
};

} // namespace ns3

#endif /* MESSAGE_MATCHER_H */
