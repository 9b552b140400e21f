/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "replay-files.h"

#include "replay-summary.h"
#include "text-table.h"
#include "topology-files.h"

#include "ns3/wait-report.h"

#include <cmath>

namespace ns3
{

namespace
{

/**
 * @param number a layer or a microbatch; below 0 = none
 * @return it as a cell
 */
std::string
FormatOptional(int32_t number)
{
    return number < 0 ? "" : std::to_string(number);
}

/**
 * @param paths links of each path
 * @return them as a cell
 */
std::string
FormatPaths(const std::vector<std::vector<uint32_t>>& paths)
{
    std::string text;
    for (const auto& path : paths)
    {
        text += text.empty() ? "" : " | ";
        for (std::size_t i = 0; i < path.size(); ++i)
        {
            text += (i > 0 ? " " : "") + std::to_string(path[i]);
        }
    }
    return text;
}

} // namespace

ReplayFiles::ReplayFiles(const std::string& directory,
                         std::shared_ptr<const Workload> workload,
                         const TopologyGraph& graph,
                         const OutputSelection& selection,
                         const std::optional<TraceSelection>& shown)
    : m_directory(directory),
      m_workload(workload),
      m_selection(selection),
      m_spans(workload),
      m_graph(graph),
      m_idealTime(graph)
{
    Open("ops.csv", "rank,stream,op,phase,layer,microbatch,origin,start_ns,end_ns", m_ops);
    Open("collectives.csv",
         "communicator,dimension,sequence,kind,algorithm,channels,bytes,ranks,first_arrival_ns,"
         "last_arrival_ns,end_ns,busbw_bytes_per_s",
         m_collectives);
    Open("flows.csv",
         "src_rank,dst_rank,communicator,channel,bytes,start_ns,end_ns,ideal_ns,path",
         m_flows);
    if (shown)
    {
        m_trace.emplace(directory, selection.GetName("trace.json"), workload, *shown);
    }
    for (const auto& [name, output] : selection.CreateOutputs())
    {
        m_others.push_back(
            {std::make_unique<OutputFile>(directory, selection.GetName(name)), output});
        output->Begin(m_others.back().file->GetStream(), *workload, graph);
    }
}

void
ReplayFiles::TellPaths(PathFinder finder)
{
    m_findPaths = std::move(finder);
}

void
ReplayFiles::Open(const std::string& name,
                  const std::string& header,
                  std::optional<CsvFile>& file) const
{
    if (m_selection.IsWanted(name))
    {
        file.emplace(m_directory,
                     m_selection.GetName(name),
                     header + (m_workload->GetJobs().empty() ? "" : ",job"));
    }
}

void
ReplayFiles::AddOp(const OpRecord& record)
{
    if (m_trace)
    {
        m_trace->Add(record);
    }
    for (const auto& other : m_others)
    {
        other.output->AddOp(record);
    }
    if (!m_ops)
    {
        return;
    }
    const auto& program = *record.program;
    const auto& op = program.GetOps()[record.op];
    const auto place = m_workload->GetJobRank(record.rank);
    AddRow(*m_ops,
           place.job,
           place.rank,
           program.GetStreams()[op.stream].name,
           program.GetName(op),
           ToString(op.phase),
           FormatOptional(op.layer),
           FormatOptional(op.microbatch),
           program.GetOrigin(op),
           record.start,
           record.end);
}

void
ReplayFiles::AddCollective(const CollectiveRecord& record)
{
    for (const auto& other : m_others)
    {
        other.output->AddCollective(record);
    }
    // A collective has its row when the last member has ended.
    const auto span = m_collectives ? m_spans.Add(record) : std::nullopt;
    if (!span)
    {
        return;
    }
    const auto& communicator = m_workload->GetCommunicators().at(record.communicator);
    const auto ranks = static_cast<uint32_t>(communicator.ranks.size());
    // One collective: its mean and its maximum are its duration.
    const auto bandwidth = GetBusBandwidth(
        {communicator.dimension, record.kind, record.algorithm, record.bytes, ranks},
        {1, span->GetDuration(), span->GetDuration()});
    AddRow(*m_collectives,
           m_workload->GetJobRank(record.rank).job,
           communicator.name,
           ToString(communicator.dimension),
           record.sequence,
           ToString(record.kind),
           record.algorithm,
           record.channels,
           record.bytes,
           ranks,
           span->firstArrival,
           span->lastArrival,
           span->end,
           std::llround(bandwidth));
}

void
ReplayFiles::AddSkipped(uint32_t communicator, const PortIsolation::MessageGroup& messages)
{
    const auto dimension = m_workload->GetCommunicators().at(communicator).dimension;
    const auto ideal = m_idealTime.Get(messages.source, messages.destination, messages.bytes);
    m_messageTimes[{FindJob(communicator), dimension}].Add(messages.bytes,
                                                           messages.duration,
                                                           ideal,
                                                           messages.count);
}

void
ReplayFiles::AddMessage(const Message& message, Time arrival)
{
    const auto& communicator = m_workload->GetCommunicators().at(message.group);
    const auto job = FindJob(message.group);
    const auto ideal = m_idealTime.Get(message.source, message.destination, message.bytes);
    m_messageTimes[{job, communicator.dimension}].Add(message.bytes,
                                                      arrival - message.postedAt,
                                                      ideal);
    for (const auto& other : m_others)
    {
        other.output->AddMessage(message, arrival);
    }
    if (!m_flows)
    {
        return;
    }
    // Background traffic has channels of its own, whose numbers users need not know.
    AddRow(*m_flows,
           job,
           GetNumber(job, message.source),
           GetNumber(job, message.destination),
           communicator.name,
           message.channel % Message::FIRST_BACKGROUND_CHANNEL,
           message.bytes,
           message.postedAt,
           arrival,
           ideal,
           m_findPaths ? FormatPaths(m_findPaths(message)) : "");
}

void
ReplayFiles::AddIteration(const IterationRecord& /* record */)
{
    // summary.json has iterations, and of all together.
}

uint32_t
ReplayFiles::FindJob(uint32_t communicator) const
{
    const auto& member = m_workload->GetCommunicators().at(communicator).ranks.front();
    // Of several jobs, the last communicator is that of background traffic, see MergeJobs().
    const bool isBackground =
        !m_workload->GetJobs().empty() && communicator + 1 == m_workload->GetCommunicators().size();
    return isBackground ? Workload::JobRank::NO_JOB : m_workload->GetJobRank(member).job;
}

uint32_t
ReplayFiles::GetNumber(uint32_t job, uint32_t address) const
{
    // NVSwitches have the addresses after the last host.
    const bool isRank = address < m_workload->GetLayout().world;
    return isRank && job != Workload::JobRank::NO_JOB ? m_workload->GetJobRank(address).rank
                                                      : address;
}

std::string
ReplayFiles::WriteLinks(const std::string& name, const ReplayResult& result) const
{
    const bool hasStorms = result.network.ports.storms > 0;
    CsvFile file(m_directory,
                 name,
                 std::string("link,from,to,rate_bps,bytes,utilisation,max_queue_bytes,ecn_marked,"
                             "pfc_pause_ns,dropped") +
                     (hasStorms ? ",pfc_storms" : ""));
    for (const auto& use : result.links)
    {
        // Bytes that the link could have carried meanwhile.
        const double capacity = static_cast<double>(use.rate) * result.duration.GetSeconds() / 8;
        const double utilisation = capacity > 0 ? static_cast<double>(use.bytes) / capacity : 0;
        const auto add = [&](const auto&... storms) {
            file.AddRow(use.link,
                        use.from,
                        use.to,
                        use.rate,
                        use.bytes,
                        FormatFixed(utilisation, 6),
                        use.maxQueue,
                        use.marks,
                        use.paused,
                        use.drops,
                        storms...);
        };
        hasStorms ? add(use.storms) : add();
    }
    return file.Finish();
}

std::string
ReplayFiles::WriteWaits(const std::string& name, const std::vector<WaitRecord>& waits) const
{
    CsvFile file(m_directory, name, "rank,op,origin,what,waits_for");
    for (const auto& wait : waits)
    {
        std::string others;
        for (const auto rank : wait.waitsFor)
        {
            others += (others.empty() ? "" : " ") + NameRank(wait, rank);
        }
        file.AddRow(NameRank(wait, wait.rank), wait.op, wait.origin, wait.what, others);
    }
    return file.Finish();
}

std::vector<std::string>
ReplayFiles::Finish(const ReplayResult& result)
{
    // What there is nothing to write of is removed, like files that are not wanted.
    if (!result.series)
    {
        m_selection.LeaveOut("timeseries.csv");
    }
    if (result.waits.empty())
    {
        m_selection.LeaveOut("waits.csv");
    }
    // After LeaveOut(), so that such files of an earlier run go, too.
    m_selection.RemoveOthers(m_directory);
    std::vector<std::string> errors;
    const auto note = [&errors](const std::string& error) {
        if (!error.empty())
        {
            errors.push_back(error);
        }
    };
    for (auto* file : {&m_ops, &m_collectives, &m_flows})
    {
        note(*file ? (*file)->Finish() : "");
    }
    for (const auto& other : m_others)
    {
        other.output->End(result);
        note(other.file->Finish());
    }
    const auto links = m_selection.GetName("links.csv");
    note(links.empty() ? "" : WriteLinks(links, result));
    if (m_trace && result.series)
    {
        m_trace->AddCounters(*result.series);
    }
    note(m_trace ? m_trace->Finish() : "");
    const auto series = m_selection.GetName("timeseries.csv");
    note(!series.empty() ? result.series->WriteFile(m_directory, series) : "");
    const auto waits = m_selection.GetName("waits.csv");
    note(waits.empty() ? "" : WriteWaits(waits, result.waits));
    for (const auto& error : WriteTopologyFiles(m_directory, m_graph, m_selection))
    {
        note(error);
    }
    const auto summary = m_selection.GetName("summary.json");
    note(summary.empty() ? "" : WriteReplaySummary(m_directory, summary, result, m_messageTimes));
    return errors;
}

} // namespace ns3
