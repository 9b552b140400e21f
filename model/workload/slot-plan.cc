/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "slot-plan.h"

#include <algorithm>
#include <tuple>

namespace ns3
{

namespace
{

/// Slots from a microbatch of the pattern to the next one.
constexpr uint32_t PERIOD = 6;

} // namespace

SlotPlan::SlotPlan(const std::vector<Pattern>& pattern, uint32_t microbatches)
    : m_microbatches(microbatches),
      m_stages(pattern.size())
{
    for (std::size_t i = 0; i < pattern.size(); ++i)
    {
        auto& stage = m_stages[i];
        // B0 is the last pass of a microbatch: there are slots for all of the last one's.
        stage.types.assign(pattern[i].back() + PERIOD * microbatches, N_TYPES);
        for (std::size_t type = 0; type < WEIGHT; ++type)
        {
            for (uint32_t microbatch = 0; microbatch < microbatches; ++microbatch)
            {
                const auto slot = pattern[i][type] + PERIOD * microbatch;
                stage.slots[type].push_back(slot);
                stage.types[slot] = type;
            }
        }
    }
}

std::vector<std::vector<PipelinePass>>
SlotPlan::Plan()
{
    // Shorten while gradients of weights have slots of their own; then take these away and let the
    // gradients go wherever a slot is free.
    PlaceWeights();
    Shorten(true);
    Squeeze();
    RemoveWeights();
    Shorten(false);
    PlaceWeights();
    Squeeze();
    RemoveWeights();
    PlaceWeights();
    std::vector<std::vector<PipelinePass>> passes;
    for (const auto& stage : m_stages)
    {
        passes.push_back(GetPasses(stage));
    }
    return passes;
}

void
SlotPlan::Shorten(bool withWeights)
{
    // No move may make a stage keep more activations than the pattern itself has it keep.
    uint32_t peak = 0;
    for (const auto& stage : m_stages)
    {
        peak = std::max(peak, CountActivations(stage));
    }
    // All slots are full from the last pass of microbatch 0 until the last microbatch enters; only
    // what lies before and after has free slots to move to.
    bool isBegin = true;
    bool isEnd = false;
    for (const auto& entry : List())
    {
        isBegin = isBegin && (entry.type != BACKWARD_0 || entry.stage != 0);
        if (isEnd || (isBegin && withWeights))
        {
            MoveForward(entry, peak);
        }
        isEnd = isEnd ||
                (!isBegin && entry.type == FORWARD_0 && entry.microbatch + 1 == m_microbatches);
    }
}

void
SlotPlan::MoveForward(const Entry& entry, uint32_t peak)
{
    auto& stage = m_stages[entry.stage];
    auto& slot = stage.slots[entry.type][entry.microbatch];
    stage.types[entry.slot] = N_TYPES;
    slot = GetEarliest(entry.stage, entry.type, entry.microbatch);
    // The loop ends at the pass's own slot if no earlier free one keeps the peak.
    for (; slot < entry.slot; ++slot)
    {
        if (stage.types[slot] != N_TYPES)
        {
            continue;
        }
        stage.types[slot] = entry.type;
        if (CountActivations(stage) <= peak)
        {
            return;
        }
        stage.types[slot] = N_TYPES;
    }
    stage.types[slot] = entry.type;
}

uint32_t
SlotPlan::GetEarliest(std::size_t stage, std::size_t type, uint32_t microbatch) const
{
    const auto& slots = m_stages[stage].slots;
    uint32_t earliest = microbatch > 0 ? slots[type][microbatch - 1] + 1 : 0;
    const auto waitFor = [&earliest](uint32_t slot) { earliest = std::max(earliest, slot + 1); };
    if (type == WEIGHT)
    {
        // The n-th pass of weights needs n passes that went back, through whichever chunk.
        std::vector<uint32_t> backward(2 * m_microbatches);
        std::merge(slots[BACKWARD_1].begin(),
                   slots[BACKWARD_1].end(),
                   slots[BACKWARD_0].begin(),
                   slots[BACKWARD_0].end(),
                   backward.begin());
        waitFor(backward[microbatch]);
        return earliest;
    }
    // Types are in the order in which a microbatch passes its stage.
    if (type != FORWARD_0)
    {
        waitFor(slots[type - 1][microbatch]);
    }
    // Microbatches go up the stages forward through chunk 0 and backward through it, else down.
    const bool isUp = type == FORWARD_0 || type == BACKWARD_1;
    if (isUp ? stage > 0 : stage + 1 < m_stages.size())
    {
        waitFor(m_stages[isUp ? stage - 1 : stage + 1].slots[type][microbatch]);
    }
    return earliest;
}

void
SlotPlan::Squeeze()
{
    const auto entries = List();
    std::vector<uint32_t> free(m_stages.size(), 0);
    for (auto& stage : m_stages)
    {
        std::fill(stage.types.begin(), stage.types.end(), static_cast<std::size_t>(N_TYPES));
    }
    // Entries come by their old slots: what a pass needs has its new slot already.
    for (const auto& entry : entries)
    {
        auto& stage = m_stages[entry.stage];
        auto& slot = stage.slots[entry.type][entry.microbatch];
        slot = free[entry.stage];
        // The order of slots is kept, so that weights come late enough by themselves.
        if (entry.type != WEIGHT)
        {
            slot = std::max(slot, GetEarliest(entry.stage, entry.type, entry.microbatch));
        }
        stage.types[slot] = entry.type;
        free[entry.stage] = slot + 1;
    }
}

void
SlotPlan::PlaceWeights()
{
    for (auto& stage : m_stages)
    {
        const auto last = stage.slots[BACKWARD_0].back();
        uint32_t waiting = 0;
        // Each pass that goes back leaves work for a later free slot; slots are appended if needed.
        for (uint32_t slot = 0; slot <= last || waiting > 0; ++slot)
        {
            if (slot == stage.types.size())
            {
                stage.types.push_back(N_TYPES);
            }
            auto& type = stage.types[slot];
            if (type == BACKWARD_0 || type == BACKWARD_1)
            {
                ++waiting;
            }
            else if (type == N_TYPES && waiting > 0)
            {
                --waiting;
                type = WEIGHT;
                stage.slots[WEIGHT].push_back(slot);
            }
        }
    }
}

void
SlotPlan::RemoveWeights()
{
    for (auto& stage : m_stages)
    {
        std::replace(stage.types.begin(),
                     stage.types.end(),
                     static_cast<std::size_t>(WEIGHT),
                     static_cast<std::size_t>(N_TYPES));
        stage.slots[WEIGHT].clear();
    }
}

std::vector<SlotPlan::Entry>
SlotPlan::List() const
{
    std::vector<Entry> entries;
    for (std::size_t i = 0; i < m_stages.size(); ++i)
    {
        for (std::size_t type = 0; type < N_TYPES; ++type)
        {
            const auto& slots = m_stages[i].slots[type];
            for (uint32_t number = 0; number < slots.size(); ++number)
            {
                entries.push_back({slots[number], i, type, number});
            }
        }
    }
    std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
        return std::tie(a.slot, a.stage) < std::tie(b.slot, b.stage);
    });
    return entries;
}

