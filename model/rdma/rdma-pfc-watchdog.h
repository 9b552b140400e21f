/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_PFC_WATCHDOG_H
#define RDMA_PFC_WATCHDOG_H

#include "rdma-egress-queues.h"

#include "ns3/event-id.h"
#include "ns3/nstime.h"

#include <array>
#include <cstdint>
#include <functional>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief Watches a port for priorities that are paused for too long, and frees those that wait for
 * them: the PFC watchdog of SONiC (feature "pfcwd").
 *
 * A priority whose packets have waited, paused, for the detection time is in a storm. Until it has
 * not been paused for the restoration time, its packets are dropped, or leave in spite of pauses.
 * SONiC looks at counters in intervals, and so sees a storm up to an interval later.
 */
class RdmaPfcWatchdog
{
  public:
    /// What becomes of packets in a storm.
    enum Action : uint8_t
    {
        OFF,    //!< there is no watchdog
        DROP,   //!< they are dropped
        FORWARD //!< they are sent on in spite of pauses
    };

    /// What it goes by.
    struct Parameters
    {
        Action action{OFF}; //!< what becomes of packets in a storm
        Time detection;     //!< how long they wait, paused, until there is one
        Time restoration;   //!< how long there must be no pause until it is over
    };

    /// Upcall when a storm begins or is over: its priority, and whether it begins.
    using StormCallback = std::function<void(uint8_t priority, bool isStorm)>;

    /**
     * @param queues what waits at the port to watch; must outlive this object
     * @param parameters what to go by; there must be an action
     * @param storm called when a storm begins or is over
     */
    RdmaPfcWatchdog(const RdmaEgressQueues& queues,
                    const Parameters& parameters,
                    StormCallback storm);

    ~RdmaPfcWatchdog();

    /**
     * The far end has paused a priority of the port, or lets it go on.
     *
     * @param priority the priority
     * @param isPaused whether it is paused
     */
    void PauseChanged(uint8_t priority, bool isPaused);

    /**
     * Look for a storm, if packets wait.
     *
     * @param priority a priority that is paused
     */
    void Watch(uint8_t priority);

  private:
    /// What is known of a priority.
    struct State
    {
        bool isPaused{false}; //!< the far end has paused it
        bool isStorm{false};  //!< for too long
        Time pausedAt;        //!< since when it is paused
        EventId due;          //!< when there is a storm, or it is over
    };

    /**
     * Packets may have waited for too long.
     *
     * @param priority their priority
     */
    void Detect(uint8_t priority);

    /**
     * There was no pause for long enough.
     *
     * @param priority the priority
     */
    void Restore(uint8_t priority);

    const RdmaEgressQueues& m_queues;                         //!< what waits at the port
    Parameters m_parameters;                                  //!< what to go by
    StormCallback m_storm;                                    //!< a storm begins or is over
    std::array<State, RdmaEgressQueues::PRIORITIES> m_states; //!< by priority
};

} // namespace ns3

#endif /* RDMA_PFC_WATCHDOG_H */
