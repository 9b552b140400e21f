/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rank-trace-expansion.h"

#include <algorithm>
#include <map>
#include <memory>

namespace ns3
{

StageWork
ExpandRankTrace(const RankTrace& trace,
                const std::array<uint32_t, N_DIMENSIONS>& groupSizes,
                const RankTraceSplits& splits,
                uint32_t microbatches,
                uint64_t messageBytes)
{
    StageWork work;
    work.file = trace.file;
    work.messageBytes = messageBytes;
    std::map<uint32_t, std::shared_ptr<StagePass>> passes;
    RankTraceItems items(trace, groupSizes, splits);
    for (const auto& op : trace.ops)
    {
        auto& pass = passes[op.microbatch.value_or(0)];
        if (!pass)
        {
            pass = std::make_shared<StagePass>();
        }
        switch (op.action)
        {
        case RankTraceAction::GET_BATCH:
        case RankTraceAction::FORWARD:
        case RankTraceAction::LOSS:
            items.AppendNext(pass->forward);
            break;
        case RankTraceAction::BACKWARD:
            items.AppendNext(pass->backward);
            break;
        case RankTraceAction::SEND:
        case RankTraceAction::RECV: {
            // The host's work before a message is left out with the message.
            StageItems unused;
            items.AppendNext(unused);
            break;
        }
        case RankTraceAction::ALL_REDUCE:
        case RankTraceAction::OPTIMIZER:
            items.AppendNext(work.after);
            break;
        }
    }
    work.passes.emplace_back();
    for (uint32_t microbatch = 0; microbatch < microbatches; ++microbatch)
    {
        work.passes[0].push_back(trace.IsProfile() ? passes.begin()->second
                                                   : passes.at(microbatch));
    }
    return work;
}

uint64_t
FindMessageBytes(const std::vector<RankTrace>& traces)
{
    uint64_t message = 0;
    uint64_t activation = 0;
    for (const auto& trace : traces)
    {
        for (const auto& op : trace.ops)
        {
            message = std::max(message, op.bytes);
            for (const auto& collective : op.collectives)
            {
                if (op.action == RankTraceAction::FORWARD && collective.dimension == Dimension::TP)
                {
                    activation = std::max(activation, collective.bytes);
                }
            }
        }
    }
    return message > 0 ? message : activation;
}

} // namespace ns3
