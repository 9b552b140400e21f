/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef COLLNET_LANE_H
#define COLLNET_LANE_H

#include "collective-lane.h"
#include "tree-lane.h"

#include <cstdint>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief Moves the chunks of a share of the buffer up the chain of a server, through the switches
 *        of the network and down the chain.
 *
 * In a chain of height H the member of depth d sends chunk p up in slot p + H - d, the head, of
 * depth 0, to the network. The head has the result at the end of that slot, so that the lane has
 * one chunk in the network at a time; the member of depth d sends it down in slot p + H + d + 1.
 */
class CollnetLane : public SlottedLane
{
  public:
    /**
     * @param place place of the member in the chain of its server; the nodes are members
     * @param share the share of the buffer
     * @param chunks the chunks of it that the lane moves
     * @param channel channel of the messages
     */
    CollnetLane(const TreePlace& place,
                const BufferPart& share,
                const LaneItems& chunks,
                uint32_t channel);

  private:
    void MakeSlot(CollectiveStep& step) const override;

    TreePlace m_place; //!< place of the member in the chain of its server
};

} // namespace ns3

#endif /* COLLNET_LANE_H */
