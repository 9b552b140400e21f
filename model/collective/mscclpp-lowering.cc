/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "mscclpp-lowering.h"

#include "mscclpp-actions.h"
#include "mscclpp-steps.h"

#include "ns3/input-values.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

namespace ns3
{

namespace
{

/// Most chunks of a buffer, those that thread blocks share counted as the parts that each has.
constexpr uint64_t MOST_LOWERED_CHUNKS = 100000;

/**
 * @ingroup workload-replay
 * @brief Makes steps of operations.
 */
class MscclppLowering
{
  public:
    /**
     * @param program what a file says; must outlive this
     * @param chunk length of a chunk, bytes; 0 = not known
     */
    MscclppLowering(const MscclppProgram& program, uint64_t chunk)
        : m_program(program),
          m_chunk(chunk),
          m_steps(program, chunk, CountParts())
    {
    }

    /**
     * @return the plan
     */
    MscclPlan Lower()
    {
        for (uint32_t gpu = 0; gpu < m_program.gpus.size(); ++gpu)
        {
            const auto& blocks = m_program.gpus[gpu].blocks;
            for (uint32_t block = 0; block < blocks.size(); ++block)
            {
                m_steps.SetBlock(gpu, block);
                for (const auto& op : blocks[block])
                {
                    SetOp(op, {});
                    op.name == "pipeline" ? LowerPipeline(op) : LowerOp();
                    // An operation that others may wait for ends with the last of its steps.
                    m_order.End(m_steps.GetLast());
                }
                AwaitOwn();
            }
        }
        auto& plan = m_steps.GetPlan();
        plan.granule = std::lcm(plan.granule, uint64_t{m_program.head.chunks} * m_groups);
        m_order.Connect(m_program, plan);
        return std::move(plan);
    }

  private:
    using Ref = MscclppStepRef; //!< a step

    /**
     * @param op the operation that is at hand from now on
     * @param piece the piece of its chunks that it deals with
     */
    void SetOp(const MscclppOp& op, const MscclppSteps::Piece& piece)
    {
        m_op = &op;
        m_steps.SetOp(op, piece);
    }

    /**
     * @param op a pipeline
     * @return how often it goes round
     */
    uint32_t CountRounds(const MscclppOp& op) const
    {
        // Without a length two show what one leaves to the next one.
        const auto bytes = m_chunk > 0 ? op.chunks * m_chunk : 2 * op.unit;
        return static_cast<uint32_t>(
            std::min<uint64_t>((bytes + op.unit - 1) / op.unit, MOST_LOWERED_CHUNKS + 1));
    }

    /**
     * What thread blocks that share chunks deal with becomes chunks of its own, and so do the
     * pieces of pipelines.
     *
     * @return parts that each chunk is cut into
     */
    uint32_t CountParts()
    {
        uint64_t pieces = 1;
        uint64_t most = m_program.head.chunks;
        for (const auto& gpu : m_program.gpus)
        {
            for (const auto& block : gpu.blocks)
            {
                for (const auto& op : block)
                {
                    // Groups of different sizes may deal with the same chunk.
                    m_groups = std::lcm(m_groups, uint64_t{op.parts});
                    pieces = std::lcm(pieces, op.unit > 0 ? CountRounds(op) : 1);
                    for (const auto* list : {&op.sources, &op.destinations})
                    {
                        for (const auto& chunks : *list)
                        {
                            most = std::max<uint64_t>(most, chunks.place.chunk + chunks.count);
                        }
                    }
                    if (std::lcm(m_groups, pieces) * most > MOST_LOWERED_CHUNKS)
                    {
                        throw WorkloadError(
                            op.where,
                            "groups of thread blocks and pipelines that cut the "
                            "chunks into " +
                                std::to_string(MOST_LOWERED_CHUNKS) + " parts at most",
                            op.unit > 0 ? "one of pieces of " + std::to_string(op.unit) + " bytes"
                                        : "one of " + std::to_string(op.parts));
                    }
                }
            }
        }
        return static_cast<uint32_t>(std::lcm(m_groups, pieces));
    }

    /**
     * Go round in a pipeline: its operations deal with a piece of their chunks each time.
     *
     * @param pipeline the pipeline
     */
    void LowerPipeline(const MscclppOp& pipeline)
    {
        for (const auto& op : pipeline.ops)
        {
            CheckMscclppPiece(pipeline, op);
        }
        const auto rounds = CountRounds(pipeline);
        const auto bytes = pipeline.chunks * m_chunk;
        for (uint32_t round = 0; round < rounds; ++round)
        {
            const auto begin = round * pipeline.unit;
            for (const auto& op : pipeline.ops)
            {
                SetOp(op,
                      {round, rounds, m_chunk > 0 ? std::min(pipeline.unit, bytes - begin) : 0});
                LowerOp();
            }
        }
    }

