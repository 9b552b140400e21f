/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-pinned-routing.h"

#include "ns3/ecmp-hash.h"
#include "ns3/input-values.h"
#include "ns3/log.h"
#include "ns3/strategy-registry.h"
#include "ns3/string.h"
#include "ns3/workload-text.h"

#include <algorithm>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("RdmaPinnedRouting");

NS_STRATEGY_ENSURE_REGISTERED(RdmaPinnedRouting, "pinned", "by ns3::RdmaPinnedRouting::File", 7);

namespace
{

/// Words of a line before its colon, without and with a queue pair.
/// @{
constexpr std::size_t PAIR_WORDS = 2;
constexpr std::size_t QUEUE_PAIR_WORDS = 3;

/// @}

/// @brief By the pins of a node; others by a hash of the flow.
class Choice : public RdmaPathChoice
{
  public:
    /**
     * @param graph the fabric
     * @param pins pins of the node
     * @param node number of the node
     * @param salt its salt
     */
    Choice(const TopologyGraph& graph,
           const RdmaPinnedRouting::Pins& pins,
           uint32_t node,
           uint64_t salt)
        : m_graph(graph),
          m_pins(pins),
          m_node(node),
          m_isSource(graph.GetNode(node).kind == TopologyGraph::HOST && !graph.HostsRelay()),
          m_salt(salt)
    {
    }

    uint32_t Choose(const RdmaPacket& packet, const RdmaNextHops& hops) override
    {
        const uint32_t start = EcmpChoose(packet.flowHash, m_salt, hops.size());
        const uint32_t next = FindNext(packet);
        for (uint32_t i = start; next != RdmaPacket::UNKNOWN && i < start + hops.size(); ++i)
        {
            const uint32_t choice = i % hops.size();
            if (m_graph.GetPeer(hops.GetLink(choice), m_node) == next && hops[choice]->IsLinkUp())
            {
                return choice;
            }
        }
        return hops.SkipDown(start);
    }

  private:
    /**
     * @param packet a packet
     * @return node that it is to go to next; UNKNOWN = any
     */
    uint32_t FindNext(const RdmaPacket& packet) const
    {
        // A NIC asks for a port before there is a packet.
        const uint32_t source = m_isSource ? m_node : packet.source;
        auto found = m_pins.end();
        if (packet.type == RdmaPacket::DATA)
        {
            found = m_pins.find({source, packet.destination, packet.senderQp});
        }
        if (found == m_pins.end())
        {
            found = m_pins.find({source, packet.destination, RdmaPacket::UNKNOWN});
        }
        return found == m_pins.end() ? RdmaPacket::UNKNOWN : found->second;
    }

    TopologyGraph m_graph;          //!< the fabric
    RdmaPinnedRouting::Pins m_pins; //!< pins of the node
    uint32_t m_node;                //!< number of the node
    bool m_isSource;                //!< it sends only packets of its own
    uint64_t m_salt;                //!< its salt
};

} // namespace

TypeId
RdmaPinnedRouting::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::RdmaPinnedRouting")
            .SetParent<RdmaRouting>()
            .SetGroupName("WorkloadReplay")
            .AddConstructor<RdmaPinnedRouting>()
            .AddAttribute("File",
                          "File of paths, a line each: source, destination, if need be the number "
                          "of a queue pair of the source, a colon, and the switches on the way, "
                          "all by name. Lines that begin with # are comments.",
                          StringValue(""),
                          MakeStringAccessor(&RdmaPinnedRouting::m_file),
                          MakeStringChecker());
    return tid;
}

RdmaPinnedRouting::RdmaPinnedRouting()
{
    NS_LOG_FUNCTION(this);
}

RdmaPinnedRouting::~RdmaPinnedRouting()
{
    NS_LOG_FUNCTION(this);
}

bool
RdmaPinnedRouting::Reorders() const
{
    return false;
}

