/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ecmp-route-table.h"

#include "ecmp-hash.h"

#include "ns3/assert.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace ns3
{

std::size_t
EcmpRouteTable::ListHash::operator()(const std::vector<uint32_t>& list) const
{
    uint64_t hash = list.size();
    for (const auto number : list)
    {
        hash = EcmpMix(hash ^ number);
    }
    return hash;
}

EcmpRouteTable::EcmpRouteTable(TopologyGraph graph)
    : m_graph(std::move(graph)),
      m_linkUp(m_graph.GetNLinks(), true)
{
    Recompute();
}

const TopologyGraph&
EcmpRouteTable::GetGraph() const
{
    return m_graph;
}

void
EcmpRouteTable::SetLinkUp(uint32_t link, bool up)
{
    NS_ASSERT_MSG(link < m_linkUp.size(), "no link " << link);
    m_linkUp[link] = up;
}

bool
EcmpRouteTable::IsLinkUp(uint32_t link) const
{
    NS_ASSERT_MSG(link < m_linkUp.size(), "no link " << link);
    return m_linkUp[link];
}

void
EcmpRouteTable::Recompute()
{
    // Each step uses what the ones before have listed.
    SortLinks();
    ListRelays();
    BundleLinks();
    m_setIndex.clear();
    m_sets.clear();
    GroupDestinations();
}

void
EcmpRouteTable::SortLinks()
{
    m_linkStart.assign(1, 0);
    m_sortedLinks.clear();
    for (uint32_t node = 0; node < m_graph.GetNNodes(); ++node)
    {
        for (const auto link : m_graph.GetLinksOf(node))
        {
            if (m_linkUp[link])
            {
                m_sortedLinks.push_back(link);
            }
        }
        const auto key = [this, node](uint32_t link) {
            return std::make_tuple(!m_graph.GetLink(link).nvlink,
                                   m_graph.GetPeer(link, node),
                                   link);
        };
        // NVLink first, then by neighbour: links to one neighbour stand in a row.
        std::sort(m_sortedLinks.begin() + m_linkStart.back(),
                  m_sortedLinks.end(),
                  [&key](uint32_t x, uint32_t y) { return key(x) < key(y); });
        m_linkStart.push_back(static_cast<uint32_t>(m_sortedLinks.size()));
    }
}

EcmpRouteTable::LinkSpan
EcmpRouteTable::GetUpLinks(uint32_t node) const
{
    const auto start = m_linkStart[node];
    return {m_sortedLinks.data() + start, m_linkStart[node + 1] - start};
}

void
EcmpRouteTable::ListRelays()
{
    const auto nodes = m_graph.GetNNodes();
    uint32_t relays = 0;
    m_relayOf.assign(nodes, NONE);
    for (uint32_t node = 0; node < nodes; ++node)
    {
        if (m_graph.HostsRelay() || m_graph.GetNode(node).kind != TopologyGraph::HOST)
        {
            // Searches run over relays only: hosts that do not relay are ends, not steps, of a
            // path.
            m_relayOf[node] = relays++;
        }
    }
    m_relayStart.assign(1, 0);
    m_relayLinks.clear();
    for (uint32_t node = 0; node < nodes; ++node)
    {
        if (m_relayOf[node] == NONE)
        {
            continue;
        }
        for (const auto link : GetUpLinks(node))
        {
            const auto peer = m_relayOf[m_graph.GetPeer(link, node)];
            if (peer != NONE)
            {
                m_relayLinks.push_back({peer, link, m_graph.GetLink(link).nvlink});
            }
        }
        m_relayStart.push_back(static_cast<uint32_t>(m_relayLinks.size()));
    }
}

void
EcmpRouteTable::BundleLinks()
{
    m_bundles.clear();
    m_bundleStart.assign(1, 0);
    for (uint32_t node = 0; node < m_graph.GetNNodes(); ++node)
    {
        const auto links = GetUpLinks(node);
        const auto isHost = m_relayOf[node] == NONE;
        for (auto first = links.begin(); isHost && first != links.end();)
        {
            const auto peer = m_graph.GetPeer(*first, node);
            const auto nvlink = m_graph.GetLink(*first).nvlink;
            // Sorted, so that links to one neighbour of one kind stand in a row.
            const auto end = std::find_if_not(first, links.end(), [&](uint32_t link) {
                return m_graph.GetPeer(link, node) == peer &&
                       m_graph.GetLink(link).nvlink == nvlink;
            });
            m_bundles.push_back({peer, nvlink, {first, static_cast<std::size_t>(end - first)}});
            first = end;
        }
        m_bundleStart.push_back(static_cast<uint32_t>(m_bundles.size()));
    }
}

void
EcmpRouteTable::GroupDestinations()
{
    m_classes.clear();
    m_classOf.clear();
    std::unordered_map<std::vector<uint32_t>, uint32_t, ListHash> known;
    for (uint32_t node = 0; node < m_graph.GetNNodes(); ++node)
    {
        const auto relay = m_relayOf[node];
        DestinationClass candidate;
        // A host is a hop behind its relays; a relay is its own source.
        candidate.startHops = relay == NONE ? 1 : 0;
        if (relay != NONE)
        {
            candidate.sources.push_back(relay);
        }
        else
        {
            // A switch without links to other switches, such as an NVSwitch, lies on no path to the
            // host but that of its own hosts, which see it themselves.
            for (const auto link : GetUpLinks(node))
            {
                const auto peer = m_relayOf[m_graph.GetPeer(link, node)];
                if (m_relayStart[peer] != m_relayStart[peer + 1])
                {
                    candidate.sources.push_back(peer);
                }
            }
            auto& sources = candidate.sources;
            std::sort(sources.begin(), sources.end());
            sources.erase(std::unique(sources.begin(), sources.end()), sources.end());
        }
        // Destinations behind the same relays have the same next hops: one search serves them all.
        auto key = candidate.sources;
        key.push_back(candidate.startHops);
        const auto index = static_cast<uint32_t>(m_classes.size());
        const auto [entry, isNew] = known.emplace(std::move(key), index);
        if (isNew)
        {
            m_classes.push_back(std::move(candidate));
        }
        m_classOf.push_back(entry->second);
    }
}

uint32_t
EcmpRouteTable::GetNHostClasses() const
{
    std::vector<bool> seen(m_classes.size(), false);
    for (const auto host : m_graph.GetHosts())
    {
        seen[m_classOf[host]] = true;
    }
    return static_cast<uint32_t>(std::count(seen.begin(), seen.end(), true));
}

void
EcmpRouteTable::ComputeAll() const
{
    for (const auto host : m_graph.GetHosts())
    {
        GetClass(host);
    }
}

const EcmpRouteTable::DestinationClass&
EcmpRouteTable::GetClass(uint32_t destination) const
{
    auto& destinations = m_classes[m_classOf[destination]];
    if (destinations.distance.empty())
    {
        // On first use: many destinations are never asked for.
        Search(destinations);
    }
    return destinations;
}

void
EcmpRouteTable::Search(DestinationClass& destinations) const
{
    auto& distance = destinations.distance;
    distance.assign(m_relayStart.size() - 1, UNREACHABLE);
    destinations.nextSet.assign(distance.size(), NONE);
    auto reached = destinations.sources;
    for (const auto source : reached)
    {
        distance[source] = destinations.startHops;
    }
    // Breadth first, from the destination: the list grows as relays are reached.
    for (std::size_t i = 0; i < reached.size(); ++i)
    {
        const auto relay = reached[i];
        for (auto j = m_relayStart[relay]; j < m_relayStart[relay + 1]; ++j)
        {
            const auto peer = m_relayLinks[j].peer;
            if (distance[peer] == UNREACHABLE)
            {
                distance[peer] = distance[relay] + 1;
                reached.push_back(peer);
            }
        }
    }
    std::vector<uint32_t> next;
    // Sources have no set: their links to the destination differ (GetLastLinks()).
    for (std::size_t i = destinations.sources.size(); i < reached.size(); ++i)
    {
        const auto relay = reached[i];
        bool nvlink = false;
        next.clear();
        // NVLink links come first, so the first link that leads on decides for all.
        for (auto j = m_relayStart[relay]; j < m_relayStart[relay + 1]; ++j)
        {
            const auto& relayLink = m_relayLinks[j];
            if (distance[relayLink.peer] + 1 == distance[relay] &&
                (next.empty() || relayLink.nvlink == nvlink))
            {
                nvlink = relayLink.nvlink;
                next.push_back(relayLink.link);
            }
        }
        // Sets are kept once: most relays share theirs.
        destinations.nextSet[relay] = Intern(next);
    }
}

uint32_t
EcmpRouteTable::Intern(const std::vector<uint32_t>& links) const
{
    const auto index = static_cast<uint32_t>(m_sets.size());
    const auto [entry, isNew] = m_setIndex.emplace(links, index);
    if (isNew)
    {
        m_sets.push_back(&entry->first);
    }
    return entry->second;
}

EcmpRouteTable::LinkSpan
EcmpRouteTable::GetSet(uint32_t set) const
{
    return {m_sets[set]->data(), m_sets[set]->size()};
}

EcmpRouteTable::LinkSpan
EcmpRouteTable::GetLastLinks(uint32_t relay, uint32_t destination) const
{
    for (auto i = m_bundleStart[destination]; i < m_bundleStart[destination + 1]; ++i)
    {
        if (m_bundles[i].peer == relay)
        {
            return m_bundles[i].links;
        }
    }
    return {};
}

uint32_t
EcmpRouteTable::GetRelayHops(uint32_t node, uint32_t destination) const
{
    const auto hops = GetClass(destination).distance[m_relayOf[node]];
    // A switch that no search starts from may be next to the destination all the same.
    if (hops == UNREACHABLE && GetLastLinks(node, destination).size() > 0)
    {
        return 1;
    }
    return hops;
}

EcmpRouteTable::HostChoice
EcmpRouteTable::ChooseAtHost(uint32_t host, uint32_t destination) const
{
    std::vector<uint32_t> scattered;
    HostChoice best;
    bool nvlink = false;
    for (auto i = m_bundleStart[host]; i < m_bundleStart[host + 1]; ++i)
    {
        const Bundle& bundle = m_bundles[i];
        const auto onward = GetRelayHops(bundle.peer, destination);
        if (onward == UNREACHABLE)
        {
            continue;
        }
        // NVLink comes first, and who reaches a host over it takes no other way, be it shorter.
        if (best.hops == UNREACHABLE || (bundle.nvlink == nvlink && onward + 1 < best.hops))
        {
            best.hops = onward + 1;
            best.links = bundle.links;
            nvlink = bundle.nvlink;
            scattered.clear();
        }
        else if (onward + 1 == best.hops && bundle.nvlink == nvlink)
        {
            // Bundles that stand in a row are one span; others have to be copied.
            if (scattered.empty() && bundle.links.begin() == best.links.end())
            {
                best.links = {best.links.begin(),
                              std::size_t{best.links.size()} + bundle.links.size()};
                continue;
            }
            if (scattered.empty())
            {
                scattered.assign(best.links.begin(), best.links.end());
            }
            scattered.insert(scattered.end(), bundle.links.begin(), bundle.links.end());
        }
    }
    if (!scattered.empty())
    {
        // A span needs memory that stays.
        best.links = GetSet(Intern(scattered));
    }
    return best;
}

EcmpRouteTable::LinkSpan
EcmpRouteTable::GetNextLinks(uint32_t node, uint32_t destination) const
{
    NS_ASSERT_MSG(node < m_classOf.size() && destination < m_classOf.size(), "no such node");
    if (node == destination)
    {
        return {};
    }
    const auto relay = m_relayOf[node];
    if (relay == NONE)
    {
        return ChooseAtHost(node, destination).links;
    }
    const auto set = GetClass(destination).nextSet[relay];
    return set != NONE ? GetSet(set) : GetLastLinks(node, destination);
}

uint32_t
EcmpRouteTable::GetHopCount(uint32_t node, uint32_t destination) const
{
    NS_ASSERT_MSG(node < m_classOf.size() && destination < m_classOf.size(), "no such node");
    if (node == destination)
    {
        return 0;
    }
    return m_relayOf[node] == NONE ? ChooseAtHost(node, destination).hops
                                   : GetRelayHops(node, destination);
}

std::vector<uint32_t>
EcmpRouteTable::GetPath(uint32_t source,
                        uint32_t destination,
                        uint64_t flowHash,
                        uint64_t seed) const
{
    std::vector<uint32_t> path;
    for (auto node = source; node != destination;)
    {
        const auto links = GetNextLinks(node, destination);
        if (links.size() == 0)
        {
            return {};
        }
        // The salt differs by node, lest all switches choose alike (hash polarisation).
        path.push_back(links[EcmpChoose(flowHash, EcmpSalt(seed, node), links.size())]);
        node = m_graph.GetPeer(path.back(), node);
    }
    return path;
}

Time
EcmpRouteTable::GetDelay(const std::vector<uint32_t>& path) const
{
    Time delay;
    for (const auto link : path)
    {
        delay += m_graph.GetLink(link).delay;
    }
    return delay;
}

} // namespace ns3
