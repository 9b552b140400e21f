/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "network-troubles.h"

#include "networked-job.h"
#include "replay-part.h"
#include "transport-kind.h"

#include "ns3/input-values.h"
#include "ns3/text-table.h"
#include "ns3/workload-error.h"

#include <cstddef>
#include <cstdint>
#include <utility>

namespace ns3
{

namespace
{

/**
 * @param links what directions of links have seen
 * @param timeoutAttribute attribute that says how long senders wait
 * @return why packets were dropped, a sentence; empty = none was
 */
std::vector<std::string>
ListLosses(const std::vector<LinkUse>& links, const std::string& timeoutAttribute)
{
    PortCounters sum;
    for (const auto& use : links)
    {
        sum += use;
    }
    if (sum.drops == 0)
    {
        return {};
    }
    // The number of drops includes those of the other causes.
    const auto room = sum.drops - sum.errorDrops - sum.linkDrops - sum.stormDrops;
    const std::vector<std::pair<uint64_t, std::string>> counts{
        {sum.errorDrops, " at links that lose some at random"},
        {sum.linkDrops, " at links that were down"},
        {sum.stormDrops, " by the watchdog of pauses"},
        {room, " where there was no room"}};
    std::vector<std::string> causes;
    for (const auto& [count, cause] : counts)
    {
        if (count > 0)
        {
            causes.push_back(FormatCount(count, "packet") + cause);
        }
    }
    // What other transports do about losses is no choice of theirs.
    const bool isRdma = BeginsWith(timeoutAttribute, "ns3::RdmaNic::");
    return {"lost were " + JoinWords(causes) +
            (isRdma ? "; with --ns3::RdmaNic::LossRecovery=selective-repeat only these are sent "
                      "again, with a shorter --" +
                          timeoutAttribute + " sooner"
                    : "")};
}

/**
 * @param links what directions of links have seen
 * @param duration how long the run was
 * @return how long flow control has kept ports from sending, a sentence; empty = for less than 1 %
 *         of the time
 */
std::vector<std::string>
ListPauses(const std::vector<LinkUse>& links, Time duration)
{
    // A hundredth of the time: less of it shows nowhere.
    const Time least = duration / 100;
    std::size_t paused = 0;
    const LinkUse* longest = nullptr;
    for (const auto& use : links)
    {
        if (use.paused.IsStrictlyPositive() && use.paused >= least)
        {
            ++paused;
            longest = longest && longest->paused >= use.paused ? longest : &use;
        }
    }
    if (!longest)
    {
        return {};
    }
    const double share = 100 * longest->paused.GetSeconds() / duration.GetSeconds();
    return {FormatCount(paused, "port") + " of " + std::to_string(links.size()) +
            " could not send for 1 % of the time or more, as flow control paused them: most " +
            longest->from + " -> " + longest->to + ", " + FormatMs(longest->paused) + " ms (" +
            FormatFixed(share, 0) +
            " %); senders that slow down earlier cause fewer pauses (--cc, or marks from shorter "
            "queues on)"};
}

/**
 * @param statistics what ranks have done
 * @param algorithms how collectives are done
 * @param [in,out] use receives what the all-to-alls among it have taken, and what mends what they
 *                 leave unused
 */
void
AddExchanges(const ReplayStatistics& statistics,
             const CollectiveSelection& algorithms,
             NetworkUse& use)
{
    Time longest;
    Time sum;
    for (const auto& [key, counted] : statistics.GetCollectives())
    {
        if (key.kind != CollectiveKind::ALL_TO_ALL)
        {
            continue;
        }
        sum += counted.total * key.ranks;
        // In reports a protocol may follow the name.
        const auto name = key.algorithm.substr(0, key.algorithm.find('/'));
        const auto* const algorithm = algorithms.Find(key.kind, name);
        CollectiveCall call;
        call.kind = key.kind;
        call.bytes = key.bytes;
        call.size = key.ranks;
        const auto option = algorithm ? algorithm->GetAllAtOnceOption(call) : "";
        if (!option.empty() && counted.total > longest)
        {
            longest = counted.total;
            use.peerRemedy = "members exchange with few others at the same time; --" + option +
                             " has all at once";
        }
    }
    use.exchanging = sum / std::max(1U, statistics.GetNRanks());
}

} // namespace

std::vector<std::string>
ListTroubles(const NetworkUse& use,
             const std::vector<LinkUse>& links,
             const std::string& timeoutAttribute)
{
    auto sentences = ListUnusedLinks(use);
    for (const auto& more : {ListLosses(links, timeoutAttribute), ListPauses(links, use.duration)})
    {
        sentences.insert(sentences.end(), more.begin(), more.end());
    }
    return sentences;
}

std::vector<std::string>
ListTroubles(const NetworkOptions& options,
             const TopologyGraph& graph,
             const NetworkedJob& job,
             const ReplayPart& part)
{
    const auto kind = TransportKind::Get(options);
    const Time duration = job.statistics->GetTotalTime();
    NetworkUse use{graph, part.sendingPorts, part.links, duration, "", "", "", {}, ""};
    AddExchanges(*job.statistics, *CreateAlgorithms(options), use);
    // Where hosts relay, their ports lead different ways.
    if (!graph.HostsRelay())
    {
        const auto option = kind->GetAllPortsOption();
        use.portRemedy = "a message uses one port of its NIC" +
                         (option.empty() ? "" : "; " + option + " uses all");
    }
    const auto option = kind->GetAllPathsOption(options);
    if (!option.empty())
    {
        use.pathRemedy = "a flow keeps to one of the shortest paths; " + option + " uses all";
    }
    const auto detours = kind->GetDetoursOption(options);
    if (!detours.empty())
    {
        use.detourRemedy = "messages take shortest paths; " + detours + " takes others, too";
    }
    return ListTroubles(use,
                        job.fabric->ListLinks(part.links),
                        job.fabric->Describe().timeoutAttribute);
}

} // namespace ns3
