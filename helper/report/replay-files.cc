/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "replay-files.h"

#include "link-file.h"
#include "replay-summary.h"

#include "ns3/abort.h"
#include "ns3/callback.h"
#include "ns3/replay-application.h"

namespace ns3
{

ReplayFiles::ReplayFiles(const std::string& directory,
                         std::shared_ptr<const Workload> workload,
                         const TopologyGraph& graph)
    : m_directory(directory),
      m_ops(directory),
      m_collectives(directory, workload),
      m_flows(directory, workload, graph),
      m_trace(directory, *workload)
{
}

void
ReplayFiles::Connect(const ApplicationContainer& applications,
                     const std::vector<Ptr<MessageTransport>>& transports)
{
    for (auto i = applications.Begin(); i != applications.End(); ++i)
    {
        const bool connected =
            (*i)->TraceConnectWithoutContext("OpFinished",
                                             MakeCallback(&ReplayFiles::AddOp, this)) &&
            (*i)->TraceConnectWithoutContext("CollectiveFinished",
                                             MakeCallback(&ReplayFiles::AddCollective, this));
        NS_ABORT_MSG_UNLESS(connected, "only applications of ReplayHelper can be listened to");
    }
    for (const auto& transport : transports)
    {
        transport->TraceConnectWithoutContext("Arrived",
                                              MakeCallback(&ReplayFiles::AddMessage, this));
    }
}

void
ReplayFiles::AddOp(const OpRecord& record)
{
    m_ops.Add(record);
    m_trace.Add(record);
}

void
ReplayFiles::AddCollective(const CollectiveRecord& record)
{
    m_collectives.Add(record);
}

void
ReplayFiles::AddMessage(const Message& message)
{
    m_flows.Add(message);
}

std::vector<std::string>
ReplayFiles::Finish(const ReplayResult& result)
{
    std::vector<std::string> errors;
    for (const auto& error : {m_ops.Finish(),
                              m_collectives.Finish(),
                              m_flows.Finish(),
                              WriteLinkFile(m_directory, result.links, result.duration),
                              m_trace.Finish(),
                              WriteReplaySummary(m_directory, result)})
    {
        if (!error.empty())
        {
            errors.push_back(error);
        }
    }
    return errors;
}

} // namespace ns3
