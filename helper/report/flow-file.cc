/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "flow-file.h"

#include "output-text.h"

#include "ns3/message-context.h"
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
    const auto context = MessageContext::Unpack(message.envelope.context);
    const auto& communicator = m_workload->GetCommunicators().at(context.communicator);
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
