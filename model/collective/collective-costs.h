/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef COLLECTIVE_COSTS_H
#define COLLECTIVE_COSTS_H

#include "collective-latencies.h"
#include "server-graph.h"

#include "ns3/data-rate.h"
#include "ns3/object.h"

#include <cstdint>
#include <string>

namespace ns3
{

struct ChannelBundle;
struct CollectiveCall;

/**
 * @ingroup workload-replay
 * @brief What one call costs beside its payload on the wire.
 */
struct CollectiveTerms
{
    Time launch;            //!< from the call to the first steps
    Time serverLatency;     //!< from a member's decision to send to the message, inside a server
    Time networkLatency;    //!< the same for a message to another server
    double serverShare{1};  //!< payload as a share of a message inside a server, above 0, at most 1
    double networkShare{1}; //!< the same for a message to another server
    double nicShare{1};     //!< on that, if a NIC stands beside the sender and it is known
    double copyRate{0};     //!< see ChannelBundle
    double channels{1};     //!< see ChannelBundle
    double post{0};    //!< time in which a proxy posts a channel's message to the network, seconds
    double nicRate{0}; //!< of a NIC, bytes per second
    uint64_t reductionRate{0}; //!< bytes received and added per second; 0 = added while they arrive

    /**
     * @param payload payload of a message, bytes
     * @param isNetwork whether it goes to another server
     * @param hasNic whether a NIC stands beside its sender
     * @return what goes over the wire, bytes, rounded up
     */
    uint64_t GetWireBytes(uint64_t payload, bool isNetwork, bool hasNic = false) const;

    /**
     * A message to another server is first written, and then the messages of all channels that it
     * stands for are posted one after another, as each GPU has one proxy for all (proxy.cc). That
     * takes longer than they take to be sent if they are short.
     *
     * @param payload payload of a message, bytes
     * @param isNetwork whether it goes to another server
     * @return time from the member's decision to send until it goes
     */
    Time GetLatency(uint64_t payload, bool isNetwork) const;

    /// @return whether the first messages of a call may go later than it begins
    bool HasLatency() const;
};

/**
 * @ingroup workload-replay
 * @brief How the members of a call are spread over servers.
 */
struct CollectiveLayout
{
    uint32_t servers{1};   //!< servers with members
    uint32_t perServer{1}; //!< members of the largest of them

    /**
     * @param call a call
     * @return its layout; without placement all members stand in one server
     */
    static CollectiveLayout Of(const CollectiveCall& call);
};

/**
 * @ingroup workload-replay
 * @brief What collectives cost beside the wire, and how fast the wires are: what the automatic
 *        choice assumes and what a replay takes.
 *
 * The defaults are those that NCCL assumes on Hopper (NVIDIA/nccl, src/graph/tuning.cc,
 * version 2.30, unless another one is named). They say what happens on the GPU after the start of
 * the kernel; LaunchLatency, which is measured, stands for what happens before.
 */
class CollectiveCosts : public Object
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    CollectiveCosts();
    ~CollectiveCosts() override;

    /**
     * @param algorithm name of an algorithm; nvls-tree = NVLS in several servers
     * @param protocol a protocol
     * @return the latencies of NCCL's estimates, without the launch
     */
    CollectiveLatencies::Entry GetLatencies(const std::string& algorithm,
                                            CollectiveProtocol protocol) const;

    /**
     * @param latencies latencies of NCCL's estimates
     * @return those of messages on this fabric: with ServerLatencyScale and NetworkExtraLatency,
     *         of which the estimates know nothing, and without the propagation that the network
     *         simulates, NetworkDelay
     */
    CollectiveLatencies::Entry GetMessageLatencies(CollectiveLatencies::Entry latencies) const;

    /**
     * @param latency latency of NCCL's estimates of a message inside a server
     * @return what it is on this fabric: with ServerLatencyScale
     */
    Time ScaleServerLatency(Time latency) const;

    /**
     * @param latencies what a call waits once, and before each of its messages
     * @param protocol how it runs
     * @return what a call costs, the launch included; StepLatency and CallLatency win over
     * latencies
     */
    CollectiveTerms MakeTerms(const CollectiveLatencies::Entry& latencies,
                              CollectiveProtocol protocol) const;

    /**
     * @param [in,out] terms what a call costs: what its channels cost is added
     * @param protocol how it runs
     * @param bundle what its channels stand for
     */
    void AddBundle(CollectiveTerms& terms,
                   CollectiveProtocol protocol,
                   const ChannelBundle& bundle) const;

    /**
     * @param protocol how a ring runs
     * @return time that a proxy needs to post a message of it to the network
     */
    Time GetNetworkOverhead(CollectiveProtocol protocol) const;

    /**
     * NCCL keeps the buffers of LL in host memory (src/transport/net.cc), since its proxy has to
     * see the flags.
     *
     * @return what a GPU with a NIC beside it sends with LL to other servers, as a share of what it
     *         sends otherwise
     */
    double GetLlHostShare() const;

    /**
     * @param layout GPUs and NICs of a server
     * @return what NCCL reckons with in such servers
     */
    ServerModel MakeServerModel(const ServerDescription& layout) const;

    /**
     * @param layout where the members stand
     * @return what a ring through all members can carry in all its channels, bytes per second
     */
    double GetBusRate(const CollectiveLayout& layout) const;

    /**
     * @param layout where the members stand
     * @return most payload that LL carries, bytes per second
     */
    double GetLlMaxRate(const CollectiveLayout& layout) const;

    /**
     * @return payload as a share of what NVLink carries when its switch reduces; 0 = it cannot
     */
    double GetNvlsShare() const;

    /**
     * @return the same in several servers, above 0
     */
    double GetNvlsTreeShare() const;

  private:
    /**
     * @param text entries of the table of latencies that change
     * @throws WorkloadError if it is no such list
     */
    void SetLatencies(const std::string& text);

    /**
     * @return the table of latencies
     */
    std::string GetLatencyText() const;

    CollectiveLatencies m_latencies; //!< by algorithm and protocol
    Time m_launchLatency;            //!< of a call, before its kernel runs
    Time m_callLatency;              //!< from call to first steps; negative = the sum of both
    Time m_stepLatency;              //!< of all messages; negative = see m_latencies
    double m_llShare;                //!< payload share of LL inside a server
    double m_llNetworkShare;         //!< payload share of LL between servers
    double m_ll128Share;             //!< payload share of LL128
    double m_nvlsShare;              //!< payload share of NVLS
    double m_nvlsTreeShare;          //!< payload share of NVLS in several servers
    uint32_t m_gpuGeneration;        //!< compute capability of the GPUs times 10
    DataRate m_searchNvlinkRate;     //!< NVLink of a GPU as NCCL reckons it
    DataRate m_reductionRate;        //!< of adding what was received; 0 = not modelled
    DataRate m_nvlinkRate;           //!< of a member's NVLink
    DataRate m_nicRate;              //!< of a NIC
    Time m_networkDelay;             //!< propagation that is part of the latencies of the network
    double m_serverLatencyScale;     //!< of messages inside a server, as a multiple of NCCL's
    Time m_networkExtraLatency;      //!< of messages between servers, beyond NCCL's
    DataRate m_hostMemoryRate;       //!< of what goes through host memory to a NIC
    uint32_t m_nicsPerServer;        //!< NICs of a server; 0 = one per member
    DataRate m_llMaxRate;            //!< of LL inside a server
};

} // namespace ns3

#endif /* COLLECTIVE_COSTS_H */
