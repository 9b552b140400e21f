/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef IDEAL_PORT_ISOLATION_H
#define IDEAL_PORT_ISOLATION_H

#include "port-reservations.h"

#include "ns3/ideal-network.h"
#include "ns3/port-isolation.h"
#include "ns3/ptr.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief Counts the messages under way at each port of an IdealNetwork, and notifies those who have
 * reserved ports when another one's message is about to use them.
 *
 * As nothing but ports has a rate there, the members of a communicator need no one switch between
 * them: each must have one port for all others, and the rates of ports and delays between them are
 * what the messages meet. The NVSwitches of a rank's own server have a port for each of its links,
 * which nobody else uses, so that what goes to them and comes back is alone where the rank is.
 * Collectives in which switches of the network take part are known only after they were simulated,
 * and never taken for others.
 */
class IdealPortIsolation : public PortIsolation, public IdealMessageObserver
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    IdealPortIsolation();
    ~IdealPortIsolation() override;

    /// The NVSwitches of a rank's server that take part in collectives: consecutive addresses.
    struct Switches
    {
        uint32_t first{0}; //!< address of the first one, above all ranks
        uint32_t count{0}; //!< how many
    };

    /**
     * @param network the network; this is notified of its messages from now on, which must be
     * before the first of them. It runs on CatchUpSimulatorImpl
     * @param ranks number of ranks; addresses from there on are switches
     * @param switches those of the server of each rank; empty = none take part
     */
    void Setup(Ptr<IdealNetwork> network, uint32_t ranks, std::vector<Switches> switches = {});

    void Begin(uint32_t sendPort, uint32_t receivePort, const Message& message) override;
    bool BeginTrain(uint32_t sendPort, uint32_t receivePort, const Message& message) override;
    void Arrive(uint32_t sendPort, uint32_t receivePort, const Message& message) override;
    std::string Describe(const Ranks& ranks) override;
    bool Reserve(const Ranks& ranks,
                 uint32_t communicator,
                 Action interrupted,
                 Action quiet) override;
    void Release(const Ranks& ranks) override;
    bool IsQuiet(const Ranks& ranks) const override;
    void StartCounting(const Ranks& ranks) override;
    bool IsSteady(const Ranks& ranks) const override;
    std::shared_ptr<Counters> TakeCounters(const Ranks& ranks,
                                           uint32_t communicator,
                                           Time since) const override;
    void AddCounters(const Ranks& ranks,
                     uint32_t communicator,
                     Time since,
                     const Counters& counters) override;

  protected:
    void DoDispose() override;

  private:
    /// Hash of the members of a communicator.
    struct RanksHash
    {
        /**
         * @param ranks the members
         * @return their hash
         */
        std::size_t operator()(const Ranks& ranks) const;
    };

    /**
     * @param ranks members of a communicator that Describe() knows
     * @return their ports
     */
    const PortReservations::Places& GetPorts(const Ranks& ranks) const;

    /**
     * @param address an address
     * @param other another one
     * @return whether the first is a rank, and the second one too or an NVSwitch of its server
     */
    bool IsNextTo(uint32_t address, uint32_t other) const;

    /**
     * @param rank a rank
     * @return what it meets on the way to the NVSwitches of its server and back
     */
    std::string DescribeSwitches(uint32_t rank) const;

    Ptr<IdealNetwork> m_network;      //!< the network
    uint32_t m_nRanks{0};             //!< number of ranks
    std::vector<Switches> m_switches; //!< NVSwitches by rank; empty = none take part
    PortReservations m_reservations;  //!< who has which ports to itself
    /// Ports of communicators' members; never walked.
    std::unordered_map<Ranks, PortReservations::Places, RanksHash> m_ports;
};

} // namespace ns3

#endif /* IDEAL_PORT_ISOLATION_H */
