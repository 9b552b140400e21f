/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "msccl-check.h"

#include "msccl-messages.h"
#include "msccl-races.h"
#include "symbolic-memory.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

namespace ns3
{

namespace
{

/**
 * @ingroup workload-replay
 * @brief Runs a plan once.
 */
class MscclSymbolicRun
{
  public:
    /**
     * @param plan the plan; must outlive the run
     */
    explicit MscclSymbolicRun(const MscclPlan& plan)
        : m_plan(plan),
          m_sums(static_cast<uint32_t>(plan.gpus.size())),
          m_memory(plan.gpus.size()),
          m_messages(plan),
          m_races(plan)
    {
        // What the callers bring.
        const uint64_t inputs = plan.CountChunks(MscclPlace::INPUT);
        for (uint32_t gpu = 0; gpu < plan.gpus.size(); ++gpu)
        {
            const auto [buffer, chunk] = Find(gpu, {MscclPlace::INPUT, 0});
            m_memory[gpu][buffer].Write(chunk, {{inputs, 0, m_sums.Only(gpu)}});
        }
        for (const auto& blocks : plan.gpus)
        {
            m_done.emplace_back(blocks.size(), 0);
        }
    }

    /**
     * @param isReversed whether blocks run in the reverse order of their numbers
     */
    void Run(bool isReversed)
    {
        // Rounds, until a whole one brings nothing: then all is done, or somebody waits for ever.
        bool moves = true;
        while (moves)
        {
            moves = false;
            for (uint32_t i = 0; i < m_done.size(); ++i)
            {
                const auto gpu = isReversed ? static_cast<uint32_t>(m_done.size()) - 1 - i : i;
                const auto count = static_cast<uint32_t>(m_done[gpu].size());
                for (uint32_t j = 0; j < count; ++j)
                {
                    moves = Advance(gpu, isReversed ? count - 1 - j : j) || moves;
                }
            }
        }
        CheckEnd();
        CheckResult();
    }

  private:
    /// What a message carries, or a part of a buffer holds.
    using Chunks = SymbolicPieces;

    /**
     * @param gpu a GPU
     * @param place a place of one of its buffers
     * @return where that is in its memory
     */
    std::pair<MscclPlace::Buffer, uint32_t> Find(uint32_t gpu, const MscclPlace& place) const
    {
        // Out of place and in scratch memory a place is what it says.
        auto buffer = place.buffer;
        auto chunk = place.chunk;
        if (m_plan.inPlace && buffer != MscclPlace::SCRATCH)
        {
            // The shorter buffer is a part of the longer one, that of the GPU's own number.
            const auto inputs = m_plan.CountChunks(MscclPlace::INPUT);
            const auto outputs = m_plan.CountChunks(MscclPlace::OUTPUT);
            const auto& shorter = inputs < outputs ? MscclPlace::INPUT : MscclPlace::OUTPUT;
            const bool isPart = inputs != outputs && buffer == shorter;
            chunk += isPart ? gpu * std::min(inputs, outputs) : 0;
            buffer = MscclPlace::INPUT;
        }
        return {buffer, chunk};
    }

    /**
     * @param gpu a GPU
     * @param place a place of one of its buffers
     * @param count number of chunks
     * @return what stands there
     */
    Chunks Load(uint32_t gpu, const MscclPlace& place, uint32_t count) const
    {
        const auto [buffer, chunk] = Find(gpu, place);
        return m_memory[gpu][buffer].Read(chunk, count);
    }

    /**
     * @param piece what a chunk is, or several
     * @return the first one in words
     */
    std::string Describe(const SymbolicPiece& piece) const
    {
        const auto gpus = m_sums.Describe(piece.sum, "GPU");
        if (gpus.empty())
        {
            return "what was never written";
        }
        const bool isSum = gpus.find("GPUs") != std::string::npos;
        return "chunk " + std::to_string(piece.origin) + " of " + gpus + (isSum ? " added up" : "");
    }

    /**
     * @param gpu a GPU
     * @param place first chunk
     * @param count number of chunks
     * @param where the step that reads them
     * @param event the same
     * @return what they are
     */
    Chunks Read(uint32_t gpu,
                const MscclPlace& place,
                uint32_t count,
                const SourceLocation& where,
                const MscclRaces::Event& event)
    {
        const auto [buffer, first] = Find(gpu, place);
        m_races.Read(event, gpu, {buffer, first}, count);
        auto chunks = Load(gpu, place, count);
        uint64_t chunk = place.chunk;
        for (const auto& piece : chunks)
        {
            if (piece.sum == SymbolicSums::NONE)
            {
                throw WorkloadError(
                    where,
                    "chunks that were written before they are read",
                    "chunk " + std::to_string(chunk) + " of its " +
                        (place.buffer == MscclPlace::OUTPUT ? "output" : "scratch") +
                        ", which is read first");
            }
            chunk += piece.length;
        }
        return chunks;
    }

