/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "msccl-collective.h"

#include "msccl-check.h"
#include "msccl-file.h"

#include "ns3/log.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("MscclCollective");

NS_OBJECT_ENSURE_REGISTERED(MscclCollective);

namespace
{

/// Steps that the thread blocks of a GPU have made, all loops counted.
using MscclProgress = std::vector<uint64_t>;

/**
 * What a loop takes of a chunk is what fits into a buffer of a connection at a time: half of the
 * 4 MiB of Simple, and the data in an eighth of those of the others (Azure/msccl,
 * src/collectives/device/msccl_interpreter.h, and NCCL's default sizes of buffers).
 *
 * @param protocol a protocol
 * @return most of a chunk that a loop takes, bytes
 */
uint64_t
GetLoopBytes(CollectiveProtocol protocol)
{
    // Flags are not counted.
    switch (protocol)
    {
    case CollectiveProtocol::LL:
        return 32768;
    case CollectiveProtocol::LL128:
        return 576000;
    default:
        return 2 * 1024 * 1024;
    }
}

/**
 * A thread block: a step with a message or none for each of its steps, and two for one that passes
 * on what it receives.
 */
class MscclPipeline : public ChunkPipeline
{
  public:
    /**
     * @param plan the plan; must outlive the pipeline
     * @param gpu the GPU
     * @param block number of the block
     * @param loops how many pieces each chunk goes in
     * @param chunk length of a chunk, bytes
     * @param progress of all blocks of the GPU
     */
    MscclPipeline(std::shared_ptr<const MscclPlan> plan,
                  uint32_t gpu,
                  uint32_t block,
                  uint64_t loops,
                  uint64_t chunk,
                  std::shared_ptr<MscclProgress> progress)
        : ChunkPipeline(plan->gpus[gpu][block].channel),
          m_plan(std::move(plan)),
          m_block(m_plan->gpus[gpu][block]),
          m_blocks(m_plan->gpus[gpu]),
          m_number(block),
          m_loops(loops),
          m_chunk(chunk),
          m_progress(std::move(progress))
    {
        // The other end has a number of its own.
        Serve(m_block.tag);
    }

    bool IsBlocked() const override
    {
        // A message that was received is sent on without waiting again.
        const auto& own = (*m_progress)[m_number];
        const auto size = m_block.steps.size();
        if (m_hasReceived || own == size * m_loops)
        {
            return false;
        }
        // The other blocks must have come as far in the same loop.
        const uint64_t loop = own / size;
        const auto& dependencies = m_block.steps[own % size].dependencies;
        return std::any_of(dependencies.begin(), dependencies.end(), [this, loop](const auto& on) {
            const uint64_t theirs = m_blocks[on.block].steps.size();
            return (*m_progress)[on.block] <= loop * theirs + on.step;
        });
    }

    bool Next(CollectiveStep& step) override
    {
        step.clear();
        auto& own = (*m_progress)[m_number];
        const auto size = m_block.steps.size();
        if (own == size * m_loops)
        {
            return false;
        }
        // Progress counts steps of all loops. CheckMscclPlan() has followed chunks already.
        const auto& now = m_block.steps[own % size];
        const auto bytes =
            now.control + now.count * BufferPart{0, m_chunk}.Cut(m_loops, own / size).bytes;
        if (now.receives && !m_hasReceived)
        {
            AddTransfer(step,
                        now.reduces ? CollectiveTransfer::RECV_REDUCE
                                    : CollectiveTransfer::RECV_COPY,
                        now.sender,
                        {CollectiveTransfer::SOMEWHERE, bytes});
            m_hasReceived = true;
            return true;
        }
        if (now.sends)
        {
            AddTransfer(step,
                        CollectiveTransfer::SEND,
                        now.receiver,
                        {CollectiveTransfer::SOMEWHERE, bytes});
        }
        m_hasReceived = false;
        ++own;
        return true;
    }

