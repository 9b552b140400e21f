/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "replay-part.h"

#include "ns3/assert.h"
#include "ns3/replay-application.h"
#include "ns3/replay-helper.h"

#include <algorithm>
#include <tuple>

namespace ns3
{

namespace
{

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
 * Visit the numbers of a direction of a link that its port counts, so that they are written, read
 * and added in one order.
 *
 * @param use the direction, const or not
 * @param visit what to do with each
 */
template <typename U, typename V>
void
VisitCounters(U& use, const V& visit)
{
    visit(use.bytes);
    visit(use.maxQueue);
    visit(use.drops);
    visit(use.packets);
    visit(use.ecnMarks);
    visit(use.pfcPauses);
}

/**
 * Write the directions of links that carried anything, or were paused.
 *
 * @param links by direction
 * @param [in,out] writer receives them
 */
void
WriteLinks(const std::vector<LinkUse>& links, ByteWriter& writer)
{
    constexpr uint32_t end = UINT32_MAX;
    for (uint32_t direction = 0; direction < links.size(); ++direction)
    {
        const auto& use = links[direction];
        if (use.packets + use.drops + use.pfcPauses > 0 || !use.pfcPause.IsZero())
        {
            writer.Put(direction);
            VisitCounters(use, [&writer](auto number) { writer.Put(number); });
            writer.Put(use.pfcPause.GetTimeStep());
        }
    }
    writer.Put(end);
}

/**
 * @param [in,out] reader what WriteLinks() has written
 * @return the directions, as many as are needed
 */
std::vector<LinkUse>
ReadLinks(ByteReader& reader)
{
    std::vector<LinkUse> links;
    uint32_t direction = reader.Get<uint32_t>();
    for (; direction != UINT32_MAX; direction = reader.Get<uint32_t>())
    {
        links.resize(direction + std::size_t{1});
        VisitCounters(links.back(),
                      [&reader](uint64_t& number) { number = reader.Get<uint64_t>(); });
        links.back().pfcPause = TimeStep(reader.Get<int64_t>());
    }
    return links;
}

/**
 * @param [in,out] to a direction of a link
 * @param from what another process has counted of it, which is 0 if it does not have the port
 */
void
AddLink(LinkUse& to, const LinkUse& from)
{
    to.bytes += from.bytes;
    to.maxQueue += from.maxQueue;
    to.drops += from.drops;
    to.packets += from.packets;
    to.ecnMarks += from.ecnMarks;
    to.pfcPauses += from.pfcPauses;
    to.pfcPause += from.pfcPause;
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
      failures(job.fabric->GetFailures()),
      waits(ReplayHelper::ListWaits(job.ranks)),
      links(job.fabric->GetLinkUse()),
      retransmissions(job.fabric->GetRetransmissions()),
      messages(job.statistics->GetMessages()),
      rankMessages(job.statistics->GetRankMessages())
{
}

void
ReplayPart::Write(ByteWriter& writer) const
{
    writer.Put(hasFinished);
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
    WriteLinks(links, writer);
    for (const auto number :
         {retransmissions, messages.count, messages.bytes, rankMessages.count, rankMessages.bytes})
    {
        writer.Put(number);
    }
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
    links = ReadLinks(reader);
    for (auto* number : {&retransmissions,
                         &messages.count,
                         &messages.bytes,
                         &rankMessages.count,
                         &rankMessages.bytes})
    {
        *number = reader.Get<uint64_t>();
    }
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
    interruption = interruption.empty() ? other.interruption : interruption;
    Append(faults, other.faults);
    Append(failures, other.failures);
    Append(waits, other.waits);
    std::stable_sort(waits.begin(), waits.end(), [](const WaitRecord& a, const WaitRecord& b) {
        return a.rank < b.rank;
    });
    for (std::size_t direction = 0; direction < other.links.size(); ++direction)
    {
        AddLink(links.at(direction), other.links[direction]);
    }
    retransmissions += other.retransmissions;
    for (const auto& [to, from] : {std::make_pair(&messages, &other.messages),
                                   std::make_pair(&rankMessages, &other.rankMessages)})
    {
        to->count += from->count;
        to->bytes += from->bytes;
    }
    Append(costs, other.costs);
}

NetworkTotals
ReplayPart::GetTotals() const
{
    NetworkTotals totals;
    totals.retransmittedPackets = retransmissions;
    for (const auto& use : links)
    {
        totals.packets += use.isHost ? use.packets : 0;
        totals.packetHops += use.packets;
        totals.droppedPackets += use.drops;
        totals.ecnMarkedPackets += use.ecnMarks;
        totals.pfcPauses += use.pfcPauses;
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
    auto reasons = ReplayHelper::DescribeWaits(waits);
    if (!reasons.empty())
    {
        reasons.insert(reasons.begin(), failures.begin(), failures.end());
    }
    return reasons;
}

} // namespace ns3
