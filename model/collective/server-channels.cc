/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "server-channels.h"

namespace ns3
{

ServerChannels::ServerChannels(const ServerModel& model)
    : m_model(model)
{
}

const ServerModel&
ServerChannels::GetModel() const
{
    return m_model;
}

const ServerChannels::Found&
ServerChannels::Find(const std::vector<uint32_t>& gpus, bool hasNetwork) const
{
    const auto [entry, isNew] = m_found.try_emplace({gpus, hasNetwork});
    auto& found = entry->second;
    if (!isNew)
    {
        return found;
    }
    ServerGraph graph(m_model, gpus, hasNetwork);
    ChannelSearch search(graph);
    // Channels are doubled once more in the end.
    found.ring = search.Find(ChannelPattern::RING, 1, MAX_CHANNELS / 2);
    found.tree =
        search.Find(ChannelPattern::BALANCED_TREE, found.ring.channels, found.ring.channels);
    // NCCL leaves NVLS to communicators of three GPUs in a server or more (transport/nvls.cc).
    if (gpus.size() > 2)
    {
        found.nvls = search.Find(ChannelPattern::NVLS, 1, MAX_CHANNELS);
    }
    for (uint32_t channel = 0; hasNetwork && channel < found.ring.channels; ++channel)
    {
        const auto last = found.ring.GetGpu(channel, static_cast<uint32_t>(gpus.size()) - 1);
        uint32_t index = 0;
        while (graph.GetDevice(index) != last)
        {
            ++index;
        }
        const auto relay = graph.FindRelay(index, found.ring.nets[channel].second);
        found.ringRelays.push_back(graph.GetDevice(relay));
    }
    const auto count = static_cast<uint32_t>(hasNetwork ? gpus.size() : 0);
    for (uint32_t i = 0; i < count * count; ++i)
    {
        auto& senders = found.senders[{gpus[i / count], gpus[i % count]}];
        for (uint32_t channel = 0; channel < MAX_CHANNELS; ++channel)
        {
            senders.push_back(graph.GetDevice(graph.FindSender(i / count, i % count, channel)));
        }
    }
    return found;
}

} // namespace ns3
