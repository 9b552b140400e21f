/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_CONWEAVE_SOURCE_H
#define RDMA_CONWEAVE_SOURCE_H

#include "rdma-conweave.h"
#include "rdma-routing.h"

#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief The first switch of flows in RdmaConweaveRouting: watches their paths, and moves them.
 *
 * A flow goes through epochs. The first packet of each asks the last switch to reply. If the reply
 * is there in time, the next packet begins the next epoch. If not, the next packet is the last one
 * by the old path, those after it take another one, and the epoch lasts until the last switch has
 * put them in order and says so. So a flow has packets on two paths at most.
 */
class RdmaConweaveSource
{
  public:
    /// The routes while all links are up.
    using Table = std::shared_ptr<const EcmpRouteTable>;

    /**
     * @param parameters the parameters
     * @param table the routes
     * @param node number of the switch
     * @param salt salt of the switch
     */
    RdmaConweaveSource(const RdmaConweave::Parameters& parameters,
                       Table table,
                       uint32_t node,
                       uint64_t salt);

    /**
     * @param packet a data packet that leaves for another leaf
     * @param leaf that leaf
     * @param hops ports to choose from, at least 2
     * @return the choice, of a link that is up unless none is
     */
    uint32_t Choose(const RdmaPacket& packet, uint32_t leaf, const RdmaNextHops& hops);

    /**
     * @return what is to be written into the packet that Choose() was called for last; nothing if
     * it was asked for already
     */
    RdmaPathTag TakeTag();

    /**
     * The last switch of a flow reports something.
     *
     * @param packet the report, an RdmaPacket::PATH
     */
    void Hear(const RdmaPacket& packet);

    /**
     * @return how often a flow was moved because no reply came in time
     */
    uint64_t GetReroutes() const
    {
        return m_reroutes;
    }

  private:
    /// No choice.
    static constexpr uint32_t NONE = UINT32_MAX;

    /// A flow.
    struct Flow
    {
        int64_t lastAt{0};      //!< time step of its last packet
        int64_t replyBy{0};     //!< time step by which the reply is to come
        int64_t tailAt{0};      //!< time step of the epoch's last packet by the old path
        uint32_t link{NONE};    //!< uplink that it takes
        uint8_t epoch{0};       //!< number of the epoch, 0 to 3
        bool isRerouted{false}; //!< it was moved in this epoch
        bool isClear{false};    //!< its next packet begins an epoch
    };

    /**
     * @param flow a flow
     * @param hops ports to choose from
     * @return the choice that is its uplink; NONE if that is down, or does not lead there any more
     */
    static uint32_t Find(const Flow& flow, const RdmaNextHops& hops);

    /**
     * Draw two uplinks, and take the first of them that is not busy.
     *
     * @param packet a packet of the flow
     * @param leaf leaf that it goes to
     * @param hops ports to choose from
     * @param current choice that is not drawn, and is kept if both are busy; NONE = there is none
     * @return the choice
     */
    uint32_t Sample(const RdmaPacket& packet,
                    uint32_t leaf,
                    const RdmaNextHops& hops,
                    uint32_t current);

    /**
     * @param packet a packet that asks for a reply
     * @param leaf leaf that it goes to
     * @param link uplink that it takes
     * @param layer what links add to packets
     * @return time steps until the reply is there if nothing waits on the way
     */
    int64_t GetRoundTrip(const RdmaPacket& packet,
                         uint32_t leaf,
                         uint32_t link,
                         const RdmaLinkLayer& layer) const;

    /**
     * Forget flows that have had no packet for long, unless it was done just now.
     *
     * @param now time step
     */
    void ForgetOld(int64_t now);

    RdmaConweave::Parameters m_parameters;        //!< the parameters
    Table m_table;                                //!< the routes
    uint32_t m_node;                              //!< number of the switch
    uint64_t m_salt;                              //!< salt of the switch
    RdmaPathTag m_tag;                            //!< see TakeTag()
    std::unordered_map<uint64_t, Flow> m_flows;   //!< by RdmaConweave::GetFlow()
    std::unordered_map<uint64_t, int64_t> m_busy; //!< until when, by leaf and uplink
    std::vector<uint32_t> m_others;               //!< choices to draw from; kept for its memory
    int64_t m_nextForgetAt{0};                    //!< time step of the next ForgetOld()
    uint64_t m_reroutes{0};                       //!< see GetReroutes()
};

} // namespace ns3

#endif /* RDMA_CONWEAVE_SOURCE_H */
