/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "replay-report.h"

#include "replay-figures.h"
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
 * @param figures figures of a sentence
 * @return the sentence
 */
std::string
MakeSentence(const Figures& figures)
{
    std::string sentence;
    for (const auto& figure : figures)
    {
        sentence += figure.text;
    }
    return sentence;
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
    if (result.jobs.empty())
    {
        PrintFact(os, "workload", MakeSentence(ListWorkload(result.statistics->GetWorkload())));
    }
    for (const auto& job : result.jobs)
    {
        PrintFact(os, job.name, MakeSentence(ListWorkload(job.statistics->GetWorkload())));
    }
    PrintFact(os, "network", FormatNetwork(result.fabric));
}

/**
 * Print that the replay did not come to its end, if so.
 *
 * @param os where to
 * @param result the result
 */
void
PrintIncomplete(std::ostream& os, const ReplayResult& result)
{
    if (!result.complete)
    {
        os << "\nINCOMPLETE: "
           << (result.interruption.empty() ? "the replay could not finish" : result.interruption)
           << "; below is what was done by then\n";
    }
}

/**
 * @param times times of iterations, at least one
 * @return their mean, ms
 */
double
GetMean(const std::vector<Time>& times)
{
    const Time sum = std::accumulate(times.begin(), times.end(), Time());
    return sum.GetSeconds() * 1e3 / static_cast<double>(times.size());
}

/**
 * Print how long the iterations took.
 *
 * @param os where to
 * @param statistics what the ranks did
 */
void
PrintIterations(std::ostream& os, const ReplayStatistics& statistics)
{
    const auto times = statistics.GetIterationTimes();
    if (times.empty())
    {
        os << "no iteration was finished by all ranks\n";
        return;
    }
    os << "iteration time  " << FormatFixed(GetMean(times), 3) << " ms";
    if (times.size() > 1)
    {
        const auto [least, most] = std::minmax_element(times.begin(), times.end());
        os << ", the mean of " << times.size() << " (first " << FormatMs(times[0]) << ", least "
           << FormatMs(*least) << ", most " << FormatMs(*most) << ")";
    }
    os << "\n";
}

/**
 * Print how long flows took, by size.
 *
 * @param os where to
 * @param flows flows by size; may be empty
 */
void
PrintFlows(std::ostream& os, const std::vector<FlowClass>& flows)
{
    if (flows.empty())
    {
        return;
    }
    TextTable table;
    for (const auto* heading : {"flows up to, bytes",
                                "count",
                                "mean, ms",
                                "median, ms",
                                "99 %, ms",
                                "max, ms",
                                "mean slowdown",
                                "99 %"})
    {
        table.AddColumn(heading, TextTable::RIGHT);
    }
    const auto format = [](Time time) { return FormatFixed(time.GetSeconds() * 1e3, 3); };
    for (const auto& row : flows)
    {
        table.AddRow({std::to_string(row.most),
                      std::to_string(row.count),
                      format(row.mean),
                      format(row.median),
                      format(row.high),
                      format(row.longest),
                      FormatFixed(row.meanSlowdown, 2),
                      FormatFixed(row.highSlowdown, 2)});
    }
    os << "\n";
    table.Print(os);
}

/**
 * Print what the jobs lose to each other and to the background.
 *
 * @param os where to
 * @param jobs the jobs
 */
void
PrintJobs(std::ostream& os, const std::vector<JobResult>& jobs)
{
    TextTable table;
    table.AddColumn("jobs", TextTable::LEFT);
    table.AddColumn("ranks", TextTable::RIGHT);
    table.AddColumn("iterations", TextTable::RIGHT);
    table.AddColumn("mean, ms", TextTable::RIGHT);
    table.AddColumn("alone, ms", TextTable::RIGHT);
    table.AddColumn("lost, %", TextTable::RIGHT);
    for (const auto& job : jobs)
    {
        const auto times = job.statistics->GetIterationTimes();
        const bool isCompared = !times.empty() && !job.alone.empty();
        // Against the job's own run without the others, in percent.
        const auto lost = isCompared ? 100 * (GetMean(times) / GetMean(job.alone) - 1) : 0;
        table.AddRow({job.name,
                      std::to_string(job.statistics->GetNRanks()),
                      std::to_string(times.size()),
                      times.empty() ? "-" : FormatFixed(GetMean(times), 3),
                      job.alone.empty() ? "-" : FormatFixed(GetMean(job.alone), 3),
                      isCompared ? FormatFixed(lost, 2) : "-"});
    }
    os << "\n";
    table.Print(os);
}

/**
 * Print what the ranks of a job did.
 *
 * @param os where to
 * @param statistics what they did
 */
