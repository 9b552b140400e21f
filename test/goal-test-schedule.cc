/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "goal-test-schedule.h"

namespace ns3
{

namespace
{

/**
 * @param [in,out] text where a number goes
 * @param number the number
 * @param bytes its bytes, little-endian
 */
void
Append(std::string& text, uint64_t number, uint32_t bytes)
{
    for (uint32_t i = 0; i < bytes; ++i, number >>= 8)
    {
        text += static_cast<char>(number & 0xff);
    }
}

} // namespace

GoalTestSchedule::GoalTestSchedule(uint32_t world)
    : m_ranks(world),
      m_requirements(world)
{
}

uint32_t
GoalTestSchedule::Add(uint32_t rank,
                      uint8_t type,
                      uint64_t amount,
                      int64_t peer,
                      int64_t tag,
                      uint32_t cpu,
                      uint32_t nic)
{
    m_ranks[rank].push_back({type, amount, peer, tag, cpu, nic});
    return static_cast<uint32_t>(m_ranks[rank].size() - 1);
}

uint32_t
GoalTestSchedule::Send(uint32_t rank, uint64_t bytes, uint32_t peer, int64_t tag, int64_t after)
{
    const auto node = Add(rank, 1, bytes, peer, tag);
    if (after >= 0)
    {
        Require(rank, node, static_cast<uint32_t>(after));
    }
    return node;
}

uint32_t
GoalTestSchedule::Receive(uint32_t rank, uint64_t bytes, int64_t peer, int64_t tag, int64_t after)
{
    const auto node = Add(rank, 2, bytes, peer, tag);
    if (after >= 0)
    {
        Require(rank, node, static_cast<uint32_t>(after));
    }
    return node;
}

uint32_t
GoalTestSchedule::Calc(uint32_t rank, uint64_t nanoseconds, int64_t after, uint32_t cpu)
{
    const auto node = Add(rank, 3, nanoseconds, 0, 0, cpu);
    if (after >= 0)
    {
        Require(rank, node, static_cast<uint32_t>(after));
    }
    return node;
}

void
GoalTestSchedule::Require(uint32_t rank, uint32_t node, uint32_t before, bool isStart)
{
    auto& nodes = m_ranks[rank];
    ++nodes[node].required;
    (isStart ? nodes[before].start : nodes[before].finish).push_back(node);
    m_requirements[rank] += "n" + std::to_string(node) +
                            (isStart ? " irequires n" : " requires n") + std::to_string(before) +
                            "\n";
}

std::string
GoalTestSchedule::GetText() const
{
    std::string text = "num_ranks " + std::to_string(m_ranks.size()) + "\n";
    for (std::size_t rank = 0; rank < m_ranks.size(); ++rank)
    {
        text += "rank " + std::to_string(rank) + " {\n";
        for (std::size_t i = 0; i < m_ranks[rank].size(); ++i)
        {
            const auto& node = m_ranks[rank][i];
            const auto amount = std::to_string(node.amount);
            const auto peer = std::to_string(node.peer);
            text += "n" + std::to_string(i) + ": ";
            text += node.type == 3   ? "calc " + amount
                    : node.type == 1 ? "send " + amount + "b to " + peer
                                     : "recv " + amount + "b from " + peer;
            text += node.type == 3 ? "" : " tag " + std::to_string(node.tag);
            text += " cpu " + std::to_string(node.cpu);
            text += node.type == 3 ? "\n" : " nic " + std::to_string(node.nic) + "\n";
        }
        text += m_requirements[rank] + "}\n";
    }
    return text;
}

std::string
GoalTestSchedule::GetPart(uint32_t rank) const
{
    const auto& nodes = m_ranks[rank];
    std::string roots;
    std::string records;
    std::string appendix;
    for (std::size_t i = 0; i < nodes.size(); ++i)
    {
        const auto& node = nodes[i];
        if (node.required == 0)
        {
            Append(roots, i, 4);
        }
        Append(records, node.required, 4);
        Append(records, node.type, 1);
        Append(records, static_cast<uint64_t>(node.peer), 4);
        Append(records, node.amount, 8);
        Append(records, static_cast<uint64_t>(node.tag), 4);
        Append(records, node.cpu, 1);
        Append(records, node.nic, 1);
        for (const auto* others : {&node.finish, &node.start})
        {
            Append(records, others->size(), 4);
            Append(records, appendix.size() / 4, 4);
            for (const auto other : *others)
            {
                Append(appendix, other, 4);
            }
        }
    }
    std::string part;
    Append(part, nodes.size(), 4);
    Append(part, roots.size() / 4, 4);
    return part + roots + records + appendix;
}

std::string
GoalTestSchedule::GetBinary(uint64_t magic) const
{
    std::string text;
    Append(text, magic, 8);
    Append(text, m_ranks.size(), 4);
    Append(text, 0, 2);
    std::string parts;
    const uint64_t table = 6 + 16 * m_ranks.size();
    for (uint32_t rank = 0; rank < m_ranks.size(); ++rank)
    {
        Append(text, table + parts.size(), 8);
        parts += GetPart(rank);
        Append(text, table + parts.size(), 8);
    }
    return text + parts;
}

} // namespace ns3
