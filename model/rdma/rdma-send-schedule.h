/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_SEND_SCHEDULE_H
#define RDMA_SEND_SCHEDULE_H

#include "rdma-egress-queues.h"
#include "rdma-packet-source.h"
#include "rdma-scheduled-sender.h"

#include "ns3/event-id.h"

#include <array>
#include <cstdint>
#include <queue>
#include <utility>
#include <vector>

namespace ns3
{

class RdmaNetDevice;
class RdmaPortTransmitter;

/**
 * @ingroup workload-replay
 * @brief Which queue pair of a port sends next: the ready ones in turn, per priority, packet by
 * packet. Between two packets of a train the others have their turns, where ports of single packets
 * would serve them.
 *
 * Priorities share the port as its queues do, see RdmaEgressQueues: strict ones go first, those
 * with a weight share what is left. A train is one packet of its priority, which then owes what it
 * has sent too much.
 */
class RdmaSendSchedule : public RdmaPacketSource
{
  public:
    /**
     * @param port the port; must outlive this object
     * @param transmitter sends there
     */
    RdmaSendSchedule(const RdmaNetDevice& port, RdmaPortTransmitter& transmitter);

    ~RdmaSendSchedule() override;

    RdmaPacketPtr Pull(RdmaEgressQueues::Mask allowed) override;
    RdmaPacketPtr PullIntoTrain(RdmaEgressQueues::Mask allowed) override;
    bool CanPullIntoTrain(RdmaEgressQueues::Mask allowed) const override;

    bool CanPull(RdmaEgressQueues::Mask allowed) const override
    {
        return (m_ready & allowed) != 0;
    }

    /**
     * Put an idle queue pair where it belongs, if it can send.
     *
     * @param sender a queue pair of the port, IDLE
     */
    void Add(RdmaScheduledSender& sender);

    /// Make all queue pairs idle: the port's link has gone down.
    void Clear();

    /// What it goes by beside what is ready, as far as trains depend on it.
    struct Memory
    {
        const RdmaScheduledSender* served{nullptr}; //!< who has sent payload last; null = nobody
        int64_t servedAt{NEVER};                    //!< time step at which it did
        int64_t othersAt{NEVER};  //!< time step at which another one did before it
        bool isTrainsTurn{false}; //!< see PullIntoTrain()
    };

    /// A time step long before all others.
    static constexpr int64_t NEVER = INT64_MIN / 2;

    /// @return what it remembers
    const Memory& GetMemory() const
    {
        return m_memory;
    }

    /// @param memory what it remembers from now on
    void SetMemory(const Memory& memory)
    {
        m_memory = memory;
    }

  private:
    /// Queue pairs of one priority that are ready, in turn.
    struct Ring
    {
        RdmaScheduledSender* first{nullptr}; //!< whose turn it is; null = nobody is ready
        RdmaScheduledSender* last{nullptr};  //!< the last one, if there is one
    };

    /// A time step, and the queue pair that may send from then on. Equal times are served in the
    /// order in which they were set.
    struct Due
    {
        int64_t at;                  //!< time step
        uint64_t order;              //!< how many were set before
        RdmaScheduledSender* sender; //!< queue pair

        /**
         * @param other another one
         * @return whether the other one is served first
         */
        bool operator<(const Due& other) const
        {
            return at != other.at ? at > other.at : order > other.order;
        }
    };

    /**
     * @param sender queue pair whose turn it is, and that can send
     * @param isInTrain whether it is in a gap of another one's train
     * @return its packet
     */
    RdmaPacketPtr Send(RdmaScheduledSender& sender, bool isInTrain);

    /**
     * @param allowed priorities that may send, of which somebody is ready
     * @return whose turn it was; IDLE now
     */
    RdmaScheduledSender& PopReady(RdmaEgressQueues::Mask allowed);

    /**
     * @param sender queue pair that can send
     * @param freeAt time step at which the port is free
     */
    void Place(RdmaScheduledSender& sender, int64_t freeAt);

    /**
     * @param sender queue pair to put last
     */
    void PushReady(RdmaScheduledSender& sender);

    /**
     * @param candidates priorities that may send and of which somebody is ready, at least one
     * @return the one to go next
     */
    uint8_t ChoosePriority(RdmaEgressQueues::Mask candidates);

    /**
     * Count what a priority with a weight has sent.
     *
     * @param priority the priority
     * @param bytes bytes sent
     */
    void Charge(uint8_t priority, uint32_t bytes);

    /// Have the first of those that wait for their pace woken in time.
    void SetTimer();

    /// Some have waited long enough.
    void Wake();

    const RdmaNetDevice& m_port;                                   //!< the port
    RdmaPortTransmitter& m_transmitter;                            //!< sends there
    std::array<Ring, RdmaEgressQueues::PRIORITIES> m_rings;        //!< by priority
    std::array<int64_t, RdmaEgressQueues::PRIORITIES> m_credits{}; //!< bytes left, by priority
    uint8_t m_turn{0};                           //!< weighted priority whose turn it is
    RdmaEgressQueues::Mask m_ready{0};           //!< priorities of which somebody is ready
    std::priority_queue<Due> m_timed;            //!< who waits for its pace
    uint64_t m_order{0};                         //!< how many ever waited
    EventId m_timer;                             //!< when to wake the first of them
    int64_t m_timerAt{0};                        //!< time step of the timer
    const RdmaScheduledSender* m_train{nullptr}; //!< who has sent a train last; null = nobody has
    Memory m_memory;                             //!< who has sent when, and whose turn it is
};

} // namespace ns3

#endif /* RDMA_SEND_SCHEDULE_H */