    /**
     * @param sums chunks
     * @param more as many chunks, which are added to them
     * @param where the step that adds them
     * @return the sums
     */
    Chunks Add(const Chunks& sums, const Chunks& more, const SourceLocation& where)
    {
        // Chunks of different places of the buffer never make a result.
        std::pair<SymbolicPiece, SymbolicPiece> bad;
        const auto total = AddSymbolicPieces(sums, more, m_sums, bad);
        if (!total)
        {
            throw WorkloadError(where,
                                "sums of one chunk in which each GPU stands once",
                                Describe(bad.first) + ", and to it " + Describe(bad.second));
        }
        return *total;
    }

    /**
     * Take a block as far as it goes without waiting.
     *
     * @param gpu its GPU
     * @param block the block
     * @return whether it made a step
     */
    bool Advance(uint32_t gpu, uint32_t block)
    {
        const auto& steps = m_plan.gpus[gpu][block].steps;
        auto& done = m_done[gpu][block];
        // The run is over when no block moves any more.
        const auto before = done;
        while (done < steps.size() && MakeStep(gpu, block, steps[done]))
        {
            ++done;
        }
        return done > before;
    }

    /**
     * @param gpu a GPU
     * @param block a block of it
     * @param step its next step
     * @return false if it has to wait
     */
    bool MakeStep(uint32_t gpu, uint32_t block, const MscclStep& step)
    {
        const auto& owner = m_plan.gpus[gpu][block];
        if (FindDependency(gpu, step))
        {
            return false;
        }
        const auto where = m_plan.Locate(gpu, block, m_done[gpu][block]);
        Chunks chunks;
        MscclRaces::Clock clock;
        if (step.receives && !Receive(gpu, owner.tag, step, where, chunks, clock))
        {
            return false;
        }
        const auto event = m_races.Begin(gpu, block, m_done[gpu][block], clock);
        if (step.reduces || !step.receives)
        {
            // Without a message the source is added to the destination.
            const auto read = Read(gpu, step.source, step.count, where, event);
            const bool isLocal = !step.receives;
            chunks = isLocal ? read : chunks;
            if (step.reduces)
            {
                chunks = Add(chunks,
                             isLocal ? Read(gpu, step.destination, step.count, where, event) : read,
                             where);
            }
        }
        if (step.stores)
        {
            const auto [buffer, chunk] = Find(gpu, step.destination);
            m_memory[gpu][buffer].Write(chunk, chunks);
            m_races.Write(event, gpu, {buffer, chunk}, step.count);
        }
        if (step.sends)
        {
            m_messages.Send(gpu,
                            owner.tag,
                            step,
                            {std::move(chunks), step.count, where, event.clock});
        }
        return true;
    }

    /**
     * @param gpu a GPU
     * @param tag tag of the block that receives
     * @param step its step
     * @param where the place of that
     * @param [out] chunks what has come, or its sum if an NVSwitch adds it up
     * @param [out] clock what its sender knows of others
     * @return false if nothing has
     */
    bool Receive(uint32_t gpu,
                 uint32_t tag,
                 const MscclStep& step,
                 const SourceLocation& where,
                 Chunks& chunks,
                 MscclRaces::Clock& clock)
    {
        bool isFirst = true;
        for (const auto& sent : m_messages.Take(gpu, tag, step))
        {
            if (sent.count != step.count)
            {
                throw WorkloadError(where,
                                    std::to_string(sent.count) + " chunks, as " +
                                        sent.where.pointer + " sends",
                                    std::to_string(step.count));
            }
            chunks = isFirst ? sent.chunks : Add(chunks, sent.chunks, where);
            // Who was asked for a contribution knows what the asker does.
            clock = sent.clock;
            isFirst = false;
        }
        return !isFirst;
    }

    /**
     * @param gpu a GPU
     * @param step a step of it
     * @return the first step that it has to wait for; null = none
     */
    const MscclStep::Dependency* FindDependency(uint32_t gpu, const MscclStep& step) const
    {
        const auto found = std::find_if(
            step.dependencies.begin(),
            step.dependencies.end(),
            [this, gpu](const auto& other) { return m_done[gpu][other.block] <= other.step; });
        return found == step.dependencies.end() ? nullptr : &*found;
    }

    /// Check that all steps were made and all messages received.
    void CheckEnd() const
    {
        std::vector<std::pair<uint32_t, uint32_t>> waiting;
        for (uint32_t gpu = 0; gpu < m_done.size(); ++gpu)
        {
            for (uint32_t block = 0; block < m_done[gpu].size(); ++block)
            {
                if (m_done[gpu][block] < m_plan.gpus[gpu][block].steps.size())
                {
                    waiting.emplace_back(gpu, block);
                }
            }
        }
        if (!waiting.empty())
        {
            // Others wait for whoever is at fault; without one they wait for each other.
            const auto atFault = std::find_if(waiting.begin(), waiting.end(), [this](auto& place) {
                return IsAtFault(place.first, place.second);
            });
            const auto [gpu, block] = atFault == waiting.end() ? waiting.front() : *atFault;
            throw WorkloadError(m_plan.Locate(gpu, block, m_done[gpu][block]),
                                "steps that come to an end",
                                DescribeWait(gpu, m_plan.gpus[gpu][block], m_done[gpu][block]));
        }
        if (const auto left = m_messages.FindLeft())
        {
            throw WorkloadError(left->where,
                                "a step of GPU " + std::to_string(left->receiver) +
                                    " that receives what this one sends",
                                "none");
        }
    }

