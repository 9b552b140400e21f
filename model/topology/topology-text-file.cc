/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "topology-text-file.h"

#include "ns3/input-values.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

namespace
{

/// Most nodes and links of a file; more is a slip of the keyboard, and would fill the memory.
constexpr uint64_t MAX_COUNT = 10000000;

/**
 * @param text a field
 * @return whether it is a number without a unit
 */
bool
IsNumber(const std::string& text)
{
    return text.find_first_not_of("0123456789.") == std::string::npos;
}

/**
 * @ingroup workload-replay
 * @brief The numbers of the first line.
 */
struct Counts
{
    uint32_t nodes{0};      //!< hosts, NVSwitches and switches
    uint32_t perServer{0};  //!< hosts of a server; 0 = there are no servers
    uint32_t nvswitches{0}; //!< NVSwitches
    uint32_t switches{0};   //!< other switches
    uint32_t links{0};      //!< links
};

/**
 * @ingroup workload-replay
 * @brief A line that describes a link.
 */
struct LinkLine
{
    uint32_t a{0};      //!< id at one end
    uint32_t b{0};      //!< id at the other end
    DataRate rate;      //!< bit/s of each direction
    Time delay;         //!< propagation
    double lossRate{0}; //!< share of packets lost
    TextField start;    //!< its first field, for messages
};

/**
 * @ingroup workload-replay
 * @brief Reads one file.
 */
class Reader
{
  public:
    /**
     * @param text the file
     */
    explicit Reader(const WorkloadText& text)
        : m_text(text)
    {
    }

    /**
     * @return the graph
     * @throws WorkloadError if the file is wrong
     */
    TopologyGraph Read()
    {
        ReadCounts();
        ReadSwitches();
        ReadLinks();
        FindServers();
        return MakeGraph();
    }

  private:
    /**
     * @return the place behind the last line
     */
    SourceLocation LocateEnd() const
    {
        return {m_text.GetFile(), m_text.GetLines().back().number + 1, 1, ""};
    }

    /**
     * @param field a field
     * @param what what it counts
     * @param least smallest valid number
     * @return the number
     */
    static uint32_t ParseAmount(const TextField& field, const std::string& what, uint64_t least)
    {
        const auto amount = ParseCount(field, "the number of " + what);
        if (amount < least || amount > MAX_COUNT)
        {
            throw WorkloadError(field,
                                "the number of " + what + " from " + std::to_string(least) +
                                    " to " + std::to_string(MAX_COUNT));
        }
        return static_cast<uint32_t>(amount);
    }

    /**
     * @param field a field
     * @return the id of a node that it holds
     */
    uint32_t ParseId(const TextField& field) const
    {
        const auto id = ParseCount(field, "the id of a node");
        if (id >= m_counts.nodes)
        {
            throw WorkloadError(field,
                                "the id of a node, 0 to " + std::to_string(m_counts.nodes - 1));
        }
        return static_cast<uint32_t>(id);
    }

    /// Read the first line.
    void ReadCounts()
    {
        const auto& line = m_text.GetLines().front();
        const auto fields = m_text.SplitWords(line);
        if (fields.size() != 6 && fields.size() != 4 && fields.size() != 3)
        {
            throw WorkloadError(
                fields.front().where,
                "6 fields (SimAI: nodes, GPUs per server, NVSwitches, switches, links, "
                "GPU type; Reverie: nodes, switches, top-of-rack switches, links, two rates), 4 "
                "(PowerTCP: without rates) or 3 (HPCC: nodes, switches, links)",
                std::to_string(fields.size()));
        }
        // A type of GPU has letters, a rate of Reverie has none. How many of the switches are
        // top-of-rack ones, and the rates, is in the links, too.
        const bool hasServers = fields.size() == 6 && !IsNumber(fields[5].text);
        const bool hasRacks = fields.size() > 3 && !hasServers;
        const std::size_t links = hasServers ? 4 : hasRacks ? 3 : 2;
        m_counts.nodes = ParseAmount(fields[0], "nodes", 1);
        if (hasServers)
        {
            m_counts.perServer = ParseAmount(fields[1], "GPUs per server", 1);
            m_counts.nvswitches = ParseAmount(fields[2], "NVSwitches", 0);
        }
        m_counts.switches = ParseAmount(fields[hasServers ? 3 : 1], "switches", 0);
        m_counts.links = ParseAmount(fields[links], "links", 0);
        const auto forwarding = m_counts.nvswitches + m_counts.switches;
        if (forwarding >= m_counts.nodes)
        {
            throw WorkloadError(fields.front().where,
                                "more nodes than the " + std::to_string(forwarding) +
                                    " switches, the rest being hosts",
                                std::to_string(m_counts.nodes));
        }
        // Each host needs a link. So a file of many hosts is long, and a short one makes few.
        const uint64_t hosts = m_counts.nodes - forwarding;
        const uint64_t least = hosts > 1 ? (hosts + 1) / 2 : 0;
        if (m_counts.links < least)
        {
            throw WorkloadError(fields[links],
                                "at least " + std::to_string(least) + " links, to join " +
                                    std::to_string(hosts) + " hosts");
        }
    }

