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

/// Channels among which NICs are looked for (NCCL, MAXCHANNELS).
constexpr uint32_t MAX_CHANNELS = 32;

/**
 * @param layout GPUs and NICs of a server
 * @return CPU of each PCIe switch
 */
std::vector<uint32_t>
FindCpusOfBridges(const ServerDescription& layout)
{
    std::vector<uint32_t> cpuOf;
    for (const auto* places : {&layout.gpus, &layout.nics})
    {
        for (const auto& place : *places)
        {
            cpuOf.resize(std::max<std::size_t>(cpuOf.size(), place.bridge + 1));
            cpuOf[place.bridge] = place.cpu;
        }
    }
    return cpuOf;
}

} // namespace

uint32_t
MirrorBits(uint32_t value, uint32_t count)
{
    uint32_t mirrored = 0;
    // The count is a power of 2: NCCL's mirrorBits() is used with such counts only.
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
    const auto cpuOf = FindCpusOfBridges(model.layout);
    // CPUs first: NCCL searches nodes in the order of their making.
    for (uint32_t cpu = 0; cpu <= *std::max_element(cpuOf.begin(), cpuOf.end()); ++cpu)
    {
        Add(CPU);
    }
    for (uint32_t bridge = 0; bridge < cpuOf.size(); ++bridge)
    {
        Connect(AddBridge(bridge, gpus, hasNetwork),
                m_kinds[CPU][cpuOf[bridge]],
                model.pcieRate,
                true);
    }
    ConnectAlike();
    // Before paths to NICs are diverted over NVLink, which needs those of all GPUs.
    FindAllPaths();
    DivertNetPaths();
    std::vector<std::vector<uint32_t>> localNets(Count(NET) > 0 ? Count(GPU) : 0);
    for (uint32_t gpu = 0; gpu < localNets.size(); ++gpu)
    {
        for (uint32_t channel = 0; channel < MAX_CHANNELS; ++channel)
        {
            localNets[gpu].push_back(FindLocalNet(gpu, channel));
        }
    }
    // Assigned at the end: FindLocalNet() computes as long as the table is empty.
    m_localNets = std::move(localNets);
}

uint32_t
ServerGraph::AddBridge(uint32_t bridge, const std::vector<uint32_t>& gpus, bool hasNetwork)
{
    const auto node = Add(PCI);
    for (const auto gpu : gpus)
    {
        if (m_model.layout.gpus[gpu].bridge == bridge)
        {
            m_devices.push_back(gpu);
            Connect(Add(GPU), node, m_model.pcieRate, true);
        }
    }
    for (const auto& nic : m_model.layout.nics)
    {
        // Without other servers NCCL does not look for NICs.
        if (hasNetwork && nic.bridge == bridge)
        {
            const auto card = Add(NIC);
            Connect(card, Add(NET), m_model.nicRate, false);
            Connect(card, node, m_model.pcieRate, true);
        }
    }
    return node;
}

void
ServerGraph::ConnectAlike()
{
    // All NVSwitches of a server are one node to NCCL.
    const auto nvswitch = Add(NVS);
    for (const auto gpu : m_kinds[GPU])
    {
        Connect(gpu, nvswitch, m_model.nvlinkRate, false);
    }
    for (uint32_t cpu = 1; cpu < Count(CPU); ++cpu)
    {
        for (uint32_t other = 0; other < cpu; ++other)
        {
            Connect(m_kinds[CPU][other], m_kinds[CPU][cpu], m_model.interCpuRate, false);
        }
    }
    for (const auto cpu : m_kinds[CPU])
    {
        // UINT32_MAX: a CPU hangs below nothing.
        SortLinks(cpu, UINT32_MAX);
    }
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
    // The index counts nodes of a kind, the place in the list all of them.
    m_nodes.push_back({kind, Count(kind), {}, {}});
    m_kinds[kind].push_back(node);
    return node;
}

void
ServerGraph::Connect(uint32_t a, uint32_t b, int64_t rate, bool isPcie)
{
    for (const auto& [from, to] : {std::pair(a, b), std::pair(b, a)})
    {
        // Fast links first, equal ones in the order of their making, as ncclTopoConnectNodes() has
        // them.
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
        // The link upwards comes last, so that searches go down first (topo.cc, ncclTopoSort()).
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

std::vector<uint32_t>
ServerGraph::FindNearest(Kind kind, uint32_t index, Kind other) const
{
    std::vector<uint32_t> nearest;
    int64_t rate = 0;
    auto type = ServerPathType::NONE;
    for (uint32_t i = 0; i < Count(other); ++i)
    {
        const auto& path = GetPath(kind, index, other, i);
        // By rate, then by type of path: a smaller type is nearer.
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
        // Searches take rates off links, which must not change which NIC is near.
        return m_localNets[gpu][channel % MAX_CHANNELS];
    }
    const auto nets = FindNearest(GPU, gpu, NET);
    const auto gpus = FindNearest(NET, nets.front(), GPU).size();
    const auto count = static_cast<uint32_t>(nets.size());
    const bool isPowerOfTwo = (count & (count - 1)) == 0;
    // As ncclTopoGetLocalNet() (topo.cc), so that GPUs with the same nearest NICs spread over them.
    const auto first = isPowerOfTwo ? MirrorBits(GetDevice(gpu), count) : GetDevice(gpu);
    // NICs for each GPU, rounded up: the channels of a GPU alternate between so many.
    const auto turns = static_cast<uint32_t>((count + gpus - 1) / gpus);
    return nets[(first + channel % turns) % count];
}

uint32_t
ServerGraph::FindLocalGpu(uint32_t net) const
{
    // By channel first: a NIC is local to the GPU whose earliest channel uses it.
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
    // Only with PXN another GPU stands between.
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
    // NCCL relays over NVLink only where the GPU at the NIC reaches it below the CPU.
    return isNear ? local : gpu;
}

uint32_t
ServerGraph::FindCpu(uint32_t gpu) const
{
    uint32_t best = 0;
    for (uint32_t cpu = 1; cpu < Count(CPU); ++cpu)
    {
        const auto links = GetPath(GPU, gpu, CPU, cpu).links.size();
        // The fewest links; of equal ones the first.
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
        // Intel CPUs pass on what GPUs send with an overhead (topo.h, INTEL_P2P_OVERHEAD).
        // MB/s; 6/5 as in NCCL.
        const auto share = link.isPcie && isSlowed ? rate * 6 / 5 : rate;
        if (link.rate < share)
        {
            // The links before have been charged: the caller gives them back.
            return static_cast<uint32_t>(step);
        }
        link.rate -= share;
    }
    return static_cast<uint32_t>(steps);
}

} // namespace ns3
