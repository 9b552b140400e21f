/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "whole-placement.h"

#include <algorithm>
#include <cstddef>
#include <map>

namespace ns3
{

namespace
{

/**
 * @param spans groups
 * @return blocks of ranks that they join, in the order of ranks
 */
std::vector<RankSpan>
JoinSpans(const std::set<RankSpan>& spans)
{
    std::vector<RankSpan> blocks;
    // By first ranks, so that a span can only join the last block.
    for (const auto& span : spans)
    {
        if (blocks.empty() || span.first > blocks.back().second)
        {
            blocks.push_back(span);
        }
        blocks.back().second = std::max(blocks.back().second, span.second);
    }
    return blocks;
}

/**
 * @param places part of each host
 * @return hosts of each part, those that are to be taken first last; parts in the order of their
 *         first hosts
 */
std::vector<std::vector<uint32_t>>
ListParts(const std::vector<uint32_t>& places)
{
    std::map<uint32_t, std::size_t> numbers;
    std::vector<std::vector<uint32_t>> parts;
    for (uint32_t host = 0; host < places.size(); ++host)
    {
        const auto [found, isNew] = numbers.try_emplace(places[host], parts.size());
        if (isNew)
        {
            parts.emplace_back();
        }
        parts[found->second].push_back(host);
    }
    // The end of a vector is what can be taken off.
    for (auto& part : parts)
    {
        std::reverse(part.begin(), part.end());
    }
    return parts;
}

} // namespace

std::vector<uint32_t>
FindWholePlacement(const std::vector<uint32_t>& places,
                   const std::set<RankSpan>& spans,
                   uint32_t ranks)
{
    auto parts = ListParts(places);
    std::vector<uint32_t> hosts(ranks, UINT32_MAX);
    std::size_t first = 0; // before it no part has anything left
    // Gives ranks the next hosts of the first part that has enough; false = none has.
    const auto place = [&](uint32_t from, uint32_t to) {
        while (first < parts.size() && parts[first].empty())
        {
            ++first;
        }
        const auto size = to - from + 1;
        const auto part =
            std::find_if(parts.begin() + static_cast<std::ptrdiff_t>(first),
                         parts.end(),
                         [size](const std::vector<uint32_t>& free) { return free.size() >= size; });
        for (auto rank = from; part != parts.end() && rank <= to; ++rank)
        {
            hosts[rank] = part->back();
            part->pop_back();
        }
        return part != parts.end();
    };
    for (const auto& [from, to] : JoinSpans(spans))
    {
        if (!place(from, to))
        {
            return {};
        }
    }
    // Ranks by themselves fill what blocks have left.
    for (uint32_t rank = 0; rank < ranks; ++rank)
    {
        if (hosts[rank] == UINT32_MAX && !place(rank, rank))
        {
            return {};
        }
    }
    return hosts;
}

std::string
FormatPlacement(const std::vector<uint32_t>& hosts, std::size_t most)
{
    std::string text;
    std::size_t ranges = 0;
    for (std::size_t i = 0; i < hosts.size(); ++ranges)
    {
        if (ranges == most)
        {
            return text + "+...";
        }
        // A range goes on as long as the next rank has the next host.
        auto end = i + 1;
        while (end < hosts.size() && hosts[end] == hosts[end - 1] + 1)
        {
            ++end;
        }
        text += (text.empty() ? "" : "+") + std::to_string(hosts[i]) +
                (end > i + 1 ? "-" + std::to_string(hosts[end - 1]) : "");
        i = end;
    }
    return text;
}

} // namespace ns3
