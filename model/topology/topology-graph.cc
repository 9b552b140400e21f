/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "topology-graph.h"

#include "ns3/assert.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <numeric>
#include <set>
#include <string>
#include <utility>

namespace ns3
{

namespace
{

/// Most pairs that an error message names.
constexpr uint64_t NAMED_PAIRS = 3;

/// Pairs of groups of hosts after which those without a path are not counted any further.
constexpr uint64_t MAX_LOOKS = 1000000;

/**
 * Find the representative of a set, and shorten the way to it.
 *
 * @param [in,out] parent parent of each element
 * @param element an element
 * @return the representative of its set
 */
uint32_t
FindRoot(std::vector<uint32_t>& parent, uint32_t element)
{
    while (parent[element] != element)
    {
        // Path halving keeps the trees flat.
        parent[element] = parent[parent[element]];
        element = parent[element];
    }
    return element;
}

/**
 * @param a ascending numbers
 * @param b ascending numbers
 * @return whether a number is in both
 */
bool
Intersect(const std::vector<uint32_t>& a, const std::vector<uint32_t>& b)
{
    auto i = a.begin();
    auto j = b.begin();
    while (i != a.end() && j != b.end())
    {
        if (*i == *j)
        {
            return true;
        }
        *i < *j ? ++i : ++j;
    }
    return false;
}

} // namespace

TopologyGraph::TopologyGraph()
    : m_contents(std::make_shared<Contents>())
{
}

TopologyGraph::Contents&
TopologyGraph::Modify()
{
    // Copies of a graph share their contents until one of them is changed.
    if (m_contents.use_count() > 1)
    {
        m_contents = std::make_shared<Contents>(*m_contents);
    }
    return *m_contents;
}

uint32_t
TopologyGraph::AddNode(NodeKind kind, const std::string& name, uint32_t server, uint32_t rank)
{
    auto& contents = Modify();
    contents.nodes.push_back({kind, name, server, rank});
    contents.adjacency.emplace_back();
    return static_cast<uint32_t>(contents.nodes.size() - 1);
}

void
TopologyGraph::SetName(const std::string& name)
{
    Modify().name = name;
}

const std::string&
TopologyGraph::GetName() const
{
    return m_contents->name;
}

uint32_t
TopologyGraph::AddHost(const std::string& name, uint32_t server)
{
    const auto rank = static_cast<uint32_t>(m_contents->hosts.size());
    const auto node = AddNode(HOST, name, server, rank);
    Modify().hosts.push_back(node);
    return node;
}

uint32_t
TopologyGraph::AddSwitch(const std::string& name)
{
    return AddNode(SWITCH, name, NO_SERVER, NO_RANK);
}

uint32_t
TopologyGraph::AddNvswitch(const std::string& name, uint32_t server)
{
    return AddNode(NVSWITCH, name, server, NO_RANK);
}

uint32_t
TopologyGraph::AddLink(uint32_t a, uint32_t b, DataRate rate, Time delay, bool nvlink)
{
    const SourceLocation where{"TopologyGraph::AddLink()"};
    if (a >= GetNNodes() || b >= GetNNodes() || a == b)
    {
        throw WorkloadError(where,
                            "two nodes below " + std::to_string(GetNNodes()) +
                                ", which have been added before",
                            std::to_string(a) + " and " + std::to_string(b));
    }
    if (rate.GetBitRate() == 0 || delay.IsStrictlyNegative())
    {
        throw WorkloadError(where,
                            "a rate above 0 and a delay of at least 0 from " + GetNode(a).name +
                                " to " + GetNode(b).name,
                            std::to_string(rate.GetBitRate()) + " bit/s and " +
                                std::to_string(delay.GetPicoSeconds()) + " ps");
    }
    auto& contents = Modify();
    const auto link = GetNLinks();
    contents.links.push_back({a, b, rate, delay, nvlink});
    contents.adjacency[a].push_back(link);
    contents.adjacency[b].push_back(link);
    // A link between hosts makes sense only if hosts pass on what is for others.
    contents.hostsRelay |= GetNode(a).kind == HOST && GetNode(b).kind == HOST;
    return link;
}

void
TopologyGraph::SetLossRate(uint32_t link, double lossRate)
{
    if (link >= GetNLinks() || !(lossRate >= 0 && lossRate <= 1))
    {
        throw WorkloadError({"TopologyGraph::SetLossRate()"},
                            "a link below " + std::to_string(GetNLinks()) +
                                " and a share from 0 to 1",
                            std::to_string(link) + " and " + std::to_string(lossRate));
    }
    Modify().links[link].lossRate = lossRate;
}

bool
SlotCycle::IsTooLong() const
{
    // Divided, not multiplied: the product may not fit into a Time.
    return count > 0 && time > Seconds(1000000) / static_cast<int64_t>(count);
}

void
TopologyGraph::SetSlotCycle(const SlotCycle& cycle)
{
    NS_ASSERT_MSG(cycle.dark < cycle.time, "slots that are dark all the time");
    NS_ASSERT_MSG(!cycle.IsTooLong(), "slots that do not come round in time");
    Modify().cycle = cycle;
}

const SlotCycle&
TopologyGraph::GetSlotCycle() const
{
    return m_contents->cycle;
}

void
TopologyGraph::SetSlot(uint32_t link, uint32_t slot)
{
    NS_ASSERT_MSG(slot == ALWAYS || slot < GetSlotCycle().count, "no slot " << slot);
    Modify().links.at(link).slot = slot;
}

uint32_t
TopologyGraph::GetNNodes() const
{
    return static_cast<uint32_t>(m_contents->nodes.size());
}

const TopologyGraph::Node&
TopologyGraph::GetNode(uint32_t node) const
{
    NS_ASSERT_MSG(node < m_contents->nodes.size(), "no node " << node);
    return m_contents->nodes[node];
}

uint32_t
TopologyGraph::GetNLinks() const
{
    return static_cast<uint32_t>(m_contents->links.size());
}

const TopologyGraph::Link&
TopologyGraph::GetLink(uint32_t link) const
{
    NS_ASSERT_MSG(link < m_contents->links.size(), "no link " << link);
    return m_contents->links[link];
}

const std::vector<uint32_t>&
TopologyGraph::GetHosts() const
{
    return m_contents->hosts;
}

const std::vector<uint32_t>&
TopologyGraph::GetLinksOf(uint32_t node) const
{
    NS_ASSERT_MSG(node < m_contents->nodes.size(), "no node " << node);
    return m_contents->adjacency[node];
}

uint32_t
TopologyGraph::GetPeer(uint32_t link, uint32_t node) const
{
    const auto& ends = GetLink(link);
    NS_ASSERT_MSG(ends.a == node || ends.b == node, "link " << link << " is not at node " << node);
    return ends.a == node ? ends.b : ends.a;
}

uint32_t
TopologyGraph::GetDirection(uint32_t link, uint32_t node) const
{
    const auto& ends = GetLink(link);
    NS_ASSERT_MSG(ends.a == node || ends.b == node, "link " << link << " is not at node " << node);
    // Even from a to b, odd from b to a.
    return 2 * link + (ends.a == node ? 0 : 1);
}

uint32_t
TopologyGraph::GetFirstLink(uint32_t node, bool nvlink) const
{
    const auto& links = GetLinksOf(node);
    NS_ASSERT_MSG(!links.empty(), m_contents->nodes[node].name << " has no link");
    const auto wanted = std::find_if(links.begin(), links.end(), [this, nvlink](uint32_t link) {
        return m_contents->links[link].nvlink == nvlink;
    });
    return wanted != links.end() ? *wanted : links.front();
}

bool
TopologyGraph::IsNvlinkByKind(uint32_t a, uint32_t b) const
{
    const auto x = GetNode(a).kind;
    const auto y = GetNode(b).kind;
    return (x == NVSWITCH && y != SWITCH) || (y == NVSWITCH && x != SWITCH);
}

void
TopologyGraph::LetHostsRelay()
{
    Modify().hostsRelay = true;
}

bool
TopologyGraph::HostsRelay() const
{
    return m_contents->hostsRelay;
}

void
TopologyGraph::SetDimensions(const std::vector<uint32_t>& sizes)
{
    Modify().dimensions = sizes;
}

const std::vector<uint32_t>&
TopologyGraph::GetDimensions() const
{
    return m_contents->dimensions;
}

void
TopologyGraph::AddNote(const std::string& note)
{
    Modify().notes.push_back(note);
}

const std::vector<std::string>&
TopologyGraph::GetNotes() const
{
    return m_contents->notes;
}

std::vector<std::vector<uint32_t>>
TopologyGraph::FindParts() const
{
    const auto relays = [this](uint32_t node) {
        return m_contents->hostsRelay || m_contents->nodes[node].kind != HOST;
    };
    std::vector<uint32_t> parent(m_contents->nodes.size());
    std::iota(parent.begin(), parent.end(), 0);
    // Sets are joined by links between nodes that relay. A host that does not may stand at several.
    for (const auto& link : m_contents->links)
    {
        if (relays(link.a) && relays(link.b))
        {
            parent[FindRoot(parent, link.a)] = FindRoot(parent, link.b);
        }
    }
    std::vector<std::vector<uint32_t>> parts(m_contents->hosts.size());
    for (uint32_t rank = 0; rank < m_contents->hosts.size(); ++rank)
    {
        const auto host = m_contents->hosts[rank];
        if (m_contents->hostsRelay)
        {
            // A host that relays is itself a node of its part.
            parts[rank] = {FindRoot(parent, host)};
            continue;
        }
        for (const auto link : m_contents->adjacency[host])
        {
            parts[rank].push_back(FindRoot(parent, GetPeer(link, host)));
        }
        std::sort(parts[rank].begin(), parts[rank].end());
    }
    return parts;
}

bool
TopologyGraph::WouldRelayingHelp() const
{
    TopologyGraph relaying(*this);
    // A copy: the graph itself stays as the user has described it.
    relaying.LetHostsRelay();
    const auto parts = relaying.FindParts();
    return std::all_of(parts.begin(), parts.end(), [&parts](const auto& part) {
        return part == parts.front();
    });
}

void
TopologyGraph::Validate(const SourceLocation& where) const
{
    // Hosts attached to the same parts reach the same hosts, so one of them stands for all.
    std::map<std::vector<uint32_t>, std::vector<uint32_t>> groups;
    auto parts = FindParts();
    for (uint32_t rank = 0; rank < parts.size(); ++rank)
    {
        groups[std::move(parts[rank])].push_back(rank);
    }
    // A part that all of them are attached to joins all; pairs need not be looked at one by one.
    std::map<uint32_t, std::size_t> attached;
    for (const auto& [group, ranks] : groups)
    {
        // A host may have several links to a part.
        for (const auto part : std::set<uint32_t>(group.begin(), group.end()))
        {
            if (++attached[part] == groups.size())
            {
                return;
            }
        }
    }
    uint64_t unreachable = 0;
    std::vector<std::string> named;
    const auto complain = [&](uint32_t x, uint32_t y, uint64_t pairs) {
        if (unreachable < NAMED_PAIRS)
        {
            const auto [low, high] = std::minmax(x, y);
            // Only a few pairs are named, all are counted.
            named.push_back(m_contents->nodes[m_contents->hosts[low]].name + " and " +
                            m_contents->nodes[m_contents->hosts[high]].name);
        }
        unreachable += pairs;
    };
    uint64_t looks = 0;
    const auto isEnough = [&] { return looks >= MAX_LOOKS && unreachable > 0; };
    for (auto i = groups.begin(); i != groups.end() && !isEnough(); ++i)
    {
        const uint64_t size = i->second.size();
        if (i->first.empty() && size > 1)
        {
            // Hosts without any link reach nobody, not even each other.
            complain(i->second[0], i->second[1], size * (size - 1) / 2);
        }
        for (auto j = std::next(i); j != groups.end() && !isEnough(); ++j, ++looks)
        {
            if (!Intersect(i->first, j->first))
            {
                complain(i->second[0], j->second[0], size * j->second.size());
            }
        }
    }
    if (unreachable > 0)
    {
        throw WorkloadError(
            where,
            std::string("a path between all hosts") +
                (WouldRelayingHelp() ? " (if hosts forward packets of others, say \"hostsRelay\": "
                                       "true in a topology in JSON)"
                                     : ""),
            (isEnough() ? "none for at least " : "none for ") + std::to_string(unreachable) +
                (unreachable == 1 ? " pair: " : " pairs, such as ") + JoinWords(named));
    }
}

} // namespace ns3
