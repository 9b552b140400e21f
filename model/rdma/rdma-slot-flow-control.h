/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_SLOT_FLOW_CONTROL_H
#define RDMA_SLOT_FLOW_CONTROL_H

#include "rdma-flow-control.h"
#include "rdma-slot.h"

namespace ns3
{

class RdmaPortTransmitter;

struct RdmaLinkEnd;

/**
 * @ingroup workload-replay
 * @brief Lets a port of a rotor's link send in its slot only, beside the flow control that it has
 * with the far end.
 *
 * What comes at other times waits. A packet that has begun when the slot ends is sent to its end,
 * in the dark time of the next one. A port without work needs no events: it looks at the slot when
 * something comes.
 */
class RdmaSlotFlowControl : public RdmaFlowControl
{
  public:
    /**
     * @param end the port; must outlive this object
     * @param transmitter sends in the slot; must outlive this object
     * @param slot when it may send
     */
    RdmaSlotFlowControl(const RdmaLinkEnd& end,
                        RdmaPortTransmitter& transmitter,
                        const RdmaSlot& slot);

    void Follow() override;

  private:
    /// The slot has come or gone.
    void Change();

    const RdmaLinkEnd& m_end;           //!< the port
    RdmaPortTransmitter& m_transmitter; //!< sends in the slot
    RdmaSlot m_slot;                    //!< when it may send
    bool m_isOpen{true};                //!< the slot was there when it looked last
    bool m_awaitsChange{false};         //!< it will look again when that changes
};

} // namespace ns3

#endif /* RDMA_SLOT_FLOW_CONTROL_H */
