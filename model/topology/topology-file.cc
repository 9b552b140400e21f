/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "topology-file.h"

#include "topology-astra-file.h"
#include "topology-builder.h"
#include "topology-htsim-file.h"
#include "topology-infra-file.h"
#include "topology-json-file.h"
#include "topology-text-file.h"

#include "ns3/workload-text.h"

#include <algorithm>
#include <filesystem>
#include <system_error>

namespace ns3
{

namespace
{

/**
 * @param text any text
 * @param end what it may end in
 * @return whether it does, and has more than that
 */
bool
EndsIn(const std::string& text, const std::string& end)
{
    return text.size() > end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

/**
 * @param path path of a file
 * @param parameters rates and delays that the file may leave open
 * @return the topology in it
 */
TopologyGraph
ReadAny(const std::string& path, const FabricParameters& parameters)
{
    const WorkloadText text(path,
                            {ForeignFile::HTSIM_TOPOLOGY,
                             ForeignFile::ASTRA_NETWORK,
                             ForeignFile::INFRAGRAPH,
                             ForeignFile::LINK_LIST});
    const auto kind = FindForeignFile(path);
    if (kind == ForeignFile::HTSIM_TOPOLOGY)
    {
        return ReadHtsimTopology(text);
    }
    if (kind == ForeignFile::ASTRA_NETWORK)
    {
        return ReadAstraTopology(text);
    }
    if (kind == ForeignFile::INFRAGRAPH)
    {
        return ReadInfraTopology(text, parameters);
    }
    const auto& first = text.GetLines().front().text;
    const bool isJson = first[first.find_first_not_of(" \t")] == '{' || EndsIn(path, ".json");
    return isJson ? ReadTopologyJson(text) : ReadTopologyText(text);
}

} // namespace

bool
TopologyFile::IsFileName(const std::string& text)
{
    const auto colon = text.find(':');
    // A value such as 50GB/s has a slash, but only behind a colon.
    const auto ends = {".topo", ".txt", ".json", ".yml", ".yaml"};
    if (std::any_of(ends.begin(), ends.end(), [&](const char* end) { return EndsIn(text, end); }) ||
        text.find('/') < colon)
    {
        return true;
    }
    const auto names = TopologyBuilder::GetNames();
    std::error_code ignored;
    return colon == std::string::npos && !text.empty() &&
           std::find(names.begin(), names.end(), text) == names.end() &&
           std::filesystem::is_regular_file(text, ignored);
}

bool
TopologyFile::LeavesRatesOpen(const std::string& path)
{
    return FindForeignFile(path) == ForeignFile::INFRAGRAPH;
}

TopologyGraph
TopologyFile::Read(const std::string& path, uint32_t world, const FabricParameters& parameters)
{
    auto graph = ReadAny(path, parameters);
    if (graph.GetName().empty())
    {
        graph.SetName(std::filesystem::path(path).filename().string());
    }
    const SourceLocation where{path, 0, 0, ""};
    if (graph.GetHosts().size() < world)
    {
        throw WorkloadError(where,
                            "a topology of at least " + std::to_string(world) +
                                " hosts, one for each rank",
                            std::to_string(graph.GetHosts().size()));
    }
    graph.Validate(where);
    return graph;
}

} // namespace ns3
