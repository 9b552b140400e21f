/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "topology-file.h"

#include "topology-builder.h"
#include "topology-htsim-file.h"
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

} // namespace

bool
TopologyFile::IsFileName(const std::string& text)
{
    const auto colon = text.find(':');
    // A value such as 50GB/s has a slash, but only behind a colon.
    if (EndsIn(text, ".topo") || EndsIn(text, ".txt") || EndsIn(text, ".json") ||
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

TopologyGraph
TopologyFile::Read(const std::string& path, uint32_t world)
{
    const WorkloadText text(path, {ForeignFile::HTSIM_TOPOLOGY});
    const auto& first = text.GetLines().front().text;
    const bool isJson = first[first.find_first_not_of(" \t")] == '{' || EndsIn(path, ".json");
    auto graph = isJson                                                 ? ReadTopologyJson(text)
                 : FindForeignFile(path) == ForeignFile::HTSIM_TOPOLOGY ? ReadHtsimTopology(text)
                                                                        : ReadTopologyText(text);
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
