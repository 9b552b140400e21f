/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "flow-file.h"

#include "output-text.h"

#include "ns3/simulator.h"

namespace ns3
{

FlowFile::FlowFile(const std::string& directory,
                   std::shared_ptr<const Workload> workload,
                   const TopologyGraph& graph)
    : m_file(directory, "flows.csv"),
      m_workload(std::move(workload)),
      m_idealTime(graph)
{
    m_file.GetStream()
        << "src_rank,dst_rank,communicator,channel,bytes,start_ns,end_ns,ideal_ns,path\n";
}

void
FlowFile::Add(const Message& message)
{
    // The high half of a context is the communicator, see ReplayApplication.
    const auto& communicator = m_workload->GetCommunicators().at(message.envelope.context >> 32);
    const Time ideal = m_idealTime.Get(message.source, message.destination, message.bytes);
    m_file.GetStream() << message.source << ',' << message.destination << ','
                       << FormatCsvField(communicator.name) << ',' << message.channel << ','
                       << message.bytes << ',' << ToNanoseconds(message.postedAt) << ','
                       << ToNanoseconds(Simulator::Now()) << ',' << ToNanoseconds(ideal) << ",\n";
}

std::string
FlowFile::Finish()
{
    return m_file.Finish();
}

} // namespace ns3
