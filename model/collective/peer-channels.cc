/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "peer-channels.h"

#include "collective-algorithm.h"

#include "ns3/assert.h"

#include <algorithm>

namespace ns3
{

namespace
{

/// Compute capability of Hopper times 10.
constexpr uint32_t HOPPER = 90;

/// What a channel of trees carries in one server, both ways together (tuning.cc, perChMaxTreeBws),
/// bytes per second.
/// @{
constexpr double AMPERE_CHANNEL = 24.0e9;
constexpr double HOPPER_CHANNEL = 38.7e9;
/// @}

/// An NVLink as NCCL reckons it, MB/s (topo.h, SM80_NVLINK_BW and SM90_NVLINK_BW).
constexpr int64_t NVLINK = 20000;

/// A MB/s in bytes per second.
constexpr double MEGABYTE = 1e6;

/// Channels of a pair for each NVLink between them, and between servers.
constexpr int64_t PER_LINK = 2;

/// Steps of the buffers, bytes: NCCL_P2P_NVL_CHUNKSIZE in one server, NCCL_P2P_NET_CHUNKSIZE in
/// several (init.cc).
/// @{
constexpr uint64_t SERVER_STEP = 512 * 1024;
constexpr uint64_t NETWORK_STEP = 128 * 1024;
/// @}

/// Of a message each channel has a whole number of such parts of a step (enqueue.cc).
constexpr uint64_t STEP_PARTS = 8;

/// Steps of a channel in one server above which a message gets more channels; in several it is one.
constexpr uint64_t MOST_STEPS = 32;

/// Pairs in a step of whose messages a channel takes one (NCCL_MAX_WORK_ELEMENTS_P2P / 2).
constexpr uint32_t GROUP = 8;

/// Messages per channel from which on NCCL gives each message fewer channels.
constexpr uint32_t OVERLOAD = 4;

/**
 * @param number a number, at least 1
 * @return the next power of 2 that is not smaller
 */
uint32_t
RoundUp(uint32_t number)
{
    return 1U << CeilLog2(number);
}

/**
 * @param call a collective of sends and receives
 * @return bytes of a message, which decide on its channels
 */
uint64_t
GetMessageBytes(const CollectiveCall& call)
{
    return call.kind == CollectiveKind::SHIFT ? call.bytes : call.bytes / call.size;
}

} // namespace

PeerChannels::PeerChannels(const CollectivePlacement& placement)
    : m_placement(placement),
      m_size(static_cast<uint32_t>(placement.GetOrder().size())),
      m_servers(static_cast<uint32_t>(placement.GetServers().size()))
{
    // Where servers are not described, those behind NVLink have all that NCCL has.
    int64_t links = ServerChannels::MAX_CHANNELS;
    uint32_t all = ServerChannels::MAX_CHANNELS;
    if (const auto* channels = placement.GetChannels())
    {
        const auto& model = channels->GetModel();
        links = std::max<int64_t>(1, model.nvlinkRate / NVLINK);
        all = std::max(1U, channels->GetChannels());
        m_channelRate = (model.generation >= HOPPER ? HOPPER_CHANNEL : AMPERE_CHANNEL) / 2;
    }
    const auto pair = static_cast<uint32_t>(m_servers > 1 ? PER_LINK : PER_LINK * links);
    m_all = RoundUp(all);
    m_each = RoundUp(std::min(all, pair));
}

uint32_t
PeerChannels::CountAll() const
{
    return m_all;
}

uint32_t
PeerChannels::Count(uint64_t bytes) const
{
    const uint64_t step = m_servers > 1 ? NETWORK_STEP : SERVER_STEP;
    const uint64_t most = m_servers > 1 ? step : MOST_STEPS * step;
    uint32_t limit = m_each;
    uint32_t count = m_each;
    // Least and most channels of a message: the more members, the fewer for each (enqueue.cc).
    while (count > 1 && count * m_size > m_all)
    {
        count /= 2;
    }
    while (limit > 1 && limit * m_size > OVERLOAD * m_all)
    {
        limit /= 2;
    }
    // NCCL doubles the channels of a message as long as each of them has more bytes than this.
    while (bytes > most * count && 2 * count <= limit)
    {
        count *= 2;
    }
    // Each channel has a whole number of parts; a channel without any is not used.
    const uint64_t part = step / STEP_PARTS;
    const uint64_t parts = std::max<uint64_t>(1, (bytes + part - 1) / part);
    const uint64_t each = (parts + count - 1) / count;
    return static_cast<uint32_t>((parts + each - 1) / each);
}

uint32_t
PeerChannels::Count(uint64_t bytes, uint32_t peers) const
{
    return std::min(m_all, peers * Count(bytes));
}

double
PeerChannels::GetRate(uint64_t bytes, uint32_t peers) const
{
    NS_ASSERT_MSG(m_channelRate > 0, "the channels of the communicator are not known");
    return m_channelRate * Count(bytes, peers);
}

std::optional<uint32_t>
PeerChannels::FindChannels(const CollectiveCall& call)
{
    if (!call.placement)
    {
        return std::nullopt;
    }
    // Those that are not the root of a gather or a scatter have the root as their only peer.
    const bool hasOne =
        call.kind == CollectiveKind::SHIFT || (HasRoot(call.kind) && call.index != call.root);
    const auto peers = hasOne ? 1 : std::max(1U, call.size - 1);
    return PeerChannels(*call.placement).Count(GetMessageBytes(call), peers);
}

double
PeerChannels::GetUsedShare(const CollectiveCall& call)
{
    const auto* found = call.placement ? call.placement->GetChannels() : nullptr;
    const auto inServer = call.placement ? call.placement->GetLargestServer() - 1 : 0;
    if (!found || inServer == 0)
    {
        return 1;
    }
    const auto peers = call.kind == CollectiveKind::SHIFT ? 1 : inServer;
    const auto rate = PeerChannels(*call.placement).GetRate(GetMessageBytes(call), peers);
    return std::min(1.0, rate / (MEGABYTE * static_cast<double>(found->GetModel().nvlinkRate)));
}

uint32_t
PeerChannels::FindChannel(uint32_t from, uint32_t to) const
{
    const auto& own = m_placement.GetPlace(from);
    const auto& other = m_placement.GetPlace(to);
    const auto rails = m_placement.GetLargestServer();
    // As NCCL's ncclChannelComputeBase() (channel.h); mirrored bits spread neighbouring peers over
    // all channels.
    const auto step = (rails + other.rail - own.rail) % rails;
    const auto servers = (m_servers + other.server - own.server) % m_servers;
    const auto base = m_servers > 1 ? servers + step / GROUP : step;
    return MirrorBits(base % m_all, m_all);
}

uint32_t
PeerChannels::FindSender(uint32_t from, uint32_t to) const
{
    return m_placement.GetPlace(from).server == m_placement.GetPlace(to).server
               ? from
               : m_placement.GetChannels()->FindSender(from, to, FindChannel(from, to));
}

} // namespace ns3
