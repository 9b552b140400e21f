/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef REPLAY_RESULT_H
#define REPLAY_RESULT_H

#include "time-series.h"

#include "ns3/nstime.h"
#include "ns3/port-counters.h"
#include "ns3/replay-records.h"
#include "ns3/replay-statistics.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief What the ranks ran on.
 */
struct FabricDescription
{
    std::string topology;         //!< as the user wrote it; of auto also what it has chosen
    uint32_t nodes{0};            //!< hosts and switches
    uint32_t links{0};            //!< links; each counts once for its two directions
    std::string transport;        //!< kind of transport
    std::string cc;               //!< congestion control; empty = none
    std::string routing;          //!< how a packet's path is chosen; empty = there are no packets
    uint32_t mtu{0};              //!< largest packet, bytes; 0 = there are no packets
    uint32_t maxTrain{0};         //!< largest packet train, packets; 0 = there are no packets
    double goodputShare{1};       //!< what headers leave of a link's rate, of 1
    std::string timeoutAttribute; //!< what says how long senders wait; empty = they do not
    std::vector<std::string> warnings; //!< what the user should know of it, one line each
};

/**
 * @ingroup workload-replay
 * @brief One direction of a link, and what it has seen.
 */
struct LinkUse : PortCounters
{
    std::string from;   //!< name of the sending node
    std::string to;     //!< name of the receiving node
    uint64_t rate{0};   //!< bit/s
    uint32_t link{0};   //!< number of the link, counted from 0; the same for both directions
    bool isHost{false}; //!< the sending node is a host
};

/**
 * @ingroup workload-replay
 * @brief How often senders have waited for an acknowledgement in vain, and for how long.
 */
struct TimeoutCounts
{
    uint64_t count{0}; //!< how often
    Time least;        //!< the shortest wait; 0 = there was none
    Time most;         //!< the longest wait; 0 = there was none

    /**
     * @param other others
     */
    void Add(const TimeoutCounts& other)
    {
        least = count == 0 ? other.least : other.count == 0 ? least : Min(least, other.least);
        most = Max(most, other.most);
        count += other.count;
    }

    /**
     * @param record what is visited, const or not
     * @param visit is given each member
     */
    template <typename R, typename V>
    static void Visit(R& record, const V& visit)
    {
        visit(record.count);
        visit(record.least);
        visit(record.most);
    }
};

/**
 * @ingroup workload-replay
 * @brief What the network did in all. 0 where a transport knows no such thing.
 */
struct NetworkTotals
{
    PortCounters ports;               //!< sum over the ports of hosts and switches
    uint64_t packets{0};              //!< packets sent by hosts
    uint64_t retransmittedPackets{0}; //!< packets that a host sent again
    TimeoutCounts timeouts;           //!< retransmission timeouts of hosts
};

/**
 * @ingroup workload-replay
 * @brief How long background flows took.
 */
struct BackgroundTotals
{
    uint64_t started{0};    //!< flows that have begun
    uint64_t finished{0};   //!< those that have arrived
    uint64_t bytes{0};      //!< payload of the latter
    Time mean;              //!< mean completion time; 0 = none has arrived
    Time median;            //!< half of them took no longer
    Time high;              //!< 99 % of them took no longer
    double meanSlowdown{0}; //!< mean of completion time over that of an empty network
    double highSlowdown{0}; //!< 99 % of them were slowed down no more
};

/**
 * @ingroup workload-replay
 * @brief How long a flow took.
 */
struct FlowTime
{
    uint64_t bytes{0};  //!< payload
    Time time;          //!< from its beginning to the arrival of its last byte
    double slowdown{0}; //!< the same over that of an empty network

    /**
     * @param record what is visited, const or not
     * @param visit is given each member
     */
    template <typename R, typename V>
    static void Visit(R& record, const V& visit)
    {
        visit(record.bytes);
        visit(record.time);
        visit(record.slowdown);
    }
};

/**
 * @ingroup workload-replay
 * @brief How long flows of a job took that are alike in size.
 */
struct FlowClass
{
    uint64_t most{0};       //!< most bytes of a flow of the class
    uint64_t count{0};      //!< flows
    uint64_t bytes{0};      //!< payload of all
    Time mean;              //!< mean completion time
    Time median;            //!< half of them took no longer
    Time high;              //!< 99 % of them took no longer
    Time longest;           //!< all of them took no longer
    double meanSlowdown{0}; //!< mean of completion time over that of an empty network
    double highSlowdown{0}; //!< 99 % of them were slowed down no more
};

