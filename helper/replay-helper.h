/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef REPLAY_HELPER_H
#define REPLAY_HELPER_H

#include "ns3/application-container.h"
#include "ns3/callback.h"
#include "ns3/collective-selection.h"
#include "ns3/fabric-endpoints.h"
#include "ns3/message-transport.h"
#include "ns3/node-container.h"
#include "ns3/object-factory.h"
#include "ns3/port-isolation.h"
#include "ns3/rank-placement.h"
#include "ns3/replay-application.h"
#include "ns3/topology-graph.h"
#include "ns3/workload.h"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace ns3
{

class RdmaFabricHelper;

/**
 * @ingroup workload-replay
 * @brief Installs the ranks of a workload on nodes.
 */
class ReplayHelper
{
  public:
    /**
     * @param workload the job to replay
     */
    explicit ReplayHelper(std::shared_ptr<const Workload> workload);

    /**
     * Set an attribute of the applications to be created.
     *
     * @param name name of an attribute of ReplayApplication
     * @param value its value
     */
    void SetAttribute(const std::string& name, const AttributeValue& value);

    /**
     * Set an attribute of one of the applications to be created, such as ComputeScale of a
     * straggler. It wins over SetAttribute().
     *
     * @param rank a rank
     * @param name name of an attribute of ReplayApplication
     * @param value its value
     */
    void SetRankAttribute(uint32_t rank, const std::string& name, const AttributeValue& value);

    /**
     * Set how collectives are carried out. Without a call: CreateDefaultAlgorithms().
     *
     * @param algorithms the algorithms to choose from
     */
    void SetAlgorithms(Ptr<const CollectiveSelection> algorithms);

    /**
     * Watch who uses which ports of an rdma fabric, for ReuseCollectives(). To be called once,
     * before anything is sent, where one process has the whole fabric.
     *
     * @param fabric the fabric
     * @param hasNvlink whether messages within servers go through the fabric
     * @return says who has ports to itself
     */
    static Ptr<PortIsolation> IsolatePorts(const RdmaFabricHelper& fabric, bool hasNvlink = true);

    /**
     * Have collectives that meet nobody else's packets simulated once, and reused. Simulations must
     * run on CatchUpSimulatorImpl (CatchUpSimulatorImpl::Choose()); else nothing is reused. To be
     * called before ranks are installed, on the fabric's PortIsolation, after SetServers().
     *
     * @param isolation knows what moves in the ports of the ranks
     * @return reports what was reused
     */
    Ptr<CollectiveReuse> ReuseCollectives(Ptr<PortIsolation> isolation);

    /**
     * Give the messages of a dimension a traffic class of their own, as NCCL does by communicator,
     * see MessageTransport::SetTrafficClasses(). With the transport rdma it is a priority; ports
     * serve priorities by Weights of RdmaNetDevice, and switches pause instead of dropping those
     * in LosslessPriorities of RdmaSwitch, by default 3 alone. To be called before ranks or
     * switches are installed; their transports must be of the kind rdma.
     *
     * @param dimension the dimension
     * @param trafficClass its class, 0 to 7, but not the one of acknowledgements, which AckPriority
     *                     of RdmaNic says
     */
    void SetTrafficClass(Dimension dimension, uint8_t trafficClass);

    /**
     * The same for one communicator, see SetTrafficClass(Dimension, uint8_t).
     *
     * @param communicator id of a communicator of the workload
     * @param trafficClass its class
     */
    void SetTrafficClass(uint32_t communicator, uint8_t trafficClass);

    /**
     * Set which ranks share a server, so that the rings of a collective use the NICs of all of
     * them, see RailRing. Without a call: all ranks are taken to stand in one place, and rings
     * follow the order of the communicator.
     *
     * @param servers the server of each rank of the workload, any numbers;
     *                CollectivePlacement::NO_SERVER = it shares its server with nobody
     * @param nics the NIC of each rank of the workload, any numbers; empty = each has its own
     */
    void SetServers(std::vector<uint32_t> servers, std::vector<uint32_t> nics = {});

    /**
     * Set what the servers are like, so that collectives use the channels that NCCL would find in
     * them. To be called before SetServers() of a topology whose servers are such.
     *
     * @param channels finds the channels of a server; null = not known
     */
    void SetServerChannels(std::shared_ptr<const ServerChannels> channels);

    /**
     * Set which ranks share a server, and which a NIC, as a topology has it.
     *
     * @param graph the topology, with a host for each rank of the workload
     */
    void SetServers(const TopologyGraph& graph);

    /**
     * Set which NVSwitches take part in collectives. That will do to ask what would run; for a
     * replay InstallSwitches() is to be called, which does the same.
     *
     * @param endpoints the nodes of the topology that messages go to, a host for each rank of the
     *                  workload; SetServers() has been called with the same topology
     */
    void SetSwitches(const FabricEndpoints& endpoints);

    /**
     * Set which switches of the network take part in collectives, if any. For a replay
     * InstallSwitches() does the same.
     *
     * @param graph the topology that SetServers() has been called with
     * @param endpoints the nodes of it that messages go to
     */
    void SetReductionTrees(const TopologyGraph& graph, const FabricEndpoints& endpoints);

    /**
     * Have NVSwitches take part in collectives: NvlsCollective needs them. To be called before the
     * ranks are installed, after SetServers() or without it.
     *
     * @param graph the topology, with a host for each rank of the workload
     * @param nodes the NVSwitches that take part, in the order of FabricEndpoints
     * @param transports their transports
     * @return what they run, in that order
     */
    ApplicationContainer InstallSwitches(const TopologyGraph& graph,
                                         const NodeContainer& nodes,
                                         const std::vector<Ptr<MessageTransport>>& transports);

    /**
     * The same for all switches that messages go to, of the network too if there are such:
     * CollnetCollective needs them.
     *
     * @param graph the topology, with a host for each rank of the workload
     * @param endpoints the nodes of it that messages go to
     * @param nodes the switches among them, by address
     * @param transports their transports
     * @return what they run, in that order
     */
    ApplicationContainer InstallSwitches(const TopologyGraph& graph,
                                         const FabricEndpoints& endpoints,
                                         const NodeContainer& nodes,
                                         const std::vector<Ptr<MessageTransport>>& transports);

    /**
     * @param communicator id of a communicator of the workload
     * @param kind a kind of collective
     * @param bytes size as the kind counts it, bytes
     * @return a call of it by the first member, with root 0; refers to what the helper knows of
     *         places until those are set anew
     */
    CollectiveCall MakeCall(uint32_t communicator, CollectiveKind kind, uint64_t bytes) const;

    /**
     * Look for a collective that the algorithm chosen for it cannot carry out, such as
     * NvlsCollective where there is no NVSwitch. Replaying it would abort.
     *
     * @return the first one and why it is not supported, such as "nvls for all-reduce in tp0: ...";
     *         empty = there is none
     */
    std::string FindUnsupported() const;

    /**
     * Look for a collective whose algorithm is not one of the module's and does not bring every
     * rank its data, with a CollectiveChecker. At most 200,000 messages are followed in all,
     * which takes a second or two.
     *
     * @return the first one and what is wrong, such as "star for all-reduce in dp0: ..."; empty =
     *         there is none, as far as was looked
     */
    std::string FindWrong() const;

    /**
     * @return collectives for which an algorithm was asked that leaves them to the automatic
     * choice, see CollectiveAlgorithm::LeavesUnsupported(): a sentence for each reason
     */
    std::vector<std::string> ListLeft() const;

    /**
     * @return what reports should say of how collectives are laid out over the fabric, see
     *         CollectiveAlgorithm::DescribeLayout(): each sentence once
     */
    std::vector<std::string> ListLayouts() const;

    /**
     * Install rank i on node i.
     *
     * @param nodes at least as many nodes as the workload has ranks; a node may appear repeatedly
     * @param transports the transport of each rank: rank i is host i of a fabric. MergeJobs() gives
     *                   a job other hosts
     * @throws WorkloadError if a transport is not that of its rank
     * @return the applications by rank; where several processes simulate the nodes, of those ranks
     *         alone whose nodes this one has
     */
    ApplicationContainer Install(const NodeContainer& nodes,
                                 const std::vector<Ptr<MessageTransport>>& transports) const;

    /**
     * Install rank i on node i, over TCP with default attributes, when the nodes have an internet
     * stack, addresses and routes. The rank's address is the first one that is not loopback.
     *
     * @param nodes at least as many nodes as the workload has ranks; a node may appear repeatedly
     * @return the applications by rank
     */
    ApplicationContainer InstallTcp(const NodeContainer& nodes) const;

    /**
     * Fix the random numbers of the applications, so that a run can be repeated whatever else draws
     * random numbers.
     *
     * @param applications applications installed by this helper, by rank
     * @param stream index of the stream of rank 0; the other ranks have the ones after it
     * @return number of streams used
     */
    static int64_t AssignStreams(const ApplicationContainer& applications, int64_t stream);

    /**
     * Report what keeps a replay from finishing; to be called after Simulator::Run().
     *
     * @param applications applications installed by this helper, by rank
     * @return one line for each unfinished rank and stream, then the cycle of ranks that wait for
     *         each other if there is one; empty if all ranks have finished
     */
    static std::vector<std::string> DescribeWaits(const ApplicationContainer& applications);

    /**
     * @param applications applications installed by this helper, by rank
     * @return what the unfinished ones wait for
     */
    static std::vector<WaitRecord> ListWaits(const ApplicationContainer& applications);

    /**
     * @return the algorithms used when none are set: all there are, with their default attributes,
     *         chosen automatically; see CollectiveSelection
     */
    static Ptr<CollectiveSelection> CreateDefaultAlgorithms();

  private:
    /// Traffic classes by communicator.
    using TrafficClasses = std::vector<std::optional<uint8_t>>;

    /**
     * Visit the collectives that the workload calls, of each communicator each kind and size once.
     *
     * @param visit called with the communicator and the call; returns whether to go on
     */
    void VisitCalls(
        const std::function<bool(const Communicator&, const CollectiveCall&)>& visit) const;

    /// An attribute of one rank.
    struct RankAttribute
    {
        std::string name;                //!< its name
        Ptr<const AttributeValue> value; //!< its value
    };

    std::shared_ptr<const Workload> m_workload;              //!< the job
    ObjectFactory m_factory;                                 //!< makes the applications
    std::multimap<uint32_t, RankAttribute> m_rankAttributes; //!< what differs, by rank
    Ptr<const CollectiveSelection> m_algorithms;             //!< how collectives are carried out
    std::shared_ptr<RankPlacement> m_placement;       //!< where the ranks stand; null = one place
    Ptr<CollectiveReuse> m_reuse;                     //!< null = nothing is reused
    std::shared_ptr<TrafficClasses> m_trafficClasses; //!< null = no dimension has one
    std::shared_ptr<const ServerChannels> m_serverChannels; //!< null = not known
    std::vector<Ptr<MessageTransport>> m_switchTransports;  //!< of InstallSwitches()
};

} // namespace ns3

#endif /* REPLAY_HELPER_H */