uint32_t
SlotPlan::CountActivations(const Stage& stage)
{
    // Without slots of their own, gradients of weights take the next slot that is free.
    const bool hasWeights = !stage.slots[WEIGHT].empty();
    uint32_t alive = 0;
    uint32_t peak = 0;
    uint32_t waiting = 0;
    for (const auto type : stage.types)
    {
        if (type == FORWARD_0 || type == FORWARD_1)
        {
            peak = std::max(peak, ++alive);
        }
        else if (type == BACKWARD_0 || type == BACKWARD_1)
        {
            ++waiting;
        }
        else if (type == WEIGHT || (!hasWeights && waiting > 0))
        {
            --waiting;
            --alive;
        }
    }
    return peak;
}

std::vector<PipelinePass>
SlotPlan::GetPasses(const Stage& stage)
{
    std::array<uint32_t, N_TYPES> next{};
    std::array<uint32_t, 2> nextWeight{};
    std::vector<PipelinePass> passes;
    for (const auto type : stage.types)
    {
        if (type == WEIGHT)
        {
            const uint32_t chunk = nextWeight[1] < next[BACKWARD_1] ? 1 : 0;
            passes.push_back({PassKind::BACKWARD_WEIGHT, nextWeight[chunk]++, chunk});
        }
        else if (type != N_TYPES)
        {
            const bool isForward = type == FORWARD_0 || type == FORWARD_1;
            const uint32_t chunk = type == FORWARD_1 || type == BACKWARD_1 ? 1 : 0;
            passes.push_back(
                {isForward ? PassKind::FORWARD : PassKind::BACKWARD_INPUT, next[type]++, chunk});
        }
    }
    return passes;
}

} // namespace ns3
