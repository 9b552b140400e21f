/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef TRANSPORT_KIND_H
#define TRANSPORT_KIND_H

#include "network-options.h"

#include "ns3/object.h"
#include "ns3/ptr.h"
#include "ns3/topology-graph.h"
#include "ns3/type-id.h"
#include "ns3/workload-error.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace ns3
{

class ReplayFabric;

/**
 * @ingroup workload-replay
 * @brief What the option transport chooses: makes the network, and says what it can do.
 *
 * A kind registers itself with NS_STRATEGY_ENSURE_REGISTERED(). A new RdmaProtocol needs none: the
 * names of all protocols are names of transports, too (see Family).
 *
 * The reasons that it gives follow "no OPTION with the transport NAME" in messages, so that each is
 * a clause with its punctuation mark before it, such as ", which has no packets".
 */
class TransportKind : public Object
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    TransportKind();
    ~TransportKind() override;

    /**
     * @brief Makes transports of all strategies of another kind, as a variable of a source file
     * that is initialized before main().
     */
    class Family
    {
      public:
        /// Makes a transport of a strategy.
        using Maker = Ptr<const TransportKind> (*)(TypeId);

        /**
         * @param kind the other kind, whose strategies come before those that are a TransportKind
         * @param maker makes the transport
         */
        Family(TypeId kind, Maker maker);
    };

    /// What options, topologies and workloads ask of a transport.
    enum class Use
    {
        PACKETS,         //!< packets, or what stands for them: congestion control and an MTU
        LINK_CHANGES,    //!< links that fail or are switched
        PORTS,           //!< ports that can be read during a run
        QUEUE_PAIRS,     //!< queue pairs, as RdmaNic has them
        ROUTING,         //!< a choice of how packets choose a path
        FLOW_CONTROL,    //!< a choice of what keeps links from losing packets
        TRAINS,          //!< packets that are simulated together
        EXACT,           //!< events that it saves, and need not
        IDEAL_NVLINK,    //!< to leave packets out within a server
        TRAFFIC_CLASSES, //!< priorities
        REUSE,           //!< to know who uses which ports, see PortIsolation
        FLOW_PATHS,      //!< the links that a message takes
        TIME_SLOTS,      //!< links that carry packets in slots of time
        PROCESSES,       //!< several processes that simulate it together
        TCP_BESIDE,      //!< background traffic over TCP beside it
        PARALLEL_LINKS,  //!< messages of two nodes on all links between them
        LOG_GOPS         //!< the LogGOPS model in place of a network
    };

    /**
     * @param use what is asked of it
     * @return why it cannot; empty = it can. Here: nothing but what every transport can
     */
    virtual std::string FindUnsupportedReason(Use use) const;

    /**
     * @param use what is asked of it
     * @return whether it can
     */
    bool Supports(Use use) const;

    /**
     * Make the network.
     *
     * @param options what the user asks for
     * @param graph the topology, made from the same options
     * @return the network; it must outlive the simulation
     * @throws WorkloadError if the options do not go together
     */
    virtual std::unique_ptr<ReplayFabric> Create(const NetworkOptions& options,
                                                 const TopologyGraph& graph) const = 0;

    /**
     * Look whether options go together, before anything is made. Here they do.
     *
     * @param options what the user asks for
     * @throws WorkloadError if they do not
     */
    virtual void Check(const NetworkOptions& options) const;

    /**
     * Set defaults of attributes that go with the transport; those that are given stay. Here none.
     *
     * @param options what the user asks for
     */
    virtual void SetDefaults(const NetworkOptions& options) const;

    /**
     * @param cc the option cc
     * @return the same in the words of the transport, which may be the name of a TypeId
     * @throws WorkloadError if it has no such congestion control; here it has none at all
     */
    virtual std::string ParseCongestionControl(const TextField& cc) const;

    /**
     * @param options what the user asks for
     * @param type a class of the module
     * @param attribute full name of one of its attributes
     * @return what to ask for instead, as the attribute does nothing; empty = it does something, or
     *         has nothing to do with transports. Here: nothing of rdma, uec and TCP does anything
     */
    virtual std::string FindAttributeRemedy(const NetworkOptions& options,
                                            TypeId type,
                                            const std::string& attribute) const;

    /**
     * @return option by which messages use all ports of a NIC; empty = there is none, as here
     */
    virtual std::string GetAllPortsOption() const;

    /**
     * @param options what the user asks for
     * @return option by which messages use all shortest paths; empty = there is none, or they use
     *         them all, as here
     */
    virtual std::string GetAllPathsOption(const NetworkOptions& options) const;

    /**
     * @param options what the user asks for
     * @return options by which packets take paths that are not shortest; empty = there are none, or
     *         they do, as here
     */
    virtual std::string GetDetoursOption(const NetworkOptions& options) const;

    /**
     * @return its name in options: that of its class
     */
    virtual std::string GetName() const;

    /**
     * @return names of all transports, the default first
     */
    static std::vector<std::string> GetNames();

    /**
     * @return names of all transports and what they are
     */
    static std::string GetHelp();

    /**
     * @param name name of a transport
     * @return the transport
     * @throws WorkloadError if there is none of that name
     */
    static Ptr<const TransportKind> Find(const TextField& name);

    /**
     * @param options what the user asks for
     * @return what the option transport names
     * @throws WorkloadError if it names nothing
     */
    static Ptr<const TransportKind> Get(const NetworkOptions& options);
};

/**
 * @ingroup workload-replay
 * @param use what options ask of the transport
 * @return what says why it cannot, to follow the name of an option; empty = it can
 */
std::function<std::string(const NetworkOptions&)> Unsupported(TransportKind::Use use);

/**
 * @ingroup workload-replay
 * @param options what the user asks for
 * @return whether the LogGOPS model takes the place of the network
 */
bool HasLogGopsNetwork(const NetworkOptions& options);

} // namespace ns3

#endif /* TRANSPORT_KIND_H */
