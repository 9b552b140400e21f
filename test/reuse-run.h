/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef REUSE_RUN_H
#define REUSE_RUN_H

#include "ns3/collective-reuse.h"
#include "ns3/node-container.h"
#include "ns3/nstime.h"
#include "ns3/rdma-fabric-helper.h"
#include "ns3/replay-application.h"
#include "ns3/simulator.h"
#include "ns3/workload.h"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace ns3
{

/// @ingroup workload-replay-tests
/// What the ranks of a ReuseRun send by.
struct ReuseTransports
{
    std::vector<Ptr<MessageTransport>> ranks; //!< by rank
    Ptr<RdmaNetwork> network;                 //!< of packets; null = there are none
};

/// @ingroup workload-replay-tests
/// What a ReuseRun is about.
struct ReuseScenario
{
    std::string name;               //!< name
    bool isIdeal{false};            //!< without packets
    bool isFluid{false};            //!< as a fluid
    std::vector<uint64_t> calls;    //!< bytes of the all-reduces that each server makes
    std::vector<uint32_t> lateness; //!< by rank: us before each call; shorter = 10
    std::function<void(const ReuseTransports&)> disturb; //!< what happens beside; empty = nothing
    uint64_t simulated{0};     //!< collectives simulated, by hand; 0 = those whose bytes or gaps
                               //!< between members have not been there before
    uint64_t twice{0};         //!< simulated once more, as who led was disturbed
    uint64_t madeUp{0};        //!< of these: simulated after all
    bool acrossServers{false}; //!< members of a call stand in different servers
    bool inPairs{false};       //!< calls are of two ranks each, whose servers nobody knows
    bool catchesUp{true};      //!< the simulator can go back, without which nothing is reused
    bool isTree{false};        //!< calls go by trees, which some members leave before others
    bool isNvls{false};        //!< calls are reduced in the servers' NVSwitches
    bool waits{true};          //!< a member ends a call before it begins the next one
    std::pair<uint32_t, uint32_t> pair; //!< ranks of a server of which the first one sends the
                                        //!< other a message beside calls; equal = none do
    uint32_t stop{0};                   //!< us after which ranks do nothing more; 0 = never
    uint32_t maxTrain{1};               //!< most packets of a train
    uint32_t nvSwitches{1};             //!< NVSwitches of each server
    bool overlaps{false}; //!< calls begin before others end: who may reuse what is left open
};

/// @ingroup workload-replay-tests
/// What came of a ReuseRun.
struct ReuseOutcome
{
    std::map<std::pair<uint32_t, uint32_t>, Time> starts; //!< of each rank's calls
    std::map<std::pair<uint32_t, uint32_t>, Time> ends;   //!< of each rank's calls
    std::vector<uint64_t> received;                       //!< by rank, bytes
    std::vector<PortCounters> ports;                      //!< of all links, both ends
    /// Messages at ranks, those spared included, by source, destination, bytes, duration.
    std::map<std::tuple<uint32_t, uint32_t, uint64_t, Time>, uint64_t> messages;
    uint64_t counts[CollectiveReuse::NOTHING]{}; //!< by treatment
    uint64_t observed{0};                        //!< calls simulated as somebody listens
};

/**
 * @ingroup workload-replay-tests
 * @brief A job of collectives that may be reused, beside which something happens.
 */
class ReuseRun
{
  public:
    /// Ranks in each server.
    static constexpr uint32_t SERVER = 4;

    /// Servers, all at one switch.
    static constexpr uint32_t SERVERS = 3;

    /// Ranks.
    static constexpr uint32_t WORLD = SERVERS * SERVER;

    /**
     * @param scenario what to run
     * @param reuses whether collectives are reused
     */
    ReuseRun(const ReuseScenario& scenario, bool reuses);

    /**
     * @param scenario what to run
     * @return number of groups of ranks that make calls
     */
    static uint32_t CountGroups(const ReuseScenario& scenario);

    ReuseOutcome outcome; //!< what came of it

  private:
    /**
     * @param scenario what to run
     * @return the job
     */
    static std::shared_ptr<Workload> MakeWorkload(const ReuseScenario& scenario);

    /**
     * @param scenario what to run
     * @param graph the fabric, of which to make hosts and their transports
     * @param reuses whether to look at what they send
     */
    void Install(const ReuseScenario& scenario, const TopologyGraph& graph, bool reuses);

    /**
     * @param record a collective that a rank has finished
     */
    void Note(const CollectiveRecord& record)
    {
        outcome.starts[{record.rank, record.sequence}] = record.arrival;
        outcome.ends[{record.rank, record.sequence}] = record.end;
    }

    /**
     * @param message a message that has arrived
     */
    void Count(const Message& message)
    {
        const Time duration = Simulator::Now() - message.postedAt;
        ++outcome.messages[{message.source, message.destination, message.bytes, duration}];
    }

    /**
     * @param communicator its communicator
     * @param messages messages that were spared
     */
    void CountSkipped(uint32_t communicator [[maybe_unused]],
                      const PortIsolation::MessageGroup& messages)
    {
        outcome
            .messages[{messages.source, messages.destination, messages.bytes, messages.duration}] +=
            messages.count;
    }

    NodeContainer m_hosts;                                 //!< by rank
    NodeContainer m_switches;                              //!< NVSwitches that take part
    std::vector<Ptr<MessageTransport>> m_switchTransports; //!< what these send by
    ReuseTransports m_transports;                          //!< what they send by
    Ptr<PortIsolation> m_isolation;                        //!< knows what they send
};

} // namespace ns3

#endif /* REUSE_RUN_H */
