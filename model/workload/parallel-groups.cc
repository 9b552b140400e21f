/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "parallel-groups.h"

#include "ns3/assert.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

namespace ns3
{

Dimension
GetSlotDimension(uint32_t slot)
{
    if (slot < N_DIMENSIONS)
    {
        return static_cast<Dimension>(slot);
    }
    return slot == EXPERT_TENSOR_SLOT ? Dimension::TP : Dimension::EP;
}

ParallelGroups::ParallelGroups(const ParallelLayout& layout)
    : m_layout(layout)
{
    NS_ASSERT_MSG(layout.world == layout.tp * layout.cp * layout.dp * layout.pp,
                  "the layout does not make up the world");
    NS_ASSERT_MSG(layout.etp > 0
                      ? (layout.tp * layout.cp * layout.dp) % (layout.etp * layout.ep) == 0
                      : layout.dp % layout.ep == 0,
                  "the experts do not fit into a stage");
}

ParallelGroups::Place
ParallelGroups::GetPlace(uint32_t rank) const
{
    Place place;
    const uint32_t inStage = rank % (m_layout.tp * m_layout.cp * m_layout.dp);
    // As Megatron-LM numbers ranks: tp runs fastest, then cp, dp and pp.
    place.tp = rank % m_layout.tp;
    rank /= m_layout.tp;
    place.cp = rank % m_layout.cp;
    rank /= m_layout.cp;
    place.dp = rank % m_layout.dp;
    place.pp = rank / m_layout.dp;
    if (m_layout.etp > 0)
    {
        // Experts divide the ranks of the same stage by themselves: by etp, ep and replicas.
        place.etp = inStage % m_layout.etp;
        place.ep = inStage / m_layout.etp % m_layout.ep;
        place.edp = inStage / (m_layout.etp * m_layout.ep);
    }
    else
    {
        place.etp = place.tp;
        place.ep = place.dp % m_layout.ep;
        place.edp = place.dp / m_layout.ep;
    }
    return place;
}

uint32_t
ParallelGroups::GetRank(const Place& place) const
{
    return place.tp + m_layout.tp * (place.cp + m_layout.cp * (place.dp + m_layout.dp * place.pp));
}

uint32_t
ParallelGroups::GetExpertRank(const Place& place) const
{
    return place.etp + m_layout.etp * (place.ep + m_layout.ep * place.edp) +
           m_layout.tp * m_layout.cp * m_layout.dp * place.pp;
}

std::vector<uint32_t>
ParallelGroups::GetHolders(uint32_t stage) const
{
    const uint32_t other = m_layout.pp - 1 - stage;
    // Two stages that hold the same part, as in DualPipe, are replicas of each other.
    if (m_layout.placement != StagePlacement::TWICE || other == stage)
    {
        return {stage};
    }
    return {std::min(stage, other), std::max(stage, other)};
}

std::vector<uint32_t>
ParallelGroups::GetMembers(Place place, Dimension dimension) const
{
    std::vector<uint32_t> members;
    // Each member is the rank with one or two of its coordinates replaced.
    auto collect = [&](uint32_t Place::*coordinate,
                       uint32_t first,
                       uint32_t stride,
                       uint32_t n) -> const std::vector<uint32_t>& {
        const bool isOfExperts = coordinate == &Place::ep || coordinate == &Place::edp;
        for (uint32_t i = 0; i < n; ++i)
        {
            place.*coordinate = first + i * stride;
            members.push_back(isOfExperts ? GetExpertRank(place) : GetRank(place));
        }
        return members;
    };
    const bool isOwn = m_layout.etp > 0;
    // A folded pipeline has the first and the last part on one stage, which shares with nobody.
    const bool isFolded = m_layout.placement == StagePlacement::FOLDED;
    const bool isAlone = isFolded || (place.pp > 0 && place.pp + 1 < m_layout.pp);
    switch (dimension)
    {
    case Dimension::TP:
        return collect(&Place::tp, 0, 1, m_layout.tp);
    case Dimension::CP:
        return collect(&Place::cp, 0, 1, m_layout.cp);
    case Dimension::EP:
        // Without a layout of their own, ep consecutive data-parallel ranks share the experts.
        return isOwn ? collect(&Place::ep, 0, 1, m_layout.ep)
                     : collect(&Place::dp, place.edp * m_layout.ep, 1, m_layout.ep);
    case Dimension::DP:
        // Ranks of cp have other tokens and the same weights, so that gradients are reduced over
        // them as well.
        for (const auto stage : GetHolders(place.pp))
        {
            place.pp = stage;
            for (place.dp = 0; place.dp < m_layout.dp; ++place.dp)
            {
                collect(&Place::cp, 0, 1, m_layout.cp);
            }
        }
        break;
    case Dimension::EDP:
        for (const auto stage : GetHolders(place.pp))
        {
            place.pp = stage;
            isOwn ? collect(&Place::edp, 0, 1, CountExpertReplicas())
                  : collect(&Place::dp, place.ep, m_layout.ep, m_layout.dp / m_layout.ep);
        }
        break;
    case Dimension::PP:
        return collect(&Place::pp, 0, 1, m_layout.pp);
    case Dimension::EMBEDDING:
        // The first and the last stage, which both hold the embedding.
        return isAlone || m_layout.pp == 1 ? collect(&Place::pp, place.pp, 0, 1)
                                           : collect(&Place::pp, 0, m_layout.pp - 1, 2);
    case Dimension::WORLD:
        members.resize(m_layout.world);
        std::iota(members.begin(), members.end(), 0);
        break;
    }
    return members;
}

uint32_t
ParallelGroups::CountExpertReplicas() const
{
    return m_layout.tp * m_layout.cp * m_layout.dp / (m_layout.etp * m_layout.ep);
}

void
ParallelGroups::AddExpertGroupsTo(Workload& workload,
                                  uint32_t groups,
                                  std::vector<std::vector<uint32_t>>& slots) const
{
    const uint32_t nGroups = m_layout.ep % groups == 0 ? groups : 1;
    const uint32_t perGroup = m_layout.ep / nGroups;
    // Calls are numbered within a communicator. These groups are communicators of their own, as in
    // Megatron-LM (parallel_state.py), though their ranks may be those of a dimension's.
    std::map<std::pair<uint32_t, std::vector<uint32_t>>, uint32_t> known;
    const auto add = [&](uint32_t rank, uint32_t slot, const std::vector<uint32_t>& members) {
        const auto [group, isNew] = known.insert({{slot, members}, 0});
        if (isNew)
        {
            const auto dimension = GetSlotDimension(slot);
            const auto name = ToString(dimension) + " group of experts of rank " +
                              std::to_string(members.front());
            group->second = workload.AddSeparateCommunicator({name, dimension, members});
        }
        slots[rank].push_back(group->second);
    };
    for (uint32_t rank = 0; rank < m_layout.world; ++rank)
    {
        const auto own = GetPlace(rank);
        std::vector<uint32_t> tensor;
        std::vector<uint32_t> rail;
        std::vector<uint32_t> group;
        for (auto place = own; (place.etp = static_cast<uint32_t>(tensor.size())) < m_layout.etp;)
        {
            tensor.push_back(GetExpertRank(place));
        }
        for (uint32_t i = 0; i < m_layout.ep; ++i)
        {
            auto place = own;
            place.ep = i;
            // Rail: the same number in every group; group: all numbers of its own one.
            if (i % perGroup == own.ep % perGroup)
            {
                rail.push_back(GetExpertRank(place));
            }
            if (i / perGroup == own.ep / perGroup)
            {
                group.push_back(GetExpertRank(place));
            }
        }
        add(rank, EXPERT_TENSOR_SLOT, tensor);
        add(rank, EXPERT_RAIL_SLOT, rail);
        add(rank, EXPERT_GROUP_SLOT, group);
    }
}

Communicator
ParallelGroups::GetGroup(uint32_t rank, Dimension dimension) const
{
    auto ranks = GetMembers(GetPlace(rank), dimension);
    const uint32_t first = *std::min_element(ranks.begin(), ranks.end());
    return {ToString(dimension) + " group of rank " + std::to_string(first),
            dimension,
            std::move(ranks)};
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
            // The first member of a group has set it for all.
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
