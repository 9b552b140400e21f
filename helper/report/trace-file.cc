/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "trace-file.h"

#include "output-text.h"

#include <algorithm>

namespace ns3
{

namespace
{

/**
 * @param nanoseconds a time, ns, not negative
 * @return it in us, to the nanosecond
 */
std::string
FormatMicroseconds(int64_t nanoseconds)
{
    const auto fraction = std::to_string(1000 + nanoseconds % 1000);
    return std::to_string(nanoseconds / 1000) + "." + fraction.substr(1);
}

} // namespace

TraceFile::TraceFile(const std::string& directory, const Workload& workload)
    : m_file(directory, "trace.json")
{
    m_threads.resize(workload.GetLayout().world);
    m_file.GetStream() << "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[";
    for (uint32_t rank = 0; rank < workload.GetLayout().world; ++rank)
    {
        const auto place = workload.GetJobRank(rank);
        if (place.job == Workload::JobRank::NO_JOB)
        {
            continue;
        }
        WriteName("process_name",
                  rank,
                  0,
                  "rank " + std::to_string(place.rank) + workload.GetJobSuffix(rank));
        const auto& streams = workload.GetProgram(rank).GetStreams();
        for (std::size_t i = 0; i < streams.size(); ++i)
        {
            WriteName("thread_name", rank, i + 1, streams[i].name);
        }
        m_threads[rank] = streams.size();
    }
}

void
TraceFile::BeginEvent()
{
    m_file.GetStream() << (m_isEmpty ? "\n" : ",\n");
    m_isEmpty = false;
}

void
TraceFile::WriteName(const std::string& what,
                     uint32_t rank,
                     std::size_t thread,
                     const std::string& name)
{
    BeginEvent();
    m_file.GetStream() << "{\"ph\":\"M\",\"pid\":" << rank << ",\"tid\":" << thread
                       << ",\"name\":\"" << what
                       << "\",\"args\":{\"name\":" << FormatJsonString(name) << "}}";
}

std::size_t
TraceFile::FindThread(const OpRecord& record)
{
    const auto& program = *record.program;
    const auto number = program.GetOps()[record.op].stream;
    const auto& stream = program.GetStreams()[number];
    if (stream.order != StreamOrder::PARALLEL && stream.order != StreamOrder::LANES)
    {
        return number + std::size_t{1};
    }
    auto& rows = m_rows[{record.rank, number}];
    const auto start = ToNanoseconds(record.start);
    auto row = std::find_if(rows.begin(), rows.end(), [start](const Row& candidate) {
        return candidate.end <= start;
    });
    if (row == rows.end())
    {
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
TraceFile::Add(const OpRecord& record)
{
    const auto& program = *record.program;
    const auto& op = program.GetOps()[record.op];
    const int64_t start = ToNanoseconds(record.start);
    const auto thread = FindThread(record);
    BeginEvent();
    auto& stream = m_file.GetStream();
    stream << "{\"ph\":\"X\",\"pid\":" << record.rank << ",\"tid\":" << thread
           << ",\"ts\":" << FormatMicroseconds(start)
           << ",\"dur\":" << FormatMicroseconds(ToNanoseconds(record.end) - start)
           << ",\"name\":" << FormatJsonString(program.GetName(op)) << ",\"args\":{\"phase\":\""
           << ToString(op.phase) << '"';
    if (op.layer >= 0)
    {
        stream << ",\"layer\":" << op.layer;
    }
    if (op.microbatch >= 0)
    {
        stream << ",\"microbatch\":" << op.microbatch;
    }
    stream << ",\"origin\":" << FormatJsonString(program.GetOrigin(op)) << "}}";
}

std::string
TraceFile::Finish()
{
    m_file.GetStream() << "\n]}\n";
    return m_file.Finish();
}

} // namespace ns3
