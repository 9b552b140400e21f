/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "nccl-graph.h"

#include "ns3/input-values.h"
#include "ns3/xml-file.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <system_error>
#include <utility>

namespace ns3
{

namespace
{

/// Most GPUs, NICs and channels of a server; more is a slip.
constexpr int64_t MOST_DEVICES = 1023;

/// Fastest channel, GB/s.
constexpr double FASTEST_CHANNEL = 100000;

/// Types of paths as NCCL writes them (topo.cc, topoPathTypeStr), and what they are here.
const std::vector<std::pair<std::string, ServerPathType>> PATH_TYPES{
    {"LOC", ServerPathType::LOC},
    {"NVL", ServerPathType::NVL},
    {"NVB", ServerPathType::NVB},
    {"C2C", ServerPathType::NVB},
    {"PIX", ServerPathType::PIX},
    {"PXB", ServerPathType::PXB},
    {"PXN", ServerPathType::PXN},
    {"P2C", ServerPathType::PXN},
    {"PHB", ServerPathType::PHB},
    {"SYS", ServerPathType::SYS},
};

/// Number of each graph in the file (init.cc).
/// @{
constexpr int64_t RING_GRAPH = 0;
constexpr int64_t TREE_GRAPH = 1;
constexpr int64_t COLLNET_GRAPH = 2;
constexpr int64_t NVLS_GRAPH = 3;
/// @}

/// A tree of NCCL whose GPUs share the traffic of the NIC in yet another way (graph.h).
constexpr int64_t SPLIT_TREE = 2;

/**
 * @ingroup workload-replay
 * @brief Makes channels of a file's elements.
 */
class NcclGraphReader
{
  public:
    /**
     * @param file path of the file
     */
    explicit NcclGraphReader(const std::string& file)
    {
        m_graphs.file = file;
    }

    /**
     * @return the channels
     */
    NcclGraphs Read()
    {
        const auto root = ReadXml(WorkloadText(m_graphs.file, {ForeignFile::NCCL_GRAPH}));
        if (root.name != "graphs")
        {
            throw WorkloadError({m_graphs.file, 0, 0, ""},
                                "a file of NCCL's channels, whose outermost element is <graphs>",
                                "<" + root.name + ">");
        }
        for (const auto& child : root.children)
        {
            if (child.name == "graph")
            {
                ReadGraph(child);
            }
        }
        if (m_graphs.ring.channels == 0)
        {
            throw WorkloadError(root.where, "a graph of rings, with id 0 and a channel", "none");
        }
        return std::move(m_graphs);
    }

  private:
    /**
     * @param element a graph
     */
    void ReadGraph(const XmlElement& element)
    {
        const auto id = element.GetWhole("id", 0, MOST_DEVICES);
        const auto declared = element.GetWhole("nchannels", 0, MOST_DEVICES);
        if (declared == 0 && element.children.empty())
        {
            return; // NCCL writes all graphs, and those that it has not found without a rate
        }
        if (id == COLLNET_GRAPH || id > NVLS_GRAPH)
        {
            m_graphs.notes.push_back("channels with id " + std::to_string(id) + " of " +
                                     m_graphs.file + " are left out: no algorithm here uses them");
            return;
        }
        // init.cc has a number for each kind of graph.
        auto& graph = id == RING_GRAPH   ? m_graphs.ring
                      : id == TREE_GRAPH ? m_graphs.tree
                                         : m_graphs.nvls;
        if (graph.channels > 0)
        {
            throw WorkloadError(element.where,
                                "each id once",
                                "'" + std::to_string(id) + "' again");
        }
        ReadHead(element, id, graph);
        for (const auto& child : element.children)
        {
            if (child.name == "channel")
            {
                ReadChannel(child, graph);
                ++graph.channels;
            }
        }
        if (graph.channels != declared)
        {
            throw WorkloadError(element.where,
                                std::to_string(declared) + " channels, as nchannels says",
                                std::to_string(graph.channels));
        }
    }

