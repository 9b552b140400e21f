/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "kineto-transfers.h"

#include "ns3/input-values.h"

#include <algorithm>
#include <string>

namespace ns3
{

std::vector<KinetoTransfer>
ListKinetoTransfers(const KinetoEvent& event,
                    const KinetoMessage& message,
                    KinetoSpans* spans,
                    const KinetoEvent* call,
                    uint32_t member,
                    std::size_t members)
{
    std::vector<KinetoTransfer> transfers;
    const auto add = [member, members, &transfers](const std::string& word,
                                                   const std::string& name,
                                                   const KinetoMessage& info) {
        // "nccl:send 0->1" and "nccl:recv 1<-0"; of two members the other one is meant.
        const auto arrow = std::min(name.find("->"), name.find("<-"));
        const auto number =
            arrow == std::string::npos ? std::nullopt : ReadWhole(name.substr(arrow + 2));
        const uint64_t other = members == 2 ? 1 - member : members;
        const auto peer = number ? *number : info.peer ? *info.peer : other;
        if ((word == "send" || word == "recv") && peer < members && peer != member)
        {
            const auto bytes = info.sent && *info.sent > 0 ? info.sent : info.received;
            transfers.push_back({word == "send", static_cast<uint32_t>(peer), bytes});
        }
    };
    // Spans are used up in their order: each belongs to the first kernel behind it.
    for (; spans && spans->spent < spans->all.size(); ++spans->spent)
    {
        const auto& span = *spans->all[spans->spent];
        if (span.start > call->start)
        {
            break;
        }
        add(KinetoValues::FindCommunication(span.name), span.name, span.message);
    }
    if (transfers.empty())
    {
        add(KinetoValues::FindCommunication(message.name.empty() ? event.name : message.name),
            "",
            message);
    }
    return transfers;
}

} // namespace ns3
