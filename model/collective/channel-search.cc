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

// Visits until a search gives up (search.cc, NCCL_SEARCH_...TIMEOUT).
constexpr int64_t TOTAL_BUDGET = 5 << 16;
constexpr int64_t BUDGET = 1 << 14;
constexpr int64_t SAME_CHANNELS_BUDGET = 1 << 8;
constexpr int64_t FIXED_ORDER_BUDGET = 1 << 10;
constexpr int64_t FOUND = -1; //!< budget after the most channels were found

// Rates that are tried, MB/s (search.cc, speedArray...).
const std::vector<int64_t> INTRA =
    {40000, 30000, 20000, 18000, 15000, 12000, 10000, 9000, 7000, 6000, 5000, 4000, 3000};
const std::vector<int64_t> INTER = {48000,
                                    30000,
                                    28000,
                                    24000,
                                    20000,
                                    18000,
                                    15000,
                                    12000,
                                    10000,
                                    9000,
                                    7000,
                                    6000,
                                    5000,
                                    4000,
                                    3000,
                                    2400,
                                    1200,
                                    240,
                                    120};
const std::vector<int64_t> HOPPER_INTRA =
    {60000, 40000, 30000, 24000, 20000, 15000, 12000, 6000, 3000};
const std::vector<int64_t> HOPPER_INTER = {48000,
                                           45000,
                                           42000,
                                           40000,
                                           30000,
                                           24000,
                                           20000,
                                           17500,
                                           15000,
                                           12000,
                                           6000,
                                           3000,
                                           2400,
                                           1200,
                                           240,
                                           120};

/// Compute capability of Hopper times 10.
constexpr uint32_t HOPPER = 90;

/// Rate of a channel where none was found, MB/s.
constexpr int64_t FALLBACK_RATE = 100;

/**
 * @param pattern a pattern
 * @return whether it is a tree, whose paths are used both ways
 */
bool
IsTree(ChannelPattern pattern)
{
    return pattern == ChannelPattern::BALANCED_TREE || pattern == ChannelPattern::TREE;
}

/**
 * @param type a type of path
 * @return the next worse one
 */
ServerPathType
GetWorse(ServerPathType type)
{
    return static_cast<ServerPathType>(static_cast<uint8_t>(type) + 1);
}

} // namespace

uint32_t
ChannelGraph::GetGpu(uint32_t channel, uint32_t place) const
{
    return gpus[std::size_t{channel} * CountGpus() + place];
}

uint32_t
ChannelGraph::CountGpus() const
{
    return channels == 0 ? 0 : static_cast<uint32_t>(gpus.size() / channels);
}

ChannelSearch::ChannelSearch(ServerGraph& graph)
    : m_graph(graph),
      m_gpus(graph.Count(ServerGraph::GPU)),
      m_nets(graph.Count(ServerGraph::NET))
{
    const auto& model = graph.GetModel();
    const auto other = m_nets > 0 ? ServerGraph::NET : ServerGraph::GPU;
    for (uint32_t gpu = 0; gpu < m_gpus; ++gpu)
    {
        for (uint32_t i = 0; i < graph.Count(other); ++i)
        {
            const auto& path = graph.GetPath(ServerGraph::GPU, gpu, other, i);
            m_maxRate = path.links.empty() ? m_maxRate : std::max(m_maxRate, path.rate);
        }
    }
    m_totalRate = std::max(model.pcieRate, model.nvlinkRate);
}

ChannelGraph
ChannelSearch::Find(ChannelPattern pattern, uint32_t least, uint32_t most)
{
    m_best = {};
    if (pattern == ChannelPattern::NVLS && m_graph.GetModel().generation < HOPPER)
    {
        return m_best;
    }
    const bool isAlone = pattern == ChannelPattern::NVLS && m_nets == 0;
    m_least = isAlone ? m_gpus : least;
    m_most = isAlone ? m_gpus : most;
    m_mayCross =
        m_nets > 1 && (pattern == ChannelPattern::RING || pattern == ChannelPattern::BALANCED_TREE);
    m_best.pattern =
        m_gpus == 1 && pattern != ChannelPattern::RING ? ChannelPattern::TREE : pattern;
    m_best.typeIntra = m_gpus == 1 ? ServerPathType::LOC : ServerPathType::NVL;
    m_best.sameChannels = pattern != ChannelPattern::NVLS;
    m_trial = m_best;
    m_used.assign(m_gpus, 0);
    m_netRest.assign(m_nets, m_graph.GetModel().nicRate);
    m_totalBudget = TOTAL_BUDGET;
    m_retried = false;

    auto speeds = MakeSpeeds();
    m_trial.rateIntra = m_trial.rateInter = speeds.rates[speeds.index];
    do
    {
        Search();
    } while (m_budget != FOUND && m_best.channels * m_best.rateInter < m_totalRate &&
             Relax(speeds, m_best.pattern));
    RaiseIntra(speeds);
    if (m_best.channels == 0 && pattern != ChannelPattern::NVLS)
    {
        m_best.channels = 1;
        m_best.rateIntra = m_best.rateInter = FALLBACK_RATE;
        m_best.typeIntra = m_best.typeInter = ServerPathType::SYS;
        for (uint32_t gpu = 0; gpu < m_gpus; ++gpu)
        {
            m_best.gpus.push_back(gpu);
        }
        m_best.nets.emplace_back(0, 0);
    }
    Duplicate();
    for (auto& gpu : m_best.gpus)
    {
        gpu = m_graph.GetDevice(gpu);
    }
    return m_best;
}

