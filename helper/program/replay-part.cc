/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "replay-part.h"

#include "process-group.h"

#include "ns3/assert.h"
#include "ns3/collective-reuse.h"
#include "ns3/flow-times.h"
#include "ns3/replay-application.h"
#include "ns3/replay-helper.h"
#include "ns3/simulator.h"
#include "ns3/text-table.h"
#include "ns3/wait-report.h"

#include <algorithm>
#include <tuple>

namespace ns3
{

namespace
{

/// Most lines that say for whom ranks wait in a replay that could not finish, and what has broken.
constexpr std::size_t MOST_WAITS = 20;

/**
 * @param [in,out] to the end of it
 * @param from what is added
 */
template <typename T>
void
Append(std::vector<T>& to, const std::vector<T>& from)
{
    to.insert(to.end(), from.begin(), from.end());
}

} // namespace

ReplayPart::ReplayPart(const NetworkedJob& job)
    : hasFinished(std::all_of(
          job.ranks.Begin(),
          job.ranks.End(),
          [](const auto& rank) { return DynamicCast<ReplayApplication>(rank)->IsFinished(); })),
      end(Simulator::Now()),
      failures(job.fabric->GetFailures()),
      waits(ReplayHelper::ListWaits(job.ranks)),
      portWaits(job.fabric->ListPortWaits()),
      links(job.fabric->CountLinks()),
      retransmissions(job.fabric->GetRetransmissions()),
      sendingPorts(job.fabric->ListSendingPorts()),
      timeouts(job.fabric->GetTimeouts()),
      messages(job.statistics->GetMessages()),
      rankMessages(job.statistics->GetRankMessages())
{
    for (auto rank = job.ranks.Begin(); rank != job.ranks.End(); ++rank)
    {
        unreceived += DynamicCast<ReplayApplication>(*rank)->GetReceived().unclaimed;
    }
}

void
ReplayPart::Add(const ReplayPart& other)
{
    hasFinished = hasFinished && other.hasFinished;
    end = Max(end, other.end);
    interruption = interruption.empty() ? other.interruption : interruption;
    Append(faults, other.faults);
    Append(failures, other.failures);
    Append(waits, other.waits);
    // In the order in which one process would list them.
    std::stable_sort(waits.begin(), waits.end(), [](const WaitRecord& a, const WaitRecord& b) {
        return a.rank < b.rank;
    });
    Append(portWaits, other.portWaits);
    // No two processes have one port.
    links.insert(other.links.begin(), other.links.end());
    retransmissions += other.retransmissions;
    sendingPorts.insert(other.sendingPorts.begin(), other.sendingPorts.end());
    timeouts.Add(other.timeouts);
    messages += other.messages;
    rankMessages += other.rankMessages;
    Append(costs, other.costs);
    Append(flows, other.flows);
    unreceived += other.unreceived;
}

NetworkTotals
ReplayPart::GetTotals(const std::vector<LinkUse>& uses) const
{
    NetworkTotals totals;
    totals.retransmittedPackets = retransmissions;
    totals.timeouts = timeouts;
    for (const auto& use : uses)
    {
        // A packet is counted where it begins, ports count it at each hop.
        totals.packets += use.isHost ? use.packets : 0;
        totals.ports += use;
    }
    return totals;
}

std::vector<std::string>
ReplayPart::FindReasons() const
{
    if (!faults.empty())
    {
        // The earliest, and of several at one time the lowest rank: the same whichever process had
        // it.
        const auto first =
            std::min_element(faults.begin(), faults.end(), [](const Fault& a, const Fault& b) {
                return std::tie(a.time, a.rank) < std::tie(b.time, b.rank);
            });
        return {first->message};
    }
    auto reasons = SummarizeWaits(waits, MOST_WAITS);
    if (!reasons.empty())
    {
        // A network that has stopped fails in as many places as there are queue pairs.
        std::vector<std::string> named(failures.begin(),
                                       failures.begin() + std::min(failures.size(), MOST_WAITS));
        if (named.size() < failures.size())
        {
            named.push_back("and " + std::to_string(failures.size() - named.size()) +
                            " more of these");
        }
        reasons.insert(reasons.begin(), named.begin(), named.end());
    }
    return reasons;
}

std::vector<std::string>
ReplayPart::DescribeFailure(const std::string& program, const TopologyGraph& graph) const
{
    if (hasFinished && faults.empty())
    {
        return {};
    }
    // An interruption is its own reason, unless something was wrong before.
    if (!interruption.empty() && faults.empty())
    {
        return {program + ": error: the replay was " + interruption};
    }
    std::vector<std::string> lines{program + ": error: the replay could not finish"};
    // Ports that wait for each other say why ranks wait.
    if (faults.empty())
    {
        const auto deadlocks = DescribeDeadlocks(graph);
        Append(lines, deadlocks);
        if (!deadlocks.empty())
        {
            lines.push_back("no packets wait so on virtual channels (--routing=ugal, by packets); "
                            "less often where senders slow down before buffers are full (--cc), "
                            "with larger buffers (ns3::RdmaSwitch::BufferSize) or a watchdog "
                            "(ns3::RdmaSwitch::Watchdog=drop)");
        }
    }
    Append(lines, FindReasons());
    return lines;
}

std::vector<std::string>
ReplayPart::ListIncidents(const ReplayResult& result) const
{
    std::vector<std::string> incidents;
    if (result.network.ports.storms > 0)
    {
        incidents.push_back("PFC watchdogs have acted " +
                            std::to_string(result.network.ports.storms) +
                            " times: packets were paused for "
                            "ns3::RdmaSwitch::WatchdogDetectionTime (pfc_storms in links.csv)");
    }
    if (result.complete && unreceived > 0)
    {
        incidents.push_back(FormatCount(unreceived, "message") +
                            (unreceived == 1 ? " has" : " have") +
                            " arrived that no op receives: the workload sends more than it takes");
    }
    return incidents;
}

ReplayResult
ReplayPart::MakeResult(const NetworkedJob& job,
                       const std::vector<std::string>& jobNames,
                       const RunCost& cost) const
{
    ReplayResult result;
    result.complete = hasFinished && faults.empty();
    result.interruption = interruption;
    result.statistics = job.statistics;
    for (std::size_t i = 0; i < job.jobStatistics.size(); ++i)
    {
        result.jobs.push_back({jobNames.at(i), job.jobStatistics[i], {}});
    }
    // A replay that stops early has no time of all iterations; its links carried until the end.
    result.duration = result.complete ? result.statistics->GetTotalTime() : end;
    result.fabric = job.fabric->Describe();
    // The first process has the counters of all.
    if (ProcessGroup::IsFirst())
    {
        result.links = job.fabric->ListLinks(links);
        result.network = GetTotals(result.links);
    }
    result.series = series;
    result.flows = ClassifyFlows(flows);
    // Of ranks that were interrupted, waits mean nothing.
    if (interruption.empty())
    {
        result.waits = waits;
    }
    result.assumptions = ListIncidents(result);
    result.run = cost;
    if (job.reuse)
    {
        result.run.simulatedCollectives = job.reuse->GetN(CollectiveReuse::SIMULATED);
        result.run.reusedCollectives = job.reuse->GetN(CollectiveReuse::REUSED);
        result.run.observedCollectives = job.reuse->GetNObserved();
        result.run.interruptedCollectives = job.reuse->GetN(CollectiveReuse::RESIMULATED);
    }
    if (costs.size() > 1)
    {
        result.run.SetProcesses(costs);
    }
    return result;
}

std::vector<std::string>
ReplayPart::DescribeDeadlocks(const TopologyGraph& graph) const
{
    std::vector<std::string> lines;
    for (const auto& deadlock : FindDeadlocks(portWaits))
    {
        lines.push_back(DescribeDeadlock(deadlock, graph));
    }
    return lines;
}

} // namespace ns3
