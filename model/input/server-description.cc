/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "server-description.h"

#include "input-values.h"

#include <algorithm>
#include <sstream>

namespace ns3
{

namespace
{

/// What a description looks like.
const std::string FORM =
    "PCIe switches with blanks between and a slash between CPUs, such as "
    "\"gpu0+nic0 gpu1+nic1 / gpu2+nic2 gpu3+nic3\", or a topology of NCCL in XML";

} // namespace

ServerDescription
ServerDescription::Parse(const TextField& field)
{
    ServerDescription server;
    Place place;
    std::istringstream text(field.text);
    for (std::string word; text >> word;)
    {
        if (word == "/")
        {
            ++place.cpu;
            continue;
        }
        for (const auto& device : SplitText(word, '+'))
        {
            const auto kind = device.substr(0, 3);
            if (kind != "gpu" && kind != "nic")
            {
                throw WorkloadError(field.where, FORM, Quoted(device));
            }
            auto& places = kind == "gpu" ? server.gpus : server.nics;
            const auto next = kind + std::to_string(places.size());
            if (device != next)
            {
                throw WorkloadError(field.where,
                                    next + ", GPUs and NICs each in order from 0 on",
                                    Quoted(device));
            }
            places.push_back(place);
        }
        ++place.bridge;
    }
    if (server.gpus.empty() || server.nics.empty())
    {
        throw WorkloadError(field.where, FORM, server.gpus.empty() ? "no GPU" : "no NIC");
    }
    return server;
}

bool
ServerDescription::IsEmpty() const
{
    return gpus.empty();
}

std::optional<uint32_t>
ServerDescription::FindNic(uint32_t gpu) const
{
    // The n-th GPU of a PCIe switch takes its n-th NIC, or the last one if there are fewer.
    uint32_t before = 0;
    for (uint32_t other = 0; other < gpu; ++other)
    {
        before += gpus[other].bridge == gpus[gpu].bridge ? 1 : 0;
    }
    std::optional<uint32_t> found;
    for (uint32_t nic = 0; nic < nics.size(); ++nic)
    {
        if (nics[nic].bridge == gpus[gpu].bridge)
        {
            found = nic;
            if (before-- == 0)
            {
                break;
            }
        }
    }
    return found;
}

uint32_t
ServerDescription::FindNearestNic(uint32_t gpu) const
{
    const auto own = FindNic(gpu);
    // Without a NIC beside it a GPU uses the first one of its CPU, else the first one of the
    // server.
    const auto isNear = [this, gpu](const Place& nic) { return nic.cpu == gpus[gpu].cpu; };
    const auto near = std::find_if(nics.begin(), nics.end(), isNear);
    return own ? *own : near == nics.end() ? 0 : static_cast<uint32_t>(near - nics.begin());
}

} // namespace ns3
