/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "mscclpp-lowering.h"

#include "mscclpp-order.h"

#include "ns3/input-values.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>
#include <utility>

namespace ns3
{

namespace
{

/// Bytes of a signal, a counter that the receiver waits for, and of a request for what is read: a
/// semaphore of MSCCL++ is a word of 64 bits.
constexpr uint32_t CONTROL_BYTES = 8;

/// Most chunks of a buffer, those that thread blocks share counted as the parts that each has.
constexpr uint64_t MOST_LOWERED_CHUNKS = 100000;

/**
 * @ingroup workload-replay
 * @brief What an operation that moves chunks does.
 */
struct MscclppAction
{
    bool reduces{false}; //!< it adds further sources to the first one
    bool reads{false};   //!< sources, but for the first one of a sum, are of other GPUs
    bool sends{false};   //!< destinations, but for those of its own, are of other GPUs
    bool unpacks{false}; //!< what it reads, but for the first one of a sum, are packets
    bool packs{false};   //!< what it writes, but for the first one of a sum, are packets
    bool signals{false}; //!< it signals that its chunks are there
    std::size_t own{0};  //!< destinations of its own GPU, if it sends
};

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

/// Operations that are not simulated, and why.
const std::map<std::string, std::string> REFUSED{
    {"glres", "a sum by an NVSwitch, for which the other GPUs make no step"},
    {"gstore", "a multicast by an NVSwitch, for which the other GPUs make no step"},
    {"gstorepkt", "a multicast by an NVSwitch, for which the other GPUs make no step"},
    {"pipeline", "a loop over pieces of so many bytes, of which chunks are not made"},
};

/**
 * @ingroup workload-replay
 * @brief Makes steps of operations.
 */
class MscclppLowering
{
  public:
    /**
     * @param program what a file says; must outlive this
     */
    explicit MscclppLowering(const MscclppProgram& program)
        : m_program(program),
          m_plan(program.head)
    {
    }

    /**
     * @return the plan
     */
    MscclPlan Lower()
    {
        CutChunks();
        // Tags of thread blocks come first, those of answers behind them.
        const auto size = static_cast<uint32_t>(m_program.gpus.size());
        for (const auto& gpu : m_program.gpus)
        {
            m_tags = std::max(m_tags, static_cast<uint32_t>(gpu.blocks.size()));
        }
        m_plan.channels = std::max(m_tags, 1U);
        // Blocks of operations have their own numbers; others stand behind them.
        for (uint32_t gpu = 0; gpu < size; ++gpu)
        {
            for (uint32_t block = 0; block < m_program.gpus[gpu].blocks.size(); ++block)
            {
                m_plan.gpus[gpu].push_back({block, block, {}, {}});
            }
        }
        for (m_gpu = 0; m_gpu < size; ++m_gpu)
        {
            const auto& blocks = m_program.gpus[m_gpu].blocks;
            for (m_block = 0; m_block < blocks.size(); ++m_block)
            {
                for (const auto& op : blocks[m_block])
                {
                    m_op = &op;
                    LowerOp();
                    // An operation that others may wait for ends with the last of its steps.
                    m_order.End(GetLast());
                }
            }
        }
        m_order.Connect(m_program, m_plan);
        return std::move(m_plan);
    }

  private:
    using Ref = MscclppStepRef; //!< a step

    /// Some of the blocks that are made: which GPU has it, for whom, for which block of that.
    using BlockKey = std::tuple<char, uint32_t, uint32_t, uint32_t>;

    /// What thread blocks that share chunks deal with becomes chunks of its own.
    void CutChunks()
    {
        uint64_t parts = 1;
        uint64_t most = m_plan.chunks;
        for (const auto& gpu : m_program.gpus)
        {
            for (const auto& block : gpu.blocks)
            {
                for (const auto& op : block)
                {
                    // Groups of different sizes may deal with the same chunk.
                    parts = std::lcm(parts, uint64_t{op.parts});
                    for (const auto* list : {&op.sources, &op.destinations})
                    {
                        for (const auto& chunks : *list)
                        {
                            most = std::max<uint64_t>(most, chunks.place.chunk + chunks.count);
                        }
                    }
                    if (parts * most > MOST_LOWERED_CHUNKS)
                    {
                        throw WorkloadError(op.where,
                                            "groups of thread blocks that cut the chunks into " +
                                                std::to_string(MOST_LOWERED_CHUNKS) +
                                                " parts at most",
                                            "one of " + std::to_string(op.parts));
                    }
                }
            }
        }
        m_parts = static_cast<uint32_t>(parts);
        m_plan.chunks *= m_parts;
    }

    /**
     * @param chunks chunks of the operation at hand
     * @return those parts of them that it deals with
     */
    MscclppOp::Chunks Cut(const MscclppOp::Chunks& chunks) const
    {
        // Parts of a chunk divide evenly, as all groups divide m_parts.
        const auto count = chunks.count * m_parts / m_op->parts;
        return {chunks.gpu,
                {chunks.place.buffer, chunks.place.chunk * m_parts + m_op->part * count},
                count};
    }

