/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "symbolic-memory.h"

#include <algorithm>
#include <iterator>

namespace ns3
{

namespace
{

/**
 * @param a a piece
 * @param b the piece behind it
 * @return whether they can be kept as one
 */
bool
IsContinuedBy(const SymbolicPiece& a, const SymbolicPiece& b)
{
    return a.sum == b.sum && a.origin + a.length == b.origin;
}

/**
 * @param [in,out] pieces pieces
 * @param piece is added at their end
 */
void
Append(SymbolicPieces& pieces, const SymbolicPiece& piece)
{
    if (!pieces.empty() && IsContinuedBy(pieces.back(), piece))
    {
        pieces.back().length += piece.length;
        return;
    }
    pieces.push_back(piece);
}

} // namespace

SymbolicSums::SymbolicSums(uint32_t size)
    : m_size(size)
{
    // The empty set is number 0, and that of a member alone the next one after the member's.
    Find(std::vector<bool>(size, false));
    for (uint32_t member = 0; member < size; ++member)
    {
        std::vector<bool> only(size, false);
        only[member] = true;
        Find(std::move(only));
    }
}

uint32_t
SymbolicSums::Find(std::vector<bool> members)
{
    const auto number = static_cast<uint32_t>(m_sets.size());
    const auto found = m_numbers.try_emplace(members, number).first;
    if (found->second == number)
    {
        m_sets.push_back(std::move(members));
    }
    return found->second;
}

uint32_t
SymbolicSums::Only(uint32_t member) const
{
    return 1 + member;
}

uint32_t
SymbolicSums::All()
{
    return Find(std::vector<bool>(m_size, true));
}

std::optional<uint32_t>
SymbolicSums::Add(uint32_t a, uint32_t b)
{
    const auto known = m_added.find({a, b});
    if (known != m_added.end())
    {
        return known->second;
    }
    bool isApart = true;
    for (uint32_t member = 0; member < m_size; ++member)
    {
        isApart = isApart && !(m_sets[a][member] && m_sets[b][member]);
    }
    const auto sum = isApart ? std::optional(Unite(a, b)) : std::nullopt;
    m_added[{a, b}] = sum;
    return sum;
}

uint32_t
SymbolicSums::Unite(uint32_t a, uint32_t b)
{
    auto both = m_sets[a];
    for (uint32_t member = 0; member < m_size; ++member)
    {
        both[member] = both[member] || m_sets[b][member];
    }
    return Find(std::move(both));
}

std::string
SymbolicSums::Describe(uint32_t set, const std::string& member) const
{
    const auto& members = m_sets[set];
    const auto count = std::count(members.begin(), members.end(), true);
    if (count == static_cast<std::ptrdiff_t>(m_size) && m_size > 1)
    {
        return "all " + member + "s";
    }
    std::string text;
    for (uint32_t first = 0; first < m_size; ++first)
    {
        if (!members[first])
        {
            continue;
        }
        uint32_t last = first;
        while (last + 1 < m_size && members[last + 1])
        {
            ++last;
        }
        text += (text.empty() ? "" : ", ") + std::to_string(first);
        // Two are as short by name.
        text += last > first + 1    ? " to " + std::to_string(last)
                : last == first + 1 ? ", " + std::to_string(last)
                                    : "";
        first = last;
    }
    return count == 0 ? "" : member + (count > 1 ? "s " : " ") + text;
}

std::optional<SymbolicPieces>
AddSymbolicPieces(const SymbolicPieces& a,
                  const SymbolicPieces& b,
                  SymbolicSums& sums,
                  std::pair<SymbolicPiece, SymbolicPiece>& bad)
{
    SymbolicPieces total;
    auto one = a.begin();
    auto other = b.begin();
    uint64_t ofOne = 0;
    uint64_t ofOther = 0;
    while (one != a.end() && other != b.end())
    {
        const auto length = std::min(one->length - ofOne, other->length - ofOther);
        const SymbolicPiece left{length, one->origin + ofOne, one->sum};
        const SymbolicPiece right{length, other->origin + ofOther, other->sum};
        const auto sum = sums.Add(left.sum, right.sum);
        const bool isWritten = left.sum != SymbolicSums::NONE && right.sum != SymbolicSums::NONE;
        if (!sum || !isWritten || left.origin != right.origin)
        {
            bad = {left, right};
            return std::nullopt;
        }
        Append(total, {length, left.origin, *sum});
        ofOne += length;
        ofOther += length;
        if (ofOne == one->length)
        {
            ++one;
            ofOne = 0;
        }
        if (ofOther == other->length)
        {
            ++other;
            ofOther = 0;
        }
    }
    return total;
}

void
SymbolicMemory::Split(uint64_t place)
{
    auto found = m_pieces.upper_bound(place);
    if (found == m_pieces.begin())
    {
        return;
    }
    --found;
    auto& piece = found->second;
    const auto before = place - found->first;
    if (before > 0 && before < piece.length)
    {
        m_pieces[place] = {piece.length - before, piece.origin + before, piece.sum};
        piece.length = before;
    }
}

void
SymbolicMemory::Write(uint64_t place, const SymbolicPieces& pieces)
{
    uint64_t end = place;
    for (const auto& piece : pieces)
    {
        end += piece.length;
    }
    Split(place);
    Split(end);
    m_pieces.erase(m_pieces.lower_bound(place), m_pieces.lower_bound(end));
    for (const auto& piece : pieces)
    {
        const auto written = m_pieces.emplace(place, piece).first;
        place += piece.length;
        // What is continued is kept in one piece.
        if (written != m_pieces.begin())
        {
            const auto before = std::prev(written);
            if (before->first + before->second.length == written->first &&
                IsContinuedBy(before->second, piece))
            {
                before->second.length += piece.length;
                m_pieces.erase(written);
            }
        }
    }
}

SymbolicPieces
SymbolicMemory::Read(uint64_t place, uint64_t length) const
{
    SymbolicPieces read;
    const auto end = place + length;
    auto next = m_pieces.upper_bound(place);
    if (next != m_pieces.begin())
    {
        --next;
    }
    while (place < end)
    {
        // What lies before the place is passed over.
        if (next != m_pieces.end() && next->first + next->second.length <= place)
        {
            ++next;
            continue;
        }
        const bool isGap = next == m_pieces.end() || next->first > place;
        const auto until = isGap ? (next == m_pieces.end() ? end : std::min(end, next->first))
                                 : std::min(end, next->first + next->second.length);
        if (isGap)
        {
            Append(read, {until - place, place, SymbolicSums::NONE});
        }
        else
        {
            Append(read,
                   {until - place, next->second.origin + (place - next->first), next->second.sum});
        }
        place = until;
    }
    return read;
}

} // namespace ns3
