/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dry-run.h"

#include "job-request.h"
#include "level-costs.h"
#include "model-plan.h"
#include "networked-job.h"
#include "replay-monitor.h"
#include "replay-progress.h"
#include "straddling-groups.h"
#include "traffic-forecast.h"
#include "transport-kind.h"

#include "ns3/input-values.h"
#include "ns3/output-file.h"
#include "ns3/replay-report.h"
#include "ns3/replay-summary.h"
#include "ns3/text-table.h"
#include "ns3/topology-files.h"
#include "ns3/topology-summary.h"
#include "ns3/workload-error.h"

#include <array>
#include <map>
#include <vector>

namespace ns3
{

namespace
{

/// Names of the kinds of nodes, by kind.
constexpr std::array<const char*, 3> KINDS{"host", "switch", "NVSwitch"};

/**
 * @param sizes number of things by size, the largest to be printed first
 * @param noun what one of them is
 * @param of what they are made of, one of it
 * @return such as "8 switches of 3 ports, 1 switch of 8 ports"
 */
std::string
DescribeSizes(const std::map<uint32_t, uint32_t>& sizes,
              const std::string& noun,
              const std::string& of)
{
    std::string text;
    for (auto size = sizes.rbegin(); size != sizes.rend(); ++size)
    {
        text += (text.empty() ? "" : ", ") + FormatCount(size->second, noun) + " of " +
                FormatCount(size->first, of);
    }
    return text;
}

/**
 * @param bits a rate, bit/s
 * @return it in Gb/s or Tb/s
 */
std::string
FormatBandwidth(uint64_t bits)
{
    const auto value = static_cast<double>(bits);
    return value >= 1e13 ? FormatFixed(value / 1e12, 2) + " Tb/s"
                         : FormatFixed(value / 1e9, 1) + " Gb/s";
}

/**
 * @param bisection what was found
 * @return it in words
 */
std::string
DescribeBisection(const TopologyBisection& bisection)
{
    if (bisection.secondHosts == 0)
    {
        return "none: there is one host";
    }
    const auto last = bisection.firstHosts + bisection.secondHosts - 1;
    return FormatBandwidth(bisection.rate) + " each way between hosts 0-" +
           std::to_string(bisection.firstHosts - 1) + " and " +
           std::to_string(bisection.firstHosts) + "-" + std::to_string(last);
}

/**
 * @param bisection what was found, between two hosts at least
 * @return how good it is, in words
 */
std::string
RateBisection(const TopologyBisection& bisection)
{
    const auto percent =
        100 * static_cast<double>(bisection.rate) / static_cast<double>(bisection.fullRate);
    return FormatFixed(percent, 1) + " % of the " + FormatBandwidth(bisection.fullRate) +
           " that half of the hosts can send" + (bisection.splitsServer ? ", NVLink included" : "");
}

/**
 * @param os where to
 * @param summary what a topology consists of
 */
void
PrintLinkKinds(std::ostream& os, const TopologySummary& summary)
{
    TextTable table;
    table.AddColumn("links", TextTable::LEFT);
    table.AddColumn("count", TextTable::RIGHT);
    table.AddColumn("rate", TextTable::RIGHT);
    for (const auto& kind : summary.links)
    {
        table.AddRow({std::string(KINDS.at(kind.low)) + " - " + KINDS.at(kind.high) +
                          (kind.nvlink ? ", NVLink" : ""),
                      std::to_string(kind.count),
                      FormatRate(kind.rate)});
    }
    table.Print(os);
}

/**
 * Print what a job sends, and what it costs to simulate it.
 *
 * @param os where to
 * @param options what the user asks for
 * @param jobs the jobs
 * @param graph the topology
 */
void
PrintCosts(std::ostream& os,
           const ReplayOptions& options,
           const std::vector<JobRequest>& jobs,
           const TopologyGraph& graph)
{
    const auto kind = TransportKind::Get(options);
    // Before the forecast, which takes attributes from objects.
    SetNetworkDefaults(options);
    const auto traffic =
        ForecastTraffic(options, graph, PlaceWorkload(jobs, options, graph), options.MayReuse());
    const bool hasPackets = kind->Supports(TransportKind::Use::EXACT);
    // What this process holds by now, workload and topology, a replay holds as well.
    const auto costs = EstimateLevelCosts(traffic,
                                          options.iterations,
                                          hasPackets ? options.transport : "rdma",
                                          static_cast<double>(GetPeakMemory()));
    os << "\n";
    PrintLevelCosts(os, traffic, costs);
    if (hasPackets && costs.back().seconds >= ReplayProgress::LONG_TIME)
    {
        PrintHanging(os, "  note: ", "        ", DescribeFasterLevels(*kind));
    }
    if (!options.background.empty())
    {
        os << "  note: background traffic costs more than that\n";
    }
}

} // namespace

void
PrintTopologySummary(std::ostream& os, const TopologyGraph& graph, uint32_t world)
{
    const TopologySummary summary(graph);
    os << "Fabric " << graph.GetName() << ": " << FormatCount(summary.hosts, "host") << ", "
       << FormatCount(summary.switches, "switch") << ", "
       << FormatCount(summary.nvswitches, "NVSwitch") << ", "
       << FormatCount(graph.GetNLinks(), "link") << "\n\n";
    const auto line = [&os](const std::string& label, const std::string& text) {
        if (!text.empty())
        {
            os << "  " << label << std::string(14 - label.size(), ' ') << text << "\n";
        }
    };
    line("ranks",
         std::to_string(world) + (summary.hosts > world
                                      ? ", " + FormatCount(summary.hosts - world, "host") + " idle"
                                      : ""));
    line("servers", DescribeSizes(summary.serverSizes, "server", "host"));
    line("switches", DescribeSizes(summary.switchSizes, "switch", "port"));
    line("NVSwitches", DescribeSizes(summary.nvswitchSizes, "NVSwitch", "port"));
    line("cost",
         FormatCount(summary.switchPorts, "switch port") + ", " +
             FormatCount(summary.nicPorts, "NIC port") + ", " +
             FormatCount(summary.nvswitchPorts, "NVSwitch port"));
    line("diameter",
         std::string(summary.isDiameterExact ? "" : "at least ") +
             FormatCount(summary.diameter, "hop") + " between hosts");
    line("bisection", DescribeBisection(summary.bisection));
    line("", summary.bisection.fullRate > 0 ? RateBisection(summary.bisection) : "");
    line("loss",
         summary.lossyLinks > 0 ? FormatCount(summary.lossyLinks, "link") + " with random loss"
                                : "");
    for (const auto& note : graph.GetNotes())
    {
        line("note", note);
    }

    os << "\n";
    PrintLinkKinds(os, summary);
}

std::vector<std::string>
DryRun(const ReplayOptions& asked, std::ostream& os)
{
    auto options = asked;
    const bool hasJob = !options.workload.empty() || !options.jobs.empty();
    const auto jobs = hasJob ? ReadJobs(options) : std::vector<JobRequest>();
    auto notes = hasJob ? KeepGroupsWhole(jobs, options) : std::vector<std::string>();
    // Without a job, --world says how many hosts there are.
    const auto world = hasJob ? CountRanks(jobs) : options.layout.world.value();
    const auto graph = BuildTopology(options, hasJob ? CountHosts(jobs) : world);
    if (options.format == "model" && options.jobs.empty())
    {
        PrintModelPlan(os, options, graph);
        os << "\n";
    }
    const bool hasFiles = options.IsGiven("outputDir");
    if (hasFiles)
    {
        PrepareDirectory(options.outputDir, options.Locate("outputDir"));
    }
    PrintTopologySummary(os, graph, world);
    // Where several jobs stand depends on more than what is looked at here.
    if (hasJob && options.jobs.empty() && jobs.front().hosts.empty())
    {
        SetNetworkDefaults(options);
        const auto straddling =
            ListStraddlingGroups(PlaceWorkload(jobs, options, graph), graph, options);
        notes.insert(notes.end(), straddling.begin(), straddling.end());
    }
    if (hasJob)
    {
        PrintCosts(os, options, jobs, graph);
    }
    PrintAssumptions(os, notes);
    return hasFiles ? WriteTopologyFiles(options.outputDir, graph) : std::vector<std::string>();
}

void
PrepareDirectory(const std::string& directory, const SourceLocation& where)
{
    const auto reason = PrepareOutputDirectory(directory);
    if (!reason.empty())
    {
        throw WorkloadError(where,
                            "a directory to write to",
                            Quoted(directory) + " (" + reason + ")");
    }
}

} // namespace ns3
