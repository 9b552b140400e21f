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
#include "process-agreement.h"
#include "process-group.h"
#include "replay-assumptions.h"
#include "replay-monitor.h"
#include "replay-part.h"
#include "run-log.h"
#include "statistics-sink.h"

#include "ns3/boolean.h"
#include "ns3/config.h"
#include "ns3/double.h"
#include "ns3/in-switch-reducer.h"
#include "ns3/merged-jobs.h"
#include "ns3/rdma-fabric-helper.h"
#include "ns3/replay-application.h"
#include "ns3/replay-files.h"
#include "ns3/replay-listener.h"
#include "ns3/replay-report.h"
#include "ns3/replay-spool.h"
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
 * Tell what no simulation is needed for.
 *
 * @param options ask for it
 * @return the exit code
 */
ReplaySession::ExitCode
Tell(const ReplayOptions& options)
{
    if (options.help)
    {
        PrintReplayHelp(std::cout);
        return ReplaySession::DONE;
    }
    const auto errors =
        options.dryRun ? DryRun(options, std::cout) : ExportChakra(options, std::cout);
    return PrintLines(std::cerr, errors) ? ReplaySession::UNFINISHED : ReplaySession::DONE;
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
            auto session = ReplaySession::Make(trial);
            session->SetStopCondition(stop);
            return session->Measure();
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
    const bool hasFiles = options.IsGiven("outputDir") && ProcessGroup::IsFirst();
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
    if (hasFiles)
    {
        m_files = std::make_unique<ReplayFiles>(options.outputDir, m_workload, m_graph);
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
    ProcessGroup::BeginSimulation();
    auto job = std::make_unique<NetworkedJob>(m_options, m_graph, workload, m_options.iterations);
    ReplayHelper::AssignStreams(job->ranks, FIRST_RANK_STREAM);
    const auto handle = MakeCallback(&ReplaySession::HandleFault, this);
    for (uint32_t i = 0; i < job->ranks.GetN(); ++i)
    {
        const auto application = DynamicCast<ReplayApplication>(job->ranks.Get(i));
        application->SetFaultCallback(handle);
        const auto place = workload->GetJobRank(application->GetRank());
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
    ProcessGroup::EndSimulation();
}

void
ReplaySession::HandleFault(const ReplayFault& fault)
{
    m_faults.push_back(fault.message);
    Simulator::Stop();
    ProcessGroup::AskToStop();
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
    const bool isWanted = m_options.progress == "auto" ? isTerminal : m_options.progress == "on";
    const bool isShown = isWanted && ProcessGroup::IsFirst();
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

std::vector<std::string>
ReplaySession::FindReasons(const ReplayPart& part)
{
    if (part.hasFinished && part.faults.empty())
    {
        return {};
    }
    if (!part.interruption.empty() && part.faults.empty())
    {
        return {PROGRAM + ": error: the replay was " + part.interruption};
    }
    auto reasons = part.faults.empty() ? part.FindReasons() : part.faults;
    reasons.insert(reasons.begin(), PROGRAM + ": error: the replay could not finish");
    return reasons;
}

ReplayPart
ReplaySession::Simulate(std::unique_ptr<ReplayProgress> progress, ReplayFiles* files)
{
    const bool isAlone = ProcessGroup::GetSize() == 1;
    m_spool = isAlone ? nullptr : std::make_unique<ReplaySpool>();
    ReplaySink* const sink = isAlone ? static_cast<ReplaySink*>(files) : m_spool.get();
    m_listener = sink ? std::make_unique<ReplayListener>(*sink) : nullptr;
    if (m_listener)
    {
        m_listener->ConnectApplications(m_job->ranks);
    }
    if (m_listener && m_options.IsGiven("outputDir"))
    {
        m_listener->ConnectOps(m_job->ranks);
        m_listener->ConnectTransports(m_job->fabric->GetTransports());
        m_listener->ConnectTransports(m_job->fabric->GetSwitchTransports());
        if (m_background)
        {
            m_listener->ConnectTransports(m_background->GetTcpTransports());
        }
    }
    ReplayMonitor monitor(*m_job, std::move(progress), m_stopCondition);
    m_cost = monitor.Run();
    if (m_listener)
    {
        m_listener->Flush();
    }
    ReplayPart part(*m_job);
    part.interruption = monitor.GetInterruption();
    part.faults = m_faults;
    part.costs = m_cost.processes;
    if (!isAlone)
    {
        BringTogether(part, files);
    }
    return part;
}

void
ReplaySession::BringTogether(ReplayPart& part, ReplayFiles* files)
{
    ByteWriter writer;
    part.Write(writer);
    if (m_background)
    {
        m_background->Write(writer);
    }
    const auto all = ProcessGroup::Gather(writer.GetBytes());
    const auto& workload = m_job->statistics->ShareWorkload();
    if (!ProcessGroup::IsFirst())
    {
        std::string block;
        do
        {
            block = m_spool->ReadBlock();
            ProcessGroup::SendToFirst(block);
        } while (!block.empty());
        return;
    }
    std::vector<ReplaySpool::BlockSource> sources{[this] { return m_spool->ReadBlock(); }};
    for (uint32_t process = 1; process < all.size(); ++process)
    {
        ByteReader reader(all[process]);
        ReplayPart other;
        other.Read(reader, *workload);
        part.Add(other);
        if (m_background)
        {
            m_background->Add(reader);
        }
        sources.push_back([process] { return ProcessGroup::ReceiveFrom(process); });
    }
    m_job->statistics = std::make_shared<ReplayStatistics>(workload);
    m_job->statistics->AddTotals(part.messages, part.rankMessages);
    StatisticsSink sink(*m_job->statistics);
    for (uint32_t job = 0; job < m_job->jobStatistics.size(); ++job)
    {
        m_job->jobStatistics[job] = std::make_shared<ReplayStatistics>(workload, job);
        sink.AddJob(*m_job->jobStatistics[job]);
    }
    std::vector<ReplaySink*> sinks{&sink};
    if (files)
    {
        sinks.push_back(files);
    }
    ReplaySpool::Merge(sources, *workload, sinks);
}

void
ReplaySession::AddFabricWarnings()
{
    ByteWriter writer;
    for (const auto& [link, node] : m_job->fabric->FindUnmarkedPorts())
    {
        writer.Put(link);
        writer.Put(node);
    }
    std::vector<std::pair<uint32_t, uint32_t>> ports;
    for (const auto& bytes : ProcessGroup::Gather(writer.GetBytes()))
    {
        for (ByteReader reader(bytes); !reader.IsAtEnd();)
        {
            const auto link = reader.Get<uint32_t>();
            ports.emplace_back(link, reader.Get<uint32_t>());
        }
    }
    // The order in which one process finds them: by link, its end a first.
    std::sort(ports.begin(), ports.end(), [this](const auto& a, const auto& b) {
        const auto isAtB = [this](const auto& port) {
            return m_graph.GetLink(port.first).b == port.second;
        };
        return std::make_pair(a.first, isAtB(a)) < std::make_pair(b.first, isAtB(b));
    });
    auto warnings = RdmaFabricHelper::DescribeUnmarkedPorts(ports, m_graph);
    const auto others = m_job->fabric->Describe().warnings;
    warnings.insert(warnings.end(), others.begin(), others.end());
    m_assumptions.insert(m_assumptions.end(), warnings.begin(), warnings.end());
}

ReplayResult
ReplaySession::MakeResult(const ReplayPart& part) const
{
    ReplayResult result;
    result.complete = part.hasFinished && part.faults.empty();
    result.interruption = part.interruption;
    result.statistics = m_job->statistics;
    for (std::size_t i = 0; i < m_job->jobStatistics.size(); ++i)
    {
        result.jobs.push_back({m_requests[i].name, m_job->jobStatistics[i], {}});
    }
    // A replay that stops early has no time of all iterations; its links carried until now.
    result.duration = result.complete ? result.statistics->GetTotalTime() : Simulator::Now();
    result.fabric = m_job->fabric->Describe();
    result.links = part.links;
    result.network = part.GetTotals();
    result.assumptions = m_assumptions;
    if (m_background)
    {
        result.background = m_background->GetTotals();
    }
    result.run = m_cost;
    if (part.costs.size() > 1)
    {
        result.run.SetProcesses(part.costs);
    }
    return result;
}

void
ReplaySession::RunAlone(ReplayResult& result)
{
    const auto jobs = m_job->jobStatistics.size();
    bool goesOn = true;
    for (uint32_t i = 0; i < jobs && goesOn; ++i)
    {
        m_background.reset();
        m_job.reset();
        Simulator::Destroy();
        ProcessGroup::EndSimulation();
        m_job = MakeJob(KeepJob(*m_workload, i));
        const auto part = Simulate(nullptr, nullptr);
        result.run.wallSeconds += m_cost.wallSeconds;
        for (const auto& cost : part.costs)
        {
            result.run.cpuSeconds += cost.cpuSeconds;
            result.run.events += cost.events;
        }
        goesOn = !ProcessGroup::Broadcast(part.interruption.empty() ? "goes on" : "").empty();
        if (part.hasFinished && ProcessGroup::IsFirst())
        {
            result.jobs[i].alone = m_job->jobStatistics[i]->GetIterationTimes();
        }
        result.interruption = part.interruption;
    }
}

Time
ReplaySession::Measure()
{
    const auto part = Simulate(nullptr, nullptr);
    const bool isKnown = part.hasFinished && ProcessGroup::IsFirst();
    const Time time = isKnown ? m_job->statistics->GetIterationTimes().back() : Time();
    return TimeStep(std::stoll(ProcessGroup::Broadcast(std::to_string(time.GetTimeStep()))));
}

ReplaySession::ExitCode
ReplaySession::Run(std::ostream& report, std::ostream& errors)
{
    AddFabricWarnings();
    auto progress = BeginProgress();
    const bool isShown = progress != nullptr;
    const auto part = Simulate(std::move(progress), m_files.get());
    auto result = MakeResult(part);
    const auto isComplete = ProcessGroup::Broadcast(result.complete ? "complete" : "");
    if (!isComplete.empty() && m_options.alone == "on")
    {
        RunAlone(result);
    }
    if (isShown)
    {
        RunLog::Disable();
    }
    bool isLost = false;
    if (ProcessGroup::IsFirst())
    {
        PrintReplayReport(report, result);
        report.flush();
        isLost = m_files && PrintLines(errors, m_files->Finish(result));
        PrintLines(errors, FindReasons(part));
    }
    return !isComplete.empty() && !isLost ? DONE : UNFINISHED;
}

ReplaySession::ExitCode
ReplaySession::RunCommand(const ReplayOptions& given, StopCondition (*listen)())
{
    if (given.help || given.dryRun || given.IsGiven("exportChakra"))
    {
        return ProcessGroup::IsFirst() ? Tell(given) : DONE;
    }
    auto options = given;
    if (!options.stepTime.IsZero())
    {
        SetEfficiency(options, listen ? listen() : StopCondition());
    }
    auto session = Make(options);
    session->SetStopCondition(listen ? listen() : StopCondition());
    return session->Run(std::cout, std::cerr);
}

std::unique_ptr<ReplaySession>
ReplaySession::Make(const ReplayOptions& options)
{
    if (ProcessGroup::GetSize() == 1)
    {
        return std::make_unique<ReplaySession>(options);
    }
    std::unique_ptr<ReplaySession> session;
    Fingerprints fingerprints;
    std::string fault;
    try
    {
        session = std::make_unique<ReplaySession>(options);
        fingerprints = {{"workload", HashWorkload(*session->m_workload)},
                        {"topology", HashGraph(session->m_graph)}};
    }
    catch (const WorkloadError& error)
    {
        fault = error.what();
    }
    Agree(fault, fingerprints);
    return session;
}

ReplaySession::ExitCode
ReplaySession::Main(const std::vector<std::string>& arguments, StopCondition (*listen)())
{
    ExitCode code = BAD_INPUT;
    std::string fault;
    try
    {
        ProcessGroup::Join();
        ReplayOptions options;
        try
        {
            options = ParseReplayOptions(arguments);
            if (!options.help)
            {
                ApplyNs3Arguments(PROGRAM, options.ns3Arguments);
                CheckReplayOptions(options);
            }
        }
        catch (const WorkloadError& error)
        {
            fault = error.what();
        }
        Agree(fault, {{"command line", HashArguments(arguments)}});
        code = RunCommand(options, listen);
    }
    catch (const std::runtime_error& error)
    {
        // A WorkloadError, or one that all processes have.
        if (ProcessGroup::IsFirst())
        {
            std::cerr << error.what() << "\n";
        }
    }
    ProcessGroup::Leave();
    return code;
}

} // namespace ns3