    /**
     * @param gpu a GPU
     * @param block a block of it that waits
     * @return whether it waits for a message that no step sends which is still to come
     */
    bool IsAtFault(uint32_t gpu, uint32_t block) const
    {
        // Who waits for another block is not at fault: that one is looked at, too.
        const auto& owner = m_plan.gpus[gpu][block];
        const auto& step = owner.steps[m_done[gpu][block]];
        if (FindDependency(gpu, step) || step.receivedBy == MscclStep::SUM)
        {
            return false;
        }
        for (uint32_t i = 0; i < m_done[step.sender].size(); ++i)
        {
            const auto& peer = m_plan.gpus[step.sender][i];
            const auto rest = peer.steps.begin() + m_done[step.sender][i];
            if (peer.tag == owner.tag &&
                std::any_of(rest, peer.steps.end(), [gpu](const auto& other) {
                    return other.sends && (other.receiver == gpu || other.sentBy == MscclStep::ALL);
                }))
            {
                return false;
            }
        }
        return true;
    }

    /**
     * @param gpu a GPU
     * @param block a block of it
     * @param number its step that waits for ever
     * @return for what
     */
    std::string DescribeWait(uint32_t gpu, const MscclBlock& block, uint32_t number) const
    {
        const auto& step = block.steps[number];
        if (const auto* other = FindDependency(gpu, step))
        {
            return "one that waits for " + m_plan.Locate(gpu, other->block, other->step).pointer +
                   ", which is never over";
        }
        if (step.receivedBy == MscclStep::SUM)
        {
            return "one that waits for a sum of an NVSwitch, for which a GPU does not get its "
                   "request";
        }
        return "one that waits for a message of GPU " + std::to_string(step.sender) +
               " on channel " + std::to_string(block.channel) + " that never comes";
    }

    /**
     * @param gpu a GPU
     * @param chunk a chunk of its output
     * @return what the kind of collective asks for there
     */
    SymbolicPiece GetExpected(uint32_t gpu, uint32_t chunk)
    {
        const auto gpus = static_cast<uint32_t>(m_plan.gpus.size());
        // Parts of the buffer stand in the order of the GPUs.
        const auto part = m_plan.chunks / gpus;
        switch (m_plan.kind)
        {
        case CollectiveKind::ALL_GATHER:
        case CollectiveKind::GATHER:
            return {1, chunk % part, m_sums.Only(chunk / part)};
        case CollectiveKind::REDUCE_SCATTER:
            return {1, gpu * part + chunk, m_sums.All()};
        case CollectiveKind::ALL_TO_ALL:
            return {1, gpu * part + chunk % part, m_sums.Only(chunk / part)};
        case CollectiveKind::BROADCAST:
            return {1, chunk, m_sums.Only(0)};
        case CollectiveKind::SHIFT:
            return {1, chunk, m_sums.Only((gpu + gpus - 1) % gpus)};
        case CollectiveKind::SCATTER:
            return {1, gpu * part + chunk, m_sums.Only(0)};
        default:
            return {1, chunk, m_sums.All()};
        }
    }

    /// Check what the GPUs end with; of a reduction or gather to one, what the first one does.
    void CheckResult()
    {
        const auto count = m_plan.CountChunks(MscclPlace::OUTPUT);
        for (uint32_t gpu = 0; gpu < m_plan.gpus.size(); ++gpu)
        {
            for (uint32_t chunk = 0; chunk < count; ++chunk)
            {
                const auto expected = GetExpected(gpu, chunk);
                const auto found = Load(gpu, {MscclPlace::OUTPUT, chunk}, 1).front();
                if (found.sum != expected.sum || found.origin != expected.origin)
                {
                    throw WorkloadError(
                        {m_plan.file, 0, 0, m_plan.gpuPointer + "/" + std::to_string(gpu)},
                        "steps that end with " + Describe(expected) + " as chunk " +
                            std::to_string(chunk) + " of the output",
                        Describe(found));
                }
            }
            // What the others of a reduction or gather to one end with is theirs.
            if (m_plan.kind == CollectiveKind::REDUCE || m_plan.kind == CollectiveKind::GATHER)
            {
                return;
            }
        }
    }

    const MscclPlan& m_plan;                             //!< the plan
    SymbolicSums m_sums;                                 //!< sets of GPUs
    std::vector<std::array<SymbolicMemory, 3>> m_memory; //!< by GPU and MscclPlace::Buffer
    MscclMessages m_messages;                            //!< messages under way
    MscclRaces m_races;                                  //!< who uses what at the same time
    std::vector<std::vector<uint32_t>> m_done;           //!< steps made, by GPU and block
};

} // namespace

void
CheckMscclPlan(const MscclPlan& plan)
{
    for (const bool isReversed : {false, true})
    {
        MscclSymbolicRun(plan).Run(isReversed);
    }
}

} // namespace ns3
