/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "replay-statistics.h"

#include "ns3/abort.h"
#include "ns3/callback.h"
#include "ns3/replay-application.h"

#include <algorithm>
#include <tuple>

namespace ns3
{

bool
CollectiveClass::operator<(const CollectiveClass& other) const
{
    return std::tie(dimension, kind, algorithm, bytes, ranks) <
           std::tie(other.dimension, other.kind, other.algorithm, other.bytes, other.ranks);
}

double
CollectiveStatistics::GetMeanSeconds() const
{
    return count == 0 ? 0 : total.GetSeconds() / static_cast<double>(count);
}

double
GetBusBandwidthFactor(CollectiveKind kind, uint32_t ranks)
{
    // The factors of nccl-tests (PERFORMANCE.md): what goes over a link, as a share of the bytes.
    const double others = (ranks - 1.0) / ranks;
    switch (kind)
    {
    case CollectiveKind::ALL_REDUCE:
        return 2 * others;
    case CollectiveKind::ALL_GATHER:
    case CollectiveKind::REDUCE_SCATTER:
    case CollectiveKind::ALL_TO_ALL:
    case CollectiveKind::GATHER:
    case CollectiveKind::SCATTER:
        return others;
    case CollectiveKind::SHIFT:
    case CollectiveKind::BROADCAST:
    case CollectiveKind::REDUCE:
        return 1;
    case CollectiveKind::BARRIER:
        // A barrier moves no bytes.
        break;
    }
    return 0;
}

double
GetBusBandwidth(const CollectiveClass& key, const CollectiveStatistics& statistics)
{
    const double seconds = statistics.GetMeanSeconds();
    if (seconds <= 0)
    {
        return 0;
    }
    return GetBusBandwidthFactor(key.kind, key.ranks) * static_cast<double>(key.bytes) / seconds;
}

Time
CollectiveSpan::GetDuration() const
{
    return end - firstArrival;
}

CollectiveSpans::CollectiveSpans(std::shared_ptr<const Workload> workload)
    : m_workload(std::move(workload))
{
}

std::optional<CollectiveSpan>
CollectiveSpans::Add(const CollectiveRecord& record)
{
    const auto& communicator = m_workload->GetCommunicators().at(record.communicator);
    const auto key = std::make_pair(record.communicator, record.sequence);
    // Members end in any order: the span is open until the last one has.
    auto& span = m_open[key];
    span.firstArrival = span.members == 0 ? record.arrival : Min(span.firstArrival, record.arrival);
    span.lastArrival = Max(span.lastArrival, record.arrival);
    span.end = Max(span.end, record.end);
    if (++span.members < communicator.ranks.size())
    {
        return std::nullopt;
    }
    const auto whole = span;
    m_open.erase(key);
    return whole;
}

ReplayStatistics::ReplayStatistics(std::shared_ptr<const Workload> workload)
    : m_workload(workload),
      m_merged(workload),
      m_spans(workload)
{
}

ReplayStatistics::ReplayStatistics(std::shared_ptr<const Workload> merged, uint32_t job)
    : m_workload(merged->GetJobs().at(job).workload),
      m_merged(merged),
      m_spans(merged)
{
}

void
ReplayStatistics::ConnectApplications(const ApplicationContainer& applications)
{
    const auto addIteration = MakeCallback(&ReplayStatistics::AddIteration, this);
    const auto addCollective = MakeCallback(&ReplayStatistics::AddCollective, this);
    for (auto i = applications.Begin(); i != applications.End(); ++i)
    {
        const bool connected =
            (*i)->TraceConnectWithoutContext("IterationFinished", addIteration) &&
            (*i)->TraceConnectWithoutContext("CollectiveFinished", addCollective);
        NS_ABORT_MSG_UNLESS(connected, "only applications of ReplayHelper can be listened to");
    }
}

void
ReplayStatistics::ConnectTransports(const std::vector<Ptr<MessageTransport>>& transports)
{
    // All ranks share what is called for each message, so that it stays in the cache.
    const auto addMessages = MakeCallback(&ReplayStatistics::AddMessages, this);
    for (const auto& transport : transports)
    {
        if (transport)
        {
            transport->TraceConnectWithoutContext("Delivered", addMessages);
        }
    }
}

void
ReplayStatistics::AddIteration(const IterationRecord& record)
{
    auto& rank =
        m_ranks[m_merged == m_workload ? record.rank : m_merged->GetJobRank(record.rank).rank];
    if (rank.iterations++ == 0)
    {
        rank.start = record.start;
        m_start = Min(m_start, record.start);
    }
    rank.end = record.end;
    rank.compute += record.compute;
    rank.bubble += record.bubble;
    for (std::size_t i = 0; i < N_DIMENSIONS; ++i)
    {
        rank.exposed[i] += record.exposed[i];
        rank.hidden[i] += record.hidden[i];
    }
    if (record.longestWait > rank.longestWait)
    {
        rank.longestWait = record.longestWait;
        rank.longestWaitOp = record.longestWaitOp;
    }
    // Ranks may be in different iterations at the same time.
    if (record.iteration >= m_iterations.size())
    {
        m_iterations.resize(record.iteration + 1);
    }
    auto& iteration = m_iterations[record.iteration];
    ++iteration.ranks;
    iteration.end = Max(iteration.end, record.end);
}

void
ReplayStatistics::AddCollective(const CollectiveRecord& record)
{
    const auto& communicator = m_merged->GetCommunicators().at(record.communicator);
    const auto span = m_spans.Add(record);
    if (!span)
    {
        return;
    }
    auto& statistics = m_collectives[{communicator.dimension,
                                      record.kind,
                                      record.algorithm,
                                      record.bytes,
                                      static_cast<uint32_t>(communicator.ranks.size())}];
    ++statistics.count;
    statistics.total += span->GetDuration();
    statistics.max = Max(statistics.max, span->GetDuration());
}

void
ReplayStatistics::AddMessages(const Message& messages, uint64_t count)
{
    const MessageTotals totals{count, messages.bytes};
    // NVSwitches have the addresses after the last rank.
    const bool isToRank = messages.destination < GetNRanks() && !messages.IsBackground();
    AddTotals(totals, isToRank ? totals : MessageTotals());
}

void
ReplayStatistics::AddSkipped(uint32_t communicator [[maybe_unused]],
                             const PortIsolation::MessageGroup& messages)
{
    const MessageTotals totals{messages.count, messages.count * messages.bytes};
    const bool isToRank = messages.destination < m_workload->GetLayout().world;
    AddTotals(totals, isToRank ? totals : MessageTotals());
}

void
ReplayStatistics::AddTotals(const MessageTotals& all, const MessageTotals& ranks)
{
    m_messages += all;
    m_rankMessages += ranks;
}

const Workload&
ReplayStatistics::GetWorkload() const
{
    return *m_workload;
}

const std::shared_ptr<const Workload>&
ReplayStatistics::ShareWorkload() const
{
    return m_merged;
}

uint32_t
ReplayStatistics::GetNRanks() const
{
    return m_workload->GetLayout().world;
}

const RankStatistics&
ReplayStatistics::GetRank(uint32_t rank) const
{
    static const RankStatistics none;
    const auto found = m_ranks.find(rank);
    return found != m_ranks.end() ? found->second : none;
}

const ReplayStatistics::CollectiveTable&
ReplayStatistics::GetCollectives() const
{
    return m_collectives;
}

bool
ReplayStatistics::HasIterations() const
{
    return !m_iterations.empty();
}

const MessageTotals&
ReplayStatistics::GetMessages() const
{
    return m_messages;
}

const MessageTotals&
ReplayStatistics::GetRankMessages() const
{
    return m_rankMessages;
}

std::vector<Time>
ReplayStatistics::GetIterationTimes() const
{
    std::vector<Time> times;
    // An iteration lasts from the end of the one before until its last rank ends.
    Time end = m_start;
    for (const auto& iteration : m_iterations)
    {
        // An iteration that some rank has not finished has no end yet.
        if (iteration.ranks == GetNRanks())
        {
            times.push_back(iteration.end - end);
            end = iteration.end;
        }
    }
    return times;
}

Time
ReplayStatistics::GetTotalTime() const
{
    Time end;
    for (const auto& iteration : m_iterations)
    {
        end = Max(end, iteration.end);
    }
    return HasIterations() ? end - m_start : end;
}

Time
ReplayStatistics::GetIdleTime(uint32_t rank) const
{
    const auto& statistics = GetRank(rank);
    // What no other part accounts for.
    Time idle = GetTotalTime() - statistics.compute - statistics.bubble;
    for (const auto& exposed : statistics.exposed)
    {
        idle -= exposed;
    }
    return idle;
}

RankAccount
ReplayStatistics::GetAccount(uint32_t rank) const
{
    const auto& statistics = GetRank(rank);
    std::vector<int64_t> parts{statistics.compute.GetPicoSeconds()};
    for (const auto& exposed : statistics.exposed)
    {
        parts.push_back(exposed.GetPicoSeconds());
    }
    parts.push_back(statistics.bubble.GetPicoSeconds());
    parts.push_back(GetIdleTime(rank).GetPicoSeconds());
    const auto rounded = RoundToNanoseconds(parts);

    RankAccount account;
    account.compute = rounded.front();
    std::copy_n(rounded.begin() + 1, N_DIMENSIONS, account.exposed.begin());
    account.bubble = rounded[N_DIMENSIONS + 1];
    account.idle = rounded[N_DIMENSIONS + 2];
    std::transform(statistics.hidden.begin(),
                   statistics.hidden.end(),
                   account.hidden.begin(),
                   [](Time time) { return RoundToNanoseconds({time.GetPicoSeconds()}).front(); });
    if (statistics.iterations > 0)
    {
        account.end = RoundToNanoseconds({(statistics.end - m_start).GetPicoSeconds()}).front();
    }
    return account;
}

std::vector<int64_t>
RoundToNanoseconds(const std::vector<int64_t>& picoseconds)
{
    std::vector<int64_t> rounded;
    int64_t sum = 0;
    int64_t boundary = 0;
    for (const auto part : picoseconds)
    {
        sum += part;
        // Sums are rounded, not parts, so that the parts add up to the rounded total.
        const int64_t next = (sum + 500) / 1000;
        rounded.push_back(next - boundary);
        boundary = next;
    }
    return rounded;
}

} // namespace ns3
