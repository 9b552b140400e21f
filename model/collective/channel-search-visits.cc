/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "channel-search.h"

#include <algorithm>
#include <tuple>

namespace ns3
{

namespace
{

/// Visits until the search in the order of the GPUs gives up (search.cc).
constexpr int64_t FIXED_ORDER_BUDGET = 1 << 10;

/**
 * @param pattern a pattern
 * @return whether it is a tree, whose paths are used both ways
 */
bool
IsTree(ChannelPattern pattern)
{
    return pattern == ChannelPattern::BALANCED_TREE || pattern == ChannelPattern::TREE;
}

} // namespace

void
ChannelSearch::NextChannel()
{
    if (m_nets > 0)
    {
        NextNetChannel();
        return;
    }
    const bool isRing = m_trial.pattern == ChannelPattern::RING;
    const int32_t toFirst = isRing ? static_cast<int32_t>(m_gpus) - 1 : -1;
    const auto none = ServerGraph::N_KINDS;
    if (m_trial.pattern == ChannelPattern::NVLS)
    {
        TryGpu(none, 0, m_trial.channels, 0, {-1, -1, Order::ANY});
        return;
    }
    // First the order of the GPUs, or that of the channel before; only then any other.
    if (m_trial.channels == 0)
    {
        TryGpu(none, 0, 0, 0, {-1, toFirst, Order::FIXED});
    }
    else
    {
        const auto first = m_trial.gpus[std::size_t{m_trial.channels - 1} * m_gpus];
        TryGpu(none, 0, first, 0, {-1, toFirst, Order::REPLAY});
    }
    // Where channels must be alike only the first one may choose its order.
    if (!m_trial.sameChannels || m_trial.channels == 0)
    {
        for (uint32_t gpu = 0; gpu < m_gpus; ++gpu)
        {
            TryGpu(none, 0, gpu, 0, {-1, toFirst, Order::ANY});
        }
    }
}

void
ChannelSearch::NextNetChannel()
{
    const bool isRing = m_trial.pattern == ChannelPattern::RING;
    // A ring leaves by the NIC from its last GPU, a tree from its first.
    const Way way{isRing ? static_cast<int32_t>(m_gpus) - 1 : 0, -1, Order::ANY};
    // NCCL counts whole GB/s here.
    const int64_t rate = m_trial.rateInter / 1000 * 1000;
    const auto nets = ListNets(UINT32_MAX);
    for (const auto net : nets)
    {
        if (m_netRest[net] < rate)
        {
            continue;
        }
        m_trial.nets[m_trial.channels].first = net;
        // Taken while this branch is searched and given back after it: channels beside this one see
        // what is left.
        m_netRest[net] -= rate;
        if (m_trial.pattern != ChannelPattern::NVLS)
        {
            EnterNet(net, way, rate);
        }
        else if (m_trial.channels < nets.size())
        {
            const auto gpu = m_graph.FindLocalGpu(nets[m_trial.channels]);
            if (gpu != UINT32_MAX)
            {
                TryGpu(ServerGraph::N_KINDS, 0, gpu, 0, way);
            }
        }
        m_netRest[net] += rate;
    }
}

void
ChannelSearch::EnterNet(uint32_t net, const Way& way, int64_t rate)
{
    const auto kind = ServerGraph::NET;
    if (m_trial.channels > 0)
    {
        const auto first = m_trial.gpus[std::size_t{m_trial.channels - 1} * m_gpus];
        TryGpu(kind, net, first, 0, {way.toNet, way.toFirst, Order::REPLAY});
    }
    if (m_trial.channels > 0 && m_trial.sameChannels)
    {
        return;
    }
    if (m_trial.channels == 0)
    {
        // What sets a mark to beat does not count.
        const auto budget = m_budget;
        m_budget = FIXED_ORDER_BUDGET;
        TryGpu(kind, net, 0, 0, {way.toNet, way.toFirst, Order::FIXED});
        m_budget = m_budget == FOUND ? FOUND : budget;
    }
    const auto gpus = ListNearGpus(net);
    if (gpus.empty() || m_graph.GetPath(kind, net, ServerGraph::GPU, gpus[0]).rate < rate)
    {
        return;
    }
    // First those that no other channel uses in the other direction.
    for (const bool isUsed : {false, true})
    {
        for (const auto gpu : gpus)
        {
            if ((GetPcieRest(gpu) <= 0) == isUsed)
            {
                TryGpu(kind, net, gpu, 0, way);
            }
        }
    }
}

void
ChannelSearch::Visit(uint32_t gpu, uint32_t step, const Way& way)
{
    // The budget counts visits, not time, so that the result does not depend on the machine.
    if (m_budget <= 0)
    {
        return;
    }
    --m_budget;
    if (step == m_gpus)
    {
        Complete();
        return;
    }
    m_trial.gpus[std::size_t{m_trial.channels} * m_gpus + step] = gpu;
    if (static_cast<int32_t>(step) == way.toNet)
    {
        LeaveByNet(gpu, step, way);
    }
    else if (m_trial.pattern == ChannelPattern::NVLS)
    {
        ReduceInSwitch(gpu);
    }
    else if (step + 1 < m_gpus)
    {
        GoOn(gpu, step, way);
    }
    else if (static_cast<int32_t>(step) == way.toFirst)
    {
        const auto first = m_trial.gpus[std::size_t{m_trial.channels} * m_gpus];
        if (Follow(ServerGraph::GPU, gpu, ServerGraph::GPU, first, 1))
        {
            // -1: the ring is closed and must not close again.
            Visit(first, step + 1, {way.toNet, -1, way.order});
            Follow(ServerGraph::GPU, gpu, ServerGraph::GPU, first, -1);
        }
    }
    else
    {
        Visit(gpu, m_gpus, {-1, -1, way.order});
    }
}

void
ChannelSearch::Complete()
{
    ++m_trial.channels;
    if (IsBetter())
    {
        m_best = m_trial;
        if (m_trial.channels == m_most)
        {
            m_budget = FOUND;
        }
    }
    // The channels so far keep what they have taken while more are looked for beside them.
    if (m_trial.channels < m_most)
    {
        NextChannel();
    }
    --m_trial.channels;
}

void
ChannelSearch::LeaveByNet(uint32_t gpu, uint32_t step, const Way& way)
{
    const bool isBalanced = m_trial.pattern == ChannelPattern::BALANCED_TREE;
    const auto rate = m_trial.rateInter;
    auto& nets = m_trial.nets[m_trial.channels];
    for (const auto net : ListNets(gpu))
    {
        const bool isSame = net == nets.first;
        // Without crossNic a channel leaves by the NIC that it has entered by, and a simple tree
        // does so in any case.
        if (!isSame && (m_trial.pattern == ChannelPattern::TREE || !m_trial.crossNic))
        {
            continue;
        }
        int32_t toNet = -1;
        if (isBalanced && step == 0)
        {
            // Of a balanced tree the second GPU has a connection to the NIC as well.
            toNet = 1;
        }
        else if (isBalanced && net != nets.second)
        {
            continue;
        }
        // The first two GPUs have half of it each.
        const auto share = isBalanced ? rate / 2 : rate;
        m_trial.rateInter = share;
        const bool isFollowed = Follow(ServerGraph::GPU, gpu, ServerGraph::NET, net, 1);
        m_trial.rateInter = rate;
        if (isFollowed)
        {
            nets.second = net;
            Visit(gpu, step, {toNet, way.toFirst, way.order});
            // Given back at the rate at which it was taken, or the link would gain or lose the
            // difference.
            m_trial.rateInter = share;
            Follow(ServerGraph::GPU, gpu, ServerGraph::NET, net, -1);
            m_trial.rateInter = rate;
        }
    }
}

void
ChannelSearch::GoOn(uint32_t gpu, uint32_t step, const Way& way)
{
    for (const auto next : ListNext(gpu, step, way))
    {
        TryGpu(ServerGraph::GPU, gpu, next, step + 1, way);
    }
}

void
ChannelSearch::ReduceInSwitch(uint32_t gpu)
{
    const auto nvs = ServerGraph::NVS;
    // The head sends its own data and the sum, and receives both, so that its link is charged
    // twice.
    const auto factor = [gpu](uint32_t other) { return other == gpu ? 2 : 1; };
    uint32_t to = 0;
    while (to < m_gpus && Follow(nvs, 0, ServerGraph::GPU, to, factor(to)))
    {
        ++to;
    }
    if (to == m_gpus)
    {
        uint32_t from = 0;
        while (from < m_gpus && Follow(ServerGraph::GPU, from, nvs, 0, factor(from)))
        {
            ++from;
        }
        if (from == m_gpus)
        {
            Visit(gpu, m_gpus, {-1, -1, Order::ANY});
        }
        // Also after a failure: what was taken so far is given back.
        while (from-- > 0)
        {
            Follow(ServerGraph::GPU, from, nvs, 0, -factor(from));
        }
    }
    while (to-- > 0)
    {
        Follow(nvs, 0, ServerGraph::GPU, to, -factor(to));
    }
}

void
ChannelSearch::TryGpu(ServerGraph::Kind kind,
                      uint32_t index,
                      uint32_t gpu,
                      uint32_t step,
                      const Way& way)
{
    if (!Follow(kind, index, ServerGraph::GPU, gpu, 1))
    {
        return;
    }
    const auto flag = uint64_t{1} << m_trial.channels;
    m_used[gpu] ^= flag;
    Visit(gpu, step, way);
    m_used[gpu] ^= flag;
    Follow(kind, index, ServerGraph::GPU, gpu, -1);
}

bool
ChannelSearch::Follow(ServerGraph::Kind kind,
                      uint32_t index,
                      ServerGraph::Kind toKind,
                      uint32_t to,
                      int32_t factor)
{
    if (kind == ServerGraph::N_KINDS)
    {
        return true;
    }
    const auto& path = m_graph.GetPath(kind, index, toKind, to);
    if (path.links.empty())
    {
        return true;
    }
    const bool isIntra = kind != ServerGraph::NET && toKind != ServerGraph::NET;
    const auto rate = factor * (isIntra ? m_trial.rateIntra : m_trial.rateInter);
    const auto worst = isIntra ? m_trial.typeIntra : m_trial.typeInter;
    // Conditions are for what is taken. What is given back was taken under the same ones.
    if (factor == 1 &&
        (path.type > worst ||
         (IsTree(m_trial.pattern) && m_graph.GetPath(toKind, to, kind, index).type > worst)))
    {
        return false;
    }
    const bool isFromGpu = kind == ServerGraph::GPU;
    const auto steps = m_graph.Take(path, rate, path.links.size(), isFromGpu);
    // A link has too little left: those before it get back what was taken.
    if (steps < path.links.size())
    {
        m_graph.Take(path, -rate, steps, isFromGpu);
        return false;
    }
    m_trial.hops += factor * static_cast<int64_t>(path.links.size());
    return true;
}

ChannelSearch::Score
ChannelSearch::Rate(const ServerGraph::Path& path, uint32_t other, uint32_t turn, bool hasNet) const
{
    // The least score is tried first. Rates are compared in whole GB/s.
    Score score{0, 0, 0, -path.rate / 1000, path.links.size(), turn};
    if (hasNet)
    {
        const auto net = m_trial.nets.empty() ? 0 : m_trial.nets[m_trial.channels].first;
        const auto& near = m_graph.GetPath(ServerGraph::NET, net, ServerGraph::GPU, other);
        std::get<0>(score) = -near.rate / 1000;
        std::get<1>(score) = -GetPcieRest(other);
        std::get<2>(score) = static_cast<int64_t>(near.links.size());
    }
    return score;
}

std::vector<uint32_t>
ChannelSearch::ListNext(uint32_t gpu, uint32_t step, const Way& way) const
{
    if (way.order == Order::FIXED)
    {
        return {step + 1};
    }
    if (way.order == Order::REPLAY)
    {
        return {m_trial.gpus[std::size_t{m_trial.channels - 1} * m_gpus + step + 1]};
    }
    const bool hasNet = way.toNet != -1;
    std::vector<std::pair<Score, uint32_t>> scores;
    for (uint32_t i = 1; i < m_gpus; ++i)
    {
        const auto other = (gpu + i) % m_gpus;
        const auto& path = m_graph.GetPath(ServerGraph::GPU, gpu, ServerGraph::GPU, other);
        if (path.links.empty() || ((m_used[other] >> m_trial.channels) & 1) != 0)
        {
            continue;
        }
        scores.emplace_back(Rate(path, other, i, hasNet), other);
    }
    std::sort(scores.begin(), scores.end());
    std::vector<uint32_t> next;
    bool isAlike = true;
    for (const auto& [score, other] : scores)
    {
        next.push_back(other);
        isAlike = isAlike && std::get<3>(score) == std::get<3>(scores[0].first) &&
                  std::get<4>(score) == std::get<4>(scores[0].first);
    }
    // The GPUs near the NIC are saved for the way back to it.
    if (hasNet && way.toNet != static_cast<int32_t>(step) + 1 && isAlike)
    {
        std::reverse(next.begin(), next.end());
    }
    return next;
}

std::vector<uint32_t>
ChannelSearch::ListNets(uint32_t gpu) const
{
    std::vector<uint32_t> nets;
    const auto add = [&nets](uint32_t net) {
        if (std::find(nets.begin(), nets.end(), net) == nets.end())
        {
            nets.push_back(net);
        }
    };
    const auto first = gpu == UINT32_MAX ? 0 : gpu;
    const auto end = gpu == UINT32_MAX ? m_gpus : gpu + 1;
    for (auto g = first; g < end; ++g)
    {
        const auto preferred = m_graph.FindLocalNet(g, 0);
        add(preferred);
        for (uint32_t channel = 1; m_graph.FindLocalNet(g, channel) != preferred; ++channel)
        {
            add(m_graph.FindLocalNet(g, channel));
        }
    }
    // Behind the local NICs of each channel all others, the nearest first.
    for (auto type = ServerPathType::LOC; type <= m_trial.typeInter; type = GetWorse(type))
    {
        for (auto g = first; g < end; ++g)
        {
            for (uint32_t net = 0; net < m_nets; ++net)
            {
                if (m_graph.GetPath(ServerGraph::GPU, g, ServerGraph::NET, net).type == type)
                {
                    add(net);
                }
            }
        }
    }
    return nets;
}

std::vector<uint32_t>
ChannelSearch::ListNearGpus(uint32_t net) const
{
    std::vector<uint32_t> gpus;
    int64_t rate = 0;
    std::size_t hops = 0;
    for (uint32_t gpu = 0; gpu < m_gpus; ++gpu)
    {
        const auto& path = m_graph.GetPath(ServerGraph::NET, net, ServerGraph::GPU, gpu);
        if (path.rate > rate || (path.rate == rate && path.links.size() < hops))
        {
            rate = path.rate;
            hops = path.links.size();
            gpus.clear();
        }
        if (path.rate == rate && path.links.size() == hops)
        {
            gpus.push_back(gpu);
        }
    }
    return gpus;
}

int64_t
ChannelSearch::GetPcieRest(uint32_t gpu) const
{
    return m_graph.GetPcieRest(gpu) / 1000;
}

} // namespace ns3
