/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef REPLAY_PART_H
#define REPLAY_PART_H

#include "networked-job.h"

#include "ns3/replay-records.h"
#include "ns3/replay-result.h"
#include "ns3/replay-statistics.h"

#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief What a process can report of a replay when it is over. That of the whole is put together
 * from those of all processes, and is the same as if there were one.
 */
struct ReplayPart
{
    /// Two ranks contradict each other.
    struct Fault
    {
        Time time;           //!< when a rank noticed
        uint32_t rank{0};    //!< the rank
        std::string message; //!< one line that names both

        /**
         * @param record what is visited, const or not
         * @param visit is given each member
         */
        template <typename R, typename V>
        static void Visit(R& record, const V& visit)
        {
            visit(record.time);
            visit(record.rank);
            visit(record.message);
        }
    };

    /// Of a process that has nothing to report.
    ReplayPart() = default;

    /**
     * @param job what this process has simulated
     */
    explicit ReplayPart(const NetworkedJob& job);

    /**
     * @param part what is visited, const or not
     * @param visit is given each member but the series, which MergeProcesses() puts together
     */
    template <typename P, typename V>
    static void Visit(P& part, const V& visit)
    {
        visit(part.hasFinished);
        visit(part.end);
        visit(part.interruption);
        visit(part.faults);
        visit(part.failures);
        visit(part.waits);
        visit(part.portWaits);
        visit(part.links);
        visit(part.retransmissions);
        visit(part.sendingPorts);
        visit(part.timeouts);
        visit(part.messages);
        visit(part.rankMessages);
        visit(part.costs);
        visit(part.flows);
        visit(part.unreceived);
    }

    /**
     * Add what another process reports.
     *
     * @param other what it reports
     */
    void Add(const ReplayPart& other);

    /**
     * @param uses every direction of every link, see ReplayFabric::ListLinks()
     * @return what the network has done
     */
    NetworkTotals GetTotals(const std::vector<LinkUse>& uses) const;

    /**
     * @return why not all ranks have finished, one line each; empty if they have. Of contradictions
     *         the first one counts: what comes after it may follow from it.
     */
    std::vector<std::string> FindReasons() const;

    /**
     * @param graph the topology
     * @return ports that wait for each other in a circle, one line for each circle
     */
    std::vector<std::string> DescribeDeadlocks(const TopologyGraph& graph) const;

    /**
     * Say why the replay has not finished.
     *
     * @param program name of the program
     * @param graph the topology
     * @return one line for each reason; empty if it has
     */
    std::vector<std::string> DescribeFailure(const std::string& program,
                                             const TopologyGraph& graph) const;

    /**
     * Put together what reports say, but for what the results rest on besides what is known here,
     * and for background traffic.
     *
     * @param job what was simulated
     * @param jobNames names of its jobs; empty = there is one
     * @param cost what it has cost
     * @return the result; of links in the first process alone, which writes them
     */
    ReplayResult MakeResult(const NetworkedJob& job,
                            const std::vector<std::string>& jobNames,
                            const RunCost& cost) const;

    /**
     * @param result what is known of the whole
     * @return what users should know of it, one sentence each
     */
    std::vector<std::string> ListIncidents(const ReplayResult& result) const;

    bool hasFinished{true};              //!< all its ranks have
    Time end;                            //!< when its last event was
    std::string interruption;            //!< when it was stopped; empty = never
    std::vector<Fault> faults;           //!< contradictions between ranks
    std::vector<std::string> failures;   //!< what has broken in the network
    std::vector<WaitRecord> waits;       //!< what its unfinished ranks wait for
    std::vector<RdmaPortWait> portWaits; //!< which ports hold others up
    ReplayFabric::LinkCounts links;      //!< what its ports have counted
    uint64_t retransmissions{0};         //!< packets that hosts have sent again
    std::set<uint32_t> sendingPorts;     //!< see ReplayFabric::ListSendingPorts()
    TimeoutCounts timeouts;              //!< waits of hosts for acknowledgements in vain
    MessageTotals messages;              //!< arrived anywhere
    MessageTotals rankMessages;          //!< arrived at ranks
    std::vector<ProcessCost> costs;      //!< what it has cost, by process
    std::vector<FlowTime> flows;         //!< of a workload of flows
    uint64_t unreceived{0};              //!< messages that no op of its ranks receives
    std::shared_ptr<TimeSeries>
        series; //!< what was seen over time, see MergeProcesses(); null = nothing
};

} // namespace ns3

#endif /* REPLAY_PART_H */
