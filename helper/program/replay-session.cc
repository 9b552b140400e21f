/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "replay-session.h"

#include "chakra-export.h"
#include "dry-run.h"
#include "networked-job.h"
#include "ns3-arguments.h"
#include "replay-assumptions.h"
#include "replay-monitor.h"
#include "run-log.h"
#include "workload-reader.h"

#include "ns3/config.h"
#include "ns3/double.h"
#include "ns3/in-switch-reducer.h"
#include "ns3/replay-application.h"
#include "ns3/replay-files.h"
#include "ns3/replay-report.h"
#include "ns3/simulator.h"
#include "ns3/text-table.h"

#include <algorithm>
#include <iostream>
#include <unistd.h>
#include <utility>

namespace ns3
{

namespace
{

/// Name of the program.
const std::string PROGRAM = "wl-replay";

/// Random streams of the ranks begin here, beyond those of any network: what is drawn for a rank
/// does not depend on what it runs on.
constexpr int64_t FIRST_RANK_STREAM = 1LL << 40;

/**
 * Set the defaults of the attributes that options are short names of.
 *
 * @param options what the user asks for
 */
void
SetDefaults(const ReplayOptions& options)
{
    SetNetworkDefaults(options);
    if (options.IsGiven("computeScale"))
    {
        Config::SetDefault("ns3::ReplayApplication::ComputeScale",
                           DoubleValue(options.computeScale));
    }
    if (options.IsGiven("jitter"))
    {
        Config::SetDefault("ns3::ReplayApplication::ComputeJitter", DoubleValue(options.jitter));
    }
}

/**
 * @param options what the user asks for
 * @param world number of ranks
 * @throws WorkloadError if a straggler is none of the ranks
 */
void
CheckStragglers(const ReplayOptions& options, uint32_t world)
{
    for (const auto& [rank, straggler] : options.stragglers)
    {
        if (rank >= world)
        {
            throw WorkloadError(straggler.where,
                                "a rank from 0 to " + std::to_string(world - 1),
                                std::to_string(rank));
        }
    }
}

} // namespace

ReplaySession::ReplaySession(const ReplayOptions& options)
    : m_options(options)
{
    SetDefaults(options);
    const auto workload = ReadWorkload(options);
    const uint32_t world = workload->GetLayout().world;
    CheckStragglers(options, world);
    const auto graph = BuildTopology(options, world);
    const bool hasFiles = options.IsGiven("outputDir");
    if (hasFiles)
    {
        PrepareDirectory(options.outputDir, options.Locate("outputDir"));
    }
    m_assumptions = ListAssumptions(options, *workload, graph);
    m_job = std::make_unique<NetworkedJob>(options, graph, workload, options.iterations);
    const auto warnings = m_job->fabric->Describe().warnings;
    m_assumptions.insert(m_assumptions.end(), warnings.begin(), warnings.end());
    SetUpRanks();
    if (hasFiles)
    {
        m_files = std::make_unique<ReplayFiles>(options.outputDir, workload, graph);
        m_files->ConnectApplications(m_job->ranks);
        m_files->ConnectTransports(m_job->fabric->GetTransports());
        m_files->ConnectTransports(m_job->fabric->GetSwitchTransports());
    }
}

void
ReplaySession::SetUpRanks()
{
    const auto& ranks = m_job->ranks;
    ReplayHelper::AssignStreams(ranks, FIRST_RANK_STREAM);
    for (const auto& [rank, straggler] : m_options.stragglers)
    {
        DoubleValue scale;
        ranks.Get(rank)->GetAttribute("ComputeScale", scale);
        ranks.Get(rank)->SetAttribute("ComputeScale", DoubleValue(scale.Get() * straggler.factor));
    }
    const auto handle = MakeCallback(&ReplaySession::HandleFault, this);
    for (auto i = ranks.Begin(); i != ranks.End(); ++i)
    {
        DynamicCast<ReplayApplication>(*i)->SetFaultCallback(handle);
    }
    for (auto i = m_job->switches.Begin(); i != m_job->switches.End(); ++i)
    {
        DynamicCast<InSwitchReducer>(*i)->SetFaultCallback(handle);
    }
}

ReplaySession::~ReplaySession()
{
    Simulator::Destroy();
}

void
ReplaySession::HandleFault(const ReplayFault& fault)
{
    m_faults.push_back(fault.message);
    Simulator::Stop();
}

void
ReplaySession::SetStopCondition(StopCondition condition)
{
    m_stopCondition = std::move(condition);
}

std::unique_ptr<ReplayProgress>
ReplaySession::BeginProgress() const
{
    const bool isTerminal = isatty(STDERR_FILENO) == 1;
    const bool isShown = m_options.progress == "auto" ? isTerminal : m_options.progress == "on";
    if (isShown)
    {
        RunLog::EnableConsole(RunLog::INFO);
    }
    RunLog::Write(RunLog::INFO,
                  "replaying " + m_options.workload + " on " + std::to_string(m_job->ranks.GetN()) +
                      " ranks, topology " + m_job->fabric->Describe().topology + ", transport " +
                      m_options.transport);
    for (const auto& assumption : m_assumptions)
    {
        RunLog::Write(RunLog::WARNING, assumption);
    }
    const auto display = isTerminal ? ReplayProgress::TERMINAL : ReplayProgress::LOG;
    return isShown ? std::make_unique<ReplayProgress>(display) : nullptr;
}

bool
ReplaySession::HasFinished() const
{
    const auto& ranks = m_job->ranks;
    return std::all_of(ranks.Begin(), ranks.End(), [](const auto& rank) {
        return DynamicCast<ReplayApplication>(rank)->IsFinished();
    });
}

std::vector<std::string>
ReplaySession::FindReasons() const
{
    if (HasFinished() && m_faults.empty())
    {
        return {};
    }
    if (!m_interruption.empty() && m_faults.empty())
    {
        return {PROGRAM + ": error: the replay was " + m_interruption};
    }
    auto reasons = m_faults.empty() ? m_job->FindReasons() : m_faults;
    reasons.insert(reasons.begin(), PROGRAM + ": error: the replay could not finish");
    return reasons;
}

ReplayResult
ReplaySession::MakeResult(const RunCost& cost) const
{
    ReplayResult result;
    result.complete = HasFinished() && m_faults.empty();
    result.interruption = m_interruption;
    result.statistics = m_job->statistics;
    // A replay that stops early has no time of all iterations; its links carried until now.
    result.duration = result.complete ? result.statistics->GetTotalTime() : Simulator::Now();
    result.fabric = m_job->fabric->Describe();
    result.links = m_job->fabric->GetLinkUse();
    result.network = m_job->fabric->GetTotals();
    result.assumptions = m_assumptions;
    result.run = cost;
    return result;
}

ReplaySession::ExitCode
ReplaySession::Run(std::ostream& report, std::ostream& errors)
{
    auto progress = BeginProgress();
    const bool isShown = progress != nullptr;
    ReplayMonitor monitor(*m_job, std::move(progress), m_stopCondition);
    const auto cost = monitor.Run();
    m_interruption = monitor.GetInterruption();
    if (isShown)
    {
        RunLog::Disable();
    }
    const auto result = MakeResult(cost);
    PrintReplayReport(report, result);
    report.flush();
    const bool isLost = m_files && PrintLines(errors, m_files->Finish(result));
    PrintLines(errors, FindReasons());
    return result.complete && !isLost ? DONE : UNFINISHED;
}

ReplaySession::ExitCode
ReplaySession::Main(const std::vector<std::string>& arguments, StopCondition (*listen)())
{
    try
    {
        const auto options = ParseReplayOptions(arguments);
        if (options.help)
        {
            PrintReplayHelp(std::cout);
            return DONE;
        }
        ApplyNs3Arguments(PROGRAM, options.ns3Arguments);
        CheckReplayOptions(options);
        if (options.dryRun)
        {
            return PrintLines(std::cerr, DryRun(options, std::cout)) ? UNFINISHED : DONE;
        }
        if (options.IsGiven("exportChakra"))
        {
            return PrintLines(std::cerr, ExportChakra(options, std::cout)) ? UNFINISHED : DONE;
        }
        ReplaySession session(options);
        session.SetStopCondition(listen ? listen() : StopCondition());
        return session.Run(std::cout, std::cerr);
    }
    catch (const WorkloadError& error)
    {
        std::cerr << error.what() << "\n";
        return BAD_INPUT;
    }
}

} // namespace ns3
