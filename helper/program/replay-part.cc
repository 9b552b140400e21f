/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "replay-part.h"

#include "ns3/assert.h"
#include "ns3/byte-record.h"
#include "ns3/replay-application.h"
#include "ns3/replay-helper.h"
#include "ns3/simulator.h"
#include "ns3/wait-report.h"

#include <algorithm>
#include <tuple>

namespace ns3
{

namespace
{

/// Most lines that tell why a replay could not finish, those for what broke left out.
constexpr std::size_t MOST_WAITS = 20;

/**
 * @param texts texts
 * @param [in,out] writer receives them
 */
void
WriteTexts(const std::vector<std::string>& texts, ByteWriter& writer)
{
    writer.Put(static_cast<uint32_t>(texts.size()));
    for (const auto& text : texts)
    {
        writer.PutText(text);
    }
}

/**
 * @param [in,out] reader where from
 * @return what WriteTexts() has written
 */
std::vector<std::string>
ReadTexts(ByteReader& reader)
{
    std::vector<std::string> texts(reader.Get<uint32_t>());
    std::generate(texts.begin(), texts.end(), [&reader] { return reader.GetText(); });
    return texts;
}

/**
 * @param wait what a rank waits for
 * @param [in,out] writer receives it
 */
void
WriteWait(const WaitRecord& wait, ByteWriter& writer)
{
    writer.Put(wait.rank);
    WriteTexts({wait.op, wait.origin, wait.what}, writer);
    writer.Put(static_cast<uint32_t>(wait.waitsFor.size()));
    for (const auto rank : wait.waitsFor)
    {
        writer.Put(rank);
    }
    writer.Put(wait.isCompute);
    writer.Put(wait.workload != nullptr);
}

/**
 * @param [in,out] reader where from
 * @param workload says what jobs call the ranks
 * @return what WriteWait() has written
 */
WaitRecord
ReadWait(ByteReader& reader, const Workload& workload)
{
    WaitRecord wait;
    wait.rank = reader.Get<uint32_t>();
    const auto texts = ReadTexts(reader);
    wait.op = texts.at(0);
    wait.origin = texts.at(1);
    wait.what = texts.at(2);
    wait.waitsFor.resize(reader.Get<uint32_t>());
    for (auto& rank : wait.waitsFor)
    {
        rank = reader.Get<uint32_t>();
    }
    wait.isCompute = reader.Get<bool>();
    wait.workload = reader.Get<bool>() ? &workload : nullptr;
    return wait;
}

/**
 * @param links what directions of links have seen
 * @param [in,out] writer receives it
 */
void
WriteLinks(const ReplayFabric::LinkCounts& links, ByteWriter& writer)
{
    writer.Put(static_cast<uint32_t>(links.size()));
    for (const auto& [direction, counters] : links)
    {
        writer.Put(direction);
        RecordWriter{writer}(counters);
    }
}

/**
 * @param [in,out] reader where from
 * @return what WriteLinks() has written
 */
ReplayFabric::LinkCounts
ReadLinks(ByteReader& reader)
{
    ReplayFabric::LinkCounts links;
    for (auto left = reader.Get<uint32_t>(); left > 0; --left)
    {
        auto& counters = links[reader.Get<uint32_t>()];
        RecordReader{reader}(counters);
    }
    return links;
}

/**
 * @param [in,out] to the end of it
 * @param from what is added
 */
template <typename T>
void
Append(std::vector<T>& to, const std::vector<T>& from)
{
    to.insert(to.end(), from.begin(), from.end());
}

} // namespace

ReplayPart::ReplayPart(const NetworkedJob& job)
    : hasFinished(std::all_of(
          job.ranks.Begin(),
          job.ranks.End(),
          [](const auto& rank) { return DynamicCast<ReplayApplication>(rank)->IsFinished(); })),
      end(Simulator::Now()),
      failures(job.fabric->GetFailures()),
      waits(ReplayHelper::ListWaits(job.ranks)),
      portWaits(job.fabric->ListPortWaits()),
      links(job.fabric->CountLinks()),
      retransmissions(job.fabric->GetRetransmissions()),
      sendingPorts(job.fabric->ListSendingPorts()),
      timeouts(job.fabric->GetTimeouts()),
      messages(job.statistics->GetMessages()),
      rankMessages(job.statistics->GetRankMessages())
{
}

void
ReplayPart::Write(ByteWriter& writer) const
{
    writer.Put(hasFinished);
    writer.Put(end.GetTimeStep());
    writer.PutText(interruption);
    writer.Put(static_cast<uint32_t>(faults.size()));
    for (const auto& fault : faults)
    {
        writer.Put(fault.time.GetTimeStep());
        writer.Put(fault.rank);
        writer.PutText(fault.message);
    }
    WriteTexts(failures, writer);
    writer.Put(static_cast<uint32_t>(waits.size()));
    for (const auto& wait : waits)
    {
        WriteWait(wait, writer);
    }
    writer.Put(static_cast<uint32_t>(portWaits.size()));
    for (const auto& wait : portWaits)
    {
        writer.Put(wait.waiting);
        writer.Put(wait.awaited);
        writer.Put(wait.priority);
    }
    WriteLinks(links, writer);
    writer.Put(static_cast<uint32_t>(sendingPorts.size()));
    for (const auto port : sendingPorts)
    {
        writer.Put(port);
    }
    for (const auto number : {retransmissions,
                              timeouts.count,
                              messages.count,
                              messages.bytes,
                              rankMessages.count,
                              rankMessages.bytes})
    {
        writer.Put(number);
    }
    writer.Put(timeouts.least.GetTimeStep());
    writer.Put(timeouts.most.GetTimeStep());
    for (const auto& cost : costs)
    {
        writer.Put(cost.cpuSeconds);
        writer.Put(cost.events);
        writer.Put(cost.peakMemory);
        writer.Put(cost.lookAhead.GetTimeStep());
        writer.Put(cost.windows);
        writer.Put(cost.messages);
        writer.Put(cost.messageBytes);
    }
}

void
ReplayPart::Read(ByteReader& reader, const Workload& workload)
{
    hasFinished = reader.Get<bool>();
    end = TimeStep(reader.Get<int64_t>());
    interruption = reader.GetText();
    faults.resize(reader.Get<uint32_t>());
    for (auto& fault : faults)
    {
        fault.time = TimeStep(reader.Get<int64_t>());
        fault.rank = reader.Get<uint32_t>();
        fault.message = reader.GetText();
    }
    failures = ReadTexts(reader);
    for (auto left = reader.Get<uint32_t>(); left > 0; --left)
    {
        waits.push_back(ReadWait(reader, workload));
    }
    portWaits.resize(reader.Get<uint32_t>());
    for (auto& wait : portWaits)
    {
        wait.waiting = reader.Get<uint32_t>();
        wait.awaited = reader.Get<uint32_t>();
        wait.priority = reader.Get<uint8_t>();
    }
    links = ReadLinks(reader);
    for (auto left = reader.Get<uint32_t>(); left > 0; --left)
    {
        sendingPorts.insert(reader.Get<uint32_t>());
    }
    for (auto* number : {&retransmissions,
                         &timeouts.count,
                         &messages.count,
                         &messages.bytes,
                         &rankMessages.count,
                         &rankMessages.bytes})
    {
        *number = reader.Get<uint64_t>();
    }
    timeouts.least = TimeStep(reader.Get<int64_t>());
    timeouts.most = TimeStep(reader.Get<int64_t>());
    auto& cost = costs.emplace_back();
    cost.cpuSeconds = reader.Get<double>();
    cost.events = reader.Get<uint64_t>();
    cost.peakMemory = reader.Get<uint64_t>();
    cost.lookAhead = TimeStep(reader.Get<int64_t>());
    cost.windows = reader.Get<uint64_t>();
    cost.messages = reader.Get<uint64_t>();
    cost.messageBytes = reader.Get<uint64_t>();
}

void
ReplayPart::Add(const ReplayPart& other)
{
    hasFinished = hasFinished && other.hasFinished;
    end = Max(end, other.end);
    interruption = interruption.empty() ? other.interruption : interruption;
    Append(faults, other.faults);
    Append(failures, other.failures);
    Append(waits, other.waits);
    std::stable_sort(waits.begin(), waits.end(), [](const WaitRecord& a, const WaitRecord& b) {
        return a.rank < b.rank;
    });
    Append(portWaits, other.portWaits);
    // No two processes have one port.
    links.insert(other.links.begin(), other.links.end());
    retransmissions += other.retransmissions;
    sendingPorts.insert(other.sendingPorts.begin(), other.sendingPorts.end());
    timeouts.Add(other.timeouts);
    for (const auto& [to, from] : {std::make_pair(&messages, &other.messages),
                                   std::make_pair(&rankMessages, &other.rankMessages)})
    {
        to->count += from->count;
        to->bytes += from->bytes;
    }
    Append(costs, other.costs);
}

NetworkTotals
ReplayPart::GetTotals(const std::vector<LinkUse>& uses) const
{
    NetworkTotals totals;
    totals.retransmittedPackets = retransmissions;
    totals.timeouts = timeouts;
    for (const auto& use : uses)
    {
        totals.packets += use.isHost ? use.packets : 0;
        totals.ports += use;
    }
    return totals;
}

std::vector<std::string>
ReplayPart::FindReasons() const
{
    if (!faults.empty())
    {
        const auto first =
            std::min_element(faults.begin(), faults.end(), [](const Fault& a, const Fault& b) {
                return std::tie(a.time, a.rank) < std::tie(b.time, b.rank);
            });
        return {first->message};
    }
    auto reasons = SummarizeWaits(waits, MOST_WAITS);
    if (!reasons.empty())
    {
        reasons.insert(reasons.begin(), failures.begin(), failures.end());
    }
    return reasons;
}

std::vector<std::string>
ReplayPart::DescribeDeadlocks(const TopologyGraph& graph) const
{
    std::vector<std::string> lines;
    for (const auto& deadlock : FindDeadlocks(portWaits))
    {
        lines.push_back(DescribeDeadlock(deadlock, graph));
    }
    return lines;
}

} // namespace ns3
