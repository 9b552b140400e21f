/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "replay-session.h"

#include "background-run.h"
#include "dry-run.h"
#include "job-request.h"
#include "level-costs.h"
#include "network-troubles.h"
#include "networked-job.h"
#include "process-agreement.h"
#include "process-group.h"
#include "process-merge.h"
#include "rdma-replay-fabric.h"
#include "replay-assumptions.h"
#include "replay-option-table.h"
#include "replay-progress.h"
#include "replay-recorder.h"
#include "run-log.h"
#include "straddling-groups.h"
#include "transport-kind.h"

#include "ns3/boolean.h"
#include "ns3/config.h"
#include "ns3/flow-times.h"
#include "ns3/replay-application.h"
#include "ns3/replay-report.h"
#include "ns3/simulator.h"
#include "ns3/text-table.h"
#include "ns3/uinteger.h"

#include <unistd.h>
#include <utility>

namespace ns3
{

namespace
{

/// Random streams of background traffic begin here, beyond those of the ranks and placements.
constexpr int64_t FIRST_BACKGROUND_STREAM = 1LL << 42;

/// Random streams of the internet stacks beside the jobs begin here, beyond those.
constexpr int64_t FIRST_STACK_STREAM = 1LL << 43;

/// Random streams of the ranks begin here, beyond those of any network: what is drawn for a rank
/// does not depend on what it runs on.
constexpr int64_t FIRST_RANK_STREAM = 1LL << 40;

} // namespace

ReplaySession::ReplaySession(const ReplayOptions& options)
    : m_options(options)
{
    CreateReplayOptionTable(m_options).Check();
    TransportKind::Get(options)->Check(options);
    // Defaults of attributes first: what is made below takes them.
    SetNetworkDefaults(options);
    Config::SetDefault("ns3::LogGopsHost::MatchSizes", BooleanValue(options.sizes == "strict"));
    m_requests = ReadJobs(options);
    for (const auto& request : m_requests)
    {
        CheckStragglers(request);
    }
    auto notes = KeepGroupsWhole(m_requests, m_options);
    m_graph = BuildTopology(m_options, CountHosts(m_requests));
    m_workload = PlaceWorkload(m_requests, m_options, m_graph);
    if (m_options.IsGiven("outputDir") && m_options.files.IsWanted("trace.json"))
    {
        m_shown.emplace(*m_workload, m_options.trace);
    }
    m_assumptions = ListAssumptions(m_requests, options, m_graph);
    notes = notes.empty() ? ListStraddlingGroups(m_workload, m_graph, m_options) : notes;
    m_assumptions.insert(m_assumptions.end(), notes.begin(), notes.end());
    if (!options.calibration.empty())
    {
        m_assumptions.push_back(options.calibration);
    }
    // Before anything is made: the values may be wrong.
    auto background = MakeBackground(options.background,
                                     *TransportKind::Get(options),
                                     m_graph,
                                     FIRST_BACKGROUND_STREAM);
    m_job = MakeJob(m_workload);
    if (!background.empty())
    {
        // Background traffic has the last communicator, see MergeJobs().
        const auto communicators = static_cast<uint32_t>(m_workload->GetCommunicators().size());
        m_background = std::make_unique<BackgroundRun>(std::move(background),
                                                       *m_job,
                                                       communicators - 1,
                                                       m_graph,
                                                       FIRST_STACK_STREAM);
    }
    Record();
    // Several processes agree first, see Make().
    if (ProcessGroup::GetSize() == 1)
    {
        OpenFiles();
    }
}

void
ReplaySession::Record()
{
    // Who has asked for an algorithm has to know which collectives do without it.
    m_assumptions.insert(m_assumptions.end(), m_job->notes.begin(), m_job->notes.end());
    if (m_workload->GetFormat() == "flows")
    {
        m_job->flows = std::make_unique<FlowTimes>(m_graph);
        m_job->flows->ConnectTransports(m_job->fabric->GetTransports());
    }
    m_recorder = std::make_unique<ReplayRecorder>(*m_job, m_graph);
    m_recorder->SetBackground(m_background.get());
    if (!m_options.timeSeries.interval.IsZero())
    {
        m_recorder->SampleNetwork(m_options.timeSeries);
    }
}

void
ReplaySession::OpenFiles()
{
    if (m_options.IsGiven("outputDir"))
    {
        auto selection = m_options.files;
        selection.Keep(m_options.topology);
        m_recorder->WriteFiles(m_options.outputDir,
                               m_options.Locate("outputDir"),
                               selection,
                               m_shown,
                               m_options.flowPaths == "on");
    }
}

std::unique_ptr<NetworkedJob>
ReplaySession::MakeJob(std::shared_ptr<const Workload> workload)
{
    ProcessGroup::BeginSimulation();
    auto job = std::make_unique<NetworkedJob>(m_options,
                                              m_graph,
                                              workload,
                                              m_options.iterations,
                                              m_options.MayReuse());
    ReplayHelper::AssignStreams(job->ranks, FIRST_RANK_STREAM);
    for (uint32_t i = 0; i < job->ranks.GetN(); ++i)
    {
        const auto application = DynamicCast<ReplayApplication>(job->ranks.Get(i));
        const auto place = workload->GetJobRank(application->GetRank());
        if (place.job < m_requests.size())
        {
            // Each job has iterations, start and compute times of its own.
            const auto& request = m_requests[place.job];
            application->SetAttribute("Iterations", UintegerValue(request.options.iterations));
            application->SetAttribute("StartTime", TimeValue(request.start));
            SetComputeTimes(request.options, place.rank, application);
        }
    }
    return job;
}

ReplaySession::~ReplaySession()
{
    Simulator::Destroy();
    ProcessGroup::EndSimulation();
}

void
ReplaySession::SetStopCondition(StopCondition condition)
{
    m_stopCondition = std::move(condition);
}

ReplayScene
ReplaySession::GetScene() const
{
    ReplayScene scene{m_graph, m_workload, {}, m_job->ranks, m_job->switches, {}, {}, {}};
    m_job->fabric->Show(scene);
    return scene;
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
    return isShown ? std::make_unique<ReplayProgress>(
                         display,
                         DescribeFasterLevels(*TransportKind::Get(m_options)))
                   : nullptr;
}

ReplayResult
ReplaySession::MakeResult(const ReplayPart& part) const
{
    std::vector<std::string> names;
    for (const auto& request : m_requests)
    {
        names.push_back(request.name);
    }
    auto result = part.MakeResult(*m_job, names, m_recorder->GetCost());
    result.assumptions.insert(result.assumptions.begin(),
                              m_assumptions.begin(),
                              m_assumptions.end());
    if (result.complete && ProcessGroup::IsFirst())
    {
        const auto troubles = ListTroubles(m_options, m_graph, *m_job, part);
        result.assumptions.insert(result.assumptions.end(), troubles.begin(), troubles.end());
    }
    if (m_background)
    {
        result.background = m_background->GetTotals();
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
        // It refers to the job.
        m_background.reset();
        m_job.reset();
        Simulator::Destroy();
        ProcessGroup::EndSimulation();
        m_job = MakeJob(KeepJob(*m_workload, i));
        ReplayRecorder recorder(*m_job, m_graph);
        const auto part = recorder.Run(nullptr, m_stopCondition);
        result.run.wallSeconds += recorder.GetCost().wallSeconds;
        for (const auto& cost : part.costs)
        {
            result.run.cpuSeconds += cost.cpuSeconds;
            result.run.events += cost.events;
        }
        // All processes go on, or none.
        goesOn = !ProcessGroup::Broadcast(part.interruption.empty() ? "goes on" : "").empty();
        if (part.hasFinished && ProcessGroup::IsFirst())
        {
            result.jobs[i].alone = m_job->jobStatistics[i]->GetIterationTimes();
        }
    }
}

Time
ReplaySession::Measure()
{
    const auto part = m_recorder->Run(nullptr, m_stopCondition);
    // All processes take the next step by the time that the first one knows.
    const bool isKnown = part.hasFinished && ProcessGroup::IsFirst();
    const Time time = isKnown ? m_job->statistics->GetIterationTimes().back() : Time();
    return TimeStep(std::stoll(ProcessGroup::Broadcast(std::to_string(time.GetTimeStep()))));
}

ReplaySession::ExitCode
ReplaySession::Run(std::ostream& report, std::ostream& errors)
{
    const auto warnings = GatherFabricWarnings(*m_job->fabric, m_graph);
    m_assumptions.insert(m_assumptions.end(), warnings.begin(), warnings.end());
    auto progress = BeginProgress();
    const bool isShown = progress != nullptr;
    const auto part = m_recorder->Run(std::move(progress), m_stopCondition);
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
        isLost = PrintLines(errors, m_recorder->Finish(result));
        PrintLines(errors, part.DescribeFailure(PROGRAM, m_graph));
    }
    return !isComplete.empty() && !isLost ? DONE : UNFINISHED;
}

std::unique_ptr<ReplaySession>
ReplaySession::Make(const ReplayOptions& options)
{
    if (ProcessGroup::GetSize() == 1)
    {
        return std::make_unique<ReplaySession>(options);
    }
    // All together: the rest may go wrong in one of them.
    ProcessGroup::BeginSimulation();
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
    session->OpenFiles();
    return session;
}

} // namespace ns3
