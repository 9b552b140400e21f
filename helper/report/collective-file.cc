/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "collective-file.h"

#include "output-text.h"

#include "ns3/replay-statistics.h"

#include <cmath>

namespace ns3
{

CollectiveFile::CollectiveFile(const std::string& directory,
                               std::shared_ptr<const Workload> workload)
    : m_file(directory, "collectives.csv"),
      m_workload(std::move(workload))
{
    m_file.GetStream() << "communicator,dimension,sequence,kind,algorithm,channels,bytes,ranks,"
                          "first_arrival_ns,last_arrival_ns,end_ns,busbw_bytes_per_s\n";
}

void
CollectiveFile::Add(const CollectiveRecord& record)
{
    const auto key = std::make_pair(record.communicator, record.sequence);
    auto& open = m_open[key];
    open.firstArrival = open.members == 0 ? record.arrival : Min(open.firstArrival, record.arrival);
    open.lastArrival = Max(open.lastArrival, record.arrival);
    open.end = Max(open.end, record.end);
    if (++open.members == m_workload->GetCommunicators().at(record.communicator).ranks.size())
    {
        Write(record, open);
        m_open.erase(key);
    }
}

void
CollectiveFile::Write(const CollectiveRecord& record, const OpenCollective& whole)
{
    const auto& communicator = m_workload->GetCommunicators().at(record.communicator);
    const auto ranks = static_cast<uint32_t>(communicator.ranks.size());
    const Time duration = whole.end - whole.firstArrival;
    const CollectiveClass key{communicator.dimension,
                              record.kind,
                              record.algorithm,
                              record.bytes,
                              ranks};
    const double bandwidth = GetBusBandwidth(key, {1, duration, duration});
    m_file.GetStream() << FormatCsvField(communicator.name) << ','
                       << ToString(communicator.dimension) << ',' << record.sequence << ','
                       << ToString(record.kind) << ',' << FormatCsvField(record.algorithm) << ','
                       << record.channels << ',' << record.bytes << ',' << ranks << ','
                       << ToNanoseconds(whole.firstArrival) << ','
                       << ToNanoseconds(whole.lastArrival) << ',' << ToNanoseconds(whole.end) << ','
                       << std::llround(bandwidth) << '\n';
}

std::string
CollectiveFile::Finish()
{
    return m_file.Finish();
}

} // namespace ns3
