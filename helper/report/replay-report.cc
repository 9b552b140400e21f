/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "replay-report.h"

#include "replay-report-tables.h"
#include "text-table.h"

#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

namespace ns3
{

namespace
{

/**
 * Print a line of a list of facts, continued below itself if it is long.
 *
 * @param os where to
 * @param head what it is about
 * @param text the facts
 */
void
PrintFact(std::ostream& os, const std::string& head, const std::string& text)
{
    constexpr std::size_t column = 12;
    const std::string indent(column, ' ');
    PrintHanging(os, head + indent.substr(head.size()), indent, text);
}

/**
 * @param layout the shape of a job
 * @return its ranks, and its dimensions of more than one
 */
std::string
DescribeLayout(const ParallelLayout& layout)
{
    const std::pair<const char*, uint32_t> parts[] = {{"tp", layout.tp},
                                                      {"cp", layout.cp},
                                                      {"ep", layout.ep},
                                                      {"dp", layout.dp},
                                                      {"pp", layout.pp},
                                                      {"microbatches", layout.microbatches}};
    std::string text = FormatCount(layout.world, "rank");
    std::string separator = " (";
    for (const auto& [name, count] : parts)
    {
        if (count > 1)
        {
            text += separator + name + " " + std::to_string(count);
            separator = ", ";
        }
    }
    return separator == ", " ? text + ")" : text;
}

/**
 * @param workload a job
 * @return how its passes are ordered; empty if there is only one way
 */
std::string
DescribeOrder(const Workload& workload)
{
    const auto& schedule = workload.GetScheduleName();
    const auto& order = workload.GetOrder();
    return (schedule.empty() ? "" : ", schedule " + schedule) +
           (order.empty() ? "" : ", order " + order);
}

/**
 * Print what was replayed and on what.
 *
 * @param os where to
 * @param result the result
 */
void
PrintHead(std::ostream& os, const ReplayResult& result)
{
    const Workload& workload = result.statistics->GetWorkload();
    PrintFact(os,
              "workload",
              workload.GetFile() + ", " + workload.GetFormat() + ", " +
                  DescribeLayout(workload.GetLayout()) + DescribeOrder(workload));
    PrintFact(os, "network", FormatNetwork(result.fabric));
}

/**
 * Print how long the iterations took.
 *
 * @param os where to
 * @param result the result
 */
void
PrintIterations(std::ostream& os, const ReplayResult& result)
{
    const auto times = result.statistics->GetIterationTimes();
    os << "\n";
    if (!result.complete)
    {
        os << "INCOMPLETE: "
           << (result.interruption.empty() ? "the replay could not finish" : result.interruption)
           << "; below is what was done by then\n";
    }
    if (times.empty())
    {
        os << "no iteration was finished by all ranks\n";
        return;
    }
    const Time sum = std::accumulate(times.begin(), times.end(), Time());
    const double mean = sum.GetSeconds() * 1e3 / static_cast<double>(times.size());
    os << "iteration time  " << FormatFixed(mean, 3) << " ms";
    if (times.size() > 1)
    {
        const auto [least, most] = std::minmax_element(times.begin(), times.end());
        os << ", the mean of " << times.size() << " (first " << FormatMs(times[0]) << ", least "
           << FormatMs(*least) << ", most " << FormatMs(*most) << ")";
    }
    os << "\n";
}

/**
 * Print what the numbers rest on.
 *
 * @param os where to
 * @param result the result
 */
void
PrintAssumptions(std::ostream& os, const ReplayResult& result)
{
    auto assumptions = result.assumptions;
    if (result.network.packets > 0)
    {
        assumptions.push_back("headers leave " + FormatFixed(100 * result.fabric.goodputShare, 2) +
                              " % of a link's rate to the workload");
    }
    if (assumptions.empty())
    {
        return;
    }
    os << "\nassumed\n";
    for (const auto& assumption : assumptions)
    {
        PrintHanging(os, "  - ", "    ", assumption);
    }
}

/**
 * Print what the replay cost.
 *
 * @param os where to
 * @param result the result
 */
void
PrintCost(std::ostream& os, const ReplayResult& result)
{
    const RunCost& run = result.run;
    const double hops = static_cast<double>(result.network.packetHops);
    std::string text = FormatFixed(run.wallSeconds, 2) + " s wall clock, " +
                       FormatFixed(run.cpuSeconds, 2) + " s CPU, " +
                       FormatFixed(static_cast<double>(run.peakMemory) / 1048576, 0) +
                       " MiB peak memory, " + FormatCount(run.events, "event");
    if (hops > 0 && run.cpuSeconds > 0)
    {
        text += ", " + std::to_string(result.network.packetHops) + " packet-hops (" +
                FormatFixed(hops / run.cpuSeconds / 1e6, 3) + " million per CPU second)";
    }
    os << "\n";
    PrintFact(os, "run cost", text);
}

} // namespace

std::string
FormatNetwork(const FabricDescription& fabric)
{
    std::string network = fabric.topology + ", " + FormatCount(fabric.nodes, "node") + ", " +
                          FormatCount(fabric.links, "link") + "; transport " + fabric.transport;
    network += fabric.cc.empty() ? "" : " (" + fabric.cc + ")";
    network += fabric.mtu == 0 ? "" : ", MTU " + FormatCount(fabric.mtu, "byte");
    network +=
        fabric.maxTrain < 2 ? "" : ", trains of up to " + FormatCount(fabric.maxTrain, "packet");
    return network;
}

void
PrintReplayReport(std::ostream& os, const ReplayResult& result)
{
    PrintHead(os, result);
    PrintIterations(os, result);
    if (result.statistics->HasIterations())
    {
        PrintAccount(os, *result.statistics);
        PrintSlowestRanks(os, *result.statistics);
    }
    PrintBusiestLinks(os, result);
    PrintCollectives(os, *result.statistics);
    PrintAssumptions(os, result);
    PrintCost(os, result);
}

} // namespace ns3
