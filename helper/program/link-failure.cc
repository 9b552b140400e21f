/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "link-failure.h"

namespace ns3
{

namespace
{

/**
 * @param graph the fabric
 * @param link number of a link
 * @param ends names of two nodes, with '-' between them
 * @return whether it joins them
 */
bool
Joins(const TopologyGraph& graph, uint32_t link, const std::string& ends)
{
    const std::string& a = graph.GetNode(graph.GetLink(link).a).name;
    const std::string& b = graph.GetNode(graph.GetLink(link).b).name;
    return ends == a + "-" + b || ends == b + "-" + a;
}

} // namespace

LinkFailure
ParseLinkFailure(const TextField& value)
{
    const auto at = value.text.find('@');
    const auto dash = value.text.find('-');
    if (at == std::string::npos || at == 0 || dash == std::string::npos || dash > at)
    {
        throw WorkloadError(value, "A-B@TIME or A-B@TIME:TIME, such as rail0-leaf0-spine0@1ms:5ms");
    }
    LinkFailure failure;
    failure.ends = value.text.substr(0, at);
    failure.where = value.where;
    const auto times = value.text.substr(at + 1);
    const auto colon = times.find(':');
    failure.down = ParseDuration({times.substr(0, colon), value.where});
    if (colon != std::string::npos)
    {
        failure.up = ParseDuration({times.substr(colon + 1), value.where});
        if (*failure.up <= failure.down)
        {
            throw WorkloadError(value, "a link that is mended after it was cut");
        }
    }
    return failure;
}

std::vector<uint32_t>
FindLinksBetween(const TextField& ends, const TopologyGraph& graph)
{
    std::vector<uint32_t> links;
    std::vector<std::string> names;
    for (uint32_t link = 0; link < graph.GetNLinks(); ++link)
    {
        if (Joins(graph, link, ends.text))
        {
            links.push_back(link);
        }
        names.push_back(graph.GetNode(graph.GetLink(link).a).name + "-" +
                        graph.GetNode(graph.GetLink(link).b).name);
    }
    if (links.empty())
    {
        throw WorkloadError(ends.where,
                            "a link of the topology (fabric.json of --dryRun lists them)",
                            Quoted(ends.text),
                            NearestName(ends.text, names));
    }
    return links;
}

} // namespace ns3
