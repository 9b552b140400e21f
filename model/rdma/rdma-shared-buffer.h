/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_SHARED_BUFFER_H
#define RDMA_SHARED_BUFFER_H

#include "rdma-egress-queues.h"

#include <array>
#include <cstdint>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief The accounts of a switch's packet buffer: who may store how much, and who is to pause.
 *
 * All ports share one pool, under dynamic thresholds: nobody may hold more than a fixed multiple of
 * what is free (A. Choudhury, E. Hahne, Dynamic queue length thresholds for shared-memory packet
 * switches, IEEE/ACM ToN 6(2), 1998). Packets of lossless priorities are charged to the port that
 * they came in by; above its threshold the port asks its peer to pause, and what is still on its
 * way then goes to headroom that belongs to that port and priority alone. Packets of lossy
 * priorities are limited by the queue that they go to.
 *
 * Nothing is stored here but numbers.
 */
class RdmaSharedBuffer
{
  public:
    /// What becomes of a packet that comes in.
    enum Verdict
    {
        STORE,           //!< there is room
        STORE_AND_PAUSE, //!< there is room, and the sender is to be paused
        DROP             //!< there is none
    };

    /// What the thresholds depend on.
    struct Parameters
    {
        uint64_t bytes{0};        //!< the whole memory, headroom included
        double ingressAlpha{0};   //!< lossless: share of the free pool that a port may hold
        double egressAlpha{0};    //!< lossy: share of the free pool that a queue may hold
        uint64_t resumeOffset{0}; //!< how far below its threshold a port resumes, bytes
        RdmaEgressQueues::Mask lossless{0}; //!< priorities that are never to lose a packet
    };

    /**
     * @param parameters what the thresholds depend on
     * @param headroom by port: bytes that can still arrive after a pause was sent, for each
     *                 lossless priority
     * @return whether the memory holds the headroom of all ports, and something is left
     */
    bool Configure(const Parameters& parameters, const std::vector<uint64_t>& headroom);

    /**
     * @param ingress port that a packet came in by
     * @param priority its priority
     * @param bytes its size
     * @param queued bytes in the queue that it goes to
     * @param packets equal packets that it stands for
     * @return whether they would be kept, one after the other, and their sender not be paused
     */
    bool HasRoom(uint32_t ingress,
                 uint8_t priority,
                 uint32_t bytes,
                 uint64_t queued,
                 uint16_t packets = 1) const;

    /**
     * A packet comes in.
     *
     * @param ingress port that it came in by
     * @param priority its priority
     * @param bytes its size
     * @param queued bytes in the queue that it goes to
     * @param isCommitted whether it was behind the front of a train: its sender could not pause any
     *                   more, so that a lossless priority keeps it in any case; or between two
     *                   packets of one, whose rest may have taken its place
     * @return what becomes of it
     */
    Verdict Store(uint32_t ingress,
                  uint8_t priority,
                  uint32_t bytes,
                  uint64_t queued,
                  bool isCommitted = false);

    /**
     * A packet that was stored leaves.
     *
     * @param ingress port that it came in by
     * @param priority its priority
     * @param bytes its size
     * @return whether the sender at that port may go on
     */
    bool Release(uint32_t ingress, uint8_t priority, uint32_t bytes);

    /**
     * Forget that a port was asked to pause its peer: the link between them has gone down.
     *
     * @param ingress the port
     */
    void ForgetPauses(uint32_t ingress);

    /**
     * @param priority a priority
     * @return bytes that one port may store while no other does: what comes on top has its sender
     * paused, or is dropped if the priority is lossy
     */
    uint64_t GetLimit(uint8_t priority) const;

    /**
     * @param priority priority of a packet
     * @param stored bytes of the pool that all ports have taken
     * @return bytes above which one port may not go then
     */
    double GetThreshold(uint8_t priority, double stored) const;

    /**
     * @param priority a priority
     * @return whether it is never to lose a packet
     */
    bool IsLossless(uint8_t priority) const
    {
        return m_parameters.lossless >> priority & 1U;
    }

    /**
     * @return whether some sender was asked to pause and not yet to go on
     */
    bool HasPaused() const
    {
        return m_paused > 0;
    }

    /**
     * @return how far below its threshold a port resumes, bytes
     */
    uint64_t GetResumeOffset() const
    {
        return m_parameters.resumeOffset;
    }

    /**
     * @return bytes stored
     */
    uint64_t GetStored() const;

    /**
     * @return the most bytes that were ever stored; while nothing is paused a little too much, as
     * far as packets leave late (RdmaPortTransmitter::Defer())
     */
    uint64_t GetMaxStored() const;

    /**
     * @param ingress a port
     * @param priority a priority
     * @return bytes stored that came in by the port
     */
    uint64_t GetStored(uint32_t ingress, uint8_t priority) const;

    /**
     * @param ingress a port
     * @param priority a priority
     * @return bytes of the port's headroom that are taken
     */
    uint64_t GetHeadroomUsed(uint32_t ingress, uint8_t priority) const;

    /**
     * @return bytes of the pool that are free, headroom left out
     */
    uint64_t GetFree() const;

  private:
    /// What came in by one port with one priority.
    struct Account
    {
        uint64_t shared{0};   //!< bytes in the pool
        uint64_t headroom{0}; //!< bytes in the headroom
        bool paused{false};   //!< the sender was asked to pause
    };

    /// Accounts of one port, by priority.
    using Port = std::array<Account, RdmaEgressQueues::PRIORITIES>;

    /**
     * @param priority a priority
     * @return multiple of what is free that one port may store of it
     */
    double GetAlpha(uint8_t priority) const
    {
        return IsLossless(priority) ? m_parameters.ingressAlpha : m_parameters.egressAlpha;
    }

    /**
     * @return whether the accounts of all ports add up to what is stored
     */
    bool IsBalanced() const;

    Parameters m_parameters;          //!< what the thresholds depend on
    std::vector<uint64_t> m_headroom; //!< bytes, by port
    std::vector<Port> m_ports;        //!< accounts, by port
    uint64_t m_pool{0};               //!< size of the pool, bytes
    uint64_t m_shared{0};             //!< bytes of the pool that are taken
    uint64_t m_stored{0};             //!< bytes stored
    uint64_t m_maxStored{0};          //!< the most ever
    uint32_t m_paused{0};             //!< accounts whose sender was asked to pause
};

} // namespace ns3

#endif /* RDMA_SHARED_BUFFER_H */
