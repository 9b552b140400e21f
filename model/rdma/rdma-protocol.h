/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_PROTOCOL_H
#define RDMA_PROTOCOL_H

#include "rdma-receiver.h"
#include "rdma-sender.h"

#include "ns3/nstime.h"
#include "ns3/object.h"

#include <cstdint>
#include <memory>
#include <string>

namespace ns3
{

class RdmaRouting;

/**
 * @ingroup workload-replay
 * @brief How queue pairs bring messages to their peer: its parameters, and the two halves.
 *
 * One object serves all hosts of a fabric.
 */
class RdmaProtocol : public Object
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    /// What switches are to do with packets of the protocol; queues are given as sending times.
    struct SwitchSettings
    {
        bool isGiven{false}; //!< all this goes with the protocol; else attributes say it
        bool isLossy{false}; //!< its packets are under no flow control
        Time markFrom;       //!< queue from which on packets are marked
        Time markAll;        //!< queue from which on all are
        Time trim;           //!< queue at which packets are trimmed; 0 = they are not
    };

    /**
     * @return name in reports and options: rdma, uec
     */
    virtual std::string GetName() const = 0;

    /**
     * @return whether packets of a queue pair take different ways, so that they overtake each other
     */
    virtual bool Reorders() const = 0;

    /**
     * @param networkRtt longest round trip of the fabric, without queues
     * @return what goes with the protocol
     */
    virtual SwitchSettings GetSwitchSettings(Time networkRtt) const;

    /**
     * @param control a congestion control
     * @return why queue pairs of the protocol cannot go by it; empty = they can
     */
    virtual std::string GetObstacle(const RdmaCongestionControl& control) const = 0;

    /**
     * @param control congestion control of NICs
     * @param routing routing of the fabric
     * @throws WorkloadError if parameters of the control are wrong, or if it does not go with the
     *                       protocol or the routing
     */
    void CheckControl(const RdmaCongestionControl& control, const RdmaRouting& routing) const;

    /**
     * @param nic NIC that it is to belong to
     * @param number its number there
     * @param peer node that it sends to
     * @param udpSourcePort UDP source port of its packets
     * @param priority priority of its packets
     * @return the sending half of a queue pair
     */
    virtual std::unique_ptr<RdmaSender> CreateSender(RdmaNic& nic,
                                                     uint32_t number,
                                                     uint32_t peer,
                                                     uint16_t udpSourcePort,
                                                     uint8_t priority) const = 0;

    /**
     * @param nic NIC that it is to belong to
     * @param number its number there
     * @param packet the first packet that has come
     * @return the receiving half of a queue pair
     */
    virtual std::unique_ptr<RdmaReceiver> CreateReceiver(RdmaNic& nic,
                                                         uint32_t number,
                                                         const RdmaPacket& packet) const = 0;
};

} // namespace ns3

#endif /* RDMA_PROTOCOL_H */
