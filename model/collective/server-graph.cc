/*
 * SPDX-License-Identifier: GPL-2.0-only
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

/// Channels among which NICs are looked for (NCCL, MAXCHANNELS).
constexpr uint32_t MAX_CHANNELS = 32;

} // namespace

uint32_t
MirrorBits(uint32_t value, uint32_t count)
{
    uint32_t mirrored = 0;
    for (uint32_t bit = 1, mirror = count / 2; bit < count; bit *= 2, mirror /= 2)
    {
        mirrored |= (value & bit) != 0 ? mirror : 0;
    }
    return mirrored;
}

ServerPathType
GetWorse(ServerPathType type)
{
    return static_cast<ServerPathType>(static_cast<uint8_t>(type) + 1);
}

ServerGraph::ServerGraph(const ServerModel& model,
                         const std::vector<uint32_t>& gpus,
                         bool hasNetwork)
    : m_model(model)
{
    const auto& layout = model.layout;
    uint32_t bridges = 0;
    uint32_t cpus = 0;
    std::vector<uint32_t> cpuOf;
    for (const auto* places : {&layout.gpus, &layout.nics})
    {
        for (const auto& place : *places)
        {
            bridges = std::max(bridges, place.bridge + 1);
            cpus = std::max(cpus, place.cpu + 1);
            cpuOf.resize(bridges);
            cpuOf[place.bridge] = place.cpu;
        }
    }
    for (uint32_t cpu = 0; cpu < cpus; ++cpu)
    {
        Add(CPU);
    }
    for (uint32_t bridge = 0; bridge < bridges; ++bridge)
    {
        const auto node = Add(PCI);
        for (const auto gpu : gpus)
        {
            if (layout.gpus[gpu].bridge == bridge)
            {
                m_devices.push_back(gpu);
                Connect(Add(GPU), node, model.pcieRate, true);
            }
        }
        for (const auto& nic : layout.nics)
        {
            if (hasNetwork && nic.bridge == bridge)
            {
                const auto card = Add(NIC);
                Connect(card, Add(NET), model.nicRate, false);
                Connect(card, node, model.pcieRate, true);
            }
        }
        Connect(node, m_kinds[CPU][cpuOf[bridge]], model.pcieRate, true);
    }
    const auto nvswitch = Add(NVS);
    for (const auto gpu : m_kinds[GPU])
    {
        Connect(gpu, nvswitch, model.nvlinkRate, false);
    }
    for (uint32_t cpu = 1; cpu < cpus; ++cpu)
    {
        for (uint32_t other = 0; other < cpu; ++other)
        {
            Connect(m_kinds[CPU][other], m_kinds[CPU][cpu], model.interCpuRate, false);
        }
    }
    for (const auto cpu : m_kinds[CPU])
    {
        SortLinks(cpu, UINT32_MAX);
    }
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
    DivertNetPaths();
    std::vector<std::vector<uint32_t>> localNets(Count(NET) > 0 ? Count(GPU) : 0);
    for (uint32_t gpu = 0; gpu < localNets.size(); ++gpu)
    {
        for (uint32_t channel = 0; channel < MAX_CHANNELS; ++channel)
        {
            localNets[gpu].push_back(FindLocalNet(gpu, channel));
        }
    }
    m_localNets = std::move(localNets);
}

const ServerModel&
ServerGraph::GetModel() const
{
    return m_model;
}

uint32_t
ServerGraph::Count(Kind kind) const
{
    return static_cast<uint32_t>(m_kinds[kind].size());
}

uint32_t
ServerGraph::GetDevice(uint32_t gpu) const
{
    return m_devices[gpu];
}

const ServerGraph::Path&
ServerGraph::GetPath(Kind kind, uint32_t index, Kind toKind, uint32_t to) const
{
    return m_nodes[m_kinds[kind][index]].paths[toKind][to];
}

uint32_t
ServerGraph::Add(Kind kind)
{
    const auto node = static_cast<uint32_t>(m_nodes.size());
    m_nodes.push_back({kind, Count(kind), {}, {}});
    m_kinds[kind].push_back(node);
    return node;
}

void
ServerGraph::Connect(uint32_t a, uint32_t b, int64_t rate, bool isPcie)
{
    for (const auto& [from, to] : {std::pair(a, b), std::pair(b, a)})
    {
        auto& links = m_nodes[from].links;
        const auto place = std::find_if(links.begin(), links.end(), [rate](const Link& link) {
            return link.rate < rate;
        });
        links.insert(place, {to, rate, isPcie});
    }
}

void
ServerGraph::SortLinks(uint32_t node, uint32_t above)
{
    auto& links = m_nodes[node].links;
    const auto up =
        std::find_if(links.begin(), links.end(), [above](const auto& l) { return l.to == above; });
    if (up != links.end())
    {
        std::rotate(up, up + 1, links.end());
    }
    for (const auto& link : links)
    {
        if (link.isPcie && link.to != above)
        {
            SortLinks(link.to, node);
        }
    }
}

void
ServerGraph::FindPaths(uint32_t base)
{
    auto& own = m_nodes[base].paths[m_nodes[base].kind][m_nodes[base].index];
    own.rate = LOCAL_RATE;
    own.type = ServerPathType::LOC;
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
    if ((found.rate != 0 && found.links.size() <= path.links.size()) || found.rate >= rate)
    {
        return false;
    }
    const auto& back = m_nodes[link.to].links;
    const auto first =
        std::find_if(back.begin(), back.end(), [from](const auto& l) { return l.to == from; });
    found.links = {{link.to, static_cast<uint32_t>(first - back.begin())}};
    found.links.insert(found.links.end(), path.links.begin(), path.links.end());
    found.rate = rate;
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
                if (ofLocal.type <= ServerPathType::PXB &&
                    GetPath(GPU, local, GPU, gpu).type <= ServerPathType::NVL &&
                    (ofLocal.rate > own.rate || own.type > ServerPathType::PXB))
                {
                    Divert(m_kinds[GPU][gpu], m_kinds[GPU][local], m_kinds[NET][net]);
                }
            }
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
    path.links = first.links;
    path.links.insert(path.links.end(), second.links.begin(), second.links.end());
    path.type = middle.kind == GPU ? ServerPathType::PXN : std::max(first.type, second.type);
    path.rate = std::min(first.rate, second.rate);
}

std::vector<uint32_t>
ServerGraph::FindNearest(Kind kind, uint32_t index, Kind other) const
{
    std::vector<uint32_t> nearest;
    int64_t rate = 0;
    auto type = ServerPathType::NONE;
    for (uint32_t i = 0; i < Count(other); ++i)
    {
        const auto& path = GetPath(kind, index, other, i);
        if (path.rate > rate || (path.rate == rate && path.type < type))
        {
            rate = path.rate;
            type = path.type;
            nearest.clear();
        }
        if (path.rate == rate && path.type == type)
        {
            nearest.push_back(i);
        }
    }
    return nearest;
}

uint32_t
ServerGraph::FindLocalNet(uint32_t gpu, uint32_t channel) const
{
    if (!m_localNets.empty())
    {
        return m_localNets[gpu][channel % MAX_CHANNELS];
    }
    const auto nets = FindNearest(GPU, gpu, NET);
    const auto gpus = FindNearest(NET, nets.front(), GPU).size();
    const auto count = static_cast<uint32_t>(nets.size());
    const bool isPowerOfTwo = (count & (count - 1)) == 0;
    const auto first = isPowerOfTwo ? MirrorBits(GetDevice(gpu), count) : GetDevice(gpu);
    const auto turns = static_cast<uint32_t>((count + gpus - 1) / gpus);
    return nets[(first + channel % turns) % count];
}

uint32_t
ServerGraph::FindLocalGpu(uint32_t net) const
{
    for (uint32_t channel = 0; channel < MAX_CHANNELS; ++channel)
    {
        for (uint32_t gpu = 0; gpu < Count(GPU); ++gpu)
        {
            if (FindLocalNet(gpu, channel) == net)
            {
                return gpu;
            }
        }
    }
    return UINT32_MAX;
}

uint32_t
ServerGraph::FindRelay(uint32_t gpu, uint32_t net) const
{
    const auto& path = GetPath(GPU, gpu, NET, net);
    if (path.type != ServerPathType::PXN)
    {
        return gpu;
    }
    for (const auto& [from, link] : path.links)
    {
        const auto& node = m_nodes[m_nodes[from].links[link].to];
        if (node.kind == GPU)
        {
            return node.index;
        }
    }
    return gpu;
}

uint32_t
ServerGraph::FindSender(uint32_t gpu, uint32_t receiver, uint32_t channel) const
{
    const auto net = FindLocalNet(receiver, channel);
    const auto local = FindLocalGpu(net);
    const bool isNear = local != UINT32_MAX && local != gpu &&
                        GetPath(GPU, local, GPU, gpu).type <= ServerPathType::NVL &&
                        GetPath(GPU, local, NET, net).type <= ServerPathType::PXB;
    return isNear ? local : gpu;
}

uint32_t
ServerGraph::FindCpu(uint32_t gpu) const
{
    uint32_t best = 0;
    for (uint32_t cpu = 1; cpu < Count(CPU); ++cpu)
    {
        const auto links = GetPath(GPU, gpu, CPU, cpu).links.size();
        best = links < GetPath(GPU, gpu, CPU, best).links.size() ? cpu : best;
    }
    return m_kinds[CPU][best];
}

int64_t
ServerGraph::GetPcieRest(uint32_t gpu) const
{
    const auto node = m_kinds[GPU][gpu];
    // The link to where it hangs comes last.
    const auto& up = m_nodes[node].links.back();
    const auto& down = m_nodes[up.to].links;
    const auto back =
        std::find_if(down.begin(), down.end(), [node](const auto& l) { return l.to == node; });
    return std::min(up.rate, back->rate);
}

uint32_t
ServerGraph::Take(const Path& path, int64_t rate, std::size_t steps, bool isFromGpu)
{
    bool isThroughCpu = false;
    for (const auto& [from, link] : path.links)
    {
        isThroughCpu = isThroughCpu || m_nodes[m_nodes[from].links[link].to].kind == CPU;
    }
    const bool isSlowed =
        isFromGpu && isThroughCpu && path.type == ServerPathType::PHB && m_model.hasIntelCpus;
    for (std::size_t step = 0; step < steps; ++step)
    {
        const auto& [from, index] = path.links[step];
        auto& link = m_nodes[from].links[index];
        const auto share = link.isPcie && isSlowed ? rate * 6 / 5 : rate;
        if (link.rate < share)
        {
            return static_cast<uint32_t>(step);
        }
        link.rate -= share;
    }
    return static_cast<uint32_t>(steps);
}

} // namespace ns3
