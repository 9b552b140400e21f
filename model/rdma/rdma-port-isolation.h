/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_PORT_ISOLATION_H
#define RDMA_PORT_ISOLATION_H

#include "rdma-net-device-base.h"
#include "rdma-network.h"
#include "rdma-star.h"

#include "ns3/message-transport.h"
#include "ns3/port-isolation.h"

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

namespace ns3
{

class RdmaNic;

/**
 * @ingroup workload-replay
 * @brief Counts the messages under way at each host, over NVLink and over the network, and tells
 * those who have claimed a host's ports of one kind when another one's message is about to use
 * them.
 *
 * It knows of all messages that NICs send from its creation on, which is to come before the first
 * of them. Packets of the internet stack it does not know: where hosts have one, nothing can be
 * claimed.
 */
class RdmaPortIsolation : public PortIsolation
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    RdmaPortIsolation();
    ~RdmaPortIsolation() override;

    /**
     * @param network the fabric; this is told of its messages from now on
     * @param nics NICs of the ranks' hosts
     * @param hasNvlink whether messages within servers go through them; if not, communicators
     *                  within servers have no ports that can be claimed
     */
    void Setup(Ptr<RdmaNetwork> network, std::vector<Ptr<RdmaNic>> nics, bool hasNvlink);

    /**
     * A message, or a part of one, is about to be sent. For RdmaNic.
     *
     * @param source node that sends it
     * @param destination node that it goes to
     * @param message the message
     */
    void Begin(uint32_t source, uint32_t destination, const Message& message);

    /**
     * A message has come whole. For RdmaMessageTransport.
     *
     * @param source node that has sent it
     * @param destination node that it has gone to
     * @param message the message
     */
    void Count(uint32_t source, uint32_t destination, const Message& message);

    /**
     * A message is acknowledged. For RdmaNic.
     *
     * @param source node that has sent it
     * @param destination node that it has gone to
     */
    void End(uint32_t source, uint32_t destination);

    /// Links are about to change, or a switch pauses those who send to it. For RdmaNetwork.
    void DisturbAll();

    std::string Describe(const Ranks& ranks) override;
    bool Claim(const Ranks& ranks, uint32_t communicator, Action disturbed, Action quiet) override;
    void Release(const Ranks& ranks) override;
    bool IsQuiet(const Ranks& ranks) const override;
    void StartTally(const Ranks& ranks) override;
    std::shared_ptr<const Tally> TakeTally(const Ranks& ranks) const override;
    void AddTally(const Ranks& ranks, const Tally& tally) override;

  protected:
    void DoDispose() override;

  private:
    /// Ports that a communicator has to itself.
    struct Claimed
    {
        uint32_t communicator{0};            //!< the communicator
        Action disturbed;                    //!< called before others use them
        Action quiet;                        //!< called when none of its messages is under way
        uint64_t underWay{0};                //!< its messages that are not acknowledged
        std::vector<RdmaPortCounters> since; //!< counters when counting was begun
        /// Messages that have come since then, by source, destination, bytes and duration.
        std::map<std::tuple<uint32_t, uint32_t, uint64_t, Time>, uint64_t> messages;
    };

    /// The ports of one kind of a host.
    struct Use
    {
        uint64_t underWay{0};             //!< messages from it or to it that are not acknowledged
        std::shared_ptr<Claimed> claimed; //!< who has them to itself; null = nobody
    };

    /// See PortIsolation::Tally: by port, as RdmaStar has them.
    struct Counters : public Tally
    {
        std::vector<RdmaPortCounters> ports; //!< what each has done
    };

    /**
     * @param node a host
     * @param side kind of its ports
     * @return what is under way there
     */
    Use& GetUse(uint32_t node, RdmaStar::Side side);

    /**
     * @param ranks members of a communicator that Describe() knows
     * @return what joins them
     */
    const RdmaStar& GetStar(const Ranks& ranks) const;

    /**
     * @param star what joins the members of a communicator
     * @return who has claimed their ports; null = nobody
     */
    const std::shared_ptr<Claimed>& GetClaimed(const RdmaStar& star) const;

    /**
     * @param rank a rank
     * @param side kind of its ports
     * @return whether what sends by them is as if it had never sent
     */
    bool IsAtRest(uint32_t rank, RdmaStar::Side side) const;

    Ptr<RdmaNetwork> m_network;            //!< the fabric
    std::vector<Ptr<RdmaNic>> m_nics;      //!< by rank
    std::vector<std::array<Use, 2>> m_use; //!< by node and side
    std::map<Ranks, RdmaStar> m_stars;     //!< what joins communicators
    bool m_hasNvlink{true};                //!< messages within servers are known
};

} // namespace ns3

#endif /* RDMA_PORT_ISOLATION_H */