    /// Make steps of the operation at hand.
    void LowerOp()
    {
        const auto& name = m_op->name;
        if (const auto* through = FindMscclppSwitchAction(name))
        {
            LowerSwitch(*through);
            return;
        }
        AwaitOwn();
        if (const auto* action = FindMscclppAction(name))
        {
            // Before they are used: files of others may have any number of them anywhere.
            CheckMscclppChunks(*m_op, *action, m_steps.GetGpu());
            action->reduces ? LowerSum(*action) : LowerMoves(*action);
        }
        else if (!LowerOrder())
        {
            // A slip is answered with the nearest of all names.
            FindWord({name, m_op->where}, GetMscclppNames(), "an operation of MSCCL++");
        }
    }

    /**
     * Wait until what the thread block at hand has multicast has come back to its own GPU: what
     * follows, but for more of that, comes behind a fence.
     */
    void AwaitOwn()
    {
        Await(m_own);
        m_own.clear();
    }

    /**
     * Make steps of an operation through NVSwitches.
     *
     * @param action what it does
     */
    void LowerSwitch(const MscclppSwitchAction& action)
    {
        CheckMscclppSwitch(*m_op, action);
        const auto source = m_steps.Cut(m_op->sources.front());
        const auto to = m_steps.Cut(m_op->destinations.front());
        if (action.packs)
        {
            m_order.Unpack(m_steps.Add({}), source);
        }
        const auto received =
            action.sums ? m_steps.Sum(m_op->sourceGroup, source, to.place, action.multicasts)
                        : m_steps.Multicast(m_op->destinationGroup, &source, to.place);
        const bool isSame = action.packs && source.place.buffer == to.place.buffer &&
                            source.place.chunk == to.place.chunk;
        for (const auto& step : received)
        {
            const bool isOwn = step.gpu == m_steps.GetGpu();
            if (isOwn && isSame)
            {
                // Its own packets are there already, with the same flags.
                m_steps.GetPlan().gpus[step.gpu][step.block].steps[step.step].stores = false;
            }
            else if (action.packs)
            {
                m_order.Pack(step, {step.gpu, to.place, to.count});
            }
            if (isOwn && !action.packs)
            {
                m_own.push_back(step);
            }
        }
    }

    /**
     * Write chunks of the GPU at hand to where they belong.
     *
     * @param action what the operation does
     * @param source the chunks
     * @param to where they go
     * @return the step that writes them
     */
    Ref Write(const MscclppAction& action,
              const MscclppOp::Chunks& source,
              const MscclppOp::Chunks& to)
    {
        const auto written = to.gpu == m_steps.GetGpu() ? m_steps.Copy(source, to.place, false)
                                                        : m_steps.Send(to.gpu, &source, to.place);
        if (action.packs)
        {
            m_order.Pack(written, to);
        }
        return written;
    }

    /**
     * Wait for packets.
     *
     * @param action what the operation does
     * @param chunks what it reads
     */
    void Unpack(const MscclppAction& action, const MscclppOp::Chunks& chunks)
    {
        if (action.unpacks)
        {
            // Each packet has a flag, so that no signal says that it has come.
            m_order.Unpack(m_steps.Add({}), chunks);
        }
    }

    /**
     * @param action what the operation does: copies, puts and reads
     */
    void LowerMoves(const MscclppAction& action)
    {
        std::vector<Ref> fetched;
        for (std::size_t i = 0; i < m_op->destinations.size(); ++i)
        {
            // One source may go to several destinations.
            const auto source = m_steps.Cut(m_op->sources[std::min(i, m_op->sources.size() - 1)]);
            const auto to = m_steps.Cut(m_op->destinations[i]);
            if (action.reads)
            {
                fetched.push_back(m_steps.Fetch(source, to.place, false));
                continue;
            }
            Unpack(action, source);
            const auto written = Write(action, source, to);
            if (action.signals)
            {
                // The message itself is the signal, so that it costs no further bytes.
                const auto& channel = GetChannel(i, to.gpu);
                m_order.Signal({to.gpu, channel.type, m_steps.GetGpu(), channel.number}, written);
            }
        }
        Await(fetched);
    }

    /**
     * @param place of which chunks that are put
     * @param peer to whom
     * @return the channel that signals it
     */
    const MscclppOp::Channel& GetChannel(std::size_t place, uint32_t peer) const
    {
        if (place >= m_op->channels.size() || m_op->channels[place].peer != peer)
        {
            throw WorkloadError(m_op->where,
                                "a channel to GPU " + std::to_string(peer) + " to signal on",
                                place < m_op->channels.size()
                                    ? "one to GPU " + std::to_string(m_op->channels[place].peer)
                                    : "none");
        }
        return m_op->channels[place];
    }

