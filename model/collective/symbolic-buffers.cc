/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "symbolic-buffers.h"

#include <algorithm>
#include <numeric>

namespace ns3
{

namespace
{

/**
 * @param part a part of a buffer or of scratch memory
 * @return it in words
 */
std::string
DescribePart(const BufferPart& part)
{
    const bool isScratch = part.offset >= CollectiveTransfer::SCRATCH;
    const auto first = part.offset - (isScratch ? CollectiveTransfer::SCRATCH : 0);
    return std::to_string(part.bytes) + " bytes from offset " + std::to_string(first) +
           (isScratch ? " of its scratch memory" : "");
}

/**
 * @param call an all-to-all or a shift
 * @return bytes of the buffer that its receives write to
 */
uint64_t
CountOutput(const CollectiveCall& call)
{
    if (call.splits)
    {
        const auto& parts = call.splits->receive;
        return std::accumulate(parts.begin(), parts.end(), uint64_t{0});
    }
    // Parts of a member are all as long as its own, the longest of which are rounded up.
    return call.bytes + call.size;
}

/**
 * @param [in,out] left what is left of a message, last piece first; then what is left after it
 * @param length how many places
 * @return the next ones of it
 */
SymbolicPieces
TakePieces(SymbolicPieces& left, uint64_t length)
{
    SymbolicPieces pieces;
    for (uint64_t taken = 0; taken < length; taken += pieces.back().length)
    {
        // Pieces that reach across the end are cut there.
        auto& next = left.back();
        const auto count = std::min(next.length, length - taken);
        pieces.push_back({count, next.origin, next.sum});
        next.origin += count;
        next.length -= count;
        if (next.length == 0)
        {
            left.pop_back();
        }
    }
    return pieces;
}

} // namespace

SymbolicBuffers::SymbolicBuffers(const std::vector<CollectiveCall>& calls)
    : m_isApart(calls.front().kind == CollectiveKind::ALL_TO_ALL ||
                calls.front().kind == CollectiveKind::SHIFT),
      m_sums(static_cast<uint32_t>(calls.size())),
      m_inputs(calls.size()),
      m_outputs(m_isApart ? calls.size() : 0)
{
}

SymbolicSums&
SymbolicBuffers::GetSums()
{
    return m_sums;
}

SymbolicMemory&
SymbolicBuffers::GetInput(uint32_t member)
{
    return m_inputs[member];
}

SymbolicMemory&
SymbolicBuffers::GetOutput(uint32_t member)
{
    return m_isApart ? m_outputs[member] : m_inputs[member];
}

void
SymbolicBuffers::Watch(uint32_t member, uint64_t place)
{
    m_watched = {member, place};
}

const std::string&
SymbolicBuffers::GetWriter() const
{
    return m_writer;
}

std::vector<BufferPart>
SymbolicBuffers::FindParts(uint32_t member,
                           const CollectiveTransfer& transfer,
                           uint64_t length,
                           Fault& fault)
{
    auto parts = transfer.parts;
    if (parts.empty())
    {
        parts.push_back({transfer.offset, transfer.bytes});
    }
    uint64_t bytes = 0;
    for (const auto& part : parts)
    {
        bytes += part.bytes;
        if (part.offset < CollectiveTransfer::SCRATCH && part.offset + part.bytes > length)
        {
            fault = CollectiveFault{member,
                                    "",
                                    part,
                                    "bytes of a buffer of " + std::to_string(length),
                                    DescribePart(part),
                                    ""};
            return {};
        }
    }
    if (bytes != transfer.bytes || bytes == 0)
    {
        fault = CollectiveFault{member,
                                "",
                                {transfer.offset, transfer.bytes},
                                "a transfer of bytes, as many as its parts have",
                                std::to_string(transfer.bytes) + ", with parts of " +
                                    std::to_string(bytes),
                                ""};
        return {};
    }
    return parts;
}

SymbolicBuffers::Fault
SymbolicBuffers::Read(const CollectiveCall& call,
                      const CollectiveTransfer& transfer,
                      SymbolicPieces& pieces) const
{
    Fault fault;
    const auto length =
        call.splits
            ? std::accumulate(call.splits->send.begin(), call.splits->send.end(), uint64_t{0})
            : call.bytes;
    for (const auto& part : FindParts(call.index, transfer, length, fault))
    {
        for (const auto& piece : m_inputs[call.index].Read(part.offset, part.bytes))
        {
            pieces.push_back(piece);
            // The message stays as long as it should be, whatever is wrong with it.
            if (piece.sum == SymbolicSums::NONE && !fault)
            {
                const BufferPart bad{piece.origin, piece.length};
                fault = CollectiveFault{call.index,
                                        "",
                                        bad,
                                        "bytes to send that have come before",
                                        DescribePart(bad) + ", where nothing has",
                                        ""};
            }
        }
    }
    return fault;
}

SymbolicBuffers::Fault
SymbolicBuffers::AddTo(uint32_t member,
                       const SymbolicPieces& old,
                       const SymbolicMessage& message,
                       SymbolicPieces& pieces)
{
    std::pair<SymbolicPiece, SymbolicPiece> bad;
    const auto sum = AddSymbolicPieces(old, pieces, m_sums, bad);
    if (!sum)
    {
        const auto describe = [this](const SymbolicPiece& piece) {
            return piece.sum == SymbolicSums::NONE
                       ? "bytes that have never come"
                       : DescribePart({piece.origin, piece.length}) + " of " +
                             m_sums.Describe(piece.sum, "rank");
        };
        return CollectiveFault{member,
                               "",
                               {bad.first.origin, bad.first.length},
                               "sums of the same bytes in which each rank stands once",
                               describe(bad.first) + ", and to it " + describe(bad.second) +
                                   ", which " + message.DescribeSender(),
                               ""};
    }
    pieces = *sum;
    return std::nullopt;
}

SymbolicBuffers::Fault
SymbolicBuffers::Store(const CollectiveCall& call,
                       const Step& step,
                       const CollectiveTransfer& transfer,
                       const SymbolicMessage& message)
{
    const auto member = call.index;
    Fault fault;
    // Pieces are taken off the end, which is cheap.
    auto left = message.pieces;
    std::reverse(left.begin(), left.end());
    const auto size = m_isApart ? CountOutput(call) : call.bytes;
    for (const auto& part : FindParts(member, transfer, size, fault))
    {
        // What is passed on stands beside what is sent.
        auto& memory =
            part.offset >= CollectiveTransfer::SCRATCH ? GetInput(member) : GetOutput(member);
        auto pieces = TakePieces(left, part.bytes);
        if (transfer.action == CollectiveTransfer::RECV_REDUCE)
        {
            fault = AddTo(member, memory.Read(part.offset, part.bytes), message, pieces);
            if (fault)
            {
                return fault;
            }
        }
        memory.Write(part.offset, pieces);
        const bool isWatched = m_watched && m_watched->first == member &&
                               part.offset <= m_watched->second &&
                               m_watched->second < part.offset + part.bytes;
        if (isWatched)
        {
            m_writer = DescribeSymbolicStep(step.pipeline, step.number) + ", with what " +
                       message.DescribeSender();
        }
    }
    return fault;
}

} // namespace ns3