    /**
     * @param element a graph
     * @param id its number
     * @param [out] graph pattern, rates and types of paths
     */
    void ReadHead(const XmlElement& element, int64_t id, ChannelGraph& graph)
    {
        const auto first = id == RING_GRAPH ? 4 : id == NVLS_GRAPH ? 5 : 1;
        const auto pattern = element.GetWhole("pattern", first, id == TREE_GRAPH ? 3 : first);
        graph.pattern = static_cast<ChannelPattern>(pattern);
        // Which GPU has which child is all that differs.
        if (pattern == SPLIT_TREE)
        {
            graph.pattern = ChannelPattern::BALANCED_TREE;
            m_graphs.notes.push_back("split trees of " + m_graphs.file +
                                     " are taken for balanced ones");
        }
        graph.rateIntra = ReadRate(element, "speedintra");
        graph.rateInter = ReadRate(element, "speedinter");
        graph.typeIntra = ReadType(element, "typeintra", ServerPathType::NVL);
        graph.typeInter = ReadType(element, "typeinter", ServerPathType::PIX);
        const auto isSet = [&element](const std::string& name, bool otherwise) {
            return element.attributes.count(name) == 0 ? otherwise
                                                       : element.GetWhole(name, 0, 2) > 0;
        };
        graph.sameChannels = isSet("samechannels", true);
        graph.crossNic = isSet("crossnic", false);
    }

    /**
     * @param element a graph
     * @param attribute a rate of it
     * @return the rate, MB/s
     */
    static int64_t ReadRate(const XmlElement& element, const std::string& attribute)
    {
        const auto rate = ReadDecimal(element.Get(attribute));
        if (!rate || *rate <= 0 || *rate > FASTEST_CHANNEL)
        {
            throw WorkloadError(
                element.where,
                attribute + " as a rate in GB/s above 0",
                element.attributes.count(attribute) > 0 ? Quoted(element.Get(attribute)) : "none");
        }
        return std::max<int64_t>(std::llround(1000 * *rate), 1);
    }

    /**
     * @param element a graph
     * @param attribute a type of paths of it
     * @param otherwise what it is if it is absent
     * @return the type
     */
    static ServerPathType ReadType(const XmlElement& element,
                                   const std::string& attribute,
                                   ServerPathType otherwise)
    {
        if (element.attributes.count(attribute) == 0)
        {
            return otherwise;
        }
        std::vector<std::string> names;
        for (const auto& type : PATH_TYPES)
        {
            names.push_back(type.first);
        }
        const auto expected = attribute + " as one of " + JoinWords(names);
        return PATH_TYPES[FindWord({element.Get(attribute), element.where}, names, expected)]
            .second;
    }

    /**
     * Since 2.21 NCCL writes numbers from 1 on in base 16, with 0x before them, and where NVLinks
     * join servers the server in the highest byte (search.cc, ncclTopoGetXmlFromChannel; xml.h,
     * xmlSetAttrLong).
     *
     * @param element a GPU or a NIC
     * @return its number
     */
    static uint32_t ReadDevice(const XmlElement& element)
    {
        const auto text = element.Get("dev");
        const std::string prefix = "0x";
        if (!BeginsWith(text, prefix))
        {
            return static_cast<uint32_t>(element.GetWhole("dev", 0, MOST_DEVICES));
        }
        uint64_t number = 0;
        const auto* end = text.data() + text.size();
        const auto read = std::from_chars(text.data() + prefix.size(), end, number, 16);
        if (read.ec != std::errc{} || read.ptr != end || number > MOST_DEVICES)
        {
            throw WorkloadError(element.where,
                                "dev as a number in base 16, up to 0x3ff, of one server: channels "
                                "of several, which NVLinks join, are not read",
                                Quoted(text));
        }
        return static_cast<uint32_t>(number);
    }

    /**
     * @param element a channel
     * @param [in,out] graph where to add it
     */
    void ReadChannel(const XmlElement& element, ChannelGraph& graph)
    {
        std::vector<uint32_t> gpus;
        std::vector<uint32_t> nets;
        for (const auto& child : element.children)
        {
            if (child.name == "gpu" || child.name == "net")
            {
                (child.name == "gpu" ? gpus : nets).push_back(ReadDevice(child));
            }
        }
        CheckDevices(element, gpus, nets, graph.pattern);
        if (graph.pattern == ChannelPattern::NVLS)
        {
            // Only the first is the head of the channel.
            gpus.resize(1);
        }
        graph.gpus.insert(graph.gpus.end(), gpus.begin(), gpus.end());
        if (!nets.empty())
        {
            graph.nets.emplace_back(nets.front(), nets.back());
        }
    }

