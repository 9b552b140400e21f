/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "trace-file.h"

#include "output-text.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace ns3
{

namespace
{

/// Series of ports that are shown at most.
constexpr std::size_t MOST_COUNTERS = 64;

/**
 * @param workload the job, or the jobs
 * @return its ranks in the order in which they are shown: job by job, by their rank there
 */
std::vector<uint32_t>
ListRanks(const Workload& workload)
{
    std::vector<uint32_t> ranks;
    for (const auto& job : workload.GetJobs())
    {
        ranks.insert(ranks.end(), job.hosts.begin(), job.hosts.end());
    }
    if (workload.GetJobs().empty())
    {
        ranks.resize(workload.GetLayout().world);
        std::iota(ranks.begin(), ranks.end(), 0);
    }
    return ranks;
}

} // namespace

TraceArrows::TraceArrows(const Workload& workload)
    : m_workload(workload)
{
}

TraceArrows::Key
TraceArrows::FindKey(const OpRecord& record) const
{
    const auto& op = record.program->GetOps()[record.op];
    const auto communicator = m_workload.GetCommunicatorSlots(record.rank).at(op.communicator);
    const auto peer = m_workload.GetCommunicators().at(communicator).ranks.at(op.peer);
    const bool isSend = op.kind == OpKind::SEND;
    return {isSend ? record.rank : peer, isSend ? peer : record.rank, communicator, op.tag};
}

std::optional<uint32_t>
TraceArrows::FindPeer(const OpRecord& record) const
{
    const auto kind = record.program->GetOps()[record.op].kind;
    if ((kind != OpKind::SEND && kind != OpKind::RECV) || record.program->UsesResources())
    {
        return std::nullopt;
    }
    const auto key = FindKey(record);
    return kind == OpKind::SEND ? std::get<1>(key) : std::get<0>(key);
}

std::optional<TraceArrows::Arrow>
TraceArrows::Add(const OpRecord& record, const End& end)
{
    const bool isSend = record.program->GetOps()[record.op].kind == OpKind::SEND;
    const auto key = FindKey(record);
    auto& queue = m_queues[key];
    // Ends of one kind wait in order: matching is first in, first out for each key.
    if (queue.ends.empty() || queue.areSends == isSend)
    {
        queue.areSends = isSend;
        queue.ends.push_back(end);
        return std::nullopt;
    }
    const auto other = queue.ends.front();
    queue.ends.pop_front();
    if (queue.ends.empty())
    {
        m_queues.erase(key);
    }
    // An end outside of the selected time has no slice for the arrow to begin or end at.
    if (end.thread == 0 || other.thread == 0)
    {
        return std::nullopt;
    }
    return isSend ? Arrow{end, other} : Arrow{other, end};
}

TraceFile::TraceFile(const std::string& directory,
                     const std::string& name,
                     std::shared_ptr<const Workload> workload,
                     const TraceSelection& selection)
    : m_workload(workload),
      m_selection(selection),
      m_file(directory, name),
      m_arrows(*workload)
{
    m_threads.resize(workload->GetLayout().world);
    m_file.GetStream() << "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[";
    const auto ranks = ListRanks(*workload);
    for (std::size_t i = 0; i < ranks.size(); ++i)
    {
        if (m_selection.HasRank(ranks[i]))
        {
            WriteProcess(ranks[i], i);
        }
    }
}

void
TraceFile::BeginEvent(char type, uint32_t rank, std::size_t thread)
{
    // JSON takes no comma behind the last event, so that one stands before each but the first.
    m_event = m_isEmpty ? "\n{\"ph\":\"" : ",\n{\"ph\":\"";
    m_event += type;
    m_event += "\",\"pid\":";
    AppendNumber(m_event, rank);
    m_event += ",\"tid\":";
    AppendNumber(m_event, thread);
    m_isEmpty = false;
}

void
TraceFile::EndEvent()
{
    m_event += '}';
    m_file.GetStream().write(m_event.data(), static_cast<std::streamsize>(m_event.size()));
}

void
TraceFile::AppendTime(const char* key, int64_t nanoseconds)
{
    m_event += ",\"";
    m_event += key;
    m_event += "\":";
    // The format counts microseconds; three decimals keep the nanoseconds.
    AppendNumber(m_event, nanoseconds / 1000);
    // The leading 1 keeps zeros, and becomes the point.
    const auto point = m_event.size();
    AppendNumber(m_event, 1000 + nanoseconds % 1000);
    m_event[point] = '.';
}

void
TraceFile::WriteName(const std::string& what,
                     uint32_t rank,
                     std::size_t thread,
                     const std::string& name)
{
    BeginEvent('M', rank, thread);
    m_event += ",\"name\":\"" + what + "\",\"args\":{\"name\":";
    AppendJsonString(m_event, name);
    m_event += '}';
    EndEvent();
}

void
TraceFile::WriteProcess(uint32_t rank, std::size_t position)
{
    const auto stage = TraceSelection::FindStage(*m_workload, rank);
    auto name = "rank " + std::to_string(m_workload->GetJobRank(rank).rank) +
                m_workload->GetJobSuffix(rank);
    if (stage.stages > 1)
    {
        name += ", stage " + std::to_string(stage.number);
    }
    WriteName("process_name", rank, 0, name);
    BeginEvent('M', rank, 0);
    m_event += ",\"name\":\"process_sort_index\",\"args\":{\"sort_index\":";
    AppendNumber(m_event, position);
    m_event += '}';
    EndEvent();
    const auto& streams = m_workload->GetProgram(rank).GetStreams();
    for (std::size_t i = 0; i < streams.size(); ++i)
    {
        WriteName("thread_name", rank, i + 1, streams[i].name);
    }
    m_threads[rank] = streams.size();
}

std::size_t
TraceFile::FindThread(const OpRecord& record)
{
    const auto& program = *record.program;
    const auto number = program.GetOps()[record.op].stream;
    const auto& stream = program.GetStreams()[number];
    if (stream.order != StreamOrder::PARALLEL && stream.order != StreamOrder::RESOURCES)
    {
        return number + std::size_t{1};
    }
    // Ops of such a stream may overlap: each takes the first row that is free, or a new one.
    auto& rows = m_rows[{record.rank, number}];
    const auto start = ToNanoseconds(record.start);
    auto row = std::find_if(rows.begin(), rows.end(), [start](const Row& candidate) {
        return candidate.end <= start;
    });
    if (row == rows.end())
    {
        // The stream's own row first, further ones behind those of all streams.
        const auto thread = rows.empty() ? number + std::size_t{1} : ++m_threads[record.rank];
        if (!rows.empty())
        {
            WriteName("thread_name",
                      record.rank,
                      thread,
                      stream.name + " " + std::to_string(rows.size() + 1));
        }
        row = rows.insert(row, {thread, 0});
    }
    row->end = ToNanoseconds(record.end);
    return row->thread;
}

void
TraceFile::WriteOp(const OpRecord& record, std::size_t thread)
{
    const auto& program = *record.program;
    const auto& op = program.GetOps()[record.op];
    const int64_t start = ToNanoseconds(record.start);
    BeginEvent('X', record.rank, thread);
    AppendTime("ts", start);
    AppendTime("dur", ToNanoseconds(record.end) - start);
    m_event += ",\"name\":";
    AppendJsonString(m_event, program.GetName(op));
    m_event += ",\"args\":{\"phase\":\"" + ToString(op.phase) + '"';
    if (op.layer >= 0)
    {
        m_event += ",\"layer\":";
        AppendNumber(m_event, op.layer);
    }
    if (op.microbatch >= 0)
    {
        m_event += ",\"microbatch\":";
        AppendNumber(m_event, op.microbatch);
    }
    m_event += ",\"origin\":";
    AppendJsonString(m_event, program.GetOrigin(op));
    m_event += '}';
    EndEvent();
}

void
TraceFile::WriteArrow(const TraceArrows::Arrow& arrow)
{
    const auto& [send, receive] = arrow;
    ++m_nArrows;
    const auto write = [this](char type, const TraceArrows::End& end, int64_t time) {
        BeginEvent(type, end.rank, end.thread);
        AppendTime("ts", time);
        m_event += ",\"cat\":\"message\",\"name\":\"message\",\"id\":";
        AppendNumber(m_event, m_nArrows);
    };
    write('s', send, send.start);
    EndEvent();
    // An event at the end of a slice is no longer in it.
    const auto arrival = std::max(receive.start, receive.end - 1);
    write('f', receive, std::max(send.start, arrival));
    // The arrow ends at the slice around that time (Trace Event Format, "bp").
    m_event += ",\"bp\":\"e\"";
    EndEvent();
}

void
TraceFile::Add(const OpRecord& record)
{
    if (!m_selection.HasRank(record.rank))
    {
        return;
    }
    const bool isShown = m_selection.Overlaps(record.start, record.end);
    const auto thread = isShown ? FindThread(record) : 0;
    if (isShown)
    {
        WriteOp(record, thread);
    }
    const auto peer = m_arrows.FindPeer(record);
    // The arrow is drawn when its second end has finished.
    if (peer && m_selection.HasRank(*peer))
    {
        const auto arrow = m_arrows.Add(
            record,
            {record.rank, thread, ToNanoseconds(record.start), ToNanoseconds(record.end)});
        if (arrow)
        {
            WriteArrow(*arrow);
        }
    }
}

void
TraceFile::WriteCounter(const std::string& name,
                        const std::string& unit,
                        int64_t time,
                        int64_t value)
{
    // Ranks have the numbers below.
    BeginEvent('C', static_cast<uint32_t>(m_threads.size()), 0);
    AppendTime("ts", time);
    m_event += ",\"name\":";
    AppendJsonString(m_event, name);
    m_event += ",\"args\":{\"" + unit + "\":";
    AppendNumber(m_event, value);
    m_event += '}';
    EndEvent();
}

void
TraceFile::AddCounters(const TimeSeries& series)
{
    if (series.GetNPortSeries() > MOST_COUNTERS)
    {
        return;
    }
    const auto network = static_cast<uint32_t>(m_threads.size());
    WriteName("process_name", network, 0, "network");
    const Time interval = series.GetInterval();
    series.Visit([&](const TimeSeries::Key& key, Time end, const SeriesSample& sample) {
        const Time start = end - interval;
        if (key.kind == TimeSeries::Kind::QUEUE_PAIR || !m_selection.Overlaps(start, end))
        {
            return;
        }
        const auto from = ToNanoseconds(start);
        const auto link =
            key.from + " to " + key.to +
            (key.kind == TimeSeries::Kind::LINK ? " (link " + std::to_string(key.number) + ")"
                                                : "");
        const double megabits = 8e-6 * sample.bytes / interval.GetSeconds();
        WriteCounter(link + ", rate", "Mb/s", from, std::llround(megabits));
        WriteCounter(link + ", queue", "bytes", from, static_cast<int64_t>(sample.maxQueue));
    });
}

std::string
TraceFile::Finish()
{
    m_file.GetStream() << "\n]}\n";
    return m_file.Finish();
}

} // namespace ns3
