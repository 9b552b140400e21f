/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "parallel-groups.h"

#include "ns3/assert.h"

#include <algorithm>

namespace ns3
{

ParallelGroups::ParallelGroups(const ParallelLayout& layout)
    : m_layout(layout)
{
    NS_ASSERT_MSG(layout.world == layout.tp * layout.cp * layout.dp * layout.pp,
                  "the layout does not make up the world");
    NS_ASSERT_MSG(layout.dp % layout.ep == 0, "ep does not divide dp");
}

ParallelGroups::Place
ParallelGroups::GetPlace(uint32_t rank) const
{
    Place place;
    place.tp = rank % m_layout.tp;
    rank /= m_layout.tp;
    place.cp = rank % m_layout.cp;
    rank /= m_layout.cp;
    place.dp = rank % m_layout.dp;
    place.pp = rank / m_layout.dp;
    place.ep = place.dp % m_layout.ep;
    place.edp = place.dp / m_layout.ep;
    return place;
}

uint32_t
ParallelGroups::GetRank(const Place& place) const
{
    return place.tp + m_layout.tp * (place.cp + m_layout.cp * (place.dp + m_layout.dp * place.pp));
}

Communicator
ParallelGroups::GetGroup(uint32_t rank, Dimension dimension) const
{
    Communicator group;
    group.dimension = dimension;
    auto place = GetPlace(rank);
    // Each member is the rank with one or two of its coordinates replaced.
    auto collect = [&](uint32_t Place::*coordinate, uint32_t first, uint32_t stride, uint32_t n) {
        for (uint32_t i = 0; i < n; ++i)
        {
            place.*coordinate = first + i * stride;
            group.ranks.push_back(GetRank(place));
        }
    };
    switch (dimension)
    {
    case Dimension::TP:
        collect(&Place::tp, 0, 1, m_layout.tp);
        break;
    case Dimension::CP:
        collect(&Place::cp, 0, 1, m_layout.cp);
        break;
    case Dimension::EP:
        collect(&Place::dp, place.edp * m_layout.ep, 1, m_layout.ep);
        break;
    case Dimension::DP:
        for (uint32_t dp = 0; dp < m_layout.dp; ++dp)
        {
            place.dp = dp;
            collect(&Place::cp, 0, 1, m_layout.cp);
        }
        break;
    case Dimension::EDP:
        collect(&Place::dp, place.ep, m_layout.ep, m_layout.dp / m_layout.ep);
        break;
    case Dimension::PP:
        collect(&Place::pp, 0, 1, m_layout.pp);
        break;
    case Dimension::EMBEDDING: {
        const bool between = place.pp > 0 && place.pp + 1 < m_layout.pp;
        const uint32_t others = m_layout.pp > 1 && !between ? 2 : 1;
        collect(&Place::pp, between ? place.pp : 0, m_layout.pp - 1, others);
        break;
    }
    case Dimension::WORLD:
        for (uint32_t member = 0; member < m_layout.world; ++member)
        {
            group.ranks.push_back(member);
        }
        break;
    }
    const uint32_t first = *std::min_element(group.ranks.begin(), group.ranks.end());
    group.name = ToString(dimension) + " group of rank " + std::to_string(first);
    return group;
}

std::vector<std::vector<uint32_t>>
ParallelGroups::AddTo(Workload& workload) const
{
    constexpr uint32_t none = UINT32_MAX;
    std::vector<std::vector<uint32_t>> slots(m_layout.world,
                                             std::vector<uint32_t>(N_DIMENSIONS, none));
    for (std::size_t dimension = 0; dimension < N_DIMENSIONS; ++dimension)
    {
        for (uint32_t rank = 0; rank < m_layout.world; ++rank)
        {
            if (slots[rank][dimension] != none)
            {
                continue;
            }
            const auto group = GetGroup(rank, static_cast<Dimension>(dimension));
            const auto id = workload.AddCommunicator(group);
            for (const auto member : group.ranks)
            {
                slots[member][dimension] = id;
            }
        }
    }
    return slots;
}

} // namespace ns3
