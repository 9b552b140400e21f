/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_FLOWLET_ROUTING_H
#define RDMA_FLOWLET_ROUTING_H

#include "rdma-routing.h"

#include "ns3/nstime.h"

#include <cstdint>
#include <unordered_map>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief Flowlet switching: a flow may take another path after a pause.
 *
 * As in LetFlow (E. Vanini et al., Let it flow: resilient asymmetric load balancing with flowlet
 * switching, NSDI 2017) the path of each flowlet is chosen blindly; crowded paths slow flows down
 * and so make the pauses in which they leave. The choice is a hash of the flow and of the time at
 * which the flowlet begins. A flow also leaves a port at once whose link is down, or that does not
 * lead to its destination any more.
 *
 * If the gap is longer than the delays of the paths differ, packets stay in order. A shorter one
 * makes go-back-N send again what was overtaken.
 */
class RdmaFlowletRouting : public RdmaRouting
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    RdmaFlowletRouting();
    ~RdmaFlowletRouting() override;

    bool Reorders() const override;
    bool MovesFlows() const override;
    std::unique_ptr<RdmaPathChoice> Create(uint32_t node, uint64_t salt) const override;

    /// @brief What one node remembers.
    class Choice : public RdmaPathChoice
    {
      public:
        /**
         * @param gap pause that ends a flowlet
         * @param salt salt of the node
         */
        Choice(Time gap, uint64_t salt);

        uint32_t Choose(const RdmaPacket& packet, const RdmaNextHops& hops) override;

        /**
         * @return flowlets remembered; those that are over go when the next one begins, but not
         *         more often than once in FlowletGap
         */
        uint32_t GetNFlowlets() const;

      protected:
        /// No choice.
        static constexpr uint32_t NONE = UINT32_MAX;

        /**
         * Choose for a flowlet that begins.
         *
         * @param packet its first packet
         * @param hops ports to choose from, at least 2
         * @param last what the flow's last flowlet took, if it may still be taken; NONE = there is
         *             no such, or it is forgotten
         * @param now time step
         * @return the choice, of a link that is up unless none is
         */
        virtual uint32_t ChooseFlowlet(const RdmaPacket& packet,
                                       const RdmaNextHops& hops,
                                       uint32_t last,
                                       int64_t now);

        /**
         * @param packet a packet
         * @param now time step
         * @return hash of its flow and of the time
         */
        static uint64_t GetHash(const RdmaPacket& packet, int64_t now);

        /// @return salt of the node
        uint64_t GetSalt() const
        {
            return m_salt;
        }

      private:
        /// The last flowlet of a flow.
        struct Flowlet
        {
            int64_t lastAt{0};                  //!< time step of the last packet
            const RdmaNetDevice* port{nullptr}; //!< port that it takes
            uint32_t choice{0};                 //!< its place among the ports of equal cost
        };

        /**
         * Forget flowlets that are over, unless it was done just now. So every flowlet that is
         * looked at in vain has had a packet since the last time, and the cost per packet is
         * constant.
         *
         * @param now time step
         */
        void ForgetOld(int64_t now);

        int64_t m_gap;                                    //!< pause that ends a flowlet, time steps
        uint64_t m_salt;                                  //!< salt of the node
        int64_t m_nextForgetAt{0};                        //!< time step of the next ForgetOld()
        std::unordered_map<uint64_t, Flowlet> m_flowlets; //!< by hash of the flow
    };

  protected:
    /// @return pause that ends a flowlet
    Time GetGap() const
    {
        return m_gap;
    }

  private:
    Time m_gap; //!< pause that ends a flowlet
};

} // namespace ns3

#endif /* RDMA_FLOWLET_ROUTING_H */
