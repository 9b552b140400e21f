/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_RC_RECEIVER_H
#define RDMA_RC_RECEIVER_H

#include "rdma-receiver.h"
#include "rdma-reorder-buffer.h"

#include <cstdint>
#include <memory>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief The receiving half of a queue pair of a reliable connection: hands messages up in order,
 * and responds to packets.
 *
 * Every so many data packets are acknowledged together; at once are the last packet of a message,
 * what fills a gap, and what shows one. Go-back-N drops what comes out of order, and reports a gap
 * once (NACK); selective repeat keeps it, and reports each time what it has.
 */
class RdmaRcReceiver final : public RdmaReceiver
{
  public:
    using RdmaReceiver::RdmaReceiver;

    void Receive(RdmaPacket& packet) override;

  private:
    /**
     * Take the packet that is expected, and what has waited for it.
     *
     * @param packet the packet
     * @return whether a message, or several, are whole with it
     */
    bool TakeExpected(RdmaPacket& packet);

    /**
     * Take a packet that has overtaken others, or others of which are lost.
     *
     * @param packet the packet
     */
    void TakeOutOfOrder(RdmaPacket& packet);

    /**
     * Acknowledge all packets since the last time.
     *
     * @param type ACK or NACK
     * @param packet packet that has come last; its telemetry goes with the response
     */
    void Respond(RdmaPacket::Type type, RdmaPacket& packet);

    /**
     * @param packets packets of the train that has come last; 1 = it is a single packet
     * @return acknowledgements that the packets since the last one are due; they are sent now
     */
    uint16_t CountAcknowledgements(uint16_t packets);

    std::unique_ptr<RdmaReorderBuffer> m_outOfOrder; //!< null = nothing ever has come out of order
    uint64_t m_expected{0};                          //!< number of the next packet
    uint32_t m_unacknowledged{0};                    //!< packets since the last acknowledgement
    bool m_delayed{false};                           //!< one of the packets since then met a queue
    bool m_marked{false};                            //!< one of them was marked
    bool m_nackSent{false};                          //!< the expected packet was asked for
};

} // namespace ns3

#endif /* RDMA_RC_RECEIVER_H */
