/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_PORT_CLOCK_H
#define RDMA_PORT_CLOCK_H

#include "rdma-train.h"

#include "ns3/data-rate.h"
#include "ns3/nstime.h"

#include <cstdint>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief All times of a port: how long bytes take, until when it is busy, since when its link is as
 * it is, and for how long its peer has paused it.
 *
 * Times are time steps of the simulator. A port that is sending a train is busy until the train is
 * sent; what may go before the rest of the train goes in after the packet that is being sent, and
 * the rest goes on later by as much.
 */
class RdmaPortClock
{
  public:
    /// Of the train that is being sent, all that has not begun.
    static constexpr int64_t ALL_THE_REST = INT64_MAX;

    /**
     * @param rate rate of the port, above 0
     * @param delay propagation delay of its link
     */
    void SetLink(DataRate rate, Time delay)
    {
        m_stepsPerByte =
            static_cast<double>(Seconds(8).GetTimeStep()) / static_cast<double>(rate.GetBitRate());
        m_delay = delay.GetTimeStep();
    }

    /**
     * @param bytes any number of bytes
     * @return time that they take on the wire
     */
    int64_t GetSendingSteps(uint64_t bytes) const
    {
        return static_cast<int64_t>(static_cast<double>(bytes) * m_stepsPerByte + 0.5);
    }

    /**
     * @return propagation delay of the link
     */
    int64_t GetDelay() const
    {
        return m_delay;
    }

    /**
     * @return when the port is free, if nothing else is sent; may be past
     */
    int64_t GetFreeAt() const
    {
        return m_freeAt;
    }

    /**
     * @param now the time
     * @return whether a train is being sent, or has been announced by Start() at this time
     */
    bool IsSendingTrain(int64_t now) const
    {
        return m_trainSteps > 0 && m_freeAt > now;
    }

    /**
     * Nothing was sent until now, unless something still is.
     *
     * @param now the time
     */
    void Idle(int64_t now)
    {
        m_freeAt = m_freeAt > now ? m_freeAt : now;
    }

    /**
     * Begin to send. The port must be free.
     *
     * @param now the time
     * @param train what is sent, back to back; its times are those at which it comes in here, 0 if
     * it was made here
     * @param steps time that one packet takes
     */
    void Start(int64_t now, const RdmaTrain& train, int64_t steps)
    {
        m_freeAt = now + train.count * steps;
        m_trainSteps = train.count > 1 ? steps : 0;
        m_trainGoesOnAt = now;
        m_trainHead = train.head;
        m_trainTail = train.tail;
        m_trainGaps = train.count - 1;
    }

    /**
     * @param now the time, not before the train began to be sent
     * @return packets of the train being sent that have yet to come in
     */
    int64_t CountToCome(int64_t now) const
    {
        if (m_trainTail <= now)
        {
            return 0;
        }
        const int64_t length = m_trainTail - m_trainHead;
        return ((m_trainTail - now) * m_trainGaps + length - 1) / length;
    }

    /**
     * @param now the time; the port must be sending a train
     * @return when the next packet of it that is wholly to come is sent whole
     */
    int64_t GetNextGap(int64_t now) const
    {
        const int64_t begun = CountBegun(now);
        const int64_t gap = m_trainGoesOnAt + (begun > 0 ? begun : 1) * m_trainSteps;
        return gap < m_freeAt ? gap : m_freeAt;
    }

    /**
     * Send in the midst of a train, after its packet that is being sent. The port must be sending
     * a train.
     *
     * @param now the time
     * @param packets packets, sent back to back
     * @param steps time that one of them takes
     * @param before packets of the train that are to be sent later than these at most
     * @return when the first of them begins to be sent
     */
    int64_t Preempt(int64_t now, uint16_t packets, int64_t steps, int64_t before)
    {
        const int64_t next = m_trainGoesOnAt + CountBegun(now) * m_trainSteps;
        const int64_t last = before < ALL_THE_REST ? m_freeAt - before * m_trainSteps : next;
        const int64_t start = last > next ? last : next;
        m_trainGoesOnAt = start + packets * steps;
        m_freeAt += packets * steps;
        return start;
    }

    /**
     * The link has been cut or mended.
     *
     * @param now the time
     */
    void LinkChanged(int64_t now)
    {
        m_linkChangedAt = now;
    }

    /**
     * @param now the time, at which a packet has come in whole
     * @param wireBytes bytes that it takes on the wire
     * @return whether it began to be sent before the link was cut or mended last
     */
    bool WasOnChangedLink(int64_t now, uint32_t wireBytes) const
    {
        return m_linkChangedAt > 0 && now - m_delay - GetSendingSteps(wireBytes) < m_linkChangedAt;
    }

    /**
     * @param paused whether the peer has paused some priority
     * @param now the time
     */
    void SetPaused(bool paused, int64_t now)
    {
        if (paused && m_pausedSince == NEVER)
        {
            m_pausedSince = now;
        }
        else if (!paused && m_pausedSince != NEVER)
        {
            m_pausedSteps += now - m_pausedSince;
            m_pausedSince = NEVER;
        }
    }

    /**
     * @param now the time
     * @return time in which some priority was paused
     */
    int64_t GetPausedSteps(int64_t now) const
    {
        return m_pausedSteps + (m_pausedSince == NEVER ? 0 : now - m_pausedSince);
    }

  private:
    /**
     * @param now the time
     * @return packets of the train that have begun to be sent since it began, or went on
     */
    int64_t CountBegun(int64_t now) const
    {
        const int64_t sent = now > m_trainGoesOnAt ? now - m_trainGoesOnAt : 0;
        return (sent + m_trainSteps - 1) / m_trainSteps;
    }

    /// No time.
    static constexpr int64_t NEVER = -1;

    double m_stepsPerByte{0};     //!< time per byte on the wire
    int64_t m_delay{0};           //!< propagation delay of the link
    int64_t m_freeAt{0};          //!< when the port is free
    int64_t m_trainSteps{0};      //!< time that a packet of the train takes that was sent last; 0 =
                                  //!< it was a single packet
    int64_t m_trainGoesOnAt{0};   //!< when it began, or goes on after what has preempted it
    int64_t m_trainTail{0};       //!< when its last packet comes in here; 0 = it was made here
    int64_t m_trainHead{0};       //!< when its first one does
    int64_t m_trainGaps{0};       //!< its packets less one
    int64_t m_linkChangedAt{0};   //!< when the link was cut or mended last; 0 = it never was
    int64_t m_pausedSince{NEVER}; //!< since when some priority is paused
    int64_t m_pausedSteps{0};     //!< time in which some priority was paused before
};

} // namespace ns3

#endif /* RDMA_PORT_CLOCK_H */
