/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "channel-tuning.h"

#include "collective-algorithm.h"
#include "collective-costs.h"

#include <algorithm>
#include <array>
#include <utility>

namespace ns3
{

namespace
{

/// A GB/s in bytes per second.
constexpr double GIGABYTE = 1e9;

/// Compute capability of Hopper times 10.
constexpr uint32_t HOPPER = 90;

/// Limits in GB/s by number of servers: one, two, more.
using Limits = std::array<double, 3>;

/// Most that LL carries: by GPU in one server, by CPU in several (llMaxBws).
/// @{
constexpr double LL_ONE_SERVER = 87.7;
constexpr Limits LL_INTEL = {39.0, 39.0, 20.4};
constexpr Limits LL_AMD = {87.7, 22.5, 19.0};
/// @}

/// Most that a channel carries (perChMax...).
/// @{
constexpr double RING_LL128_AMPERE = 20.0;
constexpr double RING_LL128_HOPPER = 36.7;
constexpr Limits TREE_LL128_AMPERE = {20.0, 20.0, 20.0};
constexpr Limits TREE_LL128_HOPPER = {36.7, 36.7, 29.0};
constexpr Limits TREE_AMPERE = {24.0, 23.6, 17.8};
constexpr Limits TREE_HOPPER = {38.7, 41.4, 36.0};
/// @}

/// Shares of the rate of the channels.
/// @{
constexpr double RING_LL_SHARE = 1.0 / 4;
constexpr double RING_LL_COPY_SHARE = 1.0 / 3; //!< in one server, of kinds that do not add
constexpr double RING_LL128_SHARE = 0.92;
constexpr double RING_LL128_LONE_SHARE = 0.7; //!< with fewer than two members a server
constexpr double TREE_SHARE = 0.92;
constexpr double TREE_LL_SHARE = 1 / 3.8;
constexpr double TREE_LL128_SHARE = 120.0 / 128;
constexpr double TREE_LL128_SERVER_SHARE = 7.0 / 9;
constexpr double SIMPLE_TREE_SHARE = 0.85;
constexpr double NVLS_SHARE = 5.0 / 6;
constexpr double NVLS_TREE_SHARE = 0.70;
/// @}

constexpr double PLATEAU_FACTOR = 1.4; //!< on the latency of Simple in several servers ...
constexpr uint64_t PLATEAU_BYTES = 64; //!< ... from so many bytes per member and channel on

/// Threads of a channel, and bytes that each is to have (devcomm.h, comm.h).
/// @{
constexpr uint64_t THREADS = 512;
constexpr uint64_t LL128_THREADS = 640;
constexpr uint64_t SLOW_THREADS = 256; //!< of Simple, if all rings together are no faster than ...
constexpr double SLOW_RATE = 12e9;     //!< ... this
constexpr uint64_t LL_THREAD_BYTES = 8;
constexpr uint64_t SIMPLE_THREAD_BYTES = 64;
/// @}

/// Payload of a step's buffer, bytes (init.cc, NCCL_BUFFSIZE and so on, by 8 NCCL_STEPS; LL without
/// flags), steps of a chunk of a ring with Simple and its slices (collectives.h).
/// @{
constexpr uint64_t STEP = 512 * 1024;
constexpr uint64_t LL_STEP = 32 * 1024;
constexpr uint64_t LL128_STEP = 640 * 120 * 8 / 16 * 15;
constexpr uint64_t CHUNK_STEPS = 4;
constexpr uint64_t SLICES = 2;
constexpr uint64_t LEAST_SLICE = 32 * 1024; //!< a 32nd of a slice (prims_simple.h)
/// @}

/// Chunks of trees with Simple are halved down to these, bytes, if a channel has fewer chunks than
/// so many times the depth of the tree (enqueue.cc, computeColl).
constexpr std::array<std::pair<uint64_t, uint64_t>, 3> TREE_CHUNKS{
    {{8, 128 * 1024}, {4, 64 * 1024}, {1, 32 * 1024}}};

/// Corrections of trees at 64 bytes and each double of it, beyond which there is none.
/// @{
using Corrections = std::array<double, 23>;
constexpr Corrections LL_CORRECTIONS = {1,  1,  1,  1,  .9, .8, .7, .7, .7, .7, .6, .5,
                                        .4, .4, .5, .6, .7, .8, .9, 1,  1,  1,  1};
constexpr Corrections LL128_CORRECTIONS = {1,  1,  1,  1,  1,  .9, .8, .8, .8, .7, .6, .6,
                                           .6, .6, .6, .6, .8, .9, .9, .9, .9, 1,  1};
constexpr Corrections SIMPLE_CORRECTIONS = {.9, .9, .9, .9, .9, .9, .9, .8, .7, .6, .6, .5,
                                            .5, .5, .5, .6, .7, .8, .7, .7, .8, .9, .9};

/// @}

/**
 * @param call a collective
 * @param channels channels that it uses
 * @return bytes of a chunk of a tree with Simple
 */
uint64_t
GetTreeChunk(const CollectiveCall& call, uint64_t channels)
{
    // As connect.cc has it.
    const uint64_t servers = call.placement->GetServers().size();
    const uint64_t depth = call.size / servers - 1 + CeilLog2(servers + 1) - 1;
    uint64_t chunk = STEP;
    for (const auto& [times, least] : TREE_CHUNKS)
    {
        while (chunk > least && call.bytes / (channels * chunk) < times * depth)
        {
            chunk /= 2;
        }
    }
    return chunk;
}

/**
 * @param model the servers
 * @param servers number of servers
 * @return most payload that LL carries, bytes per second
 */
double
GetLlLimit(const ServerModel& model, uint32_t servers)
{
    const auto& limits = model.hasIntelCpus ? LL_INTEL : LL_AMD;
    return GIGABYTE * (servers == 1 ? LL_ONE_SERVER : limits[std::min(servers, 3U) - 1]);
}

} // namespace

ChannelTuning::ChannelTuning(const CollectiveCall& call, const CollectiveCosts& costs)
    : m_call(call),
      m_costs(costs),
      m_channels(*call.placement->GetChannels()),
      m_servers(static_cast<uint32_t>(call.placement->GetServers().size()))
{
}

const CommunicatorChannels::Rates&
ChannelTuning::GetRates(Algorithm algorithm) const
{
    switch (algorithm)
    {
    case RING:
        return m_channels.GetRing();
    case TREE:
        return m_channels.GetTree();
    default:
        return m_channels.GetNvls();
    }
}

bool
ChannelTuning::IsEnabled(Algorithm algorithm, CollectiveProtocol protocol) const
{
    const bool isAllReduce = m_call.kind == CollectiveKind::ALL_REDUCE;
    const auto& rates = GetRates(algorithm);
    // NCCL's trees and NVLS of this version do all-reduce only (tuning.cc).
    if (rates.channels == 0 || (algorithm != RING && !isAllReduce))
    {
        return false;
    }
    if (algorithm == NVLS || algorithm == NVLS_TREE)
    {
        return protocol == CollectiveProtocol::SIMPLE && (algorithm == NVLS) == (m_servers == 1);
    }
    if (protocol != CollectiveProtocol::LL128)
    {
        return true;
    }
    // LL128 needs paths on which 128 bytes arrive as one.
    const bool isHopper = m_channels.GetModel().generation >= HOPPER;
    return rates.typeInter <= (isHopper ? ServerPathType::PXN : ServerPathType::PXB) &&
           rates.typeIntra <= ServerPathType::NVB;
}

double
ChannelTuning::GetRingBusRate(CollectiveProtocol protocol) const
{
    const auto& model = m_channels.GetModel();
    const auto& rates = m_channels.GetRing();
    // As ncclTopoTuneModel() (tuning.cc): with one or two servers NCCL takes the rate inside a
    // server, with more the rate between them.
    const double rate = rates.channels * (m_servers <= 2 ? rates.intra : rates.inter);
    switch (protocol)
    {
    case CollectiveProtocol::LL: {
        const bool isCopy = m_servers == 1 && m_call.kind != CollectiveKind::ALL_REDUCE &&
                            m_call.kind != CollectiveKind::REDUCE;
        return std::min(GetLlLimit(model, m_servers),
                        rate * (isCopy ? RING_LL_COPY_SHARE : RING_LL_SHARE));
    }
    case CollectiveProtocol::LL128: {
        // Rings of one member per server cross the network in each step.
        const bool isLone = m_call.size < 2 * m_servers;
        const double limit = model.generation >= HOPPER ? RING_LL128_HOPPER : RING_LL128_AMPERE;
        return std::min(rate * (isLone ? RING_LL128_LONE_SHARE : RING_LL128_SHARE),
                        rates.channels * limit * GIGABYTE);
    }
    case CollectiveProtocol::SIMPLE:
        break;
    }
    return rate;
}

double
ChannelTuning::GetTreeBusRate(CollectiveProtocol protocol) const
{
    const auto& model = m_channels.GetModel();
    const auto& rates = m_channels.GetTree();
    const bool isHopper = model.generation >= HOPPER;
    const auto place = std::min(m_servers, 3U) - 1;
    const double channels = rates.channels * GIGABYTE;
    const double each = m_servers <= 2 ? rates.intra : rates.inter;
    double rate = std::min(rates.channels * each * TREE_SHARE,
                           channels * (isHopper ? TREE_HOPPER : TREE_AMPERE)[place]);
    if (protocol == CollectiveProtocol::LL)
    {
        rate = std::min(rate * TREE_LL_SHARE, GetLlLimit(model, m_servers));
    }
    else if (protocol == CollectiveProtocol::LL128)
    {
        rate = std::min(rate * (m_servers == 1 ? TREE_LL128_SERVER_SHARE : TREE_LL128_SHARE),
                        channels * (isHopper ? TREE_LL128_HOPPER : TREE_LL128_AMPERE)[place]);
    }
    return rates.isSimpleTree ? rate * SIMPLE_TREE_SHARE : rate;
}

double
ChannelTuning::GetRate(Algorithm algorithm, CollectiveProtocol protocol) const
{
    if (!IsEnabled(algorithm, protocol))
    {
        return 0;
    }
    const auto& rates = GetRates(algorithm);
    const double size = m_call.size;
    const bool isAllReduce = m_call.kind == CollectiveKind::ALL_REDUCE;
    switch (algorithm)
    {
    case RING: {
        // From what links carry (bus rate) to bytes of the buffer per second.
        const double steps = isAllReduce ? 2 * (size - 1) : HasRoot(m_call.kind) ? size : size - 1;
        return GetRingBusRate(protocol) * size / steps;
    }
    case TREE:
        // The whole buffer goes up and comes down again.
        return GetTreeBusRate(protocol) / 2;
    case NVLS:
        return rates.channels * rates.intra * NVLS_SHARE;
    case NVLS_TREE:
        break;
    }
    const double each = m_servers <= 2 ? rates.intra : rates.inter;
    return rates.channels * each * NVLS_TREE_SHARE * m_servers / (2.0 * (m_servers - 1));
}

double
ChannelTuning::GetRingLatency(CollectiveProtocol protocol) const
{
    const bool isSimple = protocol == CollectiveProtocol::SIMPLE;
    const auto latencies = m_costs.GetLatencies("ring", protocol);
    const double size = m_call.size;
    if (HasRoot(m_call.kind))
    {
        // All hops at the latency of the worst; long chains of Simple at that of the tree.
        const bool isAlike = m_channels.GetRing().areAlike;
        const auto hop = isSimple && !isAlike ? m_costs.GetLatencies("tree", protocol) : latencies;
        const double latency = (m_servers == 1 ? hop.server : hop.network).GetSeconds();
        return isAlike ? latency : size * latency;
    }
    const bool isAllReduce = m_call.kind == CollectiveKind::ALL_REDUCE;
    const double steps = (isAllReduce ? 2 : 1) * (size - 1);
    // Steps over the network, as NCCL counts them (tuning.cc, nInterSteps): one round passes n - 1
    // times between n servers, the two rounds of an all-reduce 2 n times.
    double crossings = m_servers - 1.0;
    double server = latencies.server.GetSeconds();
    if (isAllReduce)
    {
        crossings = m_servers > 1 ? 2.0 * m_servers : 0;
    }
    if (m_servers > 1)
    {
        // The proxy posts once in a step, so no step is shorter than a post (tuning.cc,
        // netOverhead).
        server = std::max(server, m_costs.GetNetworkOverhead(protocol).GetSeconds());
    }
    return (steps - crossings) * server + crossings * latencies.network.GetSeconds();
}

double
ChannelTuning::GetLatency(Algorithm algorithm, CollectiveProtocol protocol) const
{
    static const char* const names[] = {"tree", "ring", "nvls", "nvls-tree"};
    const auto latencies = m_costs.GetLatencies(names[algorithm], protocol);
    // Trees with Simple have no base, which favours them; a call takes longer all the same.
    const bool isFavoured = algorithm == TREE && protocol == CollectiveProtocol::SIMPLE;
    const double base = isFavoured ? 0 : latencies.base.GetSeconds();
    const double network = latencies.network.GetSeconds();
    switch (algorithm)
    {
    case RING:
        return base + GetRingLatency(protocol);
    case TREE: {
        const uint32_t perServer = m_call.size / m_servers;
        const double height = CeilLog2(m_servers + uint64_t{1}) - 1.0;
        return base + 2 * ((perServer - 1) * latencies.server.GetSeconds() + height * network);
    }
    case NVLS:
        return base;
    case NVLS_TREE:
        break;
    }
    return base + 2 * (m_servers - 1) * network;
}

std::optional<double>
ChannelTuning::Estimate(Algorithm algorithm, CollectiveProtocol protocol) const
{
    double rate = GetRate(algorithm, protocol);
    if (rate == 0)
    {
        return std::nullopt;
    }
    double latency = GetLatency(algorithm, protocol);
    if (algorithm == TREE)
    {
        rate *= GetTreeCorrection(protocol, m_call.bytes);
    }
    // NCCL's "plateau effect of ring" (tuning.cc, ncclTopoGetAlgoTime()).
    if (algorithm == RING && protocol == CollectiveProtocol::SIMPLE && m_servers > 1 &&
        m_call.kind == CollectiveKind::ALL_REDUCE &&
        m_call.bytes / (uint64_t{m_channels.GetChannels()} * m_call.size) >= PLATEAU_BYTES)
    {
        latency *= PLATEAU_FACTOR;
    }
    return latency + static_cast<double>(m_call.bytes) / rate;
}

double
ChannelTuning::GetTreeCorrection(CollectiveProtocol protocol, uint64_t bytes)
{
    const auto& corrections = protocol == CollectiveProtocol::LL      ? LL_CORRECTIONS
                              : protocol == CollectiveProtocol::LL128 ? LL128_CORRECTIONS
                                                                      : SIMPLE_CORRECTIONS;
    // Rounded down as NCCL's log2i(). No correction below 64 bytes and beyond the table.
    const auto place = bytes < 64 ? corrections.size() : CeilLog2(bytes / 64 + 1) - 1;
    return place < corrections.size() ? corrections[place] : 1;
}

uint32_t
ChannelTuning::CountChannels(const CollectiveCall& call, Algorithm algorithm)
{
    const auto& channels = *call.placement->GetChannels();
    const auto& ring = channels.GetRing();
    uint64_t threads = THREADS;
    uint64_t bytes = LL_THREAD_BYTES;
    if (call.protocol == CollectiveProtocol::SIMPLE)
    {
        const bool isSlow = algorithm == RING && ring.intra * ring.channels <= SLOW_RATE;
        threads = isSlow ? SLOW_THREADS : THREADS;
        bytes = SIMPLE_THREAD_BYTES;
    }
    else if (call.protocol == CollectiveProtocol::LL128)
    {
        threads = LL128_THREADS;
    }
    else if (algorithm == RING)
    {
        bytes *= call.size;
    }
    // As many as give each of their threads enough to do (enqueue.cc).
    const uint64_t fitting = std::max<uint64_t>(1, call.bytes / (threads * bytes));
    return static_cast<uint32_t>(std::min<uint64_t>(channels.GetChannels(), fitting));
}

std::optional<uint32_t>
ChannelTuning::FindChannels(const CollectiveCall& call, Algorithm algorithm)
{
    const bool isDescribed = call.placement && call.placement->GetChannels();
    return isDescribed ? std::optional(CountChannels(call, algorithm)) : std::nullopt;
}

uint64_t
ChannelTuning::CountPieces(const CollectiveCall& call, Algorithm algorithm)
{
    const uint64_t channels = CountChannels(call, algorithm);
    const bool isRing = algorithm == RING && !HasRoot(call.kind);
    const uint64_t share = channels * (isRing ? call.size : 1);
    const auto count = [&call, share](uint64_t chunk) {
        return (call.bytes - 1) / (share * chunk) + 1;
    };
    switch (call.protocol)
    {
    case CollectiveProtocol::LL:
        return count(LL_STEP);
    case CollectiveProtocol::LL128:
        return count(LL128_STEP);
    case CollectiveProtocol::SIMPLE:
        break;
    }
    if (!isRing)
    {
        return count(algorithm == TREE ? GetTreeChunk(call, channels) : STEP);
    }
    // A chunk of a ring goes in slices, unless it is too short for them.
    return count(CHUNK_STEPS * STEP) * std::min(SLICES, count(LEAST_SLICE));
}

ChannelBundle
ChannelTuning::GetBundle(const CollectiveCall& call, Algorithm algorithm, uint32_t pipelines)
{
    const auto* channels = call.placement ? call.placement->GetChannels() : nullptr;
    if (!channels)
    {
        return {};
    }
    ChannelBundle bundle;
    // One pipeline stands for several channels of NCCL that use the same links.
    bundle.channels =
        std::max(1.0, static_cast<double>(CountChannels(call, algorithm)) / pipelines);
    if (call.protocol == CollectiveProtocol::LL)
    {
        return bundle;
    }
    const bool isHopper = channels->GetModel().generation >= HOPPER;
    double both = (isHopper ? TREE_HOPPER : TREE_AMPERE)[0];
    if (call.protocol == CollectiveProtocol::LL128)
    {
        both = isHopper ? RING_LL128_HOPPER : RING_LL128_AMPERE;
    }
    // Half of a tree's threads go up, the other half down.
    const double each = GIGABYTE * (algorithm == TREE ? both / 2 : both);
    bundle.copyRate = each * bundle.channels;
    return bundle;
}

double
ChannelTuning::GetUsedShare(const CollectiveCall& call, Algorithm algorithm)
{
    const auto* channels = call.placement ? call.placement->GetChannels() : nullptr;
    if (!channels)
    {
        return 1;
    }
    // A channel that is used several times can carry as much as it alone would.
    const double used = CountChannels(call, algorithm);
    const double searched =
        (algorithm == TREE ? channels->GetTree() : channels->GetRing()).channels;
    return std::min(1.0, used / searched);
}

} // namespace ns3
