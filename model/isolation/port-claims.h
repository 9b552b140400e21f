/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef PORT_CLAIMS_H
#define PORT_CLAIMS_H

#include "ns3/message-transport.h"
#include "ns3/nstime.h"
#include "ns3/port-isolation.h"

#include <cstdint>
#include <map>
#include <memory>
#include <tuple>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief The messages under way at each place of a network, and who has places to itself.
 *
 * A place is a port, or ports of a host that go together; a message uses one place of its sender
 * and one of its receiver. Implementations of PortIsolation keep their books with it.
 */
class PortClaims
{
  public:
    using Places = std::vector<uint32_t>; //!< places of a communicator's members, by member
    using Action = PortIsolation::Action; //!< see PortIsolation::Claim()

    /**
     * @param places how many there are
     */
    void Resize(uint32_t places);

    /**
     * @param place a place
     * @return whether nothing is under way there, and nobody has claimed it
     */
    bool IsFree(uint32_t place) const;

    /**
     * @param place a place
     * @return whether somebody has claimed it
     */
    bool IsClaimed(uint32_t place) const
    {
        return m_uses[place].claimed != nullptr;
    }

    /**
     * @param places places that are free
     * @param communicator who has them to itself from now on
     * @param disturbed called before others use them
     * @param quiet called when none of its messages is under way any more
     */
    void Claim(const Places& places, uint32_t communicator, Action disturbed, Action quiet);

    /**
     * @param places places that are nobody's own from now on
     */
    void Release(const Places& places);

    /**
     * A message is about to use a place.
     *
     * @param place the place
     * @param message the message
     */
    void Begin(uint32_t place, const Message& message);

    /**
     * A message does not use a place any more.
     *
     * @param place the place
     */
    void End(uint32_t place);

    /**
     * @param place a place
     * @return whether a message that used it has ended at this very time step
     */
    bool HasJustEnded(uint32_t place) const;

    /// All places are about to be disturbed.
    void DisturbAll();

    /**
     * @param place a place that is claimed
     * @return whether no message of whose it is is under way
     */
    bool IsQuiet(uint32_t place) const;

    /**
     * A message has come whole. Those that nobody traces do not count, nor do those at places that
     * nobody has claimed.
     *
     * @param place a place that it has used
     * @param message the message
     */
    void Count(uint32_t place, const Message& message);

    /**
     * What is done here would not be the same another time.
     *
     * @param place a place, claimed or not
     */
    void NoteUnsteady(uint32_t place);

    /**
     * @param place a place that is claimed
     * @return whether what was done here would be the same another time
     */
    bool IsSteady(uint32_t place) const
    {
        return m_uses[place].claimed->isSteady;
    }

    /**
     * @param place a place that is claimed
     * @param tally where to put the messages counted, and whether all would be the same
     */
    void Tell(uint32_t place, PortIsolation::Tally& tally) const;

  private:
    /// Places that a communicator has to itself.
    struct Claimed
    {
        uint32_t communicator{0}; //!< the communicator
        Action disturbed;         //!< called before others use them
        Action quiet;             //!< called when none of its messages is under way
        uint64_t underWay{0};     //!< uses of places by its messages under way
        bool isSteady{true};      //!< see NoteUnsteady()
        /// Messages that have come, by source, destination, bytes, duration.
        std::map<std::tuple<uint32_t, uint32_t, uint64_t, Time>, uint64_t> messages;
    };

    /// A place.
    struct Use
    {
        uint64_t underWay{0};             //!< messages from it or to it that are under way
        Time endedAt{-1};                 //!< when a message ended last; < 0 = none has
        std::shared_ptr<Claimed> claimed; //!< who has it to itself; null = nobody
    };

    std::vector<Use> m_uses; //!< by place
};

} // namespace ns3

#endif /* PORT_CLAIMS_H */
