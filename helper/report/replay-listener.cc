/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "replay-listener.h"

#include "ns3/abort.h"
#include "ns3/callback.h"
#include "ns3/replay-application.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <utility>

namespace ns3
{

namespace
{

/// Reports a record to a sink of any kind.
struct Teller
{
    ReplaySink& sink; //!< what is notified
    Time time;        //!< when it happens

    /**
     * @param record what happens
     */
    void operator()(const OpRecord& record) const
    {
        sink.AddOp(record);
    }

    /**
     * @param record what happens
     */
    void operator()(const CollectiveRecord& record) const
    {
        sink.AddCollective(record);
    }

    /**
     * @param record what happens
     */
    void operator()(const IterationRecord& record) const
    {
        sink.AddIteration(record);
    }

    /**
     * @param record what happens
     */
    void operator()(const Message& record) const
    {
        sink.AddMessage(record, time);
    }
};

} // namespace

ReplayListener::ReplayListener(ReplaySink& sink)
    : m_sink(sink)
{
}

void
ReplayListener::ConnectApplications(const ApplicationContainer& applications)
{
    for (auto i = applications.Begin(); i != applications.End(); ++i)
    {
        const bool connected =
            (*i)->TraceConnectWithoutContext(
                "IterationFinished",
                MakeCallback(&ReplayListener::HandleIteration, this)) &&
            (*i)->TraceConnectWithoutContext("CollectiveFinished",
                                             MakeCallback(&ReplayListener::HandleCollective, this));
        NS_ABORT_MSG_UNLESS(connected, "only applications of ReplayHelper can be listened to");
    }
}

void
ReplayListener::ConnectOps(const ApplicationContainer& applications, const TraceSelection* shown)
{
    for (auto i = applications.Begin(); i != applications.End(); ++i)
    {
        const auto application = DynamicCast<ReplayApplication>(*i);
        NS_ABORT_MSG_UNLESS(application, "only applications of ReplayHelper can be listened to");
        // Records of ranks that are not shown would only be thrown away.
        if (!shown || shown->HasRank(application->GetRank()))
        {
            application->TraceConnectWithoutContext("OpFinished",
                                                    MakeCallback(&ReplayListener::HandleOp, this));
        }
    }
}

void
ReplayListener::ConnectTransports(const std::vector<Ptr<MessageTransport>>& transports)
{
    for (const auto& transport : transports)
    {
        if (transport)
        {
            transport->TraceConnectWithoutContext(
                "Carried",
                MakeCallback(&ReplayListener::HandleMessage, this));
        }
    }
}

void
ReplayListener::HandleOp(const OpRecord& record)
{
    Add(record.rank, record);
}

void
ReplayListener::HandleCollective(const CollectiveRecord& record)
{
    Add(record.rank, record);
}

void
ReplayListener::HandleIteration(const IterationRecord& record)
{
    Add(record.rank, record);
}

void
ReplayListener::HandleMessage(const Message& message)
{
    Add(message.destination, message);
}

void
ReplayListener::Add(uint32_t address, Record record)
{
    const Time now = Simulator::Now();
    if (now < m_time)
    {
        // A part of the model catches up: messages alone, whose order nobody reports.
        std::visit(Teller{m_sink, now}, record);
        return;
    }
    // Records of one time are reported together, by address, whatever the order of events was.
    if (now != m_time)
    {
        Flush();
        m_time = now;
    }
    m_entries.push_back({address, std::move(record)});
}

void
ReplayListener::ConnectFiles(const OutputSelection& files,
                             const TraceSelection* shown,
                             const ApplicationContainer& applications,
                             const std::vector<Ptr<MessageTransport>>& transports)
{
    const bool hasOps = files.IsWanted("ops.csv") || files.HasOutput(&ReplayOutput::WantsOps);
    // For trace.json alone, the ranks that it shows will do.
    if (hasOps || shown)
    {
        ConnectOps(applications, hasOps ? nullptr : shown);
    }
    if (files.IsWanted("flows.csv") || files.IsWanted("summary.json") ||
        files.HasOutput(&ReplayOutput::WantsMessages))
    {
        ConnectTransports(transports);
    }
}

void
ReplayListener::Flush()
{
    // What happens at one rank stays in its order.
    std::stable_sort(m_entries.begin(), m_entries.end(), [](const Entry& a, const Entry& b) {
        return a.address < b.address;
    });
    for (const auto& entry : m_entries)
    {
        std::visit(Teller{m_sink, m_time}, entry.record);
    }
    m_entries.clear();
}

} // namespace ns3
