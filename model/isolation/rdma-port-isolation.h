/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_PORT_ISOLATION_H
#define RDMA_PORT_ISOLATION_H

#include "port-reservations.h"
#include "rdma-common-switch-ports.h"
#include "rdma-common-switch-senders.h"

#include "ns3/message-transport.h"
#include "ns3/port-isolation.h"
#include "ns3/rdma-message-observer.h"
#include "ns3/rdma-net-device-base.h"
#include "ns3/rdma-network.h"

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace ns3
{

class RdmaMessageTransport;
class RdmaNic;
class RdmaProtocol;

/**
 * @ingroup workload-replay
 * @brief Counts the messages under way at each host, over NVLink and over the network, and notifies
 * those who have reserved a host's ports of one kind when another one's message is about to use
 * them.
 *
 * It knows of all messages that NICs send from its creation on, which is to come before the first
 * of them. Packets of the internet stack it does not know: where hosts have one, nothing can be
 * reserved.
 */
class RdmaPortIsolation : public PortIsolation, public RdmaMessageObserver
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
     * @param network the fabric; this is notified of its messages from now on
     * @param transports transports by address, of which those of ranks come first
     * @param hasNvlink whether messages within servers go through them; if not, communicators
     *                  within servers have no ports that can be reserved
     */
    void Setup(Ptr<RdmaNetwork> network,
               std::vector<Ptr<RdmaMessageTransport>> transports,
               bool hasNvlink);

    void Begin(uint32_t source, uint32_t destination, const Message& message) override;
    void Count(uint32_t source, uint32_t destination, const Message& message) override;
    void End(uint32_t source, uint32_t destination) override;
    void InterruptAll() override;
    std::string Describe(const Ranks& ranks) override;
    bool IsObserved(const Ranks& ranks) const override;
    bool Reserve(const Ranks& ranks,
                 uint32_t communicator,
                 Action interrupted,
                 Action quiet) override;
    void Release(const Ranks& ranks) override;
    bool IsQuiet(const Ranks& ranks) const override;
    void StartCounting(const Ranks& ranks) override;
    std::string DescribeMemory(const Ranks& ranks, uint32_t communicator, Time since) override;
    bool HasJustSent(const Ranks& ranks, uint32_t rank) const override;
    bool IsBusy(const Ranks& ranks, uint32_t rank) const override;
    bool IsSteady(const Ranks& ranks) const override;
    std::shared_ptr<Counters> TakeCounters(const Ranks& ranks,
                                           uint32_t communicator,
                                           Time since) const override;
    void TakeMemory(const Ranks& ranks, uint32_t communicator, Counters& counters) const override;
    void AddCounters(const Ranks& ranks,
                     uint32_t communicator,
                     Time since,
                     const Counters& counters) override;

  protected:
    void DoDispose() override;

  private:
    /// What joins the members of a communicator.
    struct Group
    {
        RdmaCommonSwitchPorts ports;            //!< their ports and those at the far ends
        RdmaCommonSwitchSenders senders;        //!< who sends by them
        const RdmaProtocol* protocol;           //!< how, which all have in common
        std::vector<uint32_t> directions;       //!< direction of a link to each switch
        PortReservations::Places places;        //!< see GetPlace(), by member
        std::vector<PortCounters> since;        //!< counters when counting was begun
        RdmaCommonSwitchSenders::Memory memory; //!< what they remembered when DescribeMemory() was
                                                //!< called last
    };

    /// See PortIsolation::Counters: by port, as RdmaCommonSwitchPorts has them.
    struct RdmaCounters : public Counters
    {
        std::vector<PortCounters> ports;        //!< what each has done
        RdmaCommonSwitchSenders::Memory memory; //!< what those who send remember of it
    };

    /**
     * @param node a node
     * @param linkKind a kind of its ports
     * @return stands for these ports
     */
    static uint32_t GetPlace(uint32_t node, RdmaCommonSwitchPorts::LinkKind linkKind)
    {
        return 2 * node + linkKind;
    }

    /**
     * @param group what joins members
     * @return whether nothing at their switches is left of what was sent, see
     *         RdmaProtocol::IsAtRest()
     */
    static bool AreSwitchesAtRest(const Group& group);

    /**
     * @param ranks members of a communicator that Describe() knows
     * @return what joins them
     */
    const Group& GetGroup(const Ranks& ranks) const;

    /**
     * @param group what joins the members of a communicator
     * @param port index in group.ports.GetPorts()
     * @return what it has done since counting was begun
     */
    static PortCounters Count(const Group& group, std::size_t port);

    /**
     * @param rank a rank
     * @param linkKind kind of its ports
     * @return whether what sends by them is as if it had never sent
     */
    bool IsAtRest(uint32_t rank, RdmaCommonSwitchPorts::LinkKind linkKind) const;

    Ptr<RdmaNetwork> m_network;                          //!< the fabric
    std::vector<Ptr<RdmaMessageTransport>> m_transports; //!< by address
    PortReservations m_reservations;                     //!< who has which ports to itself
    std::map<Ranks, Group> m_groups;                     //!< what joins communicators
    bool m_hasNvlink{true};                              //!< messages within servers are known
};

} // namespace ns3

#endif /* RDMA_PORT_ISOLATION_H */