  private:
    std::shared_ptr<const MscclPlan> m_plan;   //!< keeps what follows
    const MscclBlock& m_block;                 //!< the block
    const std::vector<MscclBlock>& m_blocks;   //!< all blocks of its GPU
    uint32_t m_number;                         //!< its number
    uint64_t m_loops;                          //!< how many pieces each chunk goes in
    uint64_t m_chunk;                          //!< length of a chunk, bytes
    std::shared_ptr<MscclProgress> m_progress; //!< of all blocks of the GPU
    bool m_hasReceived{false};                 //!< the present step's message was asked for
};

} // namespace

TypeId
MscclCollective::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::MscclCollective")
            .SetParent<CollectiveAlgorithm>()
            .SetGroupName("WorkloadReplay")
            .AddAttribute("ChunkBytes",
                          "Most that a loop over the steps of a plan takes of each of its chunks, "
                          "bytes. 0 = as MSCCL's runtime: 2 MiB with Simple, 576000 bytes with "
                          "LL128, 32 KiB with LL; or as that of MSCCL++, which has no loop.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&MscclCollective::m_chunkBytes),
                          MakeUintegerChecker<uint64_t>());
    return tid;
}

MscclCollective::MscclCollective(MscclPlan plan)
    : CollectiveAlgorithm(plan.file, {plan.kind}),
      m_plan(std::make_shared<const MscclPlan>(std::move(plan)))
{
    NS_LOG_FUNCTION(this);
}

Ptr<MscclCollective>
MscclCollective::Read(const std::string& file)
{
    auto plan = ReadMscclPlan(file);
    // Before anything runs: a plan that is wrong would hang, or end with wrong sums unnoticed.
    CheckMscclPlan(plan);
    return CreateObject<MscclCollective>(std::move(plan));
}

const MscclPlan&
MscclCollective::GetPlan() const
{
    return *m_plan;
}

std::string
MscclCollective::FindUnsupportedReason(const CollectiveCall& call) const
{
    const auto& plan = *m_plan;
    if (call.size != plan.gpus.size())
    {
        return "it is for " + std::to_string(plan.gpus.size()) + " members";
    }
    // A chunk has one length.
    if (call.splits)
    {
        return "it is for parts of equal length";
    }
    if (HasRoot(call.kind) && call.root != 0)
    {
        return "its root is member 0";
    }
    // MSCCL counts elements, whose size calls do not say; MSCCL++ aligns chunks.
    const auto multiple = std::lcm(plan.granule, uint64_t{plan.chunks});
    if (call.bytes % multiple != 0)
    {
        return "it is for multiples of " + std::to_string(multiple) + " bytes, its chunks";
    }
    if (call.bytes < plan.minBytes || (plan.maxBytes > 0 && call.bytes > plan.maxBytes))
    {
        return "it is for " + std::to_string(plan.minBytes) +
               (plan.maxBytes > 0 ? " to " + std::to_string(plan.maxBytes) + " bytes"
                                  : " bytes or more");
    }
    return "";
}

bool
MscclCollective::LeavesUnsupported() const
{
    return true;
}

std::vector<CollectiveProtocol>
MscclCollective::GetProtocols() const
{
    return {m_plan->protocol};
}

uint32_t
MscclCollective::GetChannels(const CollectiveCall& /* call */) const
{
    return m_plan->channels;
}

ChunkPipelines
MscclCollective::DoPlan(const CollectiveCall& call) const
{
    const auto chunk = call.bytes / m_plan->chunks;
    const auto usual = m_plan->isWhole ? 0 : GetLoopBytes(m_plan->protocol);
    const auto most = m_chunkBytes > 0 ? m_chunkBytes : usual;
    // All chunks go in as many loops, so that GPUs agree.
    const auto loops = PipelineItems::CountPieces(chunk, most);
    const auto& blocks = m_plan->gpus[call.index];
    auto progress = std::make_shared<MscclProgress>(blocks.size(), 0);
    ChunkPipelines pipelines;
    for (uint32_t block = 0; block < blocks.size(); ++block)
    {
        pipelines.push_back(
            std::make_unique<MscclPipeline>(m_plan, call.index, block, loops, chunk, progress));
    }
    return pipelines;
}

} // namespace ns3
