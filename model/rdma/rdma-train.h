/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_TRAIN_H
#define RDMA_TRAIN_H

#include <algorithm>
#include <cstdint>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief A packet train: equal packets of one flow, back to back, that go through the fabric as one
 * unit of simulation.
 *
 * A single packet is a train of one, and needs none of this but its count. Times are those at which
 * packets have come in whole at the port that the train goes to next, in time steps.
 */
struct RdmaTrain
{
    uint16_t count{1};   //!< packets, at least 1
    uint16_t shared{0};  //!< most that go on together where others are met; 0 = all
    uint16_t queued{1};  //!< most that wait in a queue as a whole, however long it is
    int64_t head{0};     //!< when it is handed over: arrival of the first packet; where the train
                         //!< ends its way, of the last one
    int64_t tail{0};     //!< arrival of the last packet
    int64_t interval{0}; //!< time between the packets as their sender paces them, which is not
                         //!< that at which links carry them

    /**
     * @param record what is visited, const or not
     * @param visit is given each member
     */
    template <typename R, typename V>
    static void Visit(R& record, const V& visit)
    {
        visit(record.count);
        visit(record.shared);
        visit(record.queued);
        visit(record.head);
        visit(record.tail);
        visit(record.interval);
    }

    /**
     * @return whether it is longer than trains may be that meet others
     */
    bool IsLone() const
    {
        return shared > 0 && count > shared;
    }

    /**
     * @param steps time that one packet takes to send
     * @return whether its packets come in further apart
     */
    bool HasGaps(int64_t steps) const
    {
        return tail - head > steps * (count - 1);
    }

    /**
     * Take packets off the front. They keep the distance that they have.
     *
     * @param packets how many, at least 1 and fewer than all
     * @return the packets taken off; this keeps the rest
     */
    RdmaTrain Split(uint16_t packets)
    {
        const int64_t spacing = (tail - head) / (count - 1);
        RdmaTrain front = *this;
        front.count = packets;
        front.tail = head + spacing * (packets - 1);
        head += spacing * packets;
        count = static_cast<uint16_t>(count - packets);
        return front;
    }

    /**
     * Find when the last packet has left a port that sends the train as it comes in: after those
     * before it, and not before it has come in itself, so that a train from a slow link has gaps on
     * a fast one.
     *
     * @param start when the first packet begins to be sent
     * @param steps time that one packet takes to send
     * @return when the last packet is sent whole
     */
    int64_t GetLastDeparture(int64_t start, int64_t steps) const
    {
        return std::max(start + count * steps, tail + steps);
    }

    /**
     * Go on by a port, cut through: the first packet leaves long before the last one has come.
     *
     * @param start when the first packet begins to be sent
     * @param steps time that one packet takes to send
     * @param delay from the end of a packet to its arrival: propagation delay of the link, less
     * what the far end does not wait for
     * @param isEnd whether the train ends its way at the far end, where it is handed over whole
     */
    void CutThrough(int64_t start, int64_t steps, int64_t delay, bool isEnd)
    {
        tail = GetLastDeparture(start, steps) + delay;
        head = isEnd ? tail : start + steps + delay;
    }
};

} // namespace ns3

#endif /* RDMA_TRAIN_H */
