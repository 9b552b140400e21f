/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "replay-session.h"

#include "dry-run.h"
#include "network-setup.h"
#include "ns3-arguments.h"
#include "replay-assumptions.h"
#include "replay-progress.h"
#include "replay-topology.h"
#include "replay-work.h"
#include "run-log.h"
#include "run-meter.h"
#include "wall-clock-poll.h"
#include "workload-reader.h"

#include "ns3/config.h"
#include "ns3/double.h"
#include "ns3/in-switch-reducer.h"
#include "ns3/replay-application.h"
#include "ns3/replay-files.h"
#include "ns3/replay-helper.h"
#include "ns3/replay-report.h"
#include "ns3/replay-summary.h"
#include "ns3/rng-seed-manager.h"
#include "ns3/simulator.h"
#include "ns3/text-table.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <chrono>
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

/**
 * @param options what the user asks for
 * @throws WorkloadError if files are asked for and cannot be written
 */
void
PrepareOutput(const ReplayOptions& options)
{
    if (!options.IsGiven("outputDir"))
    {
        return;
    }
    const auto reason = PrepareOutputDirectory(options.outputDir);
    if (!reason.empty())
    {
        throw WorkloadError(options.Locate("outputDir"),
                            "a directory to write to",
                            Quoted(options.outputDir) + " (" + reason + ")");
    }
}

} // namespace

