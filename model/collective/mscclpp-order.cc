/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "mscclpp-order.h"

#include <algorithm>
#include <string>

namespace ns3
{

void
MscclppOrder::Depend(MscclPlan& plan, const MscclppStepRef& step, const MscclppStepRef& other)
{
    auto& list = plan.gpus[step.gpu][step.block].steps[step.step].dependencies;
    // Several chunks of an operation may come from the same step.
    const bool isThere = std::any_of(list.begin(), list.end(), [&other](const auto& known) {
        return known.block == other.block && known.step == other.step;
    });
    if (!isThere)
    {
        list.push_back({other.block, other.step});
    }
}

void
MscclppOrder::Signal(const ChannelKey& channel, const MscclppStepRef& step)
{
    m_signals[channel].given.push_back(step);
}

void
MscclppOrder::Wait(const ChannelKey& channel, const MscclppStepRef& step)
{
    m_signals[channel].taken.push_back(step);
}

void
MscclppOrder::UseSemaphore(uint32_t semaphore, const MscclppStepRef& step, bool isTaken)
{
    auto& pairs = m_semaphores[{step.gpu, semaphore}];
    (isTaken ? pairs.taken : pairs.given).push_back(step);
}

void
MscclppOrder::Meet(const MscclppStepRef& come, const MscclppStepRef& go)
{
    auto& meetings = m_barriers[{come.gpu, come.op->barrier}][come.owner];
    meetings.given.push_back(come);
    meetings.taken.push_back(go);
}

void
MscclppOrder::Pack(const MscclppStepRef& step, const MscclppOp::Chunks& chunks)
{
    for (uint32_t i = 0; i < chunks.count; ++i)
    {
        m_packets[{chunks.gpu, chunks.place.buffer, chunks.place.chunk + i}].push_back(step);
    }
}

void
MscclppOrder::Unpack(const MscclppStepRef& step, const MscclppOp::Chunks& chunks)
{
    m_unpacked.emplace_back(step, chunks);
}

void
MscclppOrder::Follow(const MscclppStepRef& step)
{
    m_after.push_back(step);
}

void
MscclppOrder::End(const MscclppStepRef& step)
{
    m_ends[{step.gpu, step.owner}].push_back(step);
}

void
MscclppOrder::Connect(const MscclppProgram& program, MscclPlan& plan) const
{
    ConnectSignals(plan);
    for (const auto& [key, pairs] : m_semaphores)
    {
        ConnectPairs(pairs, program.gpus[key.first].semaphores[key.second], plan);
    }
    ConnectBarriers(plan);
    ConnectPackets(plan);
    ConnectOperations(plan);
}

void
MscclppOrder::ConnectSignals(MscclPlan& plan) const
{
    for (const auto& [key, pairs] : m_signals)
    {
        // Semaphores of channels count: each wait takes one signal, in their order.
        const auto& left = pairs.given.size() > pairs.taken.size() ? pairs.given : pairs.taken;
        const auto common = std::min(pairs.given.size(), pairs.taken.size());
        if (left.size() > common)
        {
            // The first that finds no counterpart is the one at fault, or stands next to it.
            const bool isSignal = &left == &pairs.given;
            const auto peer = std::to_string(isSignal ? std::get<0>(key) : std::get<2>(key));
            throw WorkloadError(left[common].op->where,
                                std::string(isSignal ? "a wait" : "a signal") + " of GPU " + peer +
                                    " on the channel for this " + (isSignal ? "signal" : "wait"),
                                std::to_string(common) + ", which are of others before it");
        }
        ConnectPairs(pairs, 0, plan);
    }
}

void
MscclppOrder::ConnectOperations(MscclPlan& plan) const
{
    for (const auto& step : m_after)
    {
        for (const auto& [block, place] : step.op->after)
        {
            const auto ends = m_ends.find({step.gpu, block});
            if (ends == m_ends.end() || place >= ends->second.size())
            {
                throw WorkloadError(step.op->where,
                                    "operations of its GPU in deps",
                                    std::to_string(place) + " of thread block " +
                                        std::to_string(block));
            }
            Depend(plan, step, ends->second[place]);
        }
    }
}

void
MscclppOrder::ConnectPairs(const Pairs& pairs, std::size_t before, MscclPlan& plan)
{
    // The order in which several blocks would come is up to chance.
    for (const auto* steps : {&pairs.given, &pairs.taken})
    {
        for (const auto& step : *steps)
        {
            if (step.owner != steps->front().owner)
            {
                throw WorkloadError(step.op->where,
                                    "one thread block to signal and one to wait on a channel "
                                    "or semaphore",
                                    "a second one");
            }
        }
    }
    // The first ones take what a semaphore begins with.
    for (std::size_t i = before; i < pairs.taken.size(); ++i)
    {
        if (i - before >= pairs.given.size())
        {
            throw WorkloadError(pairs.taken[i].op->where,
                                "a release of the semaphore for this acquire",
                                std::to_string(pairs.given.size()) +
                                    ", which are for others before it");
        }
        Depend(plan, pairs.taken[i], pairs.given[i - before]);
    }
}

void
MscclppOrder::ConnectBarriers(MscclPlan& plan) const
{
    for (const auto& [barrier, blocks] : m_barriers)
    {
        for (const auto& [block, meetings] : blocks)
        {
            for (std::size_t i = 0; i < meetings.given.size(); ++i)
            {
                // A block that never comes would have the others wait for ever.
                const auto& op = *meetings.given[i].op;
                if (op.blocks != blocks.size())
                {
                    throw WorkloadError(op.where,
                                        std::to_string(op.blocks) +
                                            " thread blocks with this barrier",
                                        std::to_string(blocks.size()));
                }
                // The i-th time that a block comes is the i-th time of all others.
                for (const auto& [other, theirs] : blocks)
                {
                    if (i >= theirs.given.size())
                    {
                        throw WorkloadError(op.where,
                                            "thread block " + std::to_string(other) +
                                                " at this barrier as often",
                                            std::to_string(theirs.given.size()) + " times");
                    }
                    Depend(plan, meetings.taken[i], theirs.given[i]);
                }
            }
        }
    }
}

void
MscclppOrder::ConnectPackets(MscclPlan& plan) const
{
    for (const auto& [step, chunks] : m_unpacked)
    {
        for (uint32_t i = 0; i < chunks.count; ++i)
        {
            const auto chunk = chunks.place.chunk + i;
            const auto found = m_packets.find({step.gpu, chunks.place.buffer, chunk});
            // Flags of a call are all the same: a second packet would be read as the first.
            const auto writers = found == m_packets.end() ? 0 : found->second.size();
            if (writers != 1)
            {
                throw WorkloadError(step.op->where,
                                    "packets that one operation puts where these are read",
                                    std::to_string(writers) + " of them");
            }
            Depend(plan, step, found->second.front());
        }
    }
}

} // namespace ns3