ChannelSearch::Speeds
ChannelSearch::MakeSpeeds() const
{
    const bool isHopper = m_graph.GetModel().generation >= HOPPER;
    Speeds speeds;
    speeds.rates =
        m_nets > 0 ? (isHopper ? HOPPER_INTER : INTER) : (isHopper ? HOPPER_INTRA : INTRA);
    // Of several GPUs all but one send to others; a ring comes back.
    const bool isRing = m_trial.pattern == ChannelPattern::RING;
    const auto fits = [&](int64_t rate) {
        const auto all = rate * m_least;
        return rate <= m_maxRate &&
               (m_gpus == 1 ||
                (isRing ? all <= m_totalRate : all * (m_gpus - 1) <= m_totalRate * m_gpus));
    };
    while (speeds.index + 1 < speeds.rates.size() && !fits(speeds.rates[speeds.index]))
    {
        ++speeds.index;
    }
    return speeds;
}

void
ChannelSearch::Search()
{
    m_budget = m_trial.sameChannels ? SAME_CHANNELS_BUDGET : BUDGET;
    m_totalBudget -= m_budget;
    m_trial.channels = 0;
    m_trial.gpus.assign(std::size_t{m_most} * m_gpus, 0);
    m_trial.nets.assign(m_most, {0, 0});
    NextChannel();
}

bool
ChannelSearch::Relax(Speeds& speeds, ChannelPattern wanted)
{
    if (m_trial.sameChannels)
    {
        m_trial.sameChannels = false;
        return true;
    }
    m_trial.sameChannels = wanted != ChannelPattern::NVLS;
    m_totalBudget += m_budget;
    if (m_totalBudget < 0 && m_best.channels > 0)
    {
        return false;
    }
    if (m_graph.GetModel().generation >= HOPPER && m_trial.pattern == ChannelPattern::BALANCED_TREE)
    {
        m_trial.pattern = ChannelPattern::TREE;
        return true;
    }
    // What was found may be of a simpler pattern than what was asked for, which then stays.
    m_trial.pattern = m_best.pattern;
    const auto worst = m_nets > 0 ? m_trial.typeInter : ServerPathType::SYS;
    if (m_trial.typeIntra < worst && (m_best.channels == 0 || m_trial.typeIntra < m_best.typeIntra))
    {
        m_trial.typeIntra = GetWorse(m_trial.typeIntra);
        return true;
    }
    m_trial.typeIntra = m_gpus == 1 ? ServerPathType::LOC : ServerPathType::NVL;
    if (m_nets > 0 && m_trial.typeInter < ServerPathType::SYS &&
        (m_best.channels == 0 || m_trial.typeInter < m_best.typeInter ||
         m_trial.typeInter < ServerPathType::PXN))
    {
        m_trial.typeInter = GetWorse(m_trial.typeInter);
        return true;
    }
    m_trial.typeInter = ServerPathType::PIX;
    if (m_mayCross && !m_trial.crossNic)
    {
        m_trial.crossNic = true;
        return true;
    }
    m_trial.crossNic = false;
    if (speeds.index + 1 == speeds.rates.size())
    {
        return false;
    }
    const auto next = speeds.rates[speeds.index + 1];
    if (m_best.channels > 0 && next * 100 <= m_best.rateInter * 49)
    {
        return false;
    }
    ++speeds.index;
    m_trial.rateIntra = m_trial.rateInter = next;
    return true;
}