ReplaySession::ReplaySession(const ReplayOptions& options)
    : m_options(options)
{
    SetDefaults(options);
    m_workload = ReadWorkload(options);
    const uint32_t world = m_workload->GetLayout().world;
    CheckStragglers(options, world);
    const auto graph = BuildReplayTopology(options, world);
    PrepareOutput(options);

    m_assumptions = ListAssumptions(options, *m_workload, graph);
    m_fabric = ReplayFabric::Create(options, graph);
    m_fabric->ScheduleFailures(options.linkFailures, graph);
    ReplayHelper helper(m_workload);
    helper.SetAttribute("Iterations", UintegerValue(options.iterations));
    SetUpCollectives(options, graph, helper);
    m_switches = InstallSwitches(*m_fabric, graph, helper);
    m_applications = helper.Install(m_fabric->GetHosts(), m_fabric->GetTransports());
    ReplayHelper::AssignStreams(m_applications, FIRST_RANK_STREAM);
    for (const auto& [rank, straggler] : options.stragglers)
    {
        DoubleValue scale;
        m_applications.Get(rank)->GetAttribute("ComputeScale", scale);
        m_applications.Get(rank)->SetAttribute("ComputeScale",
                                               DoubleValue(scale.Get() * straggler.factor));
    }
    for (auto i = m_applications.Begin(); i != m_applications.End(); ++i)
    {
        DynamicCast<ReplayApplication>(*i)->SetFaultCallback(
            MakeCallback(&ReplaySession::HandleFault, this));
    }
    for (auto i = m_switches.Begin(); i != m_switches.End(); ++i)
    {
        DynamicCast<InSwitchReducer>(*i)->SetFaultCallback(
            MakeCallback(&ReplaySession::HandleFault, this));
    }
    m_statistics = std::make_shared<ReplayStatistics>(m_workload);
    m_statistics->ConnectApplications(m_applications);
    m_statistics->ConnectTransports(m_fabric->GetTransports());
    m_statistics->ConnectTransports(m_fabric->GetSwitchTransports());
    if (options.IsGiven("outputDir"))
    {
        m_files = std::make_unique<ReplayFiles>(options.outputDir, m_workload, graph);
        m_files->ConnectApplications(m_applications);
        m_files->ConnectTransports(m_fabric->GetTransports());
        m_files->ConnectTransports(m_fabric->GetSwitchTransports());
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

void
ReplaySession::BeginProgress()
{
    const bool isTerminal = isatty(STDERR_FILENO) == 1;
    if (m_options.progress == "on" || (m_options.progress == "auto" && isTerminal))
    {
        RunLog::EnableConsole(RunLog::INFO);
        m_progress = std::make_unique<ReplayProgress>(isTerminal ? ReplayProgress::TERMINAL
                                                                 : ReplayProgress::LOG);
    }
    RunLog::Write(RunLog::INFO,
                  "replaying " + m_options.workload + " on " +
                      std::to_string(m_workload->GetLayout().world) + " ranks, topology " +
                      m_fabric->Describe().topology + ", transport " + m_options.transport);
    for (const auto& assumption : m_assumptions)
    {
        RunLog::Write(RunLog::WARNING, assumption);
    }
}

double
ReplaySession::GetShare()
{
    if (!m_work)
    {
        // Only now: it takes time, and most short replays end before.
        m_work = std::make_unique<ReplayWork>(m_applications,
                                              m_fabric->GetTransports(),
                                              m_statistics,
                                              m_fabric->Describe());
    }
    return m_work->GetShare();
}

void
ReplaySession::Watch(const RunMeter& meter)
{
    if (m_stopCondition && m_stopCondition())
    {
        m_interruption = "interrupted at " + FormatMs(Simulator::Now()) + " ms, when " +
                         FormatFixed(100 * GetShare(), 1) + " % was done";
        Simulator::Stop();
    }
    else if (m_progress && m_progress->IsDue(meter.GetElapsed()))
    {
        m_progress->Show({GetShare(), meter.GetElapsed(), Simulator::GetEventCount()});
    }
}

RunCost
ReplaySession::Simulate()
{
    BeginProgress();
    const RunMeter meter;
    WallClockPoll poll(std::chrono::milliseconds(100), [&] { Watch(meter); });
    Simulator::Run();
    RunCost cost = meter.Read();
    cost.events -= poll.GetCalls();
    if (m_progress)
    {
        m_progress->Finish();
        RunLog::Disable();
    }
    return cost;
}

bool
ReplaySession::HasFinished() const
{
    return std::all_of(m_applications.Begin(), m_applications.End(), [](const auto& application) {
        return DynamicCast<ReplayApplication>(application)->IsFinished();
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
    auto reasons = m_faults;
    if (reasons.empty())
    {
        reasons = m_fabric->GetFailures();
        const auto waits = ReplayHelper::DescribeWaits(m_applications);
        reasons.insert(reasons.end(), waits.begin(), waits.end());
    }
    reasons.insert(reasons.begin(), PROGRAM + ": error: the replay could not finish");
    return reasons;
}

ReplayResult
ReplaySession::MakeResult(const RunCost& cost) const
{
    ReplayResult result;
    result.complete = HasFinished() && m_faults.empty();
    result.interruption = m_interruption;
    result.statistics = m_statistics;
    // A replay that stops early has no time of all iterations; its links carried until now.
    result.duration = result.complete ? m_statistics->GetTotalTime() : Simulator::Now();
    result.fabric = m_fabric->Describe();
    result.links = m_fabric->GetLinkUse();
    result.network = m_fabric->GetTotals();
    result.assumptions = m_assumptions;
    result.run = cost;
    return result;
}

ReplaySession::ExitCode
ReplaySession::Run(std::ostream& report, std::ostream& errors)
{
    const auto result = MakeResult(Simulate());
    PrintReplayReport(report, result);
    report.flush();
    bool isWritten = true;
    if (m_files)
    {
        for (const auto& error : m_files->Finish(result))
        {
            isWritten = false;
            errors << error << "\n";
        }
    }
    for (const auto& reason : FindReasons())
    {
        errors << reason << "\n";
    }
    errors.flush();
    return result.complete && isWritten ? DONE : UNFINISHED;
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
            const auto faults = DryRun(options, std::cout);
            for (const auto& fault : faults)
            {
                std::cerr << fault << "\n";
            }
            return faults.empty() ? DONE : UNFINISHED;
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
