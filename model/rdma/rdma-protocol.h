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
#include <optional>
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
     * @return name in reports and options: rdma, uec; here the one that the class registered
     */
    virtual std::string GetName() const;

    /**
     * @return short name of the congestion control that goes with it if none is asked for; here
     *         dcqcn
     */
    virtual std::string GetDefaultCongestionControl() const;

    /// What a fabric may be asked for beside what messages need.
    enum class Feature
    {
        TRAINS,        //!< packets that are simulated together
        FLOW_CONTROL,  //!< a choice of what keeps links from losing packets
        FLOW_PATHS,    //!< the links that a message takes
        TIME_SLOTS,    //!< links that carry packets in slots of time
        OTHER_TRAFFIC, //!< TCP of ns-3 beside it
        CAPTURE,       //!< files of packets, see RdmaPcapHelper
        PORT_TRACES,   //!< trace sources of ports, which report packets
        EXACT,         //!< events that it saves, and need not
        LINK_CHANGES,  //!< links that fail or are switched
        REUSE,         //!< traffic that is not simulated again, see RdmaMessageObserver
        PROCESSES,     //!< several processes that simulate it together
        PRIORITIES,    //!< traffic classes of messages
        LOSSES         //!< links that lose packets
    };

    /**
     * @param feature a feature
     * @return why there is none with this protocol, a clause; empty = there is, as is so here
     */
    virtual std::string FindUnsupportedReason(Feature feature) const;

    /**
     * @param attribute full name of an attribute of ports or switches
     * @return full name of the attribute of the protocol that says it instead; empty = none does,
     *         as here
     */
    virtual std::string FindReplacement(const std::string& attribute) const;

    /**
     * @param attribute full name of an attribute of NICs, ports, switches or protocols
     * @return why it has no effect with this protocol, a clause; empty = it has one, as here
     */
    virtual std::string FindUnusedReason(const std::string& attribute) const;

    /**
     * @param routing routing of the fabric
     * @return what the protocol does otherwise than the routing says, a sentence for reports; empty
     * = nothing, as here
     */
    virtual std::string DescribeDeparture(const RdmaRouting& routing) const;

    /**
     * @return whether hosts whose ports nobody else uses can be simulated apart from others at
     * their switch, in a past that catches up; here they can
     */
    virtual bool SeparatesHosts() const;

    /**
     * @return whether NICs send packets, which may go in trains; here they do
     */
    virtual bool HasPackets() const;

    /**
     * @param direction direction of a link, see TopologyGraph::GetDirection()
     * @return whether what is sent there now meets nothing of what was sent before, if not packets
     *         show it. Here always true, as ports and congestion control show it
     */
    virtual bool IsAtRest(uint32_t direction) const;

    /**
     * @param direction direction of a link, see TopologyGraph::GetDirection()
     * @return directions of links behind it for which what it has brought waits, if nothing moves
     *         any more and not packets show it. Here always empty, as queues of ports show it
     */
    virtual std::vector<uint32_t> ListAwaited(uint32_t direction) const;

    /**
     * @return full name of the attribute that says when senders stop waiting for acknowledgements;
     *         here that of NICs
     */
    virtual std::string GetTimeoutAttribute() const;

    /**
     * @return what to add to a command line so that messages use all ports of a NIC; empty = there
     *         is nothing, as here
     */
    virtual std::string GetAllPortsOption() const;

    /**
     * @return whether packets of a queue pair take different paths, so that they overtake each
     * other
     */
    virtual bool Reorders() const = 0;

    /**
     * @return whether a connection has queue pairs on each port that leads to its peer, and splits
     *         messages over the ports; here so unless packets take different paths anyway
     */
    virtual bool SplitsOverPorts() const;

    /**
     * @return whether it also serves peers in the same server, whose links lose nothing and have
     *         one path; here it does not, and they have RdmaRcProtocol
     */
    virtual bool ServesServers() const;

    /**
     * @param networkRtt longest round trip of the fabric, without queues
     * @return what goes with the protocol
     */
    virtual SwitchSettings GetSwitchSettings(Time networkRtt) const;

    /**
     * @param control a congestion control
     * @return why queue pairs of the protocol cannot go by it; empty = they can
     */
    virtual std::string GetUnsupportedReason(const RdmaCongestionControl& control) const = 0;

    /**
     * @param routing a routing
     * @return why packets of the protocol cannot go by it; empty = they can, as here
     */
    virtual std::string GetRoutingUnsupportedReason(const RdmaRouting& routing) const;

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
    virtual std::unique_ptr<RdmaSender> CreateSender(RdmaQueuePairHost& nic,
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
    virtual std::unique_ptr<RdmaReceiver> CreateReceiver(RdmaQueuePairHost& nic,
                                                         uint32_t number,
                                                         const RdmaPacket& packet) const = 0;
};

} // namespace ns3

#endif /* RDMA_PROTOCOL_H */
