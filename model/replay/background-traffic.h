/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef BACKGROUND_TRAFFIC_H
#define BACKGROUND_TRAFFIC_H

#include "traffic-pattern.h"

#include "ns3/message-transport.h"
#include "ns3/node-container.h"
#include "ns3/nstime.h"
#include "ns3/ptr.h"

#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief Sends messages between hosts beside the jobs, over the transports that the ranks use.
 *
 * A flow has a connection for itself while it lasts, so that flows of one pair of hosts share the
 * network but do not wait for each other. Connections serve again when their flow is sent, as those
 * of applications with a pool of connections do. It must outlive the simulation.
 */
class BackgroundTraffic
{
  public:
    /// When a pattern's flows begin.
    struct Period
    {
        Time start;              //!< when the pattern begins
        Time until{Time::Max()}; //!< when no more flows begin
    };

    /**
     * @param nodes the hosts
     * @param transports their transports; SetBackgroundCallback() is called
     * @param communicator communicator of all messages
     */
    BackgroundTraffic(const NodeContainer& nodes,
                      std::vector<Ptr<MessageTransport>> transports,
                      uint32_t communicator);

    // Transports and events refer to it.
    BackgroundTraffic(const BackgroundTraffic&) = delete;
    BackgroundTraffic& operator=(const BackgroundTraffic&) = delete;

    /**
     * Add flows. To be called before the simulation runs.
     *
     * @param pattern the flows
     * @param period when they begin
     * @throws WorkloadError if the first one is none: hosts that are not there, no bytes, a start
     *         before 0; for the others the run throws
     */
    void Add(std::unique_ptr<TrafficPattern> pattern, const Period& period);

    /**
     * @return flows that have begun
     */
    uint64_t GetStarted() const;

  private:
    /// A pattern and its next flow.
    struct Source
    {
        std::unique_ptr<TrafficPattern> pattern; //!< the flows
        Period period;                           //!< when they begin
        BackgroundFlow flow;                     //!< the one that begins next
    };

    /// Connections of a pair of hosts.
    struct Connections
    {
        uint32_t count{0};          //!< how many there are
        std::vector<uint32_t> free; //!< those whose flow is sent
    };

    /// A flow that is not yet sent.
    struct Active
    {
        uint64_t pair{0};       //!< its hosts, one in each half
        uint32_t connection{0}; //!< its connection
    };

    /**
     * Ask a pattern for its next flow, and have it begin.
     *
     * @param index index of the pattern
     * @throws WorkloadError if it is no flow
     */
    void ScheduleNext(std::size_t index);

    /**
     * Patterns need not be of this module.
     *
     * @param flow what a pattern says
     * @param earliest when its flow before that begins
     * @throws WorkloadError if it is not as TrafficPattern::Next() promises
     */
    void CheckFlow(const BackgroundFlow& flow, Time earliest) const;

    /**
     * Begin the next flow of a pattern.
     *
     * @param index index of the pattern
     */
    void Begin(std::size_t index);

    /**
     * A flow is sent.
     *
     * @param cookie cookie of its message
     */
    void HandleSent(uint64_t cookie);

    NodeContainer m_nodes;                                   //!< the hosts
    std::vector<Ptr<MessageTransport>> m_transports;         //!< their transports
    uint32_t m_communicator;                                 //!< communicator of all messages
    std::vector<Source> m_sources;                           //!< the patterns
    std::unordered_map<uint64_t, Connections> m_connections; //!< by pair of hosts
    std::vector<Active> m_active;                            //!< by cookie, see HandleSent()
    std::vector<uint64_t> m_freeCookies;                     //!< cookies that are not in use
    uint64_t m_started{0};                                   //!< flows that have begun
};

} // namespace ns3

#endif /* BACKGROUND_TRAFFIC_H */
