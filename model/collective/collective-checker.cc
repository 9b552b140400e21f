/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "collective-checker.h"

#include "symbolic-run.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace ns3
{

namespace
{

/// Up to so many members, each of them is tried as the root.
constexpr uint32_t ALL_ROOTS = 9;

} // namespace

CollectiveChecker::CollectiveChecker(Ptr<const CollectiveAlgorithm> algorithm,
                                     const CollectiveCall& call,
                                     const std::vector<AllToAllSplits>& splits)
    : m_algorithm(std::move(algorithm)),
      m_splits(splits)
{
    for (uint32_t member = 0; member < call.size; ++member)
    {
        m_calls.push_back(call);
        m_calls.back().index = member;
        m_calls.back().splits = nullptr;
        if (!m_splits.empty())
        {
            const auto& sent = m_splits[member].send;
            m_calls.back().splits = &m_splits[member];
            m_calls.back().bytes = std::accumulate(sent.begin(), sent.end(), uint64_t{0});
        }
    }
}

void
CollectiveChecker::SetSlots(const CollectiveSlots& slots)
{
    m_slots = slots;
}

void
CollectiveChecker::SetMostMessages(uint64_t messages)
{
    m_mostMessages = messages;
}

uint64_t
CollectiveChecker::CountMessages() const
{
    return m_messages;
}

std::vector<uint32_t>
CollectiveChecker::ListRoots(CollectiveKind kind, uint32_t size)
{
    if (!HasRoot(kind))
    {
        return {0};
    }
    if (size > ALL_ROOTS)
    {
        return {0, size / 2, size - 1};
    }
    std::vector<uint32_t> all(size);
    std::iota(all.begin(), all.end(), 0);
    return all;
}

std::optional<CollectiveFault>
CollectiveChecker::Check()
{
    for (const bool isReversed : {false, true})
    {
        auto run = MakeRun(isReversed);
        auto fault = run.Run(m_mostMessages - m_messages);
        m_messages += run.CountMessages();
        if (m_messages >= m_mostMessages && !fault)
        {
            return std::nullopt;
        }
        m_traffic.clear();
        for (const auto& call : m_calls)
        {
            const auto member = call.index;
            m_traffic.push_back(run.GetTraffic(member));
            if (!fault)
            {
                fault = CheckResult(run, member);
            }
            const auto foretold = m_algorithm->GetReceivedBytes(call);
            if (!fault && foretold != m_traffic.back().receivedBytes)
            {
                fault = CollectiveFault{member,
                                        "",
                                        {},
                                        "the " + std::to_string(foretold) +
                                            " bytes that GetReceivedBytes() says it receives",
                                        std::to_string(m_traffic.back().receivedBytes),
                                        "CountReceivedBytes()"};
            }
            if (fault && !fault->step.empty())
            {
                break;
            }
        }
        if (fault && fault->step.empty() && fault->part.bytes > 0)
        {
            fault->advice = DescribeWriter(isReversed, *fault);
        }
        if (fault)
        {
            return fault;
        }
    }
    return std::nullopt;
}

std::string
CollectiveChecker::DescribeWriter(bool isReversed, const CollectiveFault& fault) const
{
    // Not noted the first time: only what is wrong says which place to watch.
    auto again = MakeRun(isReversed);
    auto& buffers = again.GetBuffers();
    buffers.Watch(fault.member, fault.part.offset);
    again.Run(UINT64_MAX);
    return buffers.GetWriter().empty() ? "the steps of the rank: none writes there"
                                       : buffers.GetWriter() + ", the last to write there";
}

const CollectiveTraffic&
CollectiveChecker::GetTraffic(uint32_t member) const
{
    return m_traffic.at(member);
}

BufferPart
CollectiveChecker::GetBlock(uint32_t member) const
{
    const auto& call = m_calls[member];
    return BufferPart{0, call.bytes}.Cut(call.size, member);
}

SymbolicRun
CollectiveChecker::MakeRun(bool isReversed) const
{
    SymbolicRun run(*m_algorithm, m_calls, m_slots, isReversed);
    for (const auto& call : m_calls)
    {
        BufferPart own{0, call.bytes};
        switch (call.kind)
        {
        case CollectiveKind::ALL_GATHER:
        case CollectiveKind::GATHER:
            own = GetBlock(call.index);
            break;
        case CollectiveKind::BROADCAST:
        case CollectiveKind::SCATTER:
            own.bytes = call.index == call.root ? call.bytes : 0;
            break;
        default:
            break;
        }
        if (own.bytes > 0)
        {
            auto& buffers = run.GetBuffers();
            const auto sum = buffers.GetSums().Only(call.index);
            buffers.GetInput(call.index).Write(own.offset, {{own.bytes, own.offset, sum}});
        }
    }
    return run;
}

std::vector<CollectiveChecker::Result>
CollectiveChecker::ListResults(SymbolicRun& run, uint32_t member) const
{
    const auto& call = m_calls[member];
    auto& sums = run.GetBuffers().GetSums();
    const auto block = GetBlock(member);
    const bool isRoot = member == call.root;
    std::vector<Result> results;
    switch (call.kind)
    {
    case CollectiveKind::ALL_REDUCE:
        return {{0, call.bytes, 0, sums.All()}};
    case CollectiveKind::REDUCE_SCATTER:
        return {{block.offset, block.bytes, block.offset, sums.All()}};
    case CollectiveKind::REDUCE:
        return {{0, isRoot ? call.bytes : 0, 0, sums.All()}};
    case CollectiveKind::BROADCAST:
        return {{0, call.bytes, 0, sums.Only(call.root)}};
    case CollectiveKind::SCATTER:
        return {{block.offset, block.bytes, block.offset, sums.Only(call.root)}};
    case CollectiveKind::SHIFT:
        return {
            {0, call.size > 1 ? call.bytes : 0, 0, sums.Only(call.GetMemberAfter(call.size - 1))}};
    case CollectiveKind::BARRIER:
        return {};
    case CollectiveKind::ALL_GATHER:
    case CollectiveKind::GATHER:
        for (uint32_t from = 0; (isRoot || !HasRoot(call.kind)) && from < call.size; ++from)
        {
            const auto part = GetBlock(from);
            results.push_back({part.offset, part.bytes, part.offset, sums.Only(from)});
        }
        return results;
    case CollectiveKind::ALL_TO_ALL:
        break;
    }
    return ListExchanged(sums, member);
}

std::vector<CollectiveChecker::Result>
CollectiveChecker::ListExchanged(const SymbolicSums& sums, uint32_t member) const
{
    const auto& call = m_calls[member];
    const auto block = GetBlock(member);
    std::vector<Result> results;
    uint64_t place = 0;
    for (uint32_t from = 0; from < call.size; ++from)
    {
        auto part = block;
        if (call.splits)
        {
            const auto& sent = m_calls[from].splits->send;
            const auto own = sent.begin() + member;
            part = {std::accumulate(sent.begin(), own, uint64_t{0}), *own};
        }
        // A member's own part stays where it is.
        if (from != member)
        {
            results.push_back({place, part.bytes, part.offset, sums.Only(from)});
        }
        place += part.bytes;
    }
    return results;
}

std::optional<CollectiveFault>
CollectiveChecker::CheckResult(SymbolicRun& run, uint32_t member) const
{
    auto& sums = run.GetBuffers().GetSums();
    const auto describe = [&sums](uint64_t origin, uint32_t sum) {
        return sum == SymbolicSums::NONE ? "what was never written"
                                         : "those from offset " + std::to_string(origin) + " of " +
                                               sums.Describe(sum, "rank");
    };
    if (m_calls[member].kind == CollectiveKind::BARRIER && run.GetKnown(member) != sums.All())
    {
        return CollectiveFault{member,
                               "",
                               {},
                               "to have heard of all ranks at the end",
                               sums.Describe(run.GetKnown(member), "rank") + " alone",
                               "the steps of the rank"};
    }
    if (!run.HasPlaces())
    {
        return std::nullopt;
    }
    for (const auto& result : ListResults(run, member))
    {
        auto place = result.place;
        auto origin = result.origin;
        for (const auto& piece :
             run.GetBuffers().GetOutput(member).Read(result.place, result.bytes))
        {
            if (piece.sum != result.sum || piece.origin != origin)
            {
                return CollectiveFault{member,
                                       "",
                                       {place, piece.length},
                                       describe(origin, result.sum) + " at the end",
                                       describe(piece.origin, piece.sum),
                                       ""};
            }
            place += piece.length;
            origin += piece.length;
        }
    }
    return std::nullopt;
}

} // namespace ns3
