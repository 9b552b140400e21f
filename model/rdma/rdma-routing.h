/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_ROUTING_H
#define RDMA_ROUTING_H

#include "rdma-egress-queues.h"
#include "rdma-net-device.h"

#include "ns3/ecmp-route-table.h"
#include "ns3/object.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief The ports that lead on from a node towards a destination, at equal cost.
 */
class RdmaNextHops
{
  public:
    /// The two ports of a link.
    struct Ends
    {
        uint32_t a{0};               //!< node of the port at one end
        RdmaNetDevice* atA{nullptr}; //!< port at that end
        RdmaNetDevice* atB{nullptr}; //!< port at the other end
    };

    /**
     * @param links links that lead on
     * @param ends ports, by link
     * @param node node that they lead on from
     */
    RdmaNextHops(EcmpRouteTable::LinkSpan links, const Ends* ends, uint32_t node)
        : m_links(links),
          m_ends(ends),
          m_node(node)
    {
    }

    /**
     * @return number of ports; 0 = there is no path
     */
    uint32_t size() const
    {
        return m_links.size();
    }

    /**
     * @param i from 0 to size() - 1
     * @return a port of the node
     */
    RdmaNetDevice* operator[](uint32_t i) const
    {
        const Ends& ends = m_ends[m_links[i]];
        return ends.a == m_node ? ends.atA : ends.atB;
    }

    /**
     * @param i from 0 to size() - 1
     * @return number of the port's link
     */
    uint32_t GetLink(uint32_t i) const
    {
        return m_links[i];
    }

    /**
     * A switch knows at once that a link of its own is down, long before the routes change.
     *
     * @param choice from 0 to size() - 1
     * @return the first choice, from that one on and round, whose link is up; choice if none is
     */
    uint32_t SkipDown(uint32_t choice) const
    {
        uint32_t next = choice;
        for (uint32_t tried = 0; tried < size(); ++tried)
        {
            if ((*this)[next]->IsLinkUp())
            {
                return next;
            }
            next = next + 1 == size() ? 0 : next + 1;
        }
        return choice;
    }

  private:
    EcmpRouteTable::LinkSpan m_links; //!< links that lead on
    const Ends* m_ends;               //!< ports, by link
    uint32_t m_node;                  //!< node that they lead on from
};

class RdmaNetwork;

/**
 * @ingroup workload-replay
 * @brief What a node does for a choice that keeps packets back: a switch.
 */
class RdmaPacketKeeper
{
  public:
    virtual ~RdmaPacketKeeper() = default;

    /**
     * Send a packet, or have it wait in the queue of its port.
     *
     * @param from port that it has come in by
     * @param to port that it is to leave by
     * @param packet the packet
     */
    virtual void SendOn(RdmaNetDevice& from, RdmaNetDevice& to, RdmaPacketPtr packet) = 0;

    /**
     * Give a packet its place in the buffer, and pause its sender if little room is left. It goes
     * on by RdmaNetDevice::Enqueue().
     *
     * @param from port that it has come in by
     * @param to port that it is to leave by
     * @param packet the packet, a single one
     * @return whether there was room; else it is dropped
     */
    virtual bool Admit(RdmaNetDevice& from, RdmaNetDevice& to, RdmaPacket& packet) = 0;

    /**
     * Send a packet of the node's own.
     *
     * @param from port that stands for it in the accounts of the buffer
     * @param packet the packet
     */
    virtual void Originate(RdmaNetDevice& from, RdmaPacketPtr packet) = 0;
};

/**
 * @ingroup workload-replay
 * @brief How one node chooses among ports of equal cost, with all that it remembers.
 */
class RdmaPathChoice
{
  public:
    virtual ~RdmaPathChoice() = default;

    /**
     * Find where a packet is to go on shortest paths. Called only if RdmaRouting::TakesDetours().
     *
     * @param packet a packet at the node
     * @param network the routes
     * @return a node; here its destination
     */
    virtual uint32_t FindTarget(RdmaPacket& packet, const RdmaNetwork& network [[maybe_unused]])
    {
        return packet.destination;
    }

    /**
     * @param packet a packet at the node
     * @param hops ports to choose from, at least 2
     * @return the choice, from 0 to hops.size() - 1
     */
    virtual uint32_t Choose(const RdmaPacket& packet, const RdmaNextHops& hops) = 0;

    /**
     * A packet goes on from the node, be there a choice or not. Called only if
     * RdmaRouting::WritesPackets().
     *
     * @param packet the packet
     * @param link number of the link
     * @param port the node's port of the link
     * @return whether it does; else Keep() is called, if the node is a switch
     */
    virtual bool Forward(RdmaPacket& packet [[maybe_unused]],
                         uint32_t link [[maybe_unused]],
                         RdmaNetDevice& port [[maybe_unused]])
    {
        return true;
    }

