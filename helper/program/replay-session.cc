/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "replay-session.h"

#include "background-run.h"
#include "chakra-export.h"
#include "dry-run.h"
#include "job-request.h"
#include "model-calibration.h"
#include "networked-job.h"
#include "ns3-arguments.h"
#include "replay-assumptions.h"
#include "replay-monitor.h"
#include "run-log.h"

#include "ns3/boolean.h"
#include "ns3/config.h"
#include "ns3/double.h"
#include "ns3/in-switch-reducer.h"
#include "ns3/merged-jobs.h"
#include "ns3/replay-application.h"
#include "ns3/replay-files.h"
#include "ns3/replay-report.h"
#include "ns3/simulator.h"
#include "ns3/text-table.h"
#include "ns3/uinteger.h"

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

/// Random streams of background traffic begin here, beyond those of the ranks and placements.
constexpr int64_t FIRST_BACKGROUND_STREAM = 1LL << 42;

/// Random streams of the internet stacks beside the jobs begin here, beyond those.
constexpr int64_t FIRST_STACK_STREAM = 1LL << 43;

/// Random streams of the ranks begin here, beyond those of any network: what is drawn for a rank
/// does not depend on what it runs on.
constexpr int64_t FIRST_RANK_STREAM = 1LL << 40;

/**
 * @param job a job
 * @throws WorkloadError if a straggler is none of its ranks
 */
void
CheckStragglers(const JobRequest& job)
{
    const auto world = job.workload->GetLayout().world;
    for (const auto& [rank, straggler] : job.options.stragglers)
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
 * Make a rank compute as its job says.
 *
 * @param options what holds for the job
 * @param rank the rank in the job
 * @param [in,out] application the rank
 */
void
SetComputeTimes(const ReplayOptions& options, uint32_t rank, Ptr<Application> application)
{
    if (options.IsGiven("computeScale"))
    {
        application->SetAttribute("ComputeScale", DoubleValue(options.computeScale));
    }
    if (options.IsGiven("jitter"))
    {
        application->SetAttribute("ComputeJitter", DoubleValue(options.jitter));
    }
    if (options.IsGiven("communicationShare"))
    {
        const auto& shares = options.communicationShare;
        application->SetAttribute("ServerShare", DoubleValue(shares.server));
        application->SetAttribute("NetworkShare", DoubleValue(shares.network));
    }
    const auto straggler = options.stragglers.find(rank);
    if (straggler != options.stragglers.end())
    {
        DoubleValue scale;
        application->GetAttribute("ComputeScale", scale);
        application->SetAttribute("ComputeScale",
                                  DoubleValue(scale.Get() * straggler->second.factor));
    }
}

/**
 * Find the efficiency that a measured iteration time asks for. If a replay does not finish, that
 * with the efficiency given will not either, and tells why.
 *
 * @param [in,out] options what the user asks for; receives it
 * @param stop see ReplaySession::SetStopCondition()
 */
void
SetEfficiency(ReplayOptions& options, const ReplaySession::StopCondition& stop)
{
    auto trial = options;
    trial.given.erase("outputDir");
    const auto calibration =
        CalibrateEfficiency(options.stepTime, [&trial, &stop](double efficiency) {
            trial.model.efficiency = efficiency;
            ReplaySession session(trial);
            session.SetStopCondition(stop);
            return session.Measure();
        });
    options.model.efficiency = calibration.efficiency;
    if (calibration.iteration.IsZero())
    {
        return;
    }
    if (!calibration.hasConverged)
    {
        throw WorkloadError(options.Locate("stepTime"),
                            "a time that an iteration takes with some efficiency up to 10",
                            DescribeCalibration(calibration, options.stepTime));
    }
    options.calibration = DescribeCalibration(calibration, options.stepTime);
}

} // namespace

ReplaySession::ReplaySession(const ReplayOptions& options)
    : m_options(options)
{
    SetNetworkDefaults(options);
    Config::SetDefault("ns3::LaneHost::MatchSizes", BooleanValue(options.sizes == "strict"));
    m_requests = ReadJobs(options);
    for (const auto& request : m_requests)
    {
        CheckStragglers(request);
    }
    m_graph = BuildTopology(options, CountRanks(m_requests));
    m_workload = PlaceWorkload();
    const bool hasFiles = options.IsGiven("outputDir");
    if (hasFiles)
    {
        PrepareDirectory(options.outputDir, options.Locate("outputDir"));
    }
    m_assumptions = ListAssumptions(m_requests, options, m_graph);
    if (!options.calibration.empty())
    {
        m_assumptions.push_back(options.calibration);
    }
    // Before anything is made: the values may be wrong.
    auto background =
        MakeBackground(options.background, options.transport, m_graph, FIRST_BACKGROUND_STREAM);
    m_job = MakeJob(m_workload);
    if (!background.empty())
    {
        const auto communicators = static_cast<uint32_t>(m_workload->GetCommunicators().size());
        m_background = std::make_unique<BackgroundRun>(std::move(background),
                                                       *m_job,
                                                       communicators - 1,
                                                       m_graph,
                                                       FIRST_STACK_STREAM);
    }
    const auto warnings = m_job->fabric->Describe().warnings;
    m_assumptions.insert(m_assumptions.end(), warnings.begin(), warnings.end());
    if (hasFiles)
    {
        m_files = std::make_unique<ReplayFiles>(options.outputDir, m_workload, m_graph);
        m_files->ConnectApplications(m_job->ranks);
        m_files->ConnectTransports(m_job->fabric->GetTransports());
        m_files->ConnectTransports(m_job->fabric->GetSwitchTransports());
        if (m_background)
        {
            m_files->ConnectTransports(m_background->GetTcpTransports());
        }
    }
}

