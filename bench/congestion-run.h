/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef CONGESTION_RUN_H
#define CONGESTION_RUN_H

#include "ns3/message-transport.h"
#include "ns3/nstime.h"
#include "ns3/rdma-fabric-helper.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief Messages of many hosts to one, through one switch: who gets how much of the port to it.
 *
 * Attributes are set as defaults, which are all reset in the end.
 */
class CongestionRun
{
  public:
    /// Attributes and their values, as TYPE::ATTRIBUTE without the name space.
    using Settings = std::vector<std::pair<std::string, std::string>>;

    /// What the run is about.
    struct Case
    {
        std::string control{"Dcqcn"}; //!< congestion control, a TypeId without ns3::Rdma
        Settings settings;            //!< attributes
        uint32_t senders{2};          //!< hosts that send, besides the one that receives
        DataRate rate{400000000000};  //!< rate of all links
        Time delay;                   //!< delay of each link
        uint32_t seed{1};             //!< run number of the random numbers
    };

    /**
     * @param what what the run is about
     */
    explicit CongestionRun(const Case& what);

    ~CongestionRun();

    CongestionRun(const CongestionRun&) = delete;
    CongestionRun& operator=(const CongestionRun&) = delete;

    /**
     * Have a sender send a message to the receiver.
     *
     * @param sender from 0 on
     * @param bytes its size
     * @param at when
     */
    void Post(uint32_t sender, uint64_t bytes, Time at);

    /// Run until all messages have arrived.
    void RunAll();

    /**
     * Run for a time.
     *
     * @param until when it ends
     * @param window time between looks at what was acknowledged
     */
    void RunUntil(Time until, Time window);

    /**
     * @return load of the receiver's port in each window, 1 = all of it
     */
    std::vector<double> GetLoads() const;

    /**
     * @param windows how many windows each index is taken over
     * @return Jain's index of what the senders got in the first so many windows, in the next, ...
     */
    std::vector<double> GetFairness(uint32_t windows) const;

    /**
     * @return completion times of the messages in order of arrival, us
     */
    const std::vector<std::pair<uint32_t, double>>& GetCompletions() const
    {
        return m_completions;
    }

    /**
     * @return most bytes that waited for the receiver's port
     */
    uint64_t GetMaxQueue() const;

    /**
     * @return pauses of all ports
     */
    uint64_t GetPauses() const;

    /**
     * @return packets dropped at all ports
     */
    uint64_t GetDrops() const;

    /**
     * @param payload payload of a packet, bytes
     * @return bytes that it takes on the wire with preamble and gap
     */
    static uint32_t GetWireBytes(uint32_t payload);

  private:
    /**
     * @param message message to send now
     */
    void Send(Message message);

    /**
     * @param message what has arrived
     */
    void Receive(const Message& message);

    /**
     * @param first a window
     * @param windows how many windows from there on
     * @return bytes acknowledged in them, by sender
     */
    std::vector<double> GetBytes(std::size_t first, uint32_t windows) const;

    /**
     * @param window time to the next look
     */
    void Look(Time window);

    Case m_case;                                //!< what the run is about
    RdmaFabricHelper m_fabric;                  //!< the fabric
    Time m_window;                              //!< time between looks
    uint32_t m_mtu{0};                          //!< payload of a full packet, bytes
    std::vector<std::vector<uint64_t>> m_looks; //!< bytes acknowledged, by look and sender
    std::vector<std::pair<uint32_t, double>> m_completions; //!< sender and time, us
};

} // namespace ns3

#endif // CONGESTION_RUN_H
