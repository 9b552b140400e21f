/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_SCHEDULED_SENDER_H
#define RDMA_SCHEDULED_SENDER_H

#include "rdma-packet.h"

#include <cstdint>

namespace ns3
{

class RdmaNetDevice;

/**
 * @ingroup workload-replay
 * @brief What an RdmaSendSchedule gives turns to: the sending half of a queue pair, as its port
 * sees it.
 */
class RdmaScheduledSender
{
  public:
    /// Where the schedule keeps it.
    enum State : uint8_t
    {
        IDLE,  //!< nothing to send, or no window
        READY, //!< in the ring of its port
        TIMED  //!< waits for its pace
    };

    /// A turn to send.
    struct Turn
    {
        bool isInTrain{false};           //!< in a gap of another one's train: for a single packet
        bool othersWait{false};          //!< other queue pairs of the port wait for theirs
        int64_t othersAt{INT64_MIN / 2}; //!< time step at which another one has sent last
        int64_t end{INT64_MAX};          //!< time step at which another one is due by its pace
    };

    /**
     * @param priority priority of its packets
     */
    explicit RdmaScheduledSender(uint8_t priority)
        : m_priority(priority)
    {
    }

    virtual ~RdmaScheduledSender() = default;

    RdmaScheduledSender(const RdmaScheduledSender&) = delete;
    RdmaScheduledSender& operator=(const RdmaScheduledSender&) = delete;

    /**
     * @return whether there is a packet to send, its pace left aside
     */
    virtual bool CanSend() const = 0;

    /**
     * @param now time step
     * @param turn which turn it is
     * @return the next packet, or a train from it on; CanSend() must be true
     */
    virtual RdmaPacketPtr MakePacket(int64_t now, const Turn& turn) = 0;

    /// Go on at the port that the next packet leaves by.
    virtual void Resume() = 0;

    /**
     * @return time step at which the next packet may be sent
     */
    int64_t GetNextSendTime() const
    {
        return m_nextSendTime;
    }

    /**
     * @return port that the next packet leaves by
     */
    RdmaNetDevice& GetPort() const
    {
        return *m_port;
    }

    /**
     * @return priority of its packets
     */
    uint8_t GetPriority() const
    {
        return m_priority;
    }

    State state{IDLE};                  //!< where the schedule keeps it
    RdmaScheduledSender* next{nullptr}; //!< next one in the ring of its port

  protected:
    RdmaNetDevice* m_port{nullptr}; //!< port that it sends by
    int64_t m_nextSendTime{0};      //!< time step at which the next packet may be sent
    uint8_t m_priority;             //!< priority of its packets
};

} // namespace ns3

#endif /* RDMA_SCHEDULED_SENDER_H */