    /**
     * @param gpu a GPU
     * @param block a block of it
     * @param step what to add there
     * @return the step
     */
    Ref Add(uint32_t gpu, uint32_t block, MscclStep step)
    {
        auto& steps = m_plan.gpus[gpu][block].steps;
        step.pointer = m_op->where.pointer;
        steps.push_back(std::move(step));
        return {gpu, block, static_cast<uint32_t>(steps.size()) - 1, m_block, m_op};
    }

    /**
     * @param step what to add to the thread block at hand
     * @return the step
     */
    Ref Add(MscclStep step)
    {
        return Add(m_gpu, m_block, std::move(step));
    }

    /**
     * @return the last step of the thread block at hand, one that does nothing if it has none
     */
    Ref GetLast()
    {
        const auto count = static_cast<uint32_t>(m_plan.gpus[m_gpu][m_block].steps.size());
        return count == 0 ? Add({}) : Ref{m_gpu, m_block, count - 1, m_block, m_op};
    }

    /**
     * @param role L = receives what is put, A = answers requests, R = receives answers
     * @param gpu whose block it is
     * @param peer whose thread block at hand it serves
     * @return a block for that, of which there is one
     */
    uint32_t FindBlock(char role, uint32_t gpu, uint32_t peer)
    {
        auto& blocks = m_plan.gpus[gpu];
        const auto added = m_blocks.emplace(BlockKey{role, gpu, peer, m_block},
                                            static_cast<uint32_t>(blocks.size()));
        if (added.second)
        {
            // Answers have tags of their own: each GPU may ask the other one.
            const auto tag = role == 'L' ? m_block : m_tags + m_block;
            blocks.push_back({m_block, tag, MscclBlock::Owner{m_gpu, m_block}, {}});
        }
        return added.first->second;
    }

    /**
     * Send a message of the thread block at hand.
     *
     * @param peer to whom
     * @param source the chunks that it carries; null = none, it is a signal or a request
     * @param destination where they go
     * @return the step that receives it
     */
    Ref Send(uint32_t peer, const MscclppOp::Chunks* source, const MscclPlace& destination)
    {
        MscclStep send;
        send.sends = true;
        send.receiver = peer;
        // Chunks need no word of their own: the message that brings them is what is waited for.
        send.control = source ? 0 : CONTROL_BYTES;
        MscclStep receive;
        receive.receives = true;
        receive.sender = m_gpu;
        receive.control = send.control;
        if (source)
        {
            send.source = source->place;
            send.count = source->count;
            receive.stores = true;
            receive.source = destination;
            receive.destination = destination;
            receive.count = source->count;
        }
        // The peer's thread blocks do nothing for it, as stores of others go to their memory.
        Add(send);
        return Add(peer, FindBlock('L', peer, m_gpu), receive);
    }

    /**
     * Read chunks of another GPU.
     *
     * @param source the chunks
     * @param destination where they go to, or are added to
     * @param reduces whether they are added
     * @return the step that receives them
     */
    Ref Fetch(const MscclppOp::Chunks& source, const MscclPlace& destination, bool reduces)
    {
        // A load goes there as a request, and comes back with the data.
        const auto asked = Send(source.gpu, nullptr, {});
        MscclStep answer;
        answer.sends = true;
        answer.receiver = m_gpu;
        answer.source = source.place;
        answer.count = source.count;
        const auto answered = Add(source.gpu, FindBlock('A', source.gpu, m_gpu), answer);
        MscclppOrder::Depend(m_plan, answered, asked);
        MscclStep receive;
        receive.receives = true;
        receive.reduces = reduces;
        receive.stores = true;
        receive.sender = source.gpu;
        receive.source = destination;
        receive.destination = destination;
        receive.count = source.count;
        return Add(m_gpu, FindBlock('R', m_gpu, m_gpu), receive);
    }

    /**
     * Copy or add up chunks of the GPU at hand.
     *
     * @param source the chunks
     * @param destination where they go to, or are added to
     * @param reduces whether they are added
     * @return the step
     */
    Ref Copy(const MscclppOp::Chunks& source, const MscclPlace& destination, bool reduces)
    {
        MscclStep step;
        step.reduces = reduces;
        step.stores = true;
        step.source = source.place;
        step.destination = destination;
        step.count = source.count;
        return Add(step);
    }

    /// Make steps of the operation at hand.
    void LowerOp()
    {
        const auto& name = m_op->name;
        const auto refused = REFUSED.find(name);
        if (refused != REFUSED.end())
        {
            throw WorkloadError(m_op->where,
                                "operations that are simulated",
                                name + ", " + refused->second);
        }
        const auto action = ACTIONS.find(name);
        if (action != ACTIONS.end())
        {
            // Before they are used: files of others may have any number of them anywhere.
            CheckChunks(action->second);
            action->second.reduces ? LowerSum(action->second) : LowerMoves(action->second);
        }
        else if (!LowerOrder())
        {
            // A slip is answered with the nearest of all names.
            std::vector<std::string>
                names{"nop", "barrier", "signal", "wait", "flush", "sem_acquire", "sem_release"};
            for (const auto& known : ACTIONS)
            {
                names.push_back(known.first);
            }
            FindWord({name, m_op->where}, names, "an operation of MSCCL++");
        }
    }