std::shared_ptr<const Workload>
ReplaySession::PlaceWorkload() const
{
    if (m_options.jobs.empty() && m_options.background.empty())
    {
        return m_requests.front().workload;
    }
    const auto placed = PlaceJobs(m_requests, m_graph);
    return MergeJobs(placed, static_cast<uint32_t>(m_graph.GetHosts().size()));
}

std::unique_ptr<NetworkedJob>
ReplaySession::MakeJob(std::shared_ptr<const Workload> workload)
{
    auto job = std::make_unique<NetworkedJob>(m_options, m_graph, workload, m_options.iterations);
    ReplayHelper::AssignStreams(job->ranks, FIRST_RANK_STREAM);
    const auto handle = MakeCallback(&ReplaySession::HandleFault, this);
    for (uint32_t i = 0; i < job->ranks.GetN(); ++i)
    {
        const auto application = DynamicCast<ReplayApplication>(job->ranks.Get(i));
        application->SetFaultCallback(handle);
        const auto place = workload->GetJobRank(i);
        if (place.job < m_requests.size())
        {
            const auto& request = m_requests[place.job];
            application->SetAttribute("Iterations", UintegerValue(request.options.iterations));
            application->SetAttribute("StartTime", TimeValue(request.start));
            SetComputeTimes(request.options, place.rank, application);
        }
    }
    for (auto i = job->switches.Begin(); i != job->switches.End(); ++i)
    {
        DynamicCast<InSwitchReducer>(*i)->SetFaultCallback(handle);
    }
    return job;
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
    const auto what =
        m_options.jobs.empty() ? m_options.workload : std::to_string(m_requests.size()) + " jobs";
    RunLog::Write(RunLog::INFO,
                  "replaying " + what + " on " + std::to_string(CountRanks(m_requests)) +
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
    for (std::size_t i = 0; i < m_job->jobStatistics.size(); ++i)
    {
        result.jobs.push_back({m_requests[i].name, m_job->jobStatistics[i], {}});
    }
    // A replay that stops early has no time of all iterations; its links carried until now.
    result.duration = result.complete ? result.statistics->GetTotalTime() : Simulator::Now();
    result.fabric = m_job->fabric->Describe();
    result.links = m_job->fabric->GetLinkUse();
    result.network = m_job->fabric->GetTotals();
    result.assumptions = m_assumptions;
    if (m_background)
    {
        result.background = m_background->GetTotals();
    }
    result.run = cost;
    return result;
}

void
ReplaySession::RunAlone(ReplayResult& result)
{
    for (uint32_t i = 0; i < result.jobs.size() && m_interruption.empty(); ++i)
    {
        m_background.reset();
        m_job.reset();
        Simulator::Destroy();
        m_job = MakeJob(KeepJob(*m_workload, i));
        ReplayMonitor monitor(*m_job, nullptr, m_stopCondition);
        const auto cost = monitor.Run();
        result.run.wallSeconds += cost.wallSeconds;
        result.run.cpuSeconds += cost.cpuSeconds;
        result.run.events += cost.events;
        m_interruption = monitor.GetInterruption();
        if (HasFinished())
        {
            result.jobs[i].alone = m_job->jobStatistics[i]->GetIterationTimes();
        }
    }
}

Time
ReplaySession::Measure()
{
    ReplayMonitor monitor(*m_job, nullptr, m_stopCondition);
    monitor.Run();
    return HasFinished() ? m_job->statistics->GetIterationTimes().back() : Time();
}

ReplaySession::ExitCode
ReplaySession::Run(std::ostream& report, std::ostream& errors)
{
    auto progress = BeginProgress();
    const bool isShown = progress != nullptr;
    ReplayMonitor monitor(*m_job, std::move(progress), m_stopCondition);
    const auto cost = monitor.Run();
    m_interruption = monitor.GetInterruption();
    auto result = MakeResult(cost);
    const auto reasons = FindReasons();
    if (result.complete && m_options.alone == "on")
    {
        RunAlone(result);
    }
    if (isShown)
    {
        RunLog::Disable();
    }
    PrintReplayReport(report, result);
    report.flush();
    const bool isLost = m_files && PrintLines(errors, m_files->Finish(result));
    PrintLines(errors, reasons);
    return result.complete && !isLost ? DONE : UNFINISHED;
}

ReplaySession::ExitCode
ReplaySession::Main(const std::vector<std::string>& arguments, StopCondition (*listen)())
{
    try
    {
        auto options = ParseReplayOptions(arguments);
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
        if (!options.stepTime.IsZero())
        {
            SetEfficiency(options, listen ? listen() : StopCondition());
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
