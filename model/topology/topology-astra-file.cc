/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "topology-astra-file.h"

#include "ns3/input-values.h"
#include "ns3/input-yaml.h"

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

namespace
{

/// Keys of a file, each a list with a value for each dimension.
const std::vector<std::string> ASTRA_KEYS{"topology", "npus_count", "bandwidth", "latency"};

/// Shapes of a dimension, in the order of AstraShape.
const std::vector<std::string> ASTRA_SHAPES{"Ring", "Switch", "FullyConnected"};

/// How the NPUs of a row are joined.
enum AstraShape
{
    ASTRA_RING,
    ASTRA_SWITCH,
    ASTRA_FULLY_CONNECTED
};

/// Most NPUs, and most links of a dimension; more is a slip, and would fill the memory.
constexpr uint64_t MOST_ASTRA_LINKS = 1000000;

/**
 * @ingroup workload-replay
 * @brief A dimension of a network.
 */
struct AstraDimension
{
    std::size_t shape{ASTRA_RING}; //!< how the NPUs of a row are joined
    uint32_t size{2};              //!< NPUs of a row
    DataRate rate;                 //!< of a link and direction
    Time delay;                    //!< of a link
};

/**
 * @param lists values of ASTRA_KEYS, a list for each
 * @param index which dimension to read
 * @return the dimension
 */
AstraDimension
ReadAstraDimension(const std::vector<std::vector<TextField>>& lists, std::size_t index)
{
    AstraDimension dimension;
    dimension.shape = FindWord(lists[0][index], ASTRA_SHAPES, "one of " + JoinWords(ASTRA_SHAPES));
    dimension.size = static_cast<uint32_t>(ParseNumber(lists[1][index], 2, MOST_ASTRA_LINKS));
    const auto gigabytes = ParseNonNegative(lists[2][index], "a bandwidth in GB/s");
    // 1e-9 GB/s are 8 bit/s.
    if (gigabytes < 1e-9 || gigabytes > 1e5)
    {
        throw WorkloadError(lists[2][index], "a bandwidth above 0 and up to 100000 GB/s");
    }
    // Rounded: a decimal fraction such as 12.8 has no exact binary form.
    dimension.rate = DataRate(static_cast<uint64_t>(std::llround(gigabytes * 8e9)));
    const auto nanoseconds = ParseNonNegative(lists[3][index], "a latency in ns");
    // 1e15 ns are 11.6 days.
    if (nanoseconds > 1e15)
    {
        throw WorkloadError(lists[3][index], "a latency up to 1e15 ns");
    }
    dimension.delay = PicoSeconds(std::llround(nanoseconds * 1e3));
    return dimension;
}

/**
 * @param text the file
 * @return its dimensions
 */
std::vector<AstraDimension>
ReadAstraDimensions(const WorkloadText& text)
{
    const auto document = ParseYaml(text);
    const JsonSection section(document.value,
                              {text.GetFile(), 0, 0, ""},
                              ASTRA_KEYS,
                              &document.places);
    std::vector<std::vector<TextField>> lists;
    for (const auto& key : ASTRA_KEYS)
    {
        lists.push_back(section.GetValues(key, key == ASTRA_KEYS[0] ? "string" : "number"));
        if (lists.back().empty() || lists.back().size() != lists.front().size())
        {
            throw WorkloadError(section.Locate(key),
                                "a value for each of the dimensions that topology lists",
                                std::to_string(lists.back().size()) + " for " +
                                    std::to_string(lists.front().size()));
        }
    }
    std::vector<AstraDimension> dimensions;
    uint64_t npus = 1;
    for (std::size_t i = 0; i < lists.front().size(); ++i)
    {
        dimensions.push_back(ReadAstraDimension(lists, i));
        // Each product stays below 10^12, so that none is wrong.
        npus *= dimensions.back().size;
        if (npus > MOST_ASTRA_LINKS)
        {
            throw WorkloadError(lists[1][i].where,
                                "at most " + std::to_string(MOST_ASTRA_LINKS) + " NPUs",
                                "more");
        }
    }
    for (std::size_t i = 0; i < dimensions.size(); ++i)
    {
        // A row of n NPUs has n (n - 1) / 2 links, and the dimension has npus / n rows.
        const bool isFull = dimensions[i].shape == ASTRA_FULLY_CONNECTED;
        if (isFull && npus * (dimensions[i].size - 1) / 2 > MOST_ASTRA_LINKS)
        {
            throw WorkloadError(lists[0][i].where,
                                "at most " + std::to_string(MOST_ASTRA_LINKS) +
                                    " links of a dimension",
                                "more");
        }
    }
    return dimensions;
}

/**
 * Join the NPUs of a row.
 *
 * @param [in,out] graph NPUs, node n being NPU n
 * @param dimension their dimension
 * @param name of its switch, if it has one
 * @param row the NPUs
 */
void
AddAstraRow(TopologyGraph& graph,
            const AstraDimension& dimension,
            const std::string& name,
            const std::vector<uint32_t>& row)
{
    const auto server = graph.GetNode(row.front()).server;
    // NPUs of a server have numbers in a row, so that the ends of the row speak for all.
    const bool isServer =
        server != TopologyGraph::NO_SERVER && server == graph.GetNode(row.back()).server;
    const auto link = [&](uint32_t a, uint32_t b) {
        graph.AddLink(a, b, dimension.rate, dimension.delay, isServer);
    };
    if (dimension.shape == ASTRA_SWITCH)
    {
        const auto hub = isServer ? graph.AddNvswitch(name, server) : graph.AddSwitch(name);
        for (const auto npu : row)
        {
            link(npu, hub);
        }
        return;
    }
    const bool isFull = dimension.shape == ASTRA_FULLY_CONNECTED;
    for (std::size_t i = 0; i + 1 < row.size(); ++i)
    {
        for (auto j = i + 1; j < (isFull ? row.size() : i + 2); ++j)
        {
            link(row[i], row[j]);
        }
    }
    // Of two NPUs the link that closes the ring would double the other one.
    if (!isFull && row.size() > 2)
    {
        link(row.front(), row.back());
    }
}

/**
 * Join the NPUs of all rows of a dimension.
 *
 * @param [in,out] graph NPUs, and switches of the dimensions before
 * @param dimension the dimension
 * @param number its number, from 1
 * @param stride how far apart NPUs that follow each other in a row are
 */
void
AddAstraRows(TopologyGraph& graph,
             const AstraDimension& dimension,
             std::size_t number,
             uint32_t stride)
{
    const auto npus = static_cast<uint32_t>(graph.GetHosts().size());
    uint32_t count = 0;
    for (uint32_t first = 0; first < npus; ++first)
    {
        // Rows begin at the NPUs that stand first in the dimension.
        if (first / stride % dimension.size != 0)
        {
            continue;
        }
        std::vector<uint32_t> row;
        for (uint32_t place = 0; place < dimension.size; ++place)
        {
            row.push_back(first + place * stride);
        }
        const auto suffix = std::to_string(number) + "-" + std::to_string(count++);
        AddAstraRow(graph, dimension, "switch" + suffix, row);
    }
}

} // namespace

