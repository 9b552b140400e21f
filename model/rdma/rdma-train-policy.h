/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_TRAIN_POLICY_H
#define RDMA_TRAIN_POLICY_H

#include <cstdint>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief Decides how many packets a queue pair sends as one train.
 *
 * A train saves events where nothing happens to its packets on the way, and is an error where
 * something would: others go between its packets, but the ports behind learn nothing of that; it is
 * marked, lost and acknowledged as a whole. So it is long only where nothing waits. One packet at
 * first; the number doubles each time that packets sent with the present one are acknowledged and
 * none has met a queue, about once per round trip; where one has, and after a loss, it is one
 * again. And it is never more than a share of the message, of the window, and of the time until
 * another queue pair is due. The longest trains are for queue pairs that have been alone for long:
 * who has met others, or shares its port, keeps to a smaller number.
 *
 * The shortest trains are for queues, in which they wait as a whole, and for queue pairs that
 * congestion control has slowed down while they meet queues. They have no more packets than one
 * acknowledgement reports, and take a small part of the time between two congestion notifications,
 * so that the sender hears as soon of what becomes of them as it would of single packets, however
 * many share a port. Congestion is over long before DCQCN gives a queue pair its full rate again:
 * who meets no queue any more has longer trains, paced, but no longer than the time between
 * notifications. Who waits for the same port has his turn after each packet all the same: rings of
 * several channels depend on it.
 */
class RdmaTrainPolicy
{
  public:
    /// What the attributes of RdmaNic say.
    struct Parameters
    {
        uint32_t maxTrain{1};                //!< most packets of a train
        uint32_t maxSharedTrain{1};          //!< the same where others are met, at most maxTrain
        uint32_t maxQueuedTrain{1};          //!< the same where queues are, at most maxTrain
        uint32_t trainsPerMessage{1};        //!< fewest trains of a message
        uint32_t trainsPerSharingMessage{1}; //!< the same where others have sent just now
        uint32_t trainsPerWindow{1};         //!< fewest trains of a full window
        int64_t sharingMemory{0};            //!< for how long who has sent counts as sharing the
                                             //!< port, time steps
    };

    /// What there is to send, and who else waits. In packets.
    struct Situation
    {
        uint64_t messagePackets{0}; //!< packets of the message
        uint64_t fullPackets{0};    //!< full packets that are left of it
        uint64_t window{0};         //!< packets of the window
        uint64_t untilDue{0};       //!< packets until another queue pair is due by its pace
        uint64_t perNotification{UINT64_MAX}; //!< packets in the least time between two news for
                                              //!< congestion control
        uint64_t unnoticed{UINT64_MAX}; //!< packets that news may wait for, as it comes hardly
                                        //!< later
        bool isShared{false};           //!< others have sent by the port just now
        bool isSlowed{false}; //!< congestion control has it send more slowly than it could
    };

    /**
     * @param parameters what the attributes say
     * @param situation what there is to send
     * @return packets to send together, at least 1
     */
    uint16_t GetLength(const Parameters& parameters, const Situation& situation) const;

    /**
     * An acknowledgement has come.
     *
     * @param delayed whether what it acknowledges met a queue
     * @param acknowledged number of the first packet that is not acknowledged
     * @param next number of the next new packet
     * @param parameters what the attributes say
     */
    void Adapt(bool delayed, uint64_t acknowledged, uint64_t next, const Parameters& parameters);

    /**
     * Begin anew, as after a loss.
     *
     * @param next number of the next new packet
     */
    void Restart(uint64_t next);

    /// All that it goes by while nothing is under way. The default is that of a new one.
    struct Memory
    {
        uint32_t length{1};    //!< packets of the longest train
        uint64_t untilLone{0}; //!< packets to be sent until it may take itself for alone
    };

    /**
     * @param next number of the next new packet; those before it are all acknowledged
     * @return what it remembers
     */
    Memory GetMemory(uint64_t next) const
    {
        return {m_length, m_loneFrom > next ? m_loneFrom - next : 0};
    }

    /**
     * @param memory what it remembers from now on
     * @param next number of the next new packet; those before it are all acknowledged
     */
    void SetMemory(const Memory& memory, uint64_t next)
    {
        m_length = memory.length;
        m_from = next;
        m_loneFrom = next + memory.untilLone;
    }

  private:
    uint64_t m_from{0};     //!< packets from this one on were sent with the present length
    uint64_t m_loneFrom{0}; //!< from this packet on it may take itself for alone
    uint32_t m_length{1};   //!< packets of the longest train
};

} // namespace ns3

#endif /* RDMA_TRAIN_POLICY_H */
