/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef MESSAGE_MATCHER_H
#define MESSAGE_MATCHER_H

#include "collective-signature.h"

#include "ns3/message-transport.h"

#include <algorithm>
#include <cstdint>
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
        uint32_t pipeline{0}; //!< the pipeline of the track's collective, if it runs one
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
    bool Knows(uint64_t context);

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

    /**
     * @return messages that have come and that no receive was posted for
     */
    uint64_t CountUnreceived() const;

  private:
    /// Items that wait, by key, and of equal ones the first to come first. What is searched and
    /// moved stands side by side, apart from the items.
    template <typename Item>
    class Waiting
    {
      public:
        /**
         * @param key the key
         * @param item the item, behind all others of that key
         */
        void Add(const Key& key, const Item& item)
        {
            if (m_free.empty())
            {
                m_free.push_back(static_cast<uint32_t>(m_items.size()));
                m_items.emplace_back();
            }
            const uint32_t place = m_free.back();
            m_free.pop_back();
            m_items[place] = item;
            const auto end = std::upper_bound(
                m_entries.begin(),
                m_entries.end(),
                key,
                [](const Key& wanted, const Entry& entry) { return wanted < entry.key; });
            m_entries.insert(end, {key, place});
        }

        /**
         * @param key a key
         * @return the first item of that key, which waits no longer
         */
        std::optional<Item> Take(const Key& key)
        {
            const auto first = std::lower_bound(
                m_entries.begin(),
                m_entries.end(),
                key,
                [](const Entry& entry, const Key& wanted) { return entry.key < wanted; });
            if (first == m_entries.end() || first->key != key)
            {
                return std::nullopt;
            }
            const uint32_t place = first->place;
            m_entries.erase(first);
            m_free.push_back(place);
            return m_items[place];
        }

        /**
         * @return keys of the items, ascending
         */
        std::vector<Key> GetKeys() const
        {
            std::vector<Key> keys;
            for (const auto& entry : m_entries)
            {
                keys.push_back(entry.key);
            }
            return keys;
        }

        /**
         * @return number of items
         */
        std::size_t Count() const
        {
            return m_entries.size();
        }

        /**
         * @return the item of the lowest key that came first, if there is any
         */
        std::optional<Item> GetFirst() const
        {
            return m_entries.empty() ? std::nullopt
                                     : std::optional<Item>(m_items[m_entries.front().place]);
        }

      private:
        /// An item that waits.
        struct Entry
        {
            Key key;        //!< its key
            uint32_t place; //!< where it stands in m_items
        };

        std::vector<Entry> m_entries; //!< by key, and then in order of arrival
        std::vector<Item> m_items;    //!< the items, in any order
        std::vector<uint32_t> m_free; //!< places of m_items without one
    };

    /// What is under way in a context.
    struct Context
    {
        std::optional<CollectiveSignature> signature; //!< what the first member says of it
        Waiting<Receive> receives;                    //!< posted, no message yet
        Waiting<Message> messages;                    //!< arrived, no receive yet
    };

    /**
     * @param context a context
     * @return what is under way in it; null = nothing is known of it
     */
    Context* Find(uint64_t context);

    /**
     * @param context a context
     * @return what is under way in it, from now on known
     */
    Context& Get(uint64_t context);

    std::unordered_map<uint64_t, Context> m_contexts; //!< by context; iterated to count alone
    uint64_t m_latest{0};                             //!< the context that was found last ...
    Context* m_found{nullptr};                        //!< ... and what is in it; null = none
};

} // namespace ns3

#endif /* MESSAGE_MATCHER_H */
