/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_CONWEAVE_ROUTING_H
#define RDMA_CONWEAVE_ROUTING_H

#include "rdma-conweave-destination.h"
#include "rdma-conweave-source.h"

#include "ns3/nstime.h"

#include <cstdint>
#include <memory>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief ConWeave: flows leave congested paths in their midst, and last switches put their packets
 * in order again.
 *
 * After C. Song et al., Network load balancing with in-network reordering support for RDMA, SIGCOMM
 * 2023, and its reference simulator (github.com/conweave-project/conweave-ns3). What first switches
 * do says RdmaConweaveSource, what last ones do RdmaConweaveDestination. Acknowledgements and
 * what is not data go by a hash of the flow.
 *
 * Beyond the paper: a path is known by its uplink; above the leaves a hash of the flow chooses. A
 * flow that is to move never draws the uplink that it has. A last switch that gives up waiting says
 * so, so that a flow is watched again whose last packet by the old path was lost.
 */
class RdmaConweaveRouting : public RdmaRouting
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    RdmaConweaveRouting();
    ~RdmaConweaveRouting() override;

    bool Reorders() const override;
    bool KeepsPaths() const override;
    bool SplitsTrains() const override;
    bool WritesPackets() const override;
    void SetGraph(const TopologyGraph& graph) override;
    std::unique_ptr<RdmaPathChoice> Create(uint32_t node, uint64_t salt) const override;

    /// @brief What one node remembers.
    class Choice : public RdmaPathChoice
    {
      public:
        /**
         * @param routing the parameters
         * @param node number of the node
         * @param salt salt of the node
         */
        Choice(const RdmaConweaveRouting& routing, uint32_t node, uint64_t salt);

        uint32_t Choose(const RdmaPacket& packet, const RdmaNextHops& hops) override;
        bool Forward(RdmaPacket& packet, uint32_t link, RdmaNetDevice& port) override;
        bool Keep(RdmaPacketKeeper& keeper, RdmaNetDevice& from, RdmaPacketPtr& packet) override;

        /// @return the node as the first switch of flows
        const RdmaConweaveSource& GetSource() const
        {
            return m_source;
        }

        /// @return the node as the last switch of flows
        const RdmaConweaveDestination& GetDestination() const
        {
            return m_destination;
        }

      private:
        /**
         * @param packet a packet
         * @return whether it is data that goes from leaf to leaf
         */
        bool IsWatched(const RdmaPacket& packet) const;

        Leaves m_leaves;                       //!< leaf of each host
        uint32_t m_node;                       //!< number of the node
        uint64_t m_salt;                       //!< salt of the node
        RdmaConweaveSource m_source;           //!< the node as the first switch of flows
        RdmaConweaveDestination m_destination; //!< the node as the last switch of flows
        RdmaNetDevice* m_to{nullptr};          //!< port that the packet is to leave by which
                                               //!< Forward() has kept back
    };

  private:
    /// @return the parameters
    RdmaConweave::Parameters GetParameters() const;

    Time m_replyMargin;                //!< beyond a round trip, until a reply is late
    Time m_pathBusyTime;               //!< for how long a path is busy that has marked a packet
    Time m_inactiveTime;               //!< pause after which a flow may take any path
    Time m_resumeMargin;               //!< beyond the estimate, until what waits goes on
    Time m_resumeTime;                 //!< the estimate where nothing has come by the old path
    uint32_t m_reorderQueues;          //!< most queues of a port; 0 = no limit
    RdmaConweaveSource::Table m_table; //!< the routes while all links are up
    Leaves m_leaves;                   //!< leaf of each host
};

} // namespace ns3

#endif /* RDMA_CONWEAVE_ROUTING_H */
