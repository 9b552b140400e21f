/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef PORT_RESERVATIONS_H
#define PORT_RESERVATIONS_H

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
class PortReservations
{
  public:
    using Places = std::vector<uint32_t>; //!< places of a communicator's members, by member
    using Action = PortIsolation::Action; //!< see PortIsolation::Reserve()

    /**
     * @param places how many there are
     */
    void Resize(uint32_t places);

    /**
     * @param place a place
     * @return whether nothing is under way there, and nobody has reserved it
     */
    bool IsFree(uint32_t place) const;

    /**
     * @param place a place
     * @return whether somebody has reserved it
     */
    bool IsReserved(uint32_t place) const
    {
        return m_uses[place].reservation != nullptr;
    }

    /**
     * @param places places that are free
     * @param communicator who has them to itself from now on
     * @param interrupted called before others use them
     * @param quiet called when none of its messages is under way any more
     */
    void Reserve(const Places& places, uint32_t communicator, Action interrupted, Action quiet);

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

    /**
     * @param place a place
     * @return whether messages from it or to it are under way
     */
    bool IsInUse(uint32_t place) const;

    /// All places are about to be interrupted.
    void InterruptAll();

    /**
     * @param place a place that is reserved
     * @return whether no message of whose it is is under way
     */
    bool IsQuiet(uint32_t place) const;

    /**
     * A message has come whole. Those that nobody traces do not count, nor do those at places that
     * nobody has reserved.
     *
     * @param place a place that it has used
     * @param message the message
     */
    void Count(uint32_t place, const Message& message);

    /**
     * What is done here would not be the same another time.
     *
     * @param place a place, reserved or not
     */
    void NoteUnsteady(uint32_t place);

    /**
     * @param place a place that is reserved
     * @return whether what was done here would be the same another time
     */
    bool IsSteady(uint32_t place) const
    {
        return m_uses[place].reservation->isSteady;
    }

    /**
     * @param place a place that is reserved
     * @param counters where to put the messages counted, and whether all would be the same
     */
    void AddTo(uint32_t place, PortIsolation::Counters& counters) const;

  private:
    /// Places that a communicator has to itself.
    struct Reservation
    {
        uint32_t communicator{0}; //!< the communicator
        Action interrupted;       //!< called before others use them
        Action quiet;             //!< called when none of its messages is under way
        uint64_t underWay{0};     //!< uses of places by its messages under way
        bool isSteady{true};      //!< see NoteUnsteady()
        /// Messages that have come, by source, destination, bytes, duration.
        std::map<std::tuple<uint32_t, uint32_t, uint64_t, Time>, uint64_t> messages;
    };

    /// A place.
    struct Use
    {
        uint64_t underWay{0};                     //!< messages from it or to it that are under way
        Time endedAt{-1};                         //!< when a message ended last; < 0 = none has
        std::shared_ptr<Reservation> reservation; //!< who has it to itself; null = nobody
    };

    std::vector<Use> m_uses; //!< by place
};

} // namespace ns3

#endif /* PORT_RESERVATIONS_H */