void
RdmaPinnedRouting::SetGraph(const TopologyGraph& graph)
{
    NS_LOG_FUNCTION(this);
    if (m_file.empty())
    {
        throw WorkloadError({"ns3::RdmaPinnedRouting::File", 0, 0, ""},
                            "a file of paths, as in --ns3::RdmaPinnedRouting::File=FILE",
                            "none");
    }
    m_graph = graph;
    m_pins.assign(graph.GetNNodes(), Pins());
    Names names;
    for (uint32_t node = 0; node < graph.GetNNodes(); ++node)
    {
        names.emplace(graph.GetNode(node).name, node);
    }
    const EcmpRouteTable table(graph);
    const WorkloadText text(m_file);
    for (const auto& line : text.GetLines())
    {
        const auto words = text.SplitWords(line);
        if (words.front().text.front() != '#')
        {
            ReadLine(words, names, table);
        }
    }
}

uint32_t
RdmaPinnedRouting::FindNode(const TextField& word, const Names& names, bool isHost) const
{
    const auto found = names.find(word.text);
    if (found != names.end() &&
        (m_graph.GetNode(found->second).kind == TopologyGraph::HOST) == isHost)
    {
        return found->second;
    }
    std::vector<std::string> candidates;
    for (const auto& [name, node] : names)
    {
        if ((m_graph.GetNode(node).kind == TopologyGraph::HOST) == isHost)
        {
            candidates.push_back(name);
        }
    }
    throw WorkloadError(word.where,
                        isHost ? "a host of the topology" : "a switch of the topology",
                        Quoted(word.text),
                        NearestName(word.text, candidates));
}

void
RdmaPinnedRouting::ReadLine(const std::vector<TextField>& words,
                            const Names& names,
                            const EcmpRouteTable& table)
{
    const auto colon = std::find_if(words.begin(), words.end(), [](const TextField& word) {
        return word.text == ":";
    });
    const auto before = static_cast<std::size_t>(colon - words.begin());
    if (colon == words.end() || before < PAIR_WORDS || before > QUEUE_PAIR_WORDS ||
        colon + 1 == words.end())
    {
        throw WorkloadError(words.front().where,
                            "source, destination, perhaps a queue pair, ':' and switches",
                            std::to_string(words.size()) + " words" +
                                (colon == words.end() ? " without ':'" : ""));
    }
    const uint32_t source = FindNode(words[0], names, true);
    const uint32_t destination = FindNode(words[1], names, true);
    const uint32_t queuePair =
        before == QUEUE_PAIR_WORDS
            ? static_cast<uint32_t>(ParseNumber(words[2], 0, RdmaPacket::UNKNOWN - 1))
            : RdmaPacket::UNKNOWN;
    uint32_t node = source;
    // One turn more than there are switches: the last one leads to the destination.
    for (auto word = colon + 1; word <= words.end(); ++word)
    {
        const bool isEnd = word == words.end();
        const TextField& field = isEnd ? words.back() : *word;
        const uint32_t next = isEnd ? destination : FindNode(field, names, false);
        const auto links = table.GetNextLinks(node, destination);
        if (std::none_of(links.begin(), links.end(), [&](uint32_t link) {
                return m_graph.GetPeer(link, node) == next;
            }))
        {
            throw WorkloadError(field.where,
                                isEnd ? "a switch that " + words[1].text + " is attached to"
                                      : "a node behind " + m_graph.GetNode(node).name +
                                            " on a shortest path to " + words[1].text,
                                Quoted(field.text));
        }
        if (!m_pins[node].emplace(Key{source, destination, queuePair}, next).second)
        {
            throw WorkloadError(words.front().where,
                                "one path for these hosts and queue pair",
                                "a second one");
        }
        node = next;
    }
}

std::unique_ptr<RdmaPathChoice>
RdmaPinnedRouting::Create(uint32_t node, uint64_t salt) const
{
    return std::make_unique<Choice>(m_graph, m_pins[node], node, salt);
}

} // namespace ns3
