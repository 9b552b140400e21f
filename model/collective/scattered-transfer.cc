/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "scattered-transfer.h"

#include <utility>

namespace ns3
{

void
AddScatteredTransfer(CollectiveStep& step,
                     CollectiveTransfer::Action action,
                     uint32_t peer,
                     const std::vector<BufferPart>& parts)
{
    std::vector<BufferPart> merged;
    uint64_t bytes = 0;
    for (const auto& part : parts)
    {
        if (part.bytes == 0)
        {
            continue;
        }
        bytes += part.bytes;
        if (!merged.empty() && merged.back().offset + merged.back().bytes == part.offset)
        {
            merged.back().bytes += part.bytes;
        }
        else
        {
            merged.push_back(part);
        }
    }
    if (bytes == 0)
    {
        return;
    }
    step.push_back({action, peer, merged.front().offset, bytes});
    if (merged.size() > 1)
    {
        step.back().parts = std::move(merged);
    }
}

} // namespace ns3