    /// Read the line of switches, if there are any.
    void ReadSwitches()
    {
        m_kinds.assign(m_counts.nodes, TopologyGraph::HOST);
        const auto expected = m_counts.nvswitches + m_counts.switches;
        if (expected == 0)
        {
            return;
        }
        if (m_text.GetLines().size() == m_next)
        {
            throw WorkloadError(LocateEnd(),
                                "the ids of " + std::to_string(expected) + " switches",
                                "the end of the file");
        }
        const auto fields = m_text.SplitWords(m_text.GetLines()[m_next++]);
        if (fields.size() != expected)
        {
            const auto& place = fields.size() > expected ? fields[expected] : fields.front();
            throw WorkloadError(place.where,
                                "the ids of " + std::to_string(expected) + " switches (" +
                                    std::to_string(m_counts.nvswitches) + " NVSwitches, then " +
                                    std::to_string(m_counts.switches) + " others)",
                                std::to_string(fields.size()));
        }
        for (std::size_t i = 0; i < fields.size(); ++i)
        {
            const auto id = ParseId(fields[i]);
            if (m_kinds[id] != TopologyGraph::HOST)
            {
                throw WorkloadError(fields[i].where,
                                    "the id of every switch once",
                                    Quoted(fields[i].text) + " a second time");
            }
            // NVSwitches come first in the line.
            m_kinds[id] = i < m_counts.nvswitches ? TopologyGraph::NVSWITCH : TopologyGraph::SWITCH;
        }
    }

    /// Read the lines of links. Files of HPCC may have notes, and other links, behind them.
    void ReadLinks()
    {
        const auto& lines = m_text.GetLines();
        const auto expected = std::to_string(m_counts.links) + " links, as the first line says";
        for (; m_next < lines.size() && m_links.size() < m_counts.links; ++m_next)
        {
            m_links.push_back(ReadLink(m_text.SplitWords(lines[m_next])));
        }
        // Files of SimAI have nothing behind their links.
        if (m_next < lines.size() && m_counts.perServer > 0)
        {
            throw WorkloadError(m_text.SplitWords(lines[m_next]).front().where,
                                expected,
                                "at least " + std::to_string(m_links.size() + 1));
        }
        if (m_links.size() < m_counts.links)
        {
            throw WorkloadError(LocateEnd(), expected, std::to_string(m_links.size()));
        }
    }

    /**
     * @param fields fields of a line
     * @return the link
     */
    LinkLine ReadLink(const std::vector<TextField>& fields) const
    {
        if (fields.size() != 5)
        {
            const auto& place = fields.size() > 5 ? fields[5] : fields.front();
            throw WorkloadError(place.where,
                                "5 fields of a link: id, id, rate, delay, loss rate",
                                std::to_string(fields.size()));
        }
        LinkLine link;
        link.a = ParseId(fields[0]);
        link.b = ParseId(fields[1]);
        if (link.a == link.b)
        {
            throw WorkloadError(fields[1].where,
                                "a link between two nodes",
                                "one from node " + fields[0].text + " to itself");
        }
        // What ns3::DataRate takes as bit/s. Of few digits the unit is missing by mistake.
        const bool isInBits = IsNumber(fields[2].text) && fields[2].text.size() > 6;
        const std::string unit = isInBits ? "bps" : "";
        link.rate = ParseRate({fields[2].text + unit, fields[2].where}, 1);
        link.delay = ParseDuration(fields[3]);
        link.lossRate = ParseFraction(fields[4], "a loss rate");
        link.start = fields[0];
        return link;
    }

