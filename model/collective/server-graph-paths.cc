/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

/**
 * @file
 * @ingroup workload-replay
 * The paths of a ServerGraph: the fastest from each part to each other, and those on which GPUs
 * reach NICs through others.
 */

#include "server-graph.h"

#include "ns3/assert.h"

#include <algorithm>
#include <utility>

namespace ns3
{

namespace
{

/// Rate of what is no link, MB/s (NCCL, topo.h, LOC_BW).
constexpr int64_t LOCAL_RATE = 5000000;

} // namespace

void
ServerGraph::FindAllPaths()
{
    for (const auto kind : {CPU, GPU, NET, NVS})
    {
        for (auto& node : m_nodes)
        {
            node.paths[kind].resize(Count(kind));
        }
        for (const auto node : m_kinds[kind])
        {
            FindPaths(node);
        }
    }
}

void
ServerGraph::FindPaths(uint32_t base)
{
    auto& own = m_nodes[base].paths[m_nodes[base].kind][m_nodes[base].index];
    own.rate = LOCAL_RATE;
    own.type = ServerPathType::LOC;
    // Breadth first, so that a path of fewer links is known before longer ones are compared with
    // it.
    std::vector<uint32_t> reached{base};
    while (!reached.empty())
    {
        std::vector<uint32_t> next;
        for (const auto from : reached)
        {
            // A GPU passes on to other GPUs only, which here are behind an NVSwitch.
            if (from != base && m_nodes[from].kind == GPU)
            {
                continue;
            }
            for (const auto& link : m_nodes[from].links)
            {
                if (Extend(base, from, link) &&
                    std::find(next.begin(), next.end(), link.to) == next.end())
                {
                    next.push_back(link.to);
                }
            }
        }
        reached = next;
    }
}

bool
ServerGraph::Extend(uint32_t base, uint32_t from, const Link& link)
{
    const auto kind = m_nodes[base].kind;
    const auto index = m_nodes[base].index;
    const auto path = m_nodes[from].paths[kind][index];
    auto& found = m_nodes[link.to].paths[kind][index];
    const auto rate = std::min(path.rate, link.rate);
    // As ncclTopoSetPaths() (paths.cc): a path gives way only to one of fewer links and a higher
    // rate.
    if ((found.rate != 0 && found.links.size() <= path.links.size()) || found.rate >= rate)
    {
        return false;
    }
    const auto& back = m_nodes[link.to].links;
    const auto first =
        std::find_if(back.begin(), back.end(), [from](const auto& l) { return l.to == from; });
    // Paths lead from each node to the base: the first link is the way back.
    found.links = {{link.to, static_cast<uint32_t>(first - back.begin())}};
    found.links.insert(found.links.end(), path.links.begin(), path.links.end());
    found.rate = rate;
    // Types are ordered by distance, and a path is of the worst type among its links (paths.cc).
    const auto fromKind = m_nodes[from].kind;
    const auto toKind = m_nodes[link.to].kind;
    auto type = link.isPcie ? ServerPathType::PIX : ServerPathType::NVL;
    if (fromKind == NET || toKind == NET)
    {
        type = ServerPathType::LOC;
    }
    else if (fromKind == CPU && toKind == CPU)
    {
        type = ServerPathType::SYS;
    }
    else if (link.isPcie && (fromKind == CPU || toKind == CPU))
    {
        type = ServerPathType::PHB;
    }
    else if (fromKind == PCI && toKind == PCI)
    {
        type = ServerPathType::PXB;
    }
    found.type = std::max(path.type, type);
    return true;
}

void
ServerGraph::DivertNetPaths()
{
    for (uint32_t net = 0; net < Count(NET); ++net)
    {
        for (uint32_t gpu = 0; gpu < Count(GPU); ++gpu)
        {
            const auto local = FindLocalGpu(net);
            if (local != UINT32_MAX && local != gpu)
            {
                const auto& ofLocal = GetPath(GPU, local, NET, net);
                const auto& own = GetPath(GPU, gpu, NET, net);
                // PXN: the GPU next to the NIC sends for another one that reaches it by NVLink, if
                // that is faster or spares the CPU.
                if (ofLocal.type <= ServerPathType::PXB &&
                    GetPath(GPU, local, GPU, gpu).type <= ServerPathType::NVL &&
                    (ofLocal.rate > own.rate || own.type > ServerPathType::PXB))
                {
                    Divert(m_kinds[GPU][gpu], m_kinds[GPU][local], m_kinds[NET][net]);
                }
            }
            // A NIC that more than PCIe switches part from the GPU that sends goes by host memory
            // (paths.cc).
            const auto relay = FindRelay(gpu, net);
            if (GetPath(GPU, relay, NET, net).type > ServerPathType::PXB)
            {
                const auto cpu = FindCpu(gpu);
                Divert(m_kinds[NET][net], cpu, m_kinds[GPU][gpu]);
                Divert(m_kinds[GPU][gpu], cpu, m_kinds[NET][net]);
            }
        }
    }
}

void
ServerGraph::Divert(uint32_t from, uint32_t via, uint32_t to)
{
    const auto& middle = m_nodes[via];
    const auto first = m_nodes[from].paths[middle.kind][middle.index];
    const auto& second = middle.paths[m_nodes[to].kind][m_nodes[to].index];
    auto& path = m_nodes[from].paths[m_nodes[to].kind][m_nodes[to].index];
    // The path of this pair alone changes, not those that it is made of.
    path.links = first.links;
    path.links.insert(path.links.end(), second.links.begin(), second.links.end());
    path.type = middle.kind == GPU ? ServerPathType::PXN : std::max(first.type, second.type);
    path.rate = std::min(first.rate, second.rate);
}

} // namespace ns3