    /**
     * Check that an operation has the chunks that it needs, each where it needs it.
     *
     * @param action what it does
     */
    void CheckChunks(const MscclppAction& action) const
    {
        const auto& sources = m_op->sources;
        const auto& destinations = m_op->destinations;
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
            throw WorkloadError(m_op->where,
                                "chunks to read and to write for " + m_op->name,
                                std::to_string(sources.size()) + " and " +
                                    std::to_string(destinations.size()));
        }
        const auto check = [this](const MscclppOp::Chunks& chunks, bool isOther) {
            const auto count = m_op->sources.front().count;
            if ((chunks.gpu != m_gpu) != isOther)
            {
                throw WorkloadError(m_op->where,
                                    std::string("chunks of ") +
                                        (isOther ? "another GPU" : "the GPU itself"),
                                    "those of GPU " + std::to_string(chunks.gpu));
            }
            if (chunks.count != count)
            {
                throw WorkloadError(m_op->where,
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
        const auto written =
            to.gpu == m_gpu ? Copy(source, to.place, false) : Send(to.gpu, &source, to.place);
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
            m_order.Unpack(Add({}), chunks);
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
            const auto source = Cut(m_op->sources[std::min(i, m_op->sources.size() - 1)]);
            const auto to = Cut(m_op->destinations[i]);
            if (action.reads)
            {
                fetched.push_back(Fetch(source, to.place, false));
                continue;
            }
            Unpack(action, source);
            const auto written = Write(action, source, to);
            if (action.signals)
            {
                // The message itself is the signal, so that it costs no further bytes.
                const auto& channel = GetChannel(i, to.gpu);
                m_order.Signal({to.gpu, channel.type, m_gpu, channel.number}, written);
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
        const auto wait = Add({});
        for (const auto& step : steps)
        {
            MscclppOrder::Depend(m_plan, wait, step);
        }
    }

    /**
     * @param action what the operation does: sums
     */
    void LowerSum(const MscclppAction& action)
    {
        const auto to = Cut(m_op->destinations.front());
        auto sources = m_op->sources;
        // What stands at the destination already is added to: it must not be written over.
        const auto same =
            std::find_if(sources.begin(), sources.end(), [this, &to](const auto& own) {
                return own.gpu == m_gpu && own.place.buffer == to.place.buffer &&
                       Cut(own).place.chunk == to.place.chunk;
            });
        // All packets are there before anything is added up.
        for (std::size_t i = 1; i < sources.size(); ++i)
        {
            Unpack(action, Cut(sources[i]));
        }
        if (same == sources.end())
        {
            Copy(Cut(sources.front()), to.place, false);
        }
        else
        {
            std::iter_swap(sources.begin(), same);
        }
        std::vector<Ref> fetched;
        for (std::size_t i = 1; i < sources.size(); ++i)
        {
            const auto source = Cut(sources[i]);
            if (source.gpu == m_gpu)
            {
                Copy(source, to.place, true);
                continue;
            }
            fetched.push_back(Fetch(source, to.place, true));
        }
        // What goes to others is the whole sum.
        Await(fetched);
        for (std::size_t i = 1; i < m_op->destinations.size(); ++i)
        {
            Write(action, to, Cut(m_op->destinations[i]));
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
            const auto come = Add({});
            m_order.Meet(come, Add({}));
        }
        else if (name == "nop")
        {
            // Without dependencies it orders the threads of its own block alone.
            if (!m_op->after.empty())
            {
                m_order.Follow(Add({}));
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
                m_order.Wait({m_gpu, type, peer, number}, Add({}));
                continue;
            }
            m_order.Signal({peer, type, m_gpu, number}, Send(peer, nullptr, {}));
        }
    }

    /**
     * @param isTaken whether the operation takes semaphores, instead of giving them
     */
    void LowerSemaphores(bool isTaken)
    {
        for (const auto semaphore : m_op->semaphores)
        {
            if (semaphore >= m_program.gpus[m_gpu].semaphores.size())
            {
                throw WorkloadError(m_op->where,
                                    "a semaphore of its GPU",
                                    std::to_string(semaphore));
            }
            m_order.UseSemaphore(semaphore, Add({}), isTaken);
        }
    }

    const MscclppProgram& m_program;       //!< what the file says
    MscclPlan m_plan;                      //!< what was made of it so far
    uint32_t m_parts{1};                   //!< parts that each chunk is cut into
    uint32_t m_tags{0};                    //!< most thread blocks of a GPU
    uint32_t m_gpu{0};                     //!< the GPU at hand
    uint32_t m_block{0};                   //!< its thread block
    const MscclppOp* m_op{nullptr};        //!< the operation of that
    std::map<BlockKey, uint32_t> m_blocks; //!< blocks made beside those of operations
    MscclppOrder m_order;                  //!< what waits for what
};

} // namespace

MscclPlan
LowerMscclpp(const MscclppProgram& program)
{
    return MscclppLowering(program).Lower();
}

} // namespace ns3
