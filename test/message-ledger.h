/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef MESSAGE_LEDGER_H
#define MESSAGE_LEDGER_H

#include "ns3/collective-selection.h"

#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay-tests
 * @brief Sets what the members of a collective will send against what they will wait for.
 *
 * Each member plans for itself; the ledger moves nothing.
 */
class MessageLedger
{
  public:
    /**
     * Take in all that a member sends and waits for.
     *
     * @param plan how it carries the collective out
     * @param call the collective as it calls it, which suits the plan
     * @return payload that it waits for, bytes
     */
    uint64_t Add(const CollectivePlan& plan, const CollectiveCall& call);

    /**
     * Between two members the messages of a pipeline are to be of the same lengths at both ends, in
     * their order. What members have a switch add up is to be as long at all of them, and they wait
     * for as much as it sends.
     *
     * @return the first thing that does not agree; empty = all does
     */
    std::string FindDifference() const;

  private:
    /// Payload of a message, and what goes over the wire, bytes.
    using Length = std::pair<uint64_t, uint64_t>;

    /// Messages in their order.
    using Lengths = std::vector<Length>;

    /// Sender, receiver, channel and pipeline.
    using Route = std::tuple<uint32_t, uint32_t, uint32_t, uint32_t>;

    /// Server (or NETWORK), head, channel and pipeline of what goes through a switch.
    using SwitchRoute = Route;

    /// Stands in place of a server for the switches of the network, and of their head.
    static constexpr uint32_t NETWORK = UINT32_MAX;

    /// What goes through a switch on one of its routes.
    struct Switched
    {
        std::map<uint32_t, Lengths> added; //!< by member: what it has the switch add up
        std::map<uint32_t, Lengths> got;   //!< by member: what it waits for
        Lengths cast;                      //!< what the head has it send to all
        uint32_t members{0};               //!< members that are to take part; 0 = any
    };

    /**
     * @param call the collective as a member calls it
     * @param channel the channel
     * @param pipeline the pipeline
     * @param transfer something that goes through a switch
     * @param length its length
     */
    void AddSwitched(const CollectiveCall& call,
                     uint32_t channel,
                     uint32_t pipeline,
                     const CollectiveTransfer& transfer,
                     const Length& length);

    /**
     * @param route a route
     * @param switched what goes by it
     * @return what does not agree; empty = nothing
     */
    static std::string FindDifference(const SwitchRoute& route, const Switched& switched);

    std::map<Route, Lengths> m_sent;            //!< messages by where they go
    std::map<Route, Lengths> m_awaited;         //!< messages that are waited for
    std::map<SwitchRoute, Switched> m_switched; //!< what goes through switches
};

} // namespace ns3

#endif /* MESSAGE_LEDGER_H */
