/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_TRAIN_LENGTH_H
#define RDMA_TRAIN_LENGTH_H

#include <algorithm>
#include <cstdint>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief How many packets a queue pair sends as one train.
 *
 * One at first. The number doubles each time that packets sent with the present one are
 * acknowledged and none has met a queue, about once per round trip; where one has, and after a
 * loss, it is one again.
 */
class RdmaTrainLength
{
  public:
    /**
     * @return packets of the longest train at present
     */
    uint32_t Get() const
    {
        return m_length;
    }

    /**
     * An acknowledgement has come.
     *
     * @param waited whether what it answers met a queue
     * @param acknowledged number of the first packet that is not acknowledged
     * @param next number of the next new packet
     * @param most packets that a train may have
     */
    void Adapt(bool waited, uint64_t acknowledged, uint64_t next, uint32_t most)
    {
        if (waited)
        {
            Restart(next);
        }
        else if (acknowledged > m_from)
        {
            m_length = std::min(2 * m_length, most);
            m_from = next;
        }
    }

    /**
     * Begin anew.
     *
     * @param next number of the next new packet
     */
    void Restart(uint64_t next)
    {
        m_length = 1;
        m_from = next;
    }

  private:
    uint64_t m_from{0};   //!< packets from this one on were sent with the present length
    uint32_t m_length{1}; //!< packets of the longest train
};

} // namespace ns3

#endif /* RDMA_TRAIN_LENGTH_H */
