/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "collective-bench.h"

#include "collective-bench-check.h"
#include "collective-fit-report.h"
#include "dry-run.h"
#include "network-troubles.h"
#include "networked-job.h"
#include "ns3-arguments.h"
#include "process-group.h"
#include "program-guards.h"
#include "replay-part.h"

#include "ns3/replay-helper.h"
#include "ns3/replay-report.h"
#include "ns3/topology-files.h"

#include <algorithm>
#include <iostream>

namespace ns3
{

namespace
{

/// Name of the program.
const std::string PROGRAM = "wl-collective";

} // namespace

CollectiveBench::CollectiveBench(const CollectiveBenchOptions& options)
    : m_options(options)
{
    CreateCollectiveBenchOptionTable(m_options).Check();
    SetNetworkDefaults(options);
    if (options.IsGiven("reference"))
    {
        NcclTestsJob wanted;
        wanted.kind = options.kind;
        wanted.ranks = options.IsGiven("ranks") ? options.ranks : 0;
        wanted.servers = options.IsGiven("servers") ? options.servers : 0;
        m_reference = std::make_unique<const CollectiveReference>(options.reference, wanted);
        CheckReference();
    }
    m_cluster = BuildCollectiveBenchCluster(options);
}

void
CollectiveBench::CheckReference() const
{
    const auto sizes = m_options.GetSizes();
    const bool isKnown = std::any_of(sizes.begin(), sizes.end(), [this](uint64_t bytes) {
        return m_reference->Find(bytes).has_value();
    });
    if (!isKnown)
    {
        const auto first = std::to_string(sizes.front());
        const auto last = std::to_string(sizes.back());
        const auto& times = m_reference->GetTimes();
        throw WorkloadError({m_reference->GetFile(), 0, 0, ""},
                            "a row for " +
                                (sizes.size() == 1
                                     ? first
                                     : "one of the " + std::to_string(sizes.size()) +
                                           " sizes to be timed, " + first + " to " + last) +
                                " bytes",
                            "other sizes alone, " + std::to_string(times.begin()->first) + " to " +
                                std::to_string(times.rbegin()->first) + " bytes");
    }
}

std::vector<std::string>
CollectiveBench::TimeSize(uint64_t bytes, CollectiveBenchReport& report)
{
    const auto printHead = [this, &report](const NetworkedJob& job) {
        // What the fabric is, the first job knows.
        if (m_timings.empty())
        {
            m_fabric = job.fabric->Describe();
            report.PrintHead(m_cluster, m_fabric);
        }
        report.PrintNotes(job.notes);
    };
    const auto keepTroubles = [this, bytes](const NetworkedJob& job, const ReplayPart& part) {
        // The last size is the largest, and fills the network most.
        if (bytes == m_options.GetSizes().back())
        {
            m_troubles = ListTroubles(m_options, m_cluster.graph, job, part);
        }
    };
    const auto run = SimulateCollective(m_options, m_cluster, bytes, printHead, keepTroubles);
    if (run.reasons.empty())
    {
        m_timings.push_back(
            MakeCollectiveTiming(m_options.kind, m_options.ranks, bytes, run.microseconds));
        m_timings.back().algorithm = run.algorithm;
        report.PrintRow(m_timings.back());
    }
    return run.reasons;
}

CollectiveBench::ExitCode
CollectiveBench::Run(std::ostream& os, std::ostream& errors)
{
    CollectiveBenchReport report(os, m_options, m_reference.get());
    for (const auto bytes : m_options.GetSizes())
    {
        const auto reasons = TimeSize(bytes, report);
        if (!reasons.empty())
        {
            errors << PROGRAM << ": error: " << ToString(m_options.kind) << " of "
                   << FormatCount(bytes, "byte") << " could not finish\n";
            PrintLines(errors, reasons);
            return UNFINISHED;
        }
    }
    report.PrintEnd(m_troubles);
    return DONE;
}

CollectiveBench::ExitCode
CollectiveBench::DryRun(std::ostream& os, std::ostream& errors) const
{
    const auto algorithms = ListAlgorithms();
    const bool hasFiles = m_options.IsGiven("outputDir");
    if (hasFiles)
    {
        PrepareDirectory(m_options.outputDir, m_options.Locate("outputDir"));
    }
    PrintTopologySummary(os, m_cluster.graph, m_options.ranks);
    os << "\n" << DescribeCluster(m_options, m_cluster) << "\n\n";
    algorithms.Print(os);
    const bool isLost =
        hasFiles && PrintLines(errors, WriteTopologyFiles(m_options.outputDir, m_cluster.graph));
    return isLost ? UNFINISHED : DONE;
}

CollectiveBench::ExitCode
CollectiveBench::Check(std::ostream& os) const
{
    return CheckAlgorithms(m_options, m_cluster, os) ? DONE : BAD_INPUT;
}

TextTable
CollectiveBench::ListAlgorithms() const
{
    const auto sizes = m_options.GetSizes();
    ReplayHelper helper(MakeCollectiveWorkload(m_options, m_cluster, sizes.front()));
    SetUpCollectives(m_options, m_cluster.graph, helper);
    const auto algorithms = CreateAlgorithms(m_options);

    TextTable table;
    table.AddColumn(ToString(m_options.kind), TextTable::LEFT);
    table.AddColumn("algorithm", TextTable::LEFT);
    table.AddColumn("channels", TextTable::RIGHT);
    for (const auto bytes : sizes)
    {
        auto call = helper.MakeCall(0, m_options.kind, bytes);
        call.root = m_options.root;
        const auto plan = algorithms->Select(call, Dimension::WORLD);
        table.AddRow({FormatCount(bytes, "byte"),
                      plan.GetName(),
                      std::to_string(plan.algorithm->GetChannels(plan.Complete(call)))});
    }
    return table;
}

CollectiveBench::ExitCode
CollectiveBench::Main(const std::vector<std::string>& arguments)
{
    StartFolder::Enter();
    try
    {
        ProcessGroup::CheckAlone(PROGRAM);
        const auto options = ParseCollectiveBenchOptions(arguments);
        if (options.help)
        {
            PrintCollectiveBenchHelp(std::cout);
            return DONE;
        }
        ApplyNs3Arguments(PROGRAM, options.ns3Arguments);
        CheckCollectiveBenchOptions(options);
        if (!options.fit.empty())
        {
            return FitCollectives(options, std::cout, std::cerr) ? DONE : UNFINISHED;
        }
        CollectiveBench bench(options);
        if (options.check)
        {
            return bench.Check(std::cout);
        }
        return options.dryRun ? bench.DryRun(std::cout, std::cerr)
                              : bench.Run(std::cout, std::cerr);
    }
    catch (const WorkloadError& error)
    {
        if (ProcessGroup::IsFirst())
        {
            std::cerr << error.what() << "\n";
        }
        return BAD_INPUT;
    }
}

} // namespace ns3