void
PrintRanks(std::ostream& os, const ReplayStatistics& statistics)
{
    PrintIterations(os, statistics);
    if (statistics.HasIterations())
    {
        PrintAccount(os, statistics);
        PrintSlowestRanks(os, statistics);
    }
}

/**
 * Print what was lost and sent again, if anything was.
 *
 * @param os where to
 * @param result the result
 */
void
PrintRetransmissions(std::ostream& os, const ReplayResult& result)
{
    const auto losses = MakeSentence(ListNetwork(result));
    if (!losses.empty())
    {
        os << "\n";
        PrintFact(os, "losses", losses);
    }
}

/**
 * @param result the result
 * @return what the numbers rest on
 */
std::vector<std::string>
ListAssumptions(const ReplayResult& result)
{
    auto assumptions = result.assumptions;
    if (result.network.packets > 0)
    {
        assumptions.push_back("headers leave " + FormatFixed(100 * result.fabric.goodputShare, 2) +
                              " % of a link's rate to the workload");
    }
    return assumptions;
}

/**
 * Say what it depends on whether more processes make a replay faster: events between two waits for
 * each other, messages, and how evenly events are shared out.
 *
 * @param processes what each has cost, at least 2
 * @return the text
 */
std::string
FormatProcesses(const std::vector<ProcessCost>& processes)
{
    Time lookAhead;
    uint64_t windows = 0;
    uint64_t messages = 0;
    uint64_t bytes = 0;
    uint64_t events = 0;
    uint64_t mostEvents = 0;
    for (const auto& process : processes)
    {
        // A look-ahead of 0 is none: a process without cut links has not set it.
        const bool isFirst = lookAhead.IsZero();
        lookAhead = isFirst ? process.lookAhead : Min(lookAhead, process.lookAhead);
        windows = std::max(windows, process.windows);
        messages += process.messages;
        bytes += process.messageBytes;
        events += process.events;
        mostEvents = std::max(mostEvents, process.events);
    }
    const auto count = static_cast<double>(processes.size());
    const auto share = static_cast<double>(mostEvents) / static_cast<double>(events);
    const auto mean = [](uint64_t sum, uint64_t number) {
        return FormatFixed(static_cast<double>(sum) / static_cast<double>(number), 0);
    };
    return std::to_string(processes.size()) + ", look-ahead " +
           std::to_string(lookAhead.GetNanoSeconds()) + " ns, " +
           (windows > 0
                ? FormatCount(windows, "window") + " of " + mean(events, windows) + " events"
                : "windows not counted (only ns3::RadixHeapScheduler does)") +
           ", " + FormatCount(messages, "message") +
           (messages > 0 ? " of " + mean(bytes, messages) + " bytes" : "") +
           "; the busiest process had " + FormatFixed(100 * share, 1) + " % of the events (" +
           FormatFixed(100 / count, 1) + " % if all had the same)";
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
    os << "\n";
    PrintFact(os, "run cost", MakeSentence(ListRun(result)) + MakeSentence(ListReuse(run)));
    if (run.processes.size() > 1)
    {
        PrintFact(os, "processes", FormatProcesses(run.processes));
    }
}

} // namespace

std::string
FormatNetwork(const FabricDescription& fabric)
{
    return MakeSentence(ListFabric(fabric));
}

void
PrintAssumptions(std::ostream& os, const std::vector<std::string>& assumptions)
{
    if (!assumptions.empty())
    {
        os << "\nassumed\n";
    }
    for (const auto& assumption : assumptions)
    {
        PrintHanging(os, "  - ", "    ", assumption);
    }
}

void
PrintReplayReport(std::ostream& os, const ReplayResult& result)
{
    PrintHead(os, result);
    PrintIncomplete(os, result);
    if (result.jobs.empty())
    {
        os << "\n";
        PrintRanks(os, *result.statistics);
        PrintFlows(os, result.flows);
        PrintBusiestLinks(os, result);
        PrintRetransmissions(os, result);
        PrintCollectives(os, *result.statistics);
    }
    else
    {
        PrintJobs(os, result.jobs);
        if (result.background)
        {
            PrintFigures(os, {ListBackground(*result.background)});
        }
        PrintBusiestLinks(os, result);
        PrintRetransmissions(os, result);
    }
    for (const auto& job : result.jobs)
    {
        os << "\n" << job.name << "\n";
        PrintRanks(os, *job.statistics);
        PrintCollectives(os, *job.statistics);
    }
    PrintAssumptions(os, ListAssumptions(result));
    PrintCost(os, result);
}

} // namespace ns3
