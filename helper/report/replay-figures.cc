/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "replay-figures.h"

#include "output-text.h"
#include "text-table.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace ns3
{

namespace
{

/**
 * @param key name in summary.json
 * @param value what summary.json has
 * @param text what a sentence of the report has
 * @return the figure
 */
Figure
MakePhrase(const std::string& key, Figure::Value value, const std::string& text = "")
{
    return {key, "", std::move(value), text};
}

/**
 * @param text words that only the report has
 * @return the figure
 */
Figure
MakeWords(const std::string& text)
{
    return {"", "", "", text};
}

/**
 * @param key name in summary.json
 * @param label heading in the report
 * @param text a text
 * @return the figure
 */
Figure
MakeText(const std::string& key, const std::string& label, const std::string& text)
{
    return {key, label, text, text};
}

/**
 * @param key name in summary.json
 * @param label heading in the report
 * @param number a whole number
 * @return the figure
 */
Figure
MakeNumber(const std::string& key, const std::string& label, uint64_t number)
{
    return {key, label, number, std::to_string(number)};
}

/**
 * @param key name in summary.json, without its unit
 * @param label heading in the report, without its unit
 * @param time a time
 * @return the figure
 */
Figure
MakeTime(const std::string& key, const std::string& label, Time time)
{
    return {key + "_ns", label + ", ms", ToNanoseconds(time), FormatMs(time)};
}

/**
 * @param key name in summary.json
 * @param label heading in the report
 * @param ratio a ratio
 * @return the figure
 */
Figure
MakeRatio(const std::string& key, const std::string& label, double ratio)
{
    return {key, label, ratio, FormatFixed(ratio, 2)};
}

/**
 * @param time a time
 * @return it in s, or in ms if it is shorter
 */
std::string
FormatWait(Time time)
{
    return time < Seconds(1) ? FormatMs(time) + " ms" : FormatFixed(time.GetSeconds(), 3) + " s";
}

/**
 * @param timeouts waits in vain
 * @param attribute what says how long they are
 * @return them in words; empty = there are none
 */
std::string
DescribeTimeouts(const TimeoutCounts& timeouts, const std::string& attribute)
{
    if (timeouts.count == 0)
    {
        return "";
    }
    const auto least = FormatWait(timeouts.least);
    const auto most = FormatWait(timeouts.most);
    return FormatCount(timeouts.count, "retransmission timeout") + " of " + least +
           (most == least ? "" : " to " + most) + " (" + attribute + "), ";
}

/**
 * @param statistics what ranks did
 * @param dimension a dimension
 * @return whether some rank waited for it
 */
bool
IsExposed(const ReplayStatistics& statistics, std::size_t dimension)
{
    for (uint32_t rank = 0; rank < statistics.GetNRanks(); ++rank)
    {
        if (!statistics.GetRank(rank).exposed[dimension].IsZero())
        {
            return true;
        }
    }
    return false;
}

} // namespace

Figures
ListWorkload(const Workload& workload)
{
    const ParallelLayout& layout = workload.GetLayout();
    Figures figures{
        MakeWords(workload.GetFile()),
        MakePhrase("format", workload.GetFormat(), ", " + workload.GetFormat()),
        MakePhrase("file", workload.GetFile()),
        MakePhrase("world", uint64_t{layout.world}, ", " + FormatCount(layout.world, "rank"))};
    const std::pair<const char*, uint64_t> parts[] = {{"tp", layout.tp},
                                                      {"cp", layout.cp},
                                                      {"ep", layout.ep},
                                                      {"dp", layout.dp},
                                                      {"pp", layout.pp},
                                                      {"microbatches", layout.microbatches}};
    std::string separator = " (";
    for (const auto& [name, count] : parts)
    {
        // The report has dimensions of more than one.
        std::string text;
        if (count > 1)
        {
            text = separator + name + " " + std::to_string(count);
            separator = ", ";
        }
        figures.push_back(MakePhrase(name, count, text));
    }
    const auto& schedule = workload.GetScheduleName();
    const auto& order = workload.GetOrder();
    figures.push_back(MakeWords(separator == ", " ? ")" : ""));
    figures.push_back(
        MakePhrase("schedule", schedule, schedule.empty() ? "" : ", schedule " + schedule));
    figures.push_back(MakePhrase("order", order, order.empty() ? "" : ", order " + order));
    return figures;
}

Figures
ListFabric(const FabricDescription& fabric)
{
    const auto trains = FormatCount(fabric.maxTrain, "packet");
    return {MakePhrase("topology", fabric.topology, fabric.topology),
            MakePhrase("nodes", uint64_t{fabric.nodes}, ", " + FormatCount(fabric.nodes, "node")),
            MakePhrase("links", uint64_t{fabric.links}, ", " + FormatCount(fabric.links, "link")),
            MakePhrase("transport", fabric.transport, "; transport " + fabric.transport),
            MakePhrase("cc", fabric.cc, fabric.cc.empty() ? "" : " (" + fabric.cc + ")"),
            MakePhrase("routing",
                       fabric.routing,
                       fabric.routing.empty() ? "" : ", routing " + fabric.routing),
            MakePhrase("mtu_bytes",
                       uint64_t{fabric.mtu},
                       fabric.mtu == 0 ? "" : ", MTU " + FormatCount(fabric.mtu, "byte")),
            MakePhrase("max_train",
                       uint64_t{fabric.maxTrain},
                       fabric.maxTrain < 2 ? "" : ", trains of up to " + trains)};
}

std::vector<TimePart>
ListTimeParts(const ReplayStatistics& statistics)
{
    constexpr auto world = static_cast<std::size_t>(Dimension::WORLD);
    const bool hasWorld = IsExposed(statistics, world);
    const auto ofDimension = [&](std::size_t i, const std::string& key) {
        // Few workloads have a communicator of all ranks; the others would only show zeros.
        TimePart part;
        part.key = i == world && !hasWorld ? "" : key;
        part.dimension = ToString(static_cast<Dimension>(i));
        return part;
    };
    std::vector<TimePart> parts{
        {"compute_ns",
         "",
         "compute",
         true,
         [&statistics](uint32_t rank) { return statistics.GetRank(rank).compute; },
         [](const RankAccount& account) { return account.compute; }}};
    for (std::size_t i = 0; i < N_DIMENSIONS; ++i)
    {
        auto part = ofDimension(i, "exposed_ns");
        part.label = "exposed " + part.dimension;
        part.getTime = [&statistics, i](uint32_t rank) {
            return statistics.GetRank(rank).exposed[i];
        };
        part.getNanoseconds = [i](const RankAccount& account) { return account.exposed[i]; };
        parts.push_back(part);
    }
    parts.push_back({"bubble_ns",
                     "",
                     "bubble",
                     true,
                     [&statistics](uint32_t rank) { return statistics.GetRank(rank).bubble; },
                     [](const RankAccount& account) { return account.bubble; }});
    parts.push_back({"idle_ns",
                     "",
                     "idle",
                     true,
                     [&statistics](uint32_t rank) { return statistics.GetIdleTime(rank); },
                     [](const RankAccount& account) { return account.idle; }});
    // No part of the total: what communication takes beside computation.
    for (std::size_t i = 0; i < N_DIMENSIONS; ++i)
    {
        auto part = ofDimension(i, "hidden_ns");
        part.label = "(hidden " + part.dimension + " behind compute)";
        part.getTime = [&statistics, i](uint32_t rank) {
            return statistics.GetRank(rank).hidden[i];
        };
        part.getNanoseconds = [i](const RankAccount& account) { return account.hidden[i]; };
        parts.push_back(part);
    }
    return parts;
}

Figures
ListCollective(const CollectiveClass& key, const CollectiveStatistics& entry)
{
    const auto dimension = ToString(key.dimension);
    const auto kind = ToString(key.kind);
    const double mean = entry.GetMeanSeconds();
    const double bandwidth = GetBusBandwidth(key, entry);
    return {MakeText("", "collectives", dimension + " " + kind),
            MakeText("dimension", "", dimension),
            MakeText("kind", "", kind),
            MakeText("algorithm", "algorithm", key.algorithm),
            MakeNumber("ranks", "ranks", key.ranks),
            MakeNumber("", "bytes", key.bytes),
            MakeNumber("count", "count", entry.count),
            MakeNumber("bytes", "", key.bytes),
            {"mean_ns", "mean, ms", int64_t{std::llround(mean * 1e9)}, FormatFixed(mean * 1e3, 3)},
            MakeTime("max", "max", entry.max),
            {"busbw_bytes_per_s",
             "busbw, GB/s",
             int64_t{std::llround(bandwidth)},
             FormatFixed(bandwidth / 1e9, 3)}};
}

Figures
ListNetwork(const ReplayResult& result)
{
    const NetworkTotals& network = result.network;
    const auto again = network.retransmittedPackets;
    const bool hasLosses = network.timeouts.count + again > 0;
    return {MakePhrase("messages", result.statistics->GetMessages().count),
            MakePhrase("bytes_delivered", result.statistics->GetMessages().bytes),
            MakePhrase("packets", network.packets),
            MakePhrase("packet_hops", network.ports.packets),
            MakeWords(DescribeTimeouts(network.timeouts, result.fabric.timeoutAttribute)),
            MakePhrase("retransmitted_packets",
                       again,
                       hasLosses ? FormatCount(again, "packet") + " sent again" : ""),
            MakePhrase("retransmission_timeouts", network.timeouts.count),
            MakePhrase("dropped_packets", network.ports.drops),
            MakePhrase("ecn_marked_packets", network.ports.marks),
            MakePhrase("pfc_pauses", network.ports.pauses)};
}

Figures
ListBackground(const BackgroundTotals& background)
{
    return {MakeNumber("flows", "background flows", background.started),
            MakeNumber("arrived", "arrived", background.finished),
            MakeNumber("bytes", "bytes", background.bytes),
            MakeTime("mean", "mean", background.mean),
            MakeTime("median", "median", background.median),
            MakeTime("p99", "99 %", background.high),
            MakeRatio("mean_slowdown", "mean slowdown", background.meanSlowdown),
            MakeRatio("p99_slowdown", "99 %", background.highSlowdown)};
}

Figures
ListRun(const ReplayResult& result)
{
    const RunCost& run = result.run;
    const auto hops = static_cast<double>(result.network.ports.packets);
    std::string speed;
    if (hops > 0 && run.cpuSeconds > 0)
    {
        speed = ", " + std::to_string(result.network.ports.packets) + " packet-hops (" +
                FormatFixed(hops / run.cpuSeconds / 1e6, 3) + " million per CPU second)";
    }
    const auto memory = FormatFixed(static_cast<double>(run.peakMemory) / 1048576, 0);
    return {
        MakePhrase("wall_s", run.wallSeconds, FormatFixed(run.wallSeconds, 2) + " s wall clock"),
        MakePhrase("cpu_s", run.cpuSeconds, ", " + FormatFixed(run.cpuSeconds, 2) + " s CPU"),
        MakeWords(", " + memory + " MiB peak memory"),
        MakePhrase("events", run.events, ", " + FormatCount(run.events, "event")),
        MakeWords(speed),
        MakePhrase("peak_rss_bytes", run.peakMemory),
        MakePhrase("seed", run.seed),
        MakePhrase("rng_run", run.rngRun),
        MakePhrase("module_version", run.moduleVersion),
        MakePhrase("ns3_version", run.ns3Version)};
}

Figures
ListReuse(const RunCost& run)
{
    if (run.simulatedCollectives + run.reusedCollectives == 0)
    {
        return {};
    }
    // Where nothing was reused the sentence of the report leaves this out.
    const auto unlessNone = [&run](const std::string& text) {
        return run.reusedCollectives > 0 ? text : "";
    };
    return {MakePhrase(
                "simulated",
                run.simulatedCollectives,
                unlessNone("; packets of " + FormatCount(run.simulatedCollectives, "collective"))),
            MakePhrase(
                "reused",
                run.reusedCollectives,
                unlessNone(", others known from these: " + std::to_string(run.reusedCollectives))),
            MakePhrase("observed",
                       run.observedCollectives,
                       run.observedCollectives == 0
                           ? ""
                           : "; " + FormatCount(run.observedCollectives, "collective") +
                                 " not reused, as sinks listen to messages or ports of theirs"),
            MakePhrase("disturbed", run.interruptedCollectives)};
}

Figures
ListProcess(const ProcessCost& process)
{
    return {MakePhrase("cpu_s", process.cpuSeconds),
            MakePhrase("events", process.events),
            MakePhrase("peak_rss_bytes", process.peakMemory),
            MakePhrase("look_ahead_ns", ToNanoseconds(process.lookAhead)),
            MakePhrase("windows", process.windows),
            MakePhrase("messages", process.messages),
            MakePhrase("message_bytes", process.messageBytes)};
}

} // namespace ns3
