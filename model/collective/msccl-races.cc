/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "msccl-races.h"

#include <algorithm>
#include <cstddef>

namespace ns3
{

MscclRaces::MscclRaces(const MscclPlan& plan)
    : m_plan(plan),
      m_chunks(plan.gpus.size())
{
    for (const auto& blocks : plan.gpus)
    {
        m_first.push_back(m_actors);
        m_blocks.emplace_back(blocks.size());
        for (uint32_t block = 0; block < blocks.size(); ++block)
        {
            m_blocks.back()[block].actor = m_actors;
            // Blocks that work for a thread block have its number, and no clock.
            m_actors += blocks[block].works ? 0 : 1;
            for (const auto& step : blocks[block].steps)
            {
                for (const auto& other : step.dependencies)
                {
                    m_blocks.back()[other.block].kept[other.step];
                }
            }
        }
    }
    for (uint32_t gpu = 0; gpu < plan.gpus.size(); ++gpu)
    {
        for (uint32_t block = 0; block < plan.gpus[gpu].size(); ++block)
        {
            if (!plan.gpus[gpu][block].works)
            {
                m_blocks[gpu][block].clock.resize(m_actors, 0);
            }
        }
    }
}

MscclRaces::Event
MscclRaces::Begin(uint32_t gpu, uint32_t block, uint32_t step, const Clock& message)
{
    const auto& made = m_plan.gpus[gpu][block];
    auto& state = m_blocks[gpu][block];
    std::vector<Clock> known;
    if (message)
    {
        known.push_back(message);
    }
    for (const auto& other : made.steps[step].dependencies)
    {
        known.push_back(m_blocks[gpu][other.block].kept[other.step]);
    }
    Event event{state.actor, nullptr, &made.steps[step].pointer};
    if (made.works)
    {
        // It has one message, or waits for one that has come. Thread blocks stand first.
        event.actor = m_first[made.works->gpu] + made.works->block;
        event.clock = known.front();
    }
    else
    {
        // Each of them knows of at least as much as before, and of its own next step.
        for (const auto& other : known)
        {
            std::transform(state.clock.begin(),
                           state.clock.end(),
                           other->begin(),
                           state.clock.begin(),
                           [](auto a, auto b) { return std::max(a, b); });
        }
        ++state.clock[state.actor];
        event.clock = std::make_shared<const std::vector<uint32_t>>(state.clock);
    }
    const auto kept = state.kept.find(step);
    if (kept != state.kept.end())
    {
        kept->second = event.clock;
    }
    return event;
}

MscclRaces::Chunk&
MscclRaces::Find(uint32_t gpu, const MscclPlace& place)
{
    auto& chunks = m_chunks[gpu][place.buffer];
    // What is never used takes no room.
    chunks.resize(std::max(chunks.size(), std::size_t{place.chunk} + 1));
    return chunks[place.chunk];
}

void
MscclRaces::Check(const Event& event, const Access& access, const MscclPlace& place) const
{
    if (access.actor == event.actor || access.time <= (*event.clock)[access.actor])
    {
        return;
    }
    const std::string buffers[] = {"input", "output", "scratch"};
    throw WorkloadError({m_plan.file, 0, 0, *event.where},
                        "steps that wait for each other before one writes what the other one uses",
                        "none between it and " + *access.where + ", of which one writes chunk " +
                            std::to_string(place.chunk) + " of the " + buffers[place.buffer]);
}

void
MscclRaces::Read(const Event& event, uint32_t gpu, const MscclPlace& place, uint32_t count)
{
    const Access access{event.actor, (*event.clock)[event.actor], event.where};
    for (uint32_t i = 0; i < count; ++i)
    {
        auto& chunk = Find(gpu, {place.buffer, place.chunk + i});
        Check(event, chunk.written, {place.buffer, place.chunk + i});
        // The last time says all: a block waits for its own steps.
        const auto same = std::find_if(chunk.read.begin(), chunk.read.end(), [&](const auto& read) {
            return read.actor == access.actor;
        });
        if (same == chunk.read.end())
        {
            chunk.read.push_back(access);
        }
        else
        {
            *same = access;
        }
    }
}

void
MscclRaces::Write(const Event& event, uint32_t gpu, const MscclPlace& place, uint32_t count)
{
    const Access access{event.actor, (*event.clock)[event.actor], event.where};
    for (uint32_t i = 0; i < count; ++i)
    {
        const MscclPlace at{place.buffer, place.chunk + i};
        auto& chunk = Find(gpu, at);
        Check(event, chunk.written, at);
        for (const auto& read : chunk.read)
        {
            Check(event, read, at);
        }
        chunk.written = access;
        // Who comes after this one comes after those that it has waited for.
        chunk.read.clear();
    }
}

} // namespace ns3
