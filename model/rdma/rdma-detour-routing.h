/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_DETOUR_ROUTING_H
#define RDMA_DETOUR_ROUTING_H

#include "rdma-routing.h"
#include "rdma-virtual-channels.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief Paths that are not shortest: the first switch of a packet may send it by way of another
 * switch, and shortest paths lead there and on.
 *
 * On any graph whose hosts are attached to switches. The other switch is one that hosts are
 * attached to, as all are in a dragonfly, drawn by the hash of the packet and the time at which it
 * was sent. Acknowledgements and packets between hosts of one switch take shortest paths. Among
 * ports of equal cost a packet takes the least queued one, or one by its hash if none is.
 *
 * Packets of a flow overtake each other, so that NICs repeat selectively.
 *
 * Where flow control holds packets back those on longer paths could wait for each other in a
 * circle, so that they move through virtual channels, see RdmaVirtualChannels. Without flow
 * control, or over uec, which trims, nothing waits.
 */
class RdmaDetourRouting : public RdmaRouting
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    bool Reorders() const override;
    bool TakesDetours() const override;
    bool WritesPackets() const override;
    std::string DescribeRisk() const override;
    bool WantsChannels() const override;
    void OfferChannels(RdmaEgressQueues::Mask priorities) override;
    RdmaEgressQueues::Mask GetChannels() const override;
    void SetGraph(const TopologyGraph& graph) override;
    std::unique_ptr<RdmaPathChoice> Create(uint32_t node, uint64_t salt) const override;

    /// What nodes go by.
    struct Parameters
    {
        std::vector<uint32_t> switches; //!< switches that hosts are attached to
        bool isAdaptive{false};         //!< takes a detour only where it seems faster
        bool isGlobal{false};           //!< by what waits on the whole of both paths
        double bias{0};                 //!< see RdmaUgalRouting
        bool comparesChannels{false};   //!< see RdmaUgalRouting
        /// What keeps packets from waiting in a circle; null = nothing has to.
        std::shared_ptr<const RdmaVirtualChannels> channels;
    };

  protected:
    /// @return what nodes go by, as the attributes say, without switches
    virtual Parameters GetParameters() const = 0;

  private:
    bool m_hasChannels;                             //!< the attribute VirtualChannels
    RdmaEgressQueues::Mask m_offered{0};            //!< see OfferChannels()
    std::shared_ptr<const Parameters> m_parameters; //!< null = SetGraph() was not called
};

/**
 * @ingroup workload-replay
 * @brief Valiant's routing: each packet goes by way of a random switch (L. Valiant, "A scheme for
 * fast parallel communication", SIAM Journal on Computing 11(2), 1982).
 *
 * It makes any pattern a random one, at twice the load of shortest paths.
 */
class RdmaValiantRouting : public RdmaDetourRouting
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

  protected:
    Parameters GetParameters() const override;
};

/**
 * @ingroup workload-replay
 * @brief UGAL with what the first switch knows (UGAL-L): a packet takes a detour by way of a random
 * switch if that seems faster than a shortest path (A. Singh, "Load-balanced routing in
 * interconnection networks", PhD thesis, Stanford 2005; J. Kim et al., "Technology-driven,
 * highly-scalable dragonfly topology", ISCA 2008, section 4).
 *
 * What seems faster has the smaller product of hops and of time that its port there needs for what
 * it has to send. Where both begin at one port, that is always the shortest path; with
 * ChannelQueues the queues of their virtual channels are compared there instead (UGAL-L_VCH,
 * section 4.3.1).
 */
class RdmaUgalRouting : public RdmaDetourRouting
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

  protected:
    Parameters GetParameters() const override;

  private:
    double m_bias;           //!< packets that a detour's port must have less
    bool m_comparesChannels; //!< compare queues of channels where both paths begin at one port
};

/**
 * @ingroup workload-replay
 * @brief UGAL with what all switches know (UGAL-G): as RdmaUgalRouting, but what seems faster has
 * the smaller sum of what waits at all ports of its path (J. Kim et al., ISCA 2008, section 4.1).
 *
 * No switch knows so much: it is the bound by which UGAL with local queues is judged.
 */
class RdmaUgalGlobalRouting : public RdmaDetourRouting
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    bool ReadsOtherNodes() const override;

  protected:
    Parameters GetParameters() const override;
};

} // namespace ns3

#endif /* RDMA_DETOUR_ROUTING_H */