    /**
     * A packet has no way on from a switch, or Forward() has not let it go.
     *
     * @param keeper the switch
     * @param from port that it has come in by
     * @param packet the packet
     * @return whether it is taken; else it is dropped
     */
    virtual bool Keep(RdmaPacketKeeper& keeper [[maybe_unused]],
                      RdmaNetDevice& from [[maybe_unused]],
                      RdmaPacketPtr& packet [[maybe_unused]])
    {
        return false;
    }
};

/**
 * @ingroup workload-replay
 * @brief A rule to choose among ports of equal cost: its parameters. Each node has an
 * RdmaPathChoice of its own, so that nodes share nothing.
 */
class RdmaRouting : public Object
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    /**
     * @return name in reports and options, such as ecmp; here the one that the class registered
     */
    virtual std::string GetName() const;

    /**
     * @return whether packets of one flow may overtake each other
     */
    virtual bool Reorders() const = 0;

    /**
     * @return whether packets of one flow take one path as long as no link changes and the flow
     *         does not pause; here they do unless they may overtake each other
     */
    virtual bool KeepsPaths() const;

    /**
     * @return whether a flow may leave its path for a better one although no link changes, where
     *         it pauses for one; here it may not
     */
    virtual bool MovesFlows() const
    {
        return false;
    }

    /**
     * @return why messages take other paths than those that RdmaMessageTransport::GetPaths() gives,
     *         a clause; empty = they take these. Here they do not
     */
    virtual std::string FindOtherPaths() const;

    /**
     * @return whether packets of a train may take different paths, so that they come one by one
     */
    virtual bool SplitsTrains() const
    {
        return Reorders();
    }

    /**
     * @return whether nodes write into packets, see RdmaPathChoice::Forward()
     */
    virtual bool WritesPackets() const
    {
        return false;
    }

    /**
     * @return whether paths depend on numbers of queue pairs, which depend on what a host has
     * opened before: collectives are not reused then; here they do not
     */
    virtual bool HashesQueuePairs() const
    {
        return false;
    }

    /**
     * @return whether packets may go by way of other nodes than those of shortest paths, see
     *         RdmaPathChoice::FindTarget(); here they do not
     */
    virtual bool TakesDetours() const
    {
        return false;
    }

    /**
     * @return whether nodes look at ports of others, which all have to be in one process; here they
     *         do not
     */
    virtual bool ReadsOtherNodes() const
    {
        return false;
    }

    /**
     * @return what users of flow control should know of it, a sentence for reports; empty =
     * nothing, as here
     */
    virtual std::string DescribeRisk() const;

    /**
     * @return whether data packets are to change their priority on the way where flow control holds
     *         them back, see GetChannels(); here they are not
     */
    virtual bool WantsChannels() const
    {
        return false;
    }

    /**
     * Called before SetGraph().
     *
     * @param priorities priorities that nothing else has, which packets may change to, see
     *                   GetChannels(); none where nothing holds data packets back
     */
    virtual void OfferChannels(RdmaEgressQueues::Mask priorities [[maybe_unused]])
    {
    }

    /**
     * @return priorities that data packets change to on their way through switches, so that they do
     *         not wait for each other in a circle (RdmaVirtualChannels); none, as here
     */
    virtual RdmaEgressQueues::Mask GetChannels() const
    {
        return 0;
    }

    /**
     * Get to know the fabric, before nodes ask how they choose.
     *
     * @param graph the fabric; a copy shares what it holds
     * @throws WorkloadError if what the user says does not fit it
     */
    virtual void SetGraph(const TopologyGraph& graph [[maybe_unused]])
    {
    }

    /**
     * @param node number of a node
     * @param salt salt of the node, see EcmpSalt()
     * @return how the node chooses
     */
    virtual std::unique_ptr<RdmaPathChoice> Create(uint32_t node, uint64_t salt) const = 0;

    /// Leaf of each host, by node; of other nodes RdmaPathTag::NONE.
    using Leaves = std::shared_ptr<const std::vector<uint32_t>>;

  protected:
    /**
     * Find the switch that each host is attached to; of several the first one.
     *
     * @param graph the fabric
     * @return the switches
     * @throws WorkloadError if hosts relay
     */
    Leaves FindLeaves(const TopologyGraph& graph) const;
};

} // namespace ns3

#endif /* RDMA_ROUTING_H */
