/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "communicator-channels.h"

#include "ns3/assert.h"

#include <algorithm>
#include <map>
#include <utility>

namespace ns3
{

namespace
{

/// A MB/s in bytes per second.
constexpr double MEGABYTE = 1e6;

/// Compute capability of Hopper times 10.
constexpr uint32_t HOPPER = 90;

/// Rate of a ring's channel above which Hopper uses four channels for each, bytes per second.
constexpr double FAST_CHANNEL = 45e9;

/**
 * Take in the channels of one more server: the slowest counts.
 *
 * @param [in,out] rates rates of the servers before
 * @param graph channels of the server
 * @param isFirst whether it is the first server
 */
void
Merge(CommunicatorChannels::Rates& rates, const ChannelGraph& graph, bool isFirst)
{
    const double intra = MEGABYTE * static_cast<double>(graph.rateIntra);
    const double inter = MEGABYTE * static_cast<double>(graph.rateInter);
    rates.channels = isFirst ? graph.channels : std::min(rates.channels, graph.channels);
    rates.intra = isFirst ? intra : std::min(rates.intra, intra);
    rates.inter = isFirst ? inter : std::min(rates.inter, inter);
    rates.isSimpleTree = rates.isSimpleTree || graph.pattern == ChannelPattern::TREE;
    rates.areAlike = rates.areAlike && graph.sameChannels;
    rates.typeIntra = std::max(rates.typeIntra, graph.typeIntra);
    rates.typeInter = std::max(rates.typeInter, graph.typeInter);
}

/**
 * @param orders orders of members by channel
 * @return channels whose orders differ, if each order occurs equally often; if not, all channels
 */
template <typename T>
std::vector<uint32_t>
ListDistinct(const std::vector<T>& orders)
{
    std::vector<uint32_t> first;
    std::vector<uint32_t> all;
    std::map<std::vector<uint32_t>, std::size_t> count;
    for (uint32_t channel = 0; channel < orders.size(); ++channel)
    {
        all.push_back(channel);
        if (++count[orders[channel].members] == 1)
        {
            first.push_back(channel);
        }
    }
    const auto isEven = [&](const auto& order) {
        return order.second * first.size() == orders.size();
    };
    return std::all_of(count.begin(), count.end(), isEven) ? first : all;
}

/**
 * @param size number of nodes
 * @param isTwin whether it is the second of the two trees
 * @param child a node
 * @param parent its parent
 * @return whether it is the first of two children
 */
bool
IsFirstChild(uint32_t size, bool isTwin, uint32_t child, uint32_t parent)
{
    if (!isTwin)
    {
        return child < parent;
    }
    // The second tree is the first one mirrored, or shifted by one.
    return size % 2 == 0 ? child > parent : (child + size - 1) % size < (parent + size - 1) % size;
}

} // namespace

ServerChannels::ServerChannels(const ServerModel& model, std::shared_ptr<const NcclGraphs> given)
    : m_model(model),
      m_given(std::move(given))
{
}

const std::shared_ptr<const NcclGraphs>&
ServerChannels::GetGiven() const
{
    return m_given;
}

void
ServerChannels::TakeGiven(const std::vector<uint32_t>& gpus, bool hasNetwork, Found& found) const
{
    if (!m_given || m_given->gpus != gpus || m_given->hasNetwork != hasNetwork)
    {
        return;
    }
    const auto placed = m_given->Place(m_model.layout);
    found.ring = placed.ring;
    // A file may lack what older versions did not write.
    found.tree = placed.tree.channels > 0 ? placed.tree : found.tree;
    found.nvls = placed.nvls.channels > 0 ? placed.nvls : found.nvls;
}

const ServerModel&
ServerChannels::GetModel() const
{
    return m_model;
}

const ServerChannels::Found&
ServerChannels::Find(const std::vector<uint32_t>& gpus, bool hasNetwork) const
{
    // Servers of a job mostly have the same members: each set of GPUs is searched once.
    const auto [entry, isNew] = m_found.try_emplace({gpus, hasNetwork});
    auto& found = entry->second;
    if (!isNew)
    {
        return found;
    }
    ServerGraph graph(m_model, gpus, hasNetwork);
    ChannelSearch search(graph);
    // Channels are doubled once more in the end.
    found.ring = search.Find(ChannelPattern::RING, 1, MAX_CHANNELS / 2);
    // A channel has a ring and a tree, so there are as many trees as rings.
    found.tree =
        search.Find(ChannelPattern::BALANCED_TREE, found.ring.channels, found.ring.channels);
    // NCCL leaves NVLS to communicators of three GPUs in a server or more (transport/nvls.cc).
    if (gpus.size() > 2)
    {
        found.nvls = search.Find(ChannelPattern::NVLS, 1, MAX_CHANNELS);
    }
    TakeGiven(gpus, hasNetwork, found);
    for (uint32_t channel = 0; hasNetwork && channel < found.ring.channels; ++channel)
    {
        const auto last = found.ring.GetGpu(channel, static_cast<uint32_t>(gpus.size()) - 1);
        uint32_t index = 0;
        while (graph.GetDevice(index) != last)
        {
            ++index;
        }
        const auto relay = graph.FindRelay(index, found.ring.nets[channel].second);
        found.ringRelays.push_back(graph.GetDevice(relay));
    }
    const auto count = static_cast<uint32_t>(hasNetwork ? gpus.size() : 0);
    for (uint32_t i = 0; i < count * count; ++i)
    {
        auto& senders = found.senders[{gpus[i / count], gpus[i % count]}];
        for (uint32_t channel = 0; channel < MAX_CHANNELS; ++channel)
        {
            senders.push_back(graph.GetDevice(graph.FindSender(i / count, i % count, channel)));
        }
    }
    return found;
}

CommunicatorChannels::CommunicatorChannels(const ServerChannels& channels,
                                           const Servers& servers,
                                           const std::vector<uint32_t>& devices)
    : m_model(channels.GetModel()),
      m_serverOf(devices.size()),
      m_devices(devices)
{
    for (uint32_t gpu = 0; gpu < m_model.layout.gpus.size(); ++gpu)
    {
        m_hasNic.push_back(m_model.layout.FindNic(gpu).has_value());
    }
    const bool hasNetwork = servers.size() > 1;
    for (const auto& members : servers)
    {
        Server server;
        std::vector<uint32_t> gpus;
        server.members.assign(m_model.layout.gpus.size(), UINT32_MAX);
        for (const auto member : members)
        {
            NS_ASSERT_MSG(devices[member] < server.members.size(), "a GPU that is not described");
            gpus.push_back(devices[member]);
            server.members[devices[member]] = member;
            m_serverOf[member] = static_cast<uint32_t>(m_servers.size());
        }
        m_largest = std::max(m_largest, static_cast<uint32_t>(members.size()));
        // Sorted: the set of GPUs is the key, in whatever order the communicator lists its members.
        std::sort(gpus.begin(), gpus.end());
        server.found = &channels.Find(gpus, hasNetwork);
        Merge(m_ring, server.found->ring, m_servers.empty());
        Merge(m_tree, server.found->tree, m_servers.empty());
        Merge(m_nvls, server.found->nvls, m_servers.empty());
        m_servers.push_back(server);
    }
    // Both have to exist in every channel (init.cc takes the minimum).
    m_ring.channels = m_tree.channels = std::min(m_ring.channels, m_tree.channels);
    const auto most = ServerChannels::MAX_CHANNELS;
    // Channels of a call: two for each that was searched, on Hopper four between servers
    // (connect.cc).
    m_channels = std::min(most, 2 * m_ring.channels);
    if (m_model.generation == HOPPER && hasNetwork && m_ring.intra > FAST_CHANNEL &&
        2 * m_channels <= most)
    {
        m_channels *= 2;
    }
    FindDistinct();
}

const CommunicatorChannels::Rates&
CommunicatorChannels::GetRing() const
{
    return m_ring;
}

const CommunicatorChannels::Rates&
CommunicatorChannels::GetTree() const
{
    return m_tree;
}

const CommunicatorChannels::Rates&
CommunicatorChannels::GetNvls() const
{
    return m_nvls;
}

uint32_t
CommunicatorChannels::GetChannels() const
{
    return m_channels;
}

const ServerModel&
CommunicatorChannels::GetModel() const
{
    return m_model;
}

const RailRing&
CommunicatorChannels::FindRing(uint32_t channel) const
{
    return m_rings[channel % m_rings.size()];
}

bool
CommunicatorChannels::HasNic(uint32_t member) const
{
    return m_hasNic[m_devices[member]];
}

uint32_t
CommunicatorChannels::CountRings() const
{
    return static_cast<uint32_t>(m_rings.size());
}

uint32_t
CommunicatorChannels::CountTrees() const
{
    // In one server both trees are the same chain.
    return static_cast<uint32_t>((m_servers.size() > 1 ? 2 : 1) * m_chains.size());
}

void
CommunicatorChannels::FindDistinct()
{
    std::vector<Order> rings;
    std::vector<Order> chains;
    for (uint32_t channel = 0; channel < m_ring.channels; ++channel)
    {
        rings.push_back(MakeRing(channel));
        Order chain;
        for (uint32_t server = 0; server < m_servers.size(); ++server)
        {
            const auto members = GetChain(server, channel);
            chain.members.insert(chain.members.end(), members.begin(), members.end());
        }
        chains.push_back(chain);
    }
    for (const auto channel : ListDistinct(rings))
    {
        m_rings.emplace_back(rings[channel].members, rings[channel].relays);
    }
    m_chains = ListDistinct(chains);
}

CommunicatorChannels::Order
CommunicatorChannels::MakeRing(uint32_t channel) const
{
    Order ring;
    for (const auto& server : m_servers)
    {
        const auto& graph = server.found->ring;
        for (uint32_t place = 0; place < graph.CountGpus(); ++place)
        {
            ring.members.push_back(server.members[graph.GetGpu(channel, place)]);
        }
        while (ring.relays.size() < ring.members.size())
        {
            ring.relays.push_back(ring.members[ring.relays.size()]);
        }
        // The last of a server leaves it, maybe by the NIC of another GPU.
        if (!server.found->ringRelays.empty())
        {
            ring.relays.back() = server.members[server.found->ringRelays[channel]];
        }
    }
    return ring;
}

std::vector<uint32_t>
CommunicatorChannels::GetChain(uint32_t server, uint32_t channel) const
{
    const auto& graph = m_servers[server].found->tree;
    std::vector<uint32_t> chain;
    for (uint32_t place = 0; place < graph.CountGpus(); ++place)
    {
        chain.push_back(m_servers[server].members[graph.GetGpu(channel, place)]);
    }
    return chain;
}

uint32_t
CommunicatorChannels::FindHolder(uint32_t server, uint32_t channel, bool isFirst) const
{
    // Of a balanced tree the first GPU has the parent and the second child, the second GPU has the
    // first child.
    const auto members = GetChain(server, channel);
    const bool isBalanced = m_servers[server].found->tree.pattern == ChannelPattern::BALANCED_TREE;
    return members[isBalanced && isFirst && members.size() > 1 ? 1 : 0];
}

TreePlace
CommunicatorChannels::FindTreePlace(uint32_t channel, uint32_t member) const
{
    const auto nServers = static_cast<uint32_t>(m_servers.size());
    const auto nTrees = nServers > 1 ? 2 : 1;
    const auto searched = m_chains[channel / nTrees % m_chains.size()];
    const bool isTwin = channel % nTrees == 1;
    const auto own = m_serverOf[member];
    const auto chain = GetChain(own, searched);
    // Channels alternate between the two trees over servers; inside, GPUs are a chain.
    const auto outer =
        isTwin ? TreePlace::MakeInOrderTwin(nServers, own) : TreePlace::MakeInOrder(nServers, own);
    const auto place =
        static_cast<uint32_t>(std::find(chain.begin(), chain.end(), member) - chain.begin());
    TreePlace found;
    // An edge between servers may begin at the second GPU of the upper server, one hop further:
    // each level of the outer tree is up to two hops deep.
    found.depth = 2 * outer.depth + place;
    found.height = 2 * outer.height + m_largest - 1;
    for (const auto child : outer.children)
    {
        if (FindHolder(own, searched, IsFirstChild(nServers, isTwin, child, own)) == member)
        {
            found.children.push_back(GetChain(child, searched).front());
        }
    }
    if (place + 1 < chain.size())
    {
        found.children.push_back(chain[place + 1]);
    }
    if (place > 0)
    {
        found.parent = chain[place - 1];
    }
    else if (outer.parent != TreePlace::NO_PARENT)
    {
        const bool isFirst = IsFirstChild(nServers, isTwin, own, outer.parent);
        found.parent = FindHolder(outer.parent, searched, isFirst);
    }
    return found;
}

uint32_t
CommunicatorChannels::FindSender(uint32_t from, uint32_t to, uint32_t channel) const
{
    const auto& server = m_servers[m_serverOf[from]];
    const auto senders = server.found->senders.find({m_devices[from], m_devices[to]});
    // The receiver's counterpart may have no part in the communicator.
    return senders == server.found->senders.end()
               ? from
               : server.members[senders->second[channel % senders->second.size()]];
}

uint32_t
CommunicatorChannels::GetNvlsHead(uint32_t server, uint32_t shard) const
{
    const auto& heads = m_servers[server].found->nvls;
    return m_servers[server].members[heads.GetGpu(shard, 0)];
}

} // namespace ns3
