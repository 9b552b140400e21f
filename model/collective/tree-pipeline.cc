/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "tree-pipeline.h"

#include "ns3/assert.h"

#include <algorithm>
#include <utility>

namespace ns3
{

namespace
{

/**
 * @param node a node, not 0
 * @return the lowest bit of its number that is set
 */
uint32_t
GetLowestBit(uint32_t node)
{
    return node & (~node + 1);
}

/**
 * @param size number of nodes
 * @param node a node of the tree in order, not 0
 * @return its parent
 */
uint32_t
GetParentInOrder(uint32_t size, uint32_t node)
{
    const uint32_t bit = GetLowestBit(node);
    const uint32_t before = node - bit;
    const uint64_t after = before | (uint64_t{bit} << 1);
    // Beyond the end stands no node, so that the subtree hangs below the node before it.
    return after < size ? static_cast<uint32_t>(after) : before;
}

} // namespace

TreePlace
TreePlace::MakeChain(uint32_t size, uint32_t node)
{
    NS_ASSERT_MSG(node < size, "node " << node << " of " << size);
    TreePlace place;
    place.depth = node;
    place.height = size - 1;
    if (node > 0)
    {
        place.parent = node - 1;
    }
    if (node + 1 < size)
    {
        place.children.push_back(node + 1);
    }
    return place;
}

TreePlace
TreePlace::MakeStar(uint32_t size, uint32_t node)
{
    NS_ASSERT_MSG(node < size, "node " << node << " of " << size);
    TreePlace place;
    place.depth = node > 0 ? 1 : 0;
    place.height = size > 1 ? 1 : 0;
    if (node > 0)
    {
        place.parent = 0;
    }
    for (uint32_t child = 1; node == 0 && child < size; ++child)
    {
        place.children.push_back(child);
    }
    return place;
}

TreePlace
TreePlace::MakeBinomial(uint32_t size, uint32_t node)
{
    NS_ASSERT_MSG(node < size, "node " << node << " of " << size);
    TreePlace place;
    place.height = CeilLog2(size);
    // The depth is the number of bits that are set, since each parent lacks the lowest one.
    for (uint32_t rest = node; rest != 0; rest -= GetLowestBit(rest))
    {
        ++place.depth;
    }
    if (node > 0)
    {
        place.parent = node - GetLowestBit(node);
    }
    // Children add one bit below the lowest that is set. Node 0 has none set, so that every power
    // of 2 is its child.
    const uint64_t end = node > 0 ? GetLowestBit(node) : size;
    for (uint64_t bit = 1; bit < end && node + bit < size; bit <<= 1)
    {
        place.children.push_back(static_cast<uint32_t>(node + bit));
    }
    return place;
}

TreePlace
TreePlace::MakeInOrder(uint32_t size, uint32_t node)
{
    NS_ASSERT_MSG(node < size, "node " << node << " of " << size);
    TreePlace place;
    place.height = CeilLog2(size);
    for (uint32_t above = node; above != 0; above = GetParentInOrder(size, above))
    {
        ++place.depth;
    }
    if (node == 0)
    {
        if (size > 1)
        {
            // Node 0 has one child, the highest power of 2, below which all others stand in order
            // (trees.cc, ncclGetBtree()).
            place.children.push_back(1U << (place.height - 1));
        }
        return place;
    }
    place.parent = GetParentInOrder(size, node);
    const uint32_t half = GetLowestBit(node) >> 1;
    // Odd nodes are leaves.
    if (half == 0)
    {
        return place;
    }
    place.children.push_back(node - half);
    // Where the full right subtree would begin beyond the end, a smaller one is all there is.
    for (uint32_t step = half; step > 0; step >>= 1)
    {
        if (uint64_t{node} + step < size)
        {
            place.children.push_back(node + step);
            break;
        }
    }
    return place;
}

TreePlace
TreePlace::MakeInOrderTwin(uint32_t size, uint32_t node)
{
    // Inner nodes of one tree are leaves of the other (trees.cc, ncclGetDtree()): mirrored, or
    // shifted by one where that would not do.
    if (size % 2 == 0)
    {
        auto mirror = [size](uint32_t other) { return size - 1 - other; };
        return MakeInOrder(size, mirror(node)).Rename(mirror);
    }
    return MakeInOrder(size, (node + size - 1) % size).Rename([size](uint32_t other) {
        return (other + 1) % size;
    });
}

TreePlace
TreePlace::Rename(const std::function<uint32_t(uint32_t)>& name) const
{
    TreePlace place = *this;
    if (parent != NO_PARENT)
    {
        place.parent = name(parent);
    }
    std::transform(children.begin(), children.end(), place.children.begin(), name);
    return place;
}

TreeDirection
GetTreeDirection(CollectiveKind kind)
{
    switch (kind)
    {
    case CollectiveKind::REDUCE:
    case CollectiveKind::REDUCE_SCATTER:
        return TreeDirection::UP;
    case CollectiveKind::BROADCAST:
    case CollectiveKind::ALL_GATHER:
        return TreeDirection::DOWN;
    default:
        return TreeDirection::UP_DOWN;
    }
}

std::vector<TreePipeline::Action>
TreePipeline::MakeActions(TreeDirection direction, const TreePlace& place)
{
    std::vector<uint32_t> parents;
    if (place.parent != TreePlace::NO_PARENT)
    {
        parents.push_back(place.parent);
    }
    std::vector<Action> actions;
    auto add = [&actions](CollectiveTransfer::Action transfer, const auto& peers) {
        if (!peers.empty())
        {
            actions.push_back({transfer, peers});
        }
    };
    // Sums go up before results come down: between both, the root has the result of the same piece.
    if (direction != TreeDirection::DOWN)
    {
        add(CollectiveTransfer::RECV_REDUCE, place.children);
        add(CollectiveTransfer::SEND, parents);
    }
    if (direction != TreeDirection::UP)
    {
        add(CollectiveTransfer::RECV_COPY, parents);
        add(CollectiveTransfer::SEND, place.children);
    }
    return actions;
}

TreePipeline::TreePipeline(std::shared_ptr<const std::vector<Action>> actions,
                           const BufferPart& share,
                           const PipelineItems& pieces,
                           uint32_t channel)
    : ChunkPipeline(channel),
      m_actions(std::move(actions)),
      m_share(share),
      m_pieces(pieces),
      m_piece(pieces.first)
{
}

bool
TreePipeline::Next(CollectiveStep& step)
{
    step.clear();
    while (m_piece < m_pieces.end)
    {
        const auto& action = (*m_actions)[m_next];
        // All members cut alike, so that pieces need no header.
        const auto part = m_share.Cut(m_pieces.end, m_piece);
        for (const auto peer : action.peers)
        {
            AddTransfer(step, action.transfer, peer, part);
        }
        if (++m_next == m_actions->size())
        {
            m_next = 0;
            m_piece += m_pieces.stride;
        }
        // What comes next needs what is received, but not what is sent. A member that only sends
        // makes a step for each piece, so that a step is never long.
        if (action.transfer != CollectiveTransfer::SEND || m_actions->size() == 1)
        {
            break;
        }
    }
    return !step.empty();
}

} // namespace ns3