TopologyGraph
ReadAstraTopology(const WorkloadText& text)
{
    const auto dimensions = ReadAstraDimensions(text);
    TopologyGraph graph;
    std::string name;
    uint32_t npus = 1;
    for (const auto& dimension : dimensions)
    {
        npus *= dimension.size;
        name += (name.empty() ? "" : " x ") + ASTRA_SHAPES[dimension.shape] + " " +
                std::to_string(dimension.size);
    }
    graph.SetName(name);
    // A switch or a full mesh as first dimension is what joins the accelerators of a server.
    const bool hasServers = dimensions.front().shape != ASTRA_RING;
    for (uint32_t npu = 0; npu < npus; ++npu)
    {
        graph.AddHost("npu" + std::to_string(npu),
                      hasServers ? npu / dimensions.front().size : TopologyGraph::NO_SERVER);
    }
    // NPU n stands at place n / stride % size of a dimension; places in the first one change
    // fastest.
    uint32_t stride = 1;
    for (std::size_t i = 0; i < dimensions.size(); ++i)
    {
        AddAstraRows(graph, dimensions[i], i + 1, stride);
        stride *= dimensions[i].size;
    }
    // NPUs that share no row reach each other through others, row by row.
    if (dimensions.size() > 1)
    {
        graph.LetHostsRelay();
    }
    graph.AddNote("bandwidths of " + text.GetFile() +
                  " are in GB/s of 10^9 bytes; ASTRA-sim's analytical backend counts 2^30");
    return graph;
}

} // namespace ns3
