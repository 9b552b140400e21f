/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_COMMON_SWITCH_SENDERS_H
#define RDMA_COMMON_SWITCH_SENDERS_H

#include "rdma-common-switch-ports.h"

#include "ns3/nstime.h"
#include "ns3/ptr.h"
#include "ns3/rdma-send-schedule.h"
#include "ns3/rdma-train-policy.h"

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

namespace ns3
{

class RdmaMessageTransport;

/**
 * @ingroup workload-replay
 * @brief Those who send by the links of hosts to common switches, and what they remember when
 * nothing is under way.
 *
 * Hosts send, and so do the switches if they take part in collectives. How long trains are, and so
 * when messages arrive, depends on what was sent before: on the queue pairs of the communicator,
 * and on who has sent by a port just now. What is remembered can be compared with, and given to,
 * those of other hosts that one like it joins.
 */
class RdmaCommonSwitchSenders
{
  public:
    /// Sending times that do not count any more, see RdmaNic::SharingMemory.
    static constexpr int64_t LONG_AGO = RdmaSendSchedule::NEVER + 1;

    /// What one queue pair of a connection remembers.
    struct Connection
    {
        uint32_t peer{0};    //!< place of the other end among those who send
        uint32_t channel{0}; //!< its channel
        uint32_t turn{0};    //!< queue pair whose turn it is
        std::vector<RdmaTrainPolicy::Memory> trains; //!< by queue pair
    };

    /// What a port remembers. Times are time steps since a collective began, NEVER or LONG_AGO.
    struct Port
    {
        bool isOwn{false};        //!< the communicator has sent payload last, by
        uint32_t peer{0};         //!< a connection to this one,
        uint32_t channel{0};      //!< on this channel,
        uint32_t pair{0};         //!< by this queue pair of it
        bool isLone{false};       //!< and nobody but that queue pair ever has
        int64_t servedAt{0};      //!< when that was
        int64_t othersAt{0};      //!< when another queue pair had sent before it
        bool isTrainsTurn{false}; //!< see RdmaSendSchedule::Memory
        int32_t deficit{1};       //!< see RdmaPortTurns::GetDeficit()
    };

    /// What all remember.
    struct Memory
    {
        std::vector<Port> ports;                          //!< by port
        std::vector<std::vector<Connection>> connections; //!< of each who sends

        /// @return all of it that what is sent next depends on, as a key
        std::string Describe() const;
    };

    /**
     * @param links the links
     * @param transports transports by address, of which hosts come first, by rank
     * @param ranks ranks of the hosts, in the order of links.GetHosts()
     * @param hasPackets whether they send packets, see RdmaProtocol::HasPackets()
     */
    RdmaCommonSwitchSenders(const RdmaCommonSwitchPorts& links,
                            const std::vector<Ptr<RdmaMessageTransport>>& transports,
                            const std::vector<uint32_t>& ranks,
                            bool hasPackets);

    /**
     * @param communicator a communicator of the hosts
     * @param since when a collective of it began
     * @return what they remember of it now
     */
    Memory Take(uint32_t communicator, Time since) const;

    /**
     * @param communicator a communicator of the hosts
     * @return what its queue pairs remember now
     */
    std::vector<std::vector<Connection>> TakeConnections(uint32_t communicator) const;

    /**
     * @param communicator a communicator of the hosts
     * @param since when a collective of it began
     * @return what ports remember now
     */
    std::vector<Port> TakePorts(uint32_t communicator, Time since) const;

    /**
     * @param before what they remembered before
     * @return whether nobody has begun to send by a port that only one had sent by
     */
    bool IsLoneStill(const Memory& before) const;

    /// @return whether somebody listens to rates or windows of those who send
    bool HaveListeners() const;

    /**
     * Remember what others have remembered.
     *
     * @param memory what to remember
     * @param communicator a communicator of the hosts
     * @param since when a collective of it began, from which times count
     */
    void Give(const Memory& memory, uint32_t communicator, Time since) const;

  private:
    /// Who sends.
    struct Sender
    {
        uint32_t address{0};                 //!< address
        Ptr<RdmaMessageTransport> transport; //!< what it sends by
        bool hasTrains{false};               //!< its queue pairs may have trains
        int64_t sharingMemory{0};            //!< RdmaNic::SharingMemory, time steps
    };

    /// A port that somebody sends by.
    struct Outlet
    {
        RdmaNetDevice* port{nullptr}; //!< the port
        std::size_t sender{0};        //!< whose it is
    };

    /**
     * @param address address of who sends
     * @return its place among those who send
     */
    uint32_t FindPlace(uint32_t address) const;

    /**
     * @param communicator a communicator of the hosts
     * @return what ports remember that one of its queue pairs has sent by last, by queue pair, but
     *         for times; those without trains are left out
     */
    std::unordered_map<const RdmaScheduledSender*, Port> FindOwn(uint32_t communicator) const;

    /**
     * @param at a time step, or NEVER
     * @param since when a collective began, time step
     * @param sender who has sent
     * @return the time as Port has it
     */
    static int64_t GetTime(int64_t at, int64_t since, const Sender& sender);

    std::vector<Sender> m_senders; //!< those who send
    std::vector<Outlet> m_outlets; //!< their ports
};

} // namespace ns3

#endif /* RDMA_COMMON_SWITCH_SENDERS_H */