    /// Number hosts by rank, and find the server of each NVSwitch.
    void FindServers()
    {
        m_servers.assign(m_counts.nodes, TopologyGraph::NO_SERVER);
        if (m_counts.perServer == 0)
        {
            return;
        }
        uint32_t rank = 0;
        // Hosts are numbered server by server.
        for (uint32_t id = 0; id < m_counts.nodes; ++id)
        {
            if (m_kinds[id] == TopologyGraph::HOST)
            {
                m_servers[id] = rank++ / m_counts.perServer;
            }
        }
        for (const auto& link : m_links)
        {
            const bool hostFirst = m_kinds[link.a] == TopologyGraph::HOST;
            const auto host = hostFirst ? link.a : link.b;
            const auto other = hostFirst ? link.b : link.a;
            if (m_kinds[host] != TopologyGraph::HOST || m_kinds[other] != TopologyGraph::NVSWITCH)
            {
                continue;
            }
            auto& server = m_servers[other];
            if (server != TopologyGraph::NO_SERVER && server != m_servers[host])
            {
                throw WorkloadError(link.start.where,
                                    "NVSwitch " + std::to_string(other) +
                                        " to have GPUs of server " + std::to_string(server) +
                                        " only (" + std::to_string(m_counts.perServer) +
                                        " GPUs per server)",
                                    "GPU " + std::to_string(host) + " of server " +
                                        std::to_string(m_servers[host]));
            }
            server = m_servers[host];
        }
    }

    /**
     * @return the graph of what was read
     */
    TopologyGraph MakeGraph() const
    {
        TopologyGraph graph;
        uint32_t hosts = 0;
        uint32_t switches = 0;
        uint32_t nvswitches = 0;
        // Nodes are added in the order of their ids, by which links name them.
        for (uint32_t id = 0; id < m_counts.nodes; ++id)
        {
            switch (m_kinds[id])
            {
            case TopologyGraph::HOST:
                graph.AddHost("host" + std::to_string(hosts++), m_servers[id]);
                break;
            case TopologyGraph::SWITCH:
                graph.AddSwitch("switch" + std::to_string(switches++));
                break;
            case TopologyGraph::NVSWITCH:
                graph.AddNvswitch("nvswitch" + std::to_string(nvswitches++), m_servers[id]);
                break;
            }
        }
        for (const auto& line : m_links)
        {
            const bool nvlink = graph.IsNvlinkByKind(line.a, line.b);
            const auto link = graph.AddLink(line.a, line.b, line.rate, line.delay, nvlink);
            graph.SetLossRate(link, line.lossRate);
        }
        const auto left = m_text.GetLines().size() - m_next;
        if (left > 0)
        {
            graph.AddNote("the first line of " + m_text.GetFile() + " says " +
                          std::to_string(m_counts.links) + " links; " + std::to_string(left) +
                          (left == 1 ? " line" : " lines") + " behind them were left");
        }
        return graph;
    }

    const WorkloadText& m_text;                   //!< the file
    Counts m_counts;                              //!< what its first line says
    std::size_t m_next{1};                        //!< next line to read
    std::vector<TopologyGraph::NodeKind> m_kinds; //!< what the nodes are, by id
    std::vector<LinkLine> m_links;                //!< the links
    std::vector<uint32_t> m_servers;              //!< server by id, or NO_SERVER
};

} // namespace

TopologyGraph
ReadTopologyText(const WorkloadText& text)
{
    return Reader(text).Read();
}

} // namespace ns3
