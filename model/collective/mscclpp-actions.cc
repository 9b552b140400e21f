/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "mscclpp-actions.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace ns3
{

namespace
{

/// Operations that move chunks.
const std::map<std::string, MscclppAction> ACTIONS{
    {"copy", {}},
    {"put", {false, false, true}},
    {"pws", {false, false, true, false, false, true}},
    {"pwsf", {false, false, true, false, false, true}},
    {"get", {false, true}},
    {"re", {true}},
    {"res", {true, false, true, false, false, false, 1}},
    {"rre", {true, true}},
    {"rres", {true, true, true, false, false, false, 1}},
    {"cpkt", {false, false, false, false, true}},
    {"upkt", {false, false, false, true}},
    {"ppkt", {false, false, true, false, true}},
    {"rppkt", {false, false, true, true, true}},
    {"repkt", {true, false, false, true}},
    {"recpkt", {true, false, false, true, true}},
    {"respkt", {true, false, true, true, true, false, 1}},
    {"recspkt", {true, false, true, true, true, false, 2}},
};

/// Operations through NVSwitches.
const std::map<std::string, MscclppSwitchAction> SWITCH_ACTIONS{
    {"glre", {true, false}},
    {"glres", {true, true}},
    {"gstore", {false, true}},
    {"gstorepkt", {false, true, true}},
};

} // namespace

const MscclppAction*
FindMscclppAction(const std::string& name)
{
    const auto found = ACTIONS.find(name);
    return found == ACTIONS.end() ? nullptr : &found->second;
}

const MscclppSwitchAction*
FindMscclppSwitchAction(const std::string& name)
{
    const auto found = SWITCH_ACTIONS.find(name);
    return found == SWITCH_ACTIONS.end() ? nullptr : &found->second;
}

std::vector<std::string>
GetMscclppNames()
{
    std::vector<std::string> names{"nop",
                                   "barrier",
                                   "signal",
                                   "wait",
                                   "flush",
                                   "sem_acquire",
                                   "sem_release",
                                   "pipeline"};
    for (const auto& known : ACTIONS)
    {
        names.push_back(known.first);
    }
    for (const auto& known : SWITCH_ACTIONS)
    {
        names.push_back(known.first);
    }
    return names;
}

void
CheckMscclppChunks(const MscclppOp& op, const MscclppAction& action, uint32_t gpu)
{
    const auto& sources = op.sources;
    const auto& destinations = op.destinations;
    // All but what a sum begins with and ends at are lists.
    const std::size_t first = action.reduces ? 1 : 0;
    // Without others to send to, one of packets may follow that of the sum.
    const bool isComplete =
        action.reduces
            ? sources.size() > 1 && destinations.size() >= std::max<std::size_t>(1, action.own)
            : !sources.empty() && !destinations.empty() &&
                  (sources.size() == destinations.size() || sources.size() == 1);
    if (!isComplete)
    {
        throw WorkloadError(op.where,
                            "chunks to read and to write for " + op.name,
                            std::to_string(sources.size()) + " and " +
                                std::to_string(destinations.size()));
    }
    const auto check = [&op, gpu](const MscclppOp::Chunks& chunks, bool isOther) {
        const auto count = op.sources.front().count;
        if ((chunks.gpu != gpu) != isOther)
        {
            throw WorkloadError(op.where,
                                std::string("chunks of ") +
                                    (isOther ? "another GPU" : "the GPU itself"),
                                "those of GPU " + std::to_string(chunks.gpu));
        }
        if (chunks.count != count)
        {
            throw WorkloadError(op.where,
                                std::to_string(count) + " chunks everywhere",
                                std::to_string(chunks.count));
        }
    };
    for (std::size_t i = 0; i < sources.size(); ++i)
    {
        check(sources[i], action.reads && i >= first);
    }
    for (std::size_t i = 0; i < destinations.size(); ++i)
    {
        check(destinations[i], action.sends && i >= action.own);
    }
}

void
CheckMscclppSwitch(const MscclppOp& op, const MscclppSwitchAction& action)
{
    const auto& [sources, destinations] = std::tie(op.sources, op.destinations);
    if (sources.size() != 1 || destinations.size() != 1 ||
        sources.front().count != destinations.front().count)
    {
        throw WorkloadError(op.where,
                            "as many chunks to read as to write for " + op.name,
                            std::to_string(sources.size()) + " places and " +
                                std::to_string(destinations.size()));
    }
    const bool hasGroups =
        action.sums != op.sourceGroup.empty() && action.multicasts != op.destinationGroup.empty();
    if (!hasGroups || (action.sums && action.multicasts && op.sourceGroup != op.destinationGroup))
    {
        const std::string ends = action.sums && action.multicasts ? "at both ends, of one group"
                                 : action.sums                    ? "to read from alone"
                                                                  : "to write to alone";
        throw WorkloadError(op.where, "a switch channel " + ends, "others");
    }
}

void
CheckMscclppPiece(const MscclppOp& pipeline, const MscclppOp& op)
{
    const auto* action = FindMscclppAction(op.name);
    const auto* through = FindMscclppSwitchAction(op.name);
    const bool hasPackets =
        (action && (action->packs || action->unpacks)) || (through && through->packs);
    if (hasPackets || op.parts > 1)
    {
        throw WorkloadError(op.where,
                            "operations in a pipeline that go over their chunks in pieces",
                            op.name + (hasPackets ? ", whose packets go at once"
                                                  : ", which shares its chunks with a group of "
                                                    "thread blocks"));
    }
    for (const auto* list : {&op.sources, &op.destinations})
    {
        for (const auto& chunks : *list)
        {
            if (chunks.count != pipeline.chunks)
            {
                throw WorkloadError(op.where,
                                    std::to_string(pipeline.chunks) +
                                        " chunks, the num_chunks of its pipeline",
                                    std::to_string(chunks.count));
            }
        }
    }
}

} // namespace ns3