    /**
     * @param steps steps of the GPU at hand that its thread block waits for; none = it does not
     */
    void Await(const std::vector<Ref>& steps)
    {
        if (steps.empty())
        {
            return;
        }
        // Requests leave one after another; their answers may overtake each other.
        const auto wait = m_steps.Add({});
        for (const auto& step : steps)
        {
            MscclppOrder::Depend(m_steps.GetPlan(), wait, step);
        }
    }

    /**
     * @param action what the operation does: sums
     */
    void LowerSum(const MscclppAction& action)
    {
        const auto to = m_steps.Cut(m_op->destinations.front());
        auto sources = m_op->sources;
        // What stands at the destination already is added to: it must not be written over.
        const auto same =
            std::find_if(sources.begin(), sources.end(), [this, &to](const auto& own) {
                return own.gpu == m_steps.GetGpu() && own.place.buffer == to.place.buffer &&
                       m_steps.Cut(own).place.chunk == to.place.chunk;
            });
        // All packets are there before anything is added up.
        for (std::size_t i = 1; i < sources.size(); ++i)
        {
            Unpack(action, m_steps.Cut(sources[i]));
        }
        if (same == sources.end())
        {
            m_steps.Copy(m_steps.Cut(sources.front()), to.place, false);
        }
        else
        {
            std::iter_swap(sources.begin(), same);
        }
        std::vector<Ref> fetched;
        for (std::size_t i = 1; i < sources.size(); ++i)
        {
            const auto source = m_steps.Cut(sources[i]);
            if (source.gpu == m_steps.GetGpu())
            {
                m_steps.Copy(source, to.place, true);
                continue;
            }
            fetched.push_back(m_steps.Fetch(source, to.place, true));
        }
        // What goes to others is the whole sum.
        Await(fetched);
        for (std::size_t i = 1; i < m_op->destinations.size(); ++i)
        {
            Write(action, to, m_steps.Cut(m_op->destinations[i]));
        }
    }

    /**
     * Make steps of the operation at hand if it moves nothing.
     *
     * @return false if it is none of these
     */
    bool LowerOrder()
    {
        const auto& name = m_op->name;
        const bool isWait = name == "wait" || name == "rlxwait";
        if (name == "signal" || name == "rlxsignal" || isWait)
        {
            LowerSignals(isWait);
        }
        else if (name == "sem_acquire" || name == "sem_release")
        {
            LowerSemaphores(name == "sem_acquire");
        }
        else if (name == "barrier")
        {
            // Each block comes, and waits for the others that have come.
            const auto come = m_steps.Add({});
            m_order.Meet(come, m_steps.Add({}));
        }
        else if (name == "nop")
        {
            // Without dependencies it orders the threads of its own block alone.
            if (!m_op->after.empty())
            {
                m_order.Follow(m_steps.Add({}));
            }
        }
        else
        {
            // A put is never held up by one that has not left.
            return name == "flush";
        }
        return true;
    }

    /**
     * @param isWait whether the operation waits for signals, instead of giving them
     */
    void LowerSignals(bool isWait)
    {
        if (m_op->channels.empty())
        {
            throw WorkloadError(m_op->where, "a channel of memory or port", "none");
        }
        for (const auto& [type, peer, number] : m_op->channels)
        {
            if (isWait)
            {
                m_order.Wait({m_steps.GetGpu(), type, peer, number}, m_steps.Add({}));
                continue;
            }
            m_order.Signal({peer, type, m_steps.GetGpu(), number}, m_steps.Send(peer, nullptr, {}));
        }
    }

    /**
     * @param isTaken whether the operation takes semaphores, instead of giving them
     */
    void LowerSemaphores(bool isTaken)
    {
        for (const auto semaphore : m_op->semaphores)
        {
            if (semaphore >= m_program.gpus[m_steps.GetGpu()].semaphores.size())
            {
                throw WorkloadError(m_op->where,
                                    "a semaphore of its GPU",
                                    std::to_string(semaphore));
            }
            m_order.UseSemaphore(semaphore, m_steps.Add({}), isTaken);
        }
    }

    const MscclppProgram& m_program; //!< what the file says
    uint64_t m_chunk;                //!< length of a chunk, bytes; 0 = not known
    uint64_t m_groups{1};            //!< parts that groups of thread blocks cut each chunk into
    MscclppSteps m_steps;            //!< what was made of it so far
    const MscclppOp* m_op{nullptr};  //!< the operation at hand
    std::vector<Ref> m_own;          //!< where its GPU receives what it multicasts itself
    MscclppOrder m_order;            //!< what waits for what
};

} // namespace

MscclPlan
LowerMscclpp(const MscclppProgram& program, uint64_t chunk)
{
    return MscclppLowering(program, chunk).Lower();
}

} // namespace ns3