void
ChannelSearch::RaiseIntra(Speeds& speeds)
{
    m_trial = m_best;
    speeds.index = 0;
    while (speeds.index + 1 < speeds.rates.size() && speeds.rates[speeds.index] > m_best.rateInter)
    {
        ++speeds.index;
    }
    m_trial.rateIntra = m_trial.rateInter = speeds.rates[speeds.index];
    m_least = m_best.channels;
    m_budget = FOUND;
    while (m_budget != 0 && m_best.pattern != ChannelPattern::RING &&
           m_trial.rateIntra == m_best.rateIntra && m_trial.rateIntra < 2 * m_trial.rateInter &&
           speeds.index > 0)
    {
        m_trial.rateIntra = speeds.rates[--speeds.index];
        Search();
    }
}

void
ChannelSearch::Duplicate()
{
    const auto channels = m_best.channels;
    m_best.gpus.resize(std::size_t{channels} * m_gpus);
    m_best.nets.resize(channels);
    const bool isHopper = m_graph.GetModel().generation > 80;
    if (channels == 0 || m_best.pattern == ChannelPattern::NVLS || m_best.rateIntra < 25000 ||
        (isHopper && m_best.rateIntra < 50000 && channels > 4))
    {
        return;
    }
    const auto wanted = std::min(2 * channels, m_most);
    const auto parts = (wanted + channels - 1) / channels;
    for (uint32_t channel = channels; channel < wanted; ++channel)
    {
        for (uint32_t place = 0; place < m_gpus; ++place)
        {
            m_best.gpus.push_back(m_best.gpus[std::size_t{channel - channels} * m_gpus + place]);
        }
        m_best.nets.push_back(m_best.nets[channel - channels]);
    }
    m_best.rateIntra /= parts;
    m_best.rateInter /= parts;
    m_best.channels = wanted;
}

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
    if (m_trial.channels == 0)
    {
        TryGpu(none, 0, 0, 0, {-1, toFirst, Order::FIXED});
    }
    else
    {
        const auto first = m_trial.gpus[std::size_t{m_trial.channels - 1} * m_gpus];
        TryGpu(none, 0, first, 0, {-1, toFirst, Order::REPLAY});
    }
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
        if (!isSame && (m_trial.pattern == ChannelPattern::TREE || !m_trial.crossNic))
        {
            continue;
        }
        int32_t toNet = -1;
        if (isBalanced && step == 0)
        {
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
    if (factor == 1 &&
        (path.type > worst ||
         (IsTree(m_trial.pattern) && m_graph.GetPath(toKind, to, kind, index).type > worst)))
    {
        return false;
    }
    const bool isFromGpu = kind == ServerGraph::GPU;
    const auto steps = m_graph.Take(path, rate, path.links.size(), isFromGpu);
    if (steps < path.links.size())
    {
        m_graph.Take(path, -rate, steps, isFromGpu);
        return false;
    }
    m_trial.hops += factor * static_cast<int64_t>(path.links.size());
    return true;
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
    const auto net = m_trial.nets.empty() ? 0 : m_trial.nets[m_trial.channels].first;
    /// To the NIC: rate and slot, fast first, and hops; to the GPU: rate and hops; then the number.
    using Score = std::tuple<int64_t, int64_t, int64_t, int64_t, int64_t, uint32_t>;
    std::vector<std::pair<Score, uint32_t>> scores;
    for (uint32_t i = 1; i < m_gpus; ++i)
    {
        const auto other = (gpu + i) % m_gpus;
        const auto& path = m_graph.GetPath(ServerGraph::GPU, gpu, ServerGraph::GPU, other);
        if (path.links.empty() || ((m_used[other] >> m_trial.channels) & 1) != 0)
        {
            continue;
        }
        Score score{0, 0, 0, -path.rate / 1000, path.links.size(), i};
        if (hasNet)
        {
            const auto& near = m_graph.GetPath(ServerGraph::NET, net, ServerGraph::GPU, other);
            std::get<0>(score) = -near.rate / 1000;
            std::get<1>(score) = -GetPcieRest(other);
            std::get<2>(score) = static_cast<int64_t>(near.links.size());
        }
        scores.emplace_back(score, other);
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

bool
ChannelSearch::IsBetter() const
{
    if (m_trial.channels < m_least)
    {
        return false;
    }
    if (m_trial.pattern == ChannelPattern::NVLS)
    {
        return m_trial.channels > m_best.channels && m_trial.channels <= m_gpus;
    }
    // Channels that change NICs must be better by 15 %.
    const int64_t cross = int64_t{m_best.crossNic} - int64_t{m_trial.crossNic};
    const auto rate = 100 * int64_t{m_trial.channels} * m_trial.rateIntra;
    const auto target = (100 - 15 * cross) * int64_t{m_best.channels} * m_best.rateIntra;
    if (rate != target)
    {
        return rate > target;
    }
    return m_trial.pattern == m_best.pattern && m_trial.crossNic == m_best.crossNic &&
           m_trial.hops < m_best.hops;
}

} // namespace ns3