    /**
     * Check that a channel is one of the communicator that the first channel is of.
     *
     * @param element a channel
     * @param gpus its GPUs
     * @param nets its NICs
     * @param pattern shape of the channel
     */
    void CheckDevices(const XmlElement& element,
                      const std::vector<uint32_t>& gpus,
                      const std::vector<uint32_t>& nets,
                      ChannelPattern pattern)
    {
        auto sorted = gpus;
        std::sort(sorted.begin(), sorted.end());
        if (gpus.empty() || std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end())
        {
            throw WorkloadError(element.where,
                                "a channel of GPUs, each once",
                                gpus.empty() ? "none" : "one of them twice");
        }
        // All of them are of the communicator of the first channel.
        if (m_graphs.gpus.empty())
        {
            m_graphs.gpus = sorted;
            m_graphs.hasNetwork = !nets.empty();
        }
        const bool isKnown =
            std::includes(m_graphs.gpus.begin(), m_graphs.gpus.end(), sorted.begin(), sorted.end());
        if (!isKnown || (sorted.size() < m_graphs.gpus.size() && pattern != ChannelPattern::NVLS))
        {
            throw WorkloadError(element.where,
                                "the " + std::to_string(m_graphs.gpus.size()) +
                                    " GPUs of the first channel",
                                "others");
        }
        if (nets.size() != (m_graphs.hasNetwork ? 2 : 0))
        {
            throw WorkloadError(element.where,
                                m_graphs.hasNetwork ? "two NICs, by which it enters and leaves"
                                                    : "no NICs, as in the first channel",
                                std::to_string(nets.size()));
        }
    }

    NcclGraphs m_graphs; //!< what was read so far
};

} // namespace

ServerDescription
NcclGraphs::MakeServer() const
{
    constexpr uint32_t NOBODY = UINT32_MAX;
    std::vector<uint32_t> beside; // GPU by NIC
    std::vector<bool> taken(gpus.back() + 1, false);
    for (const auto* graph : {&ring, &nvls, &tree})
    {
        for (uint32_t channel = 0; channel < graph->nets.size(); ++channel)
        {
            const auto [enters, leaves] = graph->nets[channel];
            beside.resize(std::max<std::size_t>(beside.size(), std::max(enters, leaves) + 1),
                          NOBODY);
            // NCCL begins a channel at the GPU that is nearest to the NIC.
            const auto gpu = graph->GetGpu(channel, 0);
            if (beside[enters] == NOBODY && !taken[gpu])
            {
                beside[enters] = gpu;
                taken[gpu] = true;
            }
        }
    }
    ServerDescription server;
    for (uint32_t gpu = 0; gpu < taken.size(); ++gpu)
    {
        server.gpus.push_back({0, gpu});
    }
    // NICs that no GPU stands beside have PCIe switches of their own.
    auto bridge = static_cast<uint32_t>(taken.size());
    for (const auto gpu : beside)
    {
        server.nics.push_back({0, gpu == NOBODY ? bridge++ : gpu});
    }
    if (beside.empty())
    {
        // Within a server nobody asks for NICs, but a server has one.
        server.nics.push_back({0, 0});
    }
    return server;
}

NcclGraphs
NcclGraphs::Place(const ServerDescription& server) const
{
    std::vector<uint32_t> order(server.nics.size());
    std::vector<uint32_t> places(server.nics.size());
    for (uint32_t nic = 0; nic < order.size(); ++nic)
    {
        order[nic] = nic;
    }
    std::stable_sort(order.begin(), order.end(), [&server](uint32_t a, uint32_t b) {
        return server.nics[a].bridge < server.nics[b].bridge;
    });
    for (uint32_t place = 0; place < order.size(); ++place)
    {
        places[order[place]] = place;
    }
    if (gpus.back() >= server.gpus.size())
    {
        throw WorkloadError({file, 0, 0, ""},
                            "channels of the " + std::to_string(server.gpus.size()) +
                                " GPUs of the server",
                            "some of GPU " + std::to_string(gpus.back()));
    }
    // The file counts NICs as the server does, the search by PCIe switch.
    auto placed = *this;
    for (auto* graph : {&placed.ring, &placed.tree, &placed.nvls})
    {
        for (auto& [enters, leaves] : graph->nets)
        {
            if (std::max(enters, leaves) >= places.size())
            {
                throw WorkloadError({file, 0, 0, ""},
                                    "channels of the " + std::to_string(places.size()) +
                                        " NICs of the server",
                                    "some of NIC " + std::to_string(std::max(enters, leaves)));
            }
            enters = places[enters];
            leaves = places[leaves];
        }
    }
    return placed;
}

NcclGraphs
ReadNcclGraphs(const std::string& file)
{
    return NcclGraphReader(file).Read();
}

} // namespace ns3
