/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_CONGA_ROUTING_H
#define RDMA_CONGA_ROUTING_H

#include "rdma-flowlet-routing.h"

#include <cstdint>
#include <map>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief Rate of a link, measured as CONGA does: a discounting rate estimator.
 *
 * A register grows by the bytes that the link carries and shrinks by a share after each interval,
 * so that it holds what the link has carried in about interval / share (CONGA, section 3.2). It is
 * brought up to date when it is read; what was carried since it was read last counts as carried
 * evenly.
 */
class RdmaRateEstimator
{
  public:
    /// How rates are measured.
    struct Parameters
    {
        int64_t interval{1}; //!< time steps between two decays, at least 1
        double decay{1};     //!< share that goes each time, above 0, at most 1
        uint32_t levels{2};  //!< different metrics, at least 2
    };

    /**
     * @param parameters how to measure
     * @param port port of the link
     * @param now time step
     * @return the rate in levels of the link's: 0 = nearly nothing, levels - 1 = nearly all or more
     */
    uint8_t GetMetric(const Parameters& parameters, RdmaNetDevice& port, int64_t now);

  private:
    double m_register{0}; //!< the register, bytes
    double m_carried{0};  //!< bytes that the link has carried, that are counted in it
    int64_t m_decays{0};  //!< intervals since the simulation began, that are counted in it
};

/**
 * @ingroup workload-replay
 * @brief CONGA: flowlets go by the uplink whose whole path is least congested.
 *
 * After M. Alizadeh et al., CONGA: distributed congestion-aware load balancing for datacenters,
 * SIGCOMM 2014. The first switch of a packet, its leaf, writes the uplink that it takes into it,
 * and each link on the way to the last switch raises the packet's congestion to its own metric.
 * That switch keeps it, by leaf and uplink, and reports it to the leaf with a packet of its own
 * that goes there anyway: one uplink per packet, those first whose metric has changed. So a leaf
 * knows only what packets have brought. A flowlet takes an uplink with the least of the larger of
 * its own metric and that of its path; that of the last flowlet if it is one of them.
 *
 * Beyond the paper, which is for two levels of switches: switches above the leaves choose by a hash
 * of the flow where they have a choice; hosts with several leaves count as of the first of these,
 * so that a leaf may get reports of links of another, and takes no notice; a path of which nothing
 * was heard for AgingTime counts as empty at once, not gradually.
 */
class RdmaCongaRouting : public RdmaFlowletRouting
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    RdmaCongaRouting();
    ~RdmaCongaRouting() override;

    bool WritesPackets() const override;
    void SetGraph(const TopologyGraph& graph) override;
    std::unique_ptr<RdmaPathChoice> Create(uint32_t node, uint64_t salt) const override;

    /// @brief What one node remembers.
    class Choice : public RdmaFlowletRouting::Choice
    {
      public:
        /**
         * @param routing the parameters
         * @param node number of the node
         * @param salt salt of the node
         */
        Choice(const RdmaCongaRouting& routing, uint32_t node, uint64_t salt);

        uint32_t Choose(const RdmaPacket& packet, const RdmaNextHops& hops) override;
        bool Forward(RdmaPacket& packet, uint32_t link, RdmaNetDevice& port) override;

      protected:
        uint32_t ChooseFlowlet(const RdmaPacket& packet,
                               const RdmaNextHops& hops,
                               uint32_t last,
                               int64_t now) override;

      private:
        /// The metric of a path to another leaf.
        struct Path
        {
            uint8_t metric{0};  //!< the metric
            int64_t heardAt{0}; //!< time step at which it was heard
        };

        /// What is to be reported to another leaf about one of its uplinks.
        struct Feedback
        {
            uint32_t path{0};     //!< the uplink
            uint8_t metric{0};    //!< metric of the last packet that has come by it
            bool isChanged{true}; //!< has not been reported since it changed
        };

        /// What is to be reported to another leaf.
        struct Feedbacks
        {
            std::vector<Feedback> paths; //!< its uplinks, in the order in which they came up
            uint32_t next{0};            //!< whose turn it is
        };

        /**
         * @param packet a packet
         * @return whether it begins here the way from leaf to leaf
         */
        bool Departs(const RdmaPacket& packet) const;

        /**
         * @param port a port of the node
         * @param now time step
         * @return metric of its link
         */
        uint8_t Measure(RdmaNetDevice& port, int64_t now);

        /**
         * A packet from another leaf has come: learn from it.
         *
         * @param packet the packet
         * @param now time step
         */
        void Learn(const RdmaPacket& packet, int64_t now);

        /**
         * A packet goes to another leaf: report to that leaf.
         *
         * @param packet the packet
         */
        void Report(RdmaPacket& packet);

        RdmaRateEstimator::Parameters m_parameters;  //!< how rates are measured
        TopologyGraph m_graph;                       //!< the fabric
        Leaves m_leaves;                             //!< leaf of each host
        uint32_t m_node;                             //!< number of the node
        int64_t m_agingSteps;                        //!< for how long the metric of a path counts
        std::unordered_set<uint32_t> m_hosts;        //!< hosts attached, if it is a leaf
        std::vector<RdmaRateEstimator> m_estimators; //!< by number of the port
        std::unordered_map<uint64_t, Path> m_paths;  //!< by leaf and own uplink
        std::map<uint32_t, Feedbacks> m_feedbacks;   //!< by leaf
    };

  private:
    Time m_interval;       //!< time between two decays of an estimator
    double m_decay;        //!< share that goes each time
    uint32_t m_bits;       //!< bits of a metric
    Time m_aging;          //!< for how long the metric of a path counts
    TopologyGraph m_graph; //!< the fabric
    Leaves m_leaves;       //!< leaf of each host
};

} // namespace ns3

#endif /* RDMA_CONGA_ROUTING_H */
