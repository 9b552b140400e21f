/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "channel-search.h"

#include <algorithm>
#include <sstream>

namespace ns3
{

namespace
{

/// Visits until a search gives up (search.cc, NCCL_SEARCH_...TIMEOUT).
/// @{
constexpr int64_t TOTAL_BUDGET = 5 << 16;
constexpr int64_t BUDGET = 1 << 14;
constexpr int64_t SAME_CHANNELS_BUDGET = 1 << 8;
/// @}

/// Rates that are tried, MB/s (search.cc, speedArray...).
/// @{
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
/// @}

/// Compute capability of Hopper times 10.
constexpr uint32_t HOPPER = 90;

/// Rate of a channel where none was found, MB/s.
constexpr int64_t FALLBACK_RATE = 100;

/**
 * @param graph channels
 * @param channel one of them
 * @return it in words
 */
std::string
DescribeChannel(const ChannelGraph& graph, uint32_t channel)
{
    const bool hasNets = channel < graph.nets.size();
    std::ostringstream text;
    if (hasNets)
    {
        text << "NIC " << graph.nets[channel].first << ": ";
    }
    const auto count = graph.pattern == ChannelPattern::NVLS ? 1 : graph.CountGpus();
    for (uint32_t place = 0; place < count; ++place)
    {
        text << (place > 0 ? " " : "") << graph.GetGpu(channel, place);
    }
    if (hasNets && graph.nets[channel].second != graph.nets[channel].first)
    {
        text << ", NIC " << graph.nets[channel].second;
    }
    return text.str();
}

/**
 * @param graph channels
 * @return how many and how fast
 */
std::string
DescribeRates(const ChannelGraph& graph)
{
    std::ostringstream text;
    // MB/s in GB/s.
    text << graph.channels << " of " << static_cast<double>(graph.rateIntra) / 1000 << " and "
         << static_cast<double>(graph.rateInter) / 1000 << " GB/s";
    return text.str();
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
    // Without other servers only the paths between GPUs limit a channel (search.cc, getMaxBw()).
    const auto other = m_nets > 0 ? ServerGraph::NET : ServerGraph::GPU;
    for (uint32_t gpu = 0; gpu < m_gpus; ++gpu)
    {
        for (uint32_t i = 0; i < graph.Count(other); ++i)
        {
            const auto& path = graph.GetPath(ServerGraph::GPU, gpu, other, i);
            // A GPU's path to itself has no links and a rate that is no limit.
            m_maxRate = path.links.empty() ? m_maxRate : std::max(m_maxRate, path.rate);
        }
    }
    m_totalRate = std::max(model.pcieRate, model.nvlinkRate);
}

void
ChannelSearch::Begin(ChannelPattern pattern, uint32_t least, uint32_t most)
{
    // In one server each GPU is the head of one NVLS channel, so that exactly as many must be
    // found.
    const bool isAlone = pattern == ChannelPattern::NVLS && m_nets == 0;
    m_least = isAlone ? m_gpus : least;
    m_most = isAlone ? m_gpus : most;
    // Only a ring or a balanced tree may leave a server by another NIC than it has entered by.
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
}

ChannelGraph
ChannelSearch::Find(ChannelPattern pattern, uint32_t least, uint32_t most)
{
    m_best = {};
    if (pattern == ChannelPattern::NVLS && m_graph.GetModel().generation < HOPPER)
    {
        return m_best;
    }
    Begin(pattern, least, most);
    auto speeds = MakeSpeeds();
    m_trial.rateIntra = m_trial.rateInter = speeds.rates[speeds.index];
    // As ncclTopoCompute() (search.cc): relax one condition after another until channels times rate
    // is all there is.
    do
    {
        Search();
    } while (m_budget != FOUND && m_best.channels * m_best.rateInter < m_totalRate &&
             Relax(speeds, m_best.pattern));
    // Then see whether the same channels carry more inside the server.
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
    // Visits that this search did not need are left for the next ones.
    m_totalBudget += m_budget;
    if (m_totalBudget < 0 && m_best.channels > 0)
    {
        return false;
    }
    // On Hopper a simple tree at this rate goes before worse paths for a balanced one (search.cc).
    if (m_graph.GetModel().generation >= HOPPER && m_trial.pattern == ChannelPattern::BALANCED_TREE)
    {
        m_trial.pattern = ChannelPattern::TREE;
        return true;
    }
    // What was found may be of a simpler pattern than what was asked for, which then stays.
    m_trial.pattern = m_best.pattern;
    return RelaxPaths() || Lower(speeds);
}

bool
ChannelSearch::RelaxPaths()
{
    const auto worst = m_nets > 0 ? m_trial.typeInter : ServerPathType::SYS;
    if (m_trial.typeIntra < worst && (m_best.channels == 0 || m_trial.typeIntra < m_best.typeIntra))
    {
        m_trial.typeIntra = GetWorse(m_trial.typeIntra);
        return true;
    }
    // A condition that is relaxed begins anew with those before it at their strictest.
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
    return false;
}

bool
ChannelSearch::Lower(Speeds& speeds)
{
    if (speeds.index + 1 == speeds.rates.size())
    {
        return false;
    }
    const auto next = speeds.rates[speeds.index + 1];
    // Half the rate of what was found, or less, is not worth trying (search.cc).
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
    // Only as many channels count, at a higher rate.
    m_least = m_best.channels;
    // As after a success, so that the first higher rate is tried.
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
    // Fast channels are used twice, at half of the rate each (search.cc, ncclTopoDupChannels()).
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

bool
ChannelSearch::IsBetter() const
{
    // Fewer channels than asked for are worse at any rate.
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

std::string
CompareChannels(const std::string& what, const ChannelGraph& given, const ChannelGraph& searched)
{
    const auto rates = DescribeRates(given);
    if (rates != DescribeRates(searched))
    {
        return "the file has other " + what + " than the search finds: " + rates +
               " inside and between servers, not " + DescribeRates(searched);
    }
    for (uint32_t channel = 0; channel < given.channels; ++channel)
    {
        const auto text = DescribeChannel(given, channel);
        const auto other = DescribeChannel(searched, channel);
        if (text != other)
        {
            return "the file has other " + what +
                   " than the search finds, though as many and as "
                   "fast: in channel " +
                   std::to_string(channel) + " " + text + ", not " + other;
        }
    }
    return "the file has the " + what + " that the search finds: " + rates;
}

} // namespace ns3