/**
 * @ingroup workload-replay
 * @brief What a replay cost one of the processes that simulated it together.
 */
struct ProcessCost
{
    double cpuSeconds{0};     //!< processor time of the simulation, s, waits for others included
    uint64_t events{0};       //!< simulator events
    uint64_t peakMemory{0};   //!< largest resident set, bytes
    Time lookAhead{};         //!< how far it could run ahead of the others; 0 = there are none
    uint64_t windows{0};      //!< times that it had to hear from the others before it could go on
    uint64_t messages{0};     //!< MPI messages that it has sent
    uint64_t messageBytes{0}; //!< bytes in them

    /**
     * @param record what is visited, const or not
     * @param visit is given each member
     */
    template <typename R, typename V>
    static void Visit(R& record, const V& visit)
    {
        visit(record.cpuSeconds);
        visit(record.events);
        visit(record.peakMemory);
        visit(record.lookAhead);
        visit(record.windows);
        visit(record.messages);
        visit(record.messageBytes);
    }
};

/**
 * @ingroup workload-replay
 * @brief What a replay cost the machine it ran on, and what it takes to repeat it.
 */
struct RunCost
{
    double wallSeconds{0};              //!< wall clock time of the simulation, s
    double cpuSeconds{0};               //!< processor time of the simulation, s
    uint64_t events{0};                 //!< simulator events
    uint64_t peakMemory{0};             //!< largest resident set of all processes, bytes
    uint64_t seed{0};                   //!< RngSeed
    uint64_t rngRun{0};                 //!< RngRun
    std::string moduleVersion;          //!< version of this module
    std::string ns3Version;             //!< version of ns-3
    std::vector<ProcessCost> processes; //!< of each process

    // What CollectiveReuse did; all 0 = nothing was to be reused.
    uint64_t simulatedCollectives{0};   //!< collectives whose packets were simulated
    uint64_t reusedCollectives{0};      //!< collectives that were known from an equal one
    uint64_t observedCollectives{0};    //!< collectives simulated as sinks listen to them
    uint64_t interruptedCollectives{0}; //!< of these: whose packets were simulated after all, since
                                        //!< others came to use their ports

    /**
     * @param costs what each process reports; the whole is then their sum
     */
    void SetProcesses(const std::vector<ProcessCost>& costs)
    {
        processes = costs;
        cpuSeconds = 0;
        events = 0;
        peakMemory = 0;
        for (const auto& cost : costs)
        {
            cpuSeconds += cost.cpuSeconds;
            events += cost.events;
            peakMemory += cost.peakMemory;
        }
    }
};

/**
 * @ingroup workload-replay
 * @brief What one of several jobs did.
 */
struct JobResult
{
    std::string name;                                   //!< distinguishes it from the others
    std::shared_ptr<const ReplayStatistics> statistics; //!< what its ranks did; not null
    std::vector<Time> alone; //!< times of its iterations in the same network without the others;
                             //!< empty = not known
};

/**
 * @ingroup workload-replay
 * @brief All that the reports of a replay say.
 */
struct ReplayResult
{
    bool complete{false};                               //!< all ranks have finished
    std::string interruption;                           //!< when it was stopped; empty = never
    std::shared_ptr<const ReplayStatistics> statistics; //!< what the ranks did; not null
    std::vector<JobResult> jobs;                        //!< the same by job; empty = there is one
    Time duration{};                                    //!< what was simulated
    FabricDescription fabric;                           //!< what they ran on
    std::shared_ptr<const TimeSeries> series;           //!< what was seen over time; null = nothing
    std::vector<LinkUse> links;                         //!< by direction; empty = not counted
    NetworkTotals network;                              //!< what the network did
    std::optional<BackgroundTotals> background;         //!< traffic beside the jobs; absent = none
    std::vector<FlowClass> flows;         //!< of a workload of flows, by size; else empty
    std::vector<WaitRecord> waits;        //!< what ranks wait for that have not finished
    std::vector<std::string> assumptions; //!< what was assumed, one sentence each
    RunCost run;                          //!< what the replay cost
};

} // namespace ns3

#endif /* REPLAY_RESULT_H */
