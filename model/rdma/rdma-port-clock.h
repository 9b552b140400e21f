/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_PORT_CLOCK_H
#define RDMA_PORT_CLOCK_H

#include "rdma-train.h"

#include "ns3/data-rate.h"
#include "ns3/nstime.h"

#include <algorithm>
#include <cstdint>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief All times of a port: how long bytes take, until when it is busy, since when its link is as
 * it is, and for how long its peer has paused it.
 *
 * Times are time steps of the simulator. A port that is sending a train is busy until the train is
 * sent. Between two of its packets is a gap, of no length, into which others may go; the rest of
 * the train then goes on later by as much.
 */
class RdmaPortClock
{
  public:
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
     * @param steps a time
     * @return bytes that are sent in it
     */
    double GetBytes(int64_t steps) const
    {
        return static_cast<double>(steps) / m_stepsPerByte;
    }

    /**
     * The far end sends packets on before they have come in whole, see RdmaSwitch::CutThrough.
     *
     * @param bytes bytes of the header, on the wire, that it waits for
     */
    void CutThrough(uint32_t bytes)
    {
        m_headSteps = GetSendingSteps(bytes);
    }

    /**
     * @param steps time that a packet takes to send
     * @return time after which the far end, but for the delay, has enough of it
     */
    int64_t GetHeadSteps(int64_t steps) const
    {
        return std::min(steps, m_headSteps);
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
     * What waits could not be sent until now.
     *
     * @param now the time
     */
    void Idle(int64_t now)
    {
        m_freeAt = std::max(m_freeAt, now);
        m_gapsFrom = std::max(m_gapsFrom, now);
    }

    /**
     * @return whether a train was sent last, or still is
     */
    bool HasTrain() const
    {
        return m_trainSteps > 0;
    }

    /**
     * Begin to send a single packet. The port must be free.
     *
     * @param now the time
     * @param steps time that it takes
     */
    void Start(int64_t now, int64_t steps)
    {
        m_freeAt = now + steps;
        m_trainSteps = 0;
    }

    /**
     * Begin to send a train. The port must be free.
     *
     * @param now the time
     * @param train the train, with the times at which it comes in here; tail 0 = it was made here
     * @param steps time that one packet takes
     */
    void Start(int64_t now, const RdmaTrain& train, int64_t steps)
    {
        m_freeAt = now + train.count * steps;
        m_trainSteps = steps;
        m_trainGoesOnAt = now;
        // At its start stands the first packet of the train: the first gap is behind that.
        m_gapsFrom = now + 1;
        Follow(train);
    }

    /**
     * Send a train behind the one that is being sent, as if it were more of that one.
     *
     * @param train the train, whose packets take as long
     */
    void GoOn(const RdmaTrain& train)
    {
        m_freeAt += train.count * m_trainSteps;
        Follow(train);
    }

    /**
     * @param now the time
     * @param steps time that a packet takes
     * @return whether a train of such packets is being sent
     */
    bool IsSendingTrain(int64_t now, int64_t steps) const
    {
        return IsSendingTrain(now) && m_trainSteps == steps;
    }

    /**
     * @return the next gap of the train that is being sent which was not passed by; not before the
     * port is free = there is none
     */
    int64_t GetGap() const
    {
        return GetGap(m_gapsFrom);
    }

    /**
     * It is the train's turn at the next gaps.
     *
     * @param gaps how many, at least 1
     */
    void PassGaps(uint16_t gaps)
    {
        m_gapsFrom = GetGap() + (gaps - 1) * m_trainSteps + 1;
    }

    /**
     * Find the gap for who comes in while a train of the same rank is being sent: first come, first
     * served, so it goes behind what of the train had come in by then, and before what had not.
     *
     * @param at when it has come in
     * @return the gap; not before the port is free = there is none
     */
    int64_t GetGapBehind(int64_t at) const
    {
        int64_t toCome = 0;
        if (m_trainTail > at && m_trainLength > 0)
        {
            // Packets that come in later than that, rounded up: they come evenly spaced. They are
            // the last ones to be sent, behind the gap.
            toCome = ((m_trainTail - at) * m_trainGaps + m_trainLength - 1) / m_trainLength;
        }
        return std::max(GetGap(std::max(at, m_gapsFrom)), m_freeAt - toCome * m_trainSteps);
    }

    /**
     * Send in the midst of a train, after its packet that is being sent. The port must be sending
     * a train.
     *
     * @param now the time
     * @param packets packets, sent back to back
     * @param steps time that one of them takes
     * @return when the first of them begins to be sent
     */
    int64_t Preempt(int64_t now, uint16_t packets, int64_t steps)
    {
        const int64_t start = GetGap(now);
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
     * @return whether the link has ever been cut or mended
     */
    bool HasLinkChanged() const
    {
        return m_linkChangedAt > 0;
    }

    /**
     * @param now the time, at which a packet has come in
     * @param wireBytes bytes that it takes on the wire, of which it has come in
     * @return whether it began to be sent before the link was cut or mended last
     */
    bool WasOnChangedLink(int64_t now, uint32_t wireBytes) const
    {
        return now - m_delay - GetSendingSteps(wireBytes) < m_linkChangedAt;
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
     * @param train the last train that is being sent
     */
    void Follow(const RdmaTrain& train)
    {
        m_trainTail = train.tail;
        m_trainLength = train.tail - train.head;
        m_trainGaps = train.count - 1;
    }

    /**
     * @param at the time; a train must be sent last
     * @return the first gap from then on
     */
    int64_t GetGap(int64_t at) const
    {
        // Gaps are whole packets apart: what is being sent is finished first.
        const int64_t sent = at > m_trainGoesOnAt ? at - m_trainGoesOnAt : 0;
        const int64_t begun = (sent + m_trainSteps - 1) / m_trainSteps;
        return m_trainGoesOnAt + begun * m_trainSteps;
    }

    /// No time.
    static constexpr int64_t NEVER = -1;

    double m_stepsPerByte{0};       //!< time per byte on the wire
    int64_t m_delay{0};             //!< propagation delay of the link
    int64_t m_headSteps{INT64_MAX}; //!< most time that the far end waits for of a packet
    int64_t m_freeAt{0};            //!< when the port is free
    int64_t m_trainSteps{0};      //!< time that a packet of the train takes that was sent last; 0 =
                                  //!< it was a single packet
    int64_t m_trainGoesOnAt{0};   //!< when it began, or goes on after what has preempted it
    int64_t m_gapsFrom{0};        //!< its gaps before were passed by
    int64_t m_trainTail{0};       //!< when its last packet comes in here; 0 = it was made here
    int64_t m_trainLength{0};     //!< for how long after its first one
    int64_t m_trainGaps{0};       //!< its packets less one
    int64_t m_linkChangedAt{0};   //!< when the link was cut or mended last; 0 = it never was
    int64_t m_pausedSince{NEVER}; //!< since when some priority is paused
    int64_t m_pausedSteps{0};     //!< time in which some priority was paused before
};

} // namespace ns3

#endif /* RDMA_PORT_CLOCK_H */
