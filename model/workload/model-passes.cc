/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "model-passes.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace ns3
{

namespace
{

/// Slot of tensor parallel ranks.
constexpr auto TP_SLOT = static_cast<uint32_t>(Dimension::TP);

/// Multiprocessors of a userbuffers' kernel that gathers or reduces beside a whole product
/// (Transformer Engine, pytorch/module/base.py, get_default_config(), bulk). Copies round a ring
/// have none.
constexpr uint32_t BULK_MULTIPROCESSORS = 16;

/// Bytes of an element of what a layer puts out.
constexpr double ELEMENT_BYTES = 2;

/**
 * @param step a step
 * @param phase FORWARD, BACKWARD_INPUT or BACKWARD_WEIGHT
 * @return what it computes then
 */
const OperatorCost&
GetCost(const ModelStep& step, OpPhase phase)
{
    return phase == OpPhase::FORWARD          ? step.forward
           : phase == OpPhase::BACKWARD_INPUT ? step.inputGradient
                                              : step.weightGradient;
}

/**
 * Leave out what a checkpoint of PyTorch does not compute again. It stops when it has all that was
 * saved for the gradients (torch.utils.checkpoint.set_checkpoint_early_stop, the default where
 * use_reentrant is off, as LLM Foundry and TorchTitan have it). A linear layer saves its input
 * before it multiplies, and a sum saves nothing: so the last ones of a layer do not run, nor what
 * is communicated after them.
 *
 * @param steps the steps of a layer
 * @return those that run again
 */
ModelSteps
GetEarlyStopped(ModelSteps steps)
{
    while (!steps.empty() && steps.back().forward.kind == OperatorKind::ELEMENTWISE)
    {
        steps.pop_back();
    }
    if (!steps.empty() && steps.back().forward.kind == OperatorKind::PRODUCT)
    {
        steps.pop_back();
    }
    return steps;
}

} // namespace

uint64_t
ModelTimes::GetTime(const ModelStep& step, OpPhase phase) const
{
    return GetPieceTime(step, phase, 1) + GetCastTime(step, phase);
}

uint64_t
ModelTimes::GetPieceTime(const ModelStep& step, OpPhase phase, uint32_t pieces) const
{
    if (const auto* time = measured ? measured->Find(step.name) : nullptr)
    {
        const auto whole = phase == OpPhase::FORWARD          ? time->forward
                           : phase == OpPhase::BACKWARD_INPUT ? time->backwardInput
                                                              : time->backwardWeight;
        return whole / pieces;
    }
    auto cost = GetCost(step, phase).WithoutCast();
    cost.matrixFlops /= pieces;
    cost.vectorFlops /= pieces;
    cost.memoryBytes /= pieces;
    cost.addedBytes /= pieces;
    return cost.matrixFlops + cost.vectorFlops + cost.memoryBytes > 0 ? accelerator.GetTime(cost)
                                                                      : 0;
}

uint64_t
ModelTimes::GetCastTime(const ModelStep& step, OpPhase phase) const
{
    const auto& cost = GetCost(step, phase);
    if (cost.castElements + cost.transposedBytes == 0 || (measured && measured->Find(step.name)))
    {
        return 0;
    }
    return accelerator.GetTime(cost) - accelerator.GetTime(cost.WithoutCast());
}

uint64_t
ModelTimes::GetLaunchTime(const ModelStep& step, OpPhase phase) const
{
    const bool isMeasured = measured && measured->Find(step.name);
    return isMeasured ? 0 : accelerator.GetLaunchTime(GetCost(step, phase));
}

ModelPassWriter::ModelPassWriter(const ModelJob& job, const ModelTimes& times, StageItems& items)
    : m_job(job),
      m_times(times),
      m_items(items)
{
}

void
ModelPassWriter::AddForward(const ModelSteps& steps, int32_t layer)
{
    Flush();
    m_layer = layer;
    for (const auto& step : steps)
    {
        AddForwardStep(step);
    }
    Flush();
}

void
ModelPassWriter::AddBackward(const ModelSteps& steps, int32_t layer)
{
    Flush();
    m_layer = layer;
    const auto recompute = m_job.training.recompute;
    // What is recomputed are layers, not embedding and head.
    if (recompute == Recomputation::FULL && layer >= 0)
    {
        // The mask of what drops out is saved behind the last linear layer.
        const bool stops = m_job.training.IsPytorch() && !m_job.model.dropout;
        AddForward(stops ? GetEarlyStopped(steps) : steps, layer);
    }
    const bool isByOperator = recompute == Recomputation::SELECTIVE && m_job.training.IsPytorch();
    if (isByOperator && layer >= 0)
    {
        AddAgain(steps);
    }
    for (auto step = steps.rbegin(); step != steps.rend(); ++step)
    {
        const bool isLast = step == steps.rbegin() || !std::prev(step)->RunsAgain(m_job.training);
        if (isLast)
        {
            AddModuleAgain(steps, step);
        }
        AddBackwardStep(*step);
    }
    Flush();
}

void
ModelPassWriter::AddModuleAgain(const ModelSteps& steps, ModelSteps::const_reverse_iterator last)
{
    const auto first = std::find_if(last, steps.rend(), [this](const ModelStep& step) {
        return !step.RunsAgain(m_job.training);
    });
    if (first != last)
    {
        Flush();
    }
    for (auto step = first.base(); step != last.base(); ++step)
    {
        AddForwardStep(*step);
    }
}

void
ModelPassWriter::AddAgain(const ModelSteps& steps)
{
    for (auto step : steps)
    {
        if (step.againShare == 0)
        {
            continue;
        }
        // What was reduced is kept, what was gathered is gathered again.
        step.after.clear();
        step.forward.matrixFlops *= step.againShare;
        step.forward.memoryBytes *= step.againShare;
        AddForwardStep(step);
    }
    Flush();
}

void
ModelPassWriter::AddCollective(StageItem item)
{
    Flush();
    item.op.layer = m_layer;
    m_items.push_back(std::move(item));
}

void
ModelPassWriter::Consume(StageResult result)
{
    Flush();
    m_consume.push_back(result);
}

void
ModelPassWriter::Flush()
{
    Write(m_forward, OpPhase::FORWARD);
    Write(m_input, OpPhase::BACKWARD_INPUT);
    Write(m_weight, OpPhase::BACKWARD_WEIGHT);
}

void
ModelPassWriter::Write(Pending& pending, OpPhase phase)
{
    if (pending.time > 0)
    {
        StageItem item;
        item.name = pending.name;
        item.op.phase = phase;
        // Where kernels are short, they wait for the host.
        item.op.amount = std::max(pending.time, pending.launch);
        Push(std::move(item));
    }
    pending = {};
}

void
ModelPassWriter::Push(StageItem item)
{
    item.op.layer = m_layer;
    // Gradients of weights do not wait for what gradients of inputs come to.
    if (item.op.phase != OpPhase::BACKWARD_WEIGHT)
    {
        for (const auto& result : m_consume)
        {
            // An item without work: all that follows waits, whatever the next one leaves behind.
            StageItem wait;
            wait.consumes = result;
            m_items.push_back(std::move(wait));
        }
        m_consume.clear();
    }
    m_items.push_back(std::move(item));
}

void
ModelPassWriter::AddCompute(const ModelStep& step, OpPhase phase)
{
    Append(step.name, phase, m_times.GetTime(step, phase), m_times.GetLaunchTime(step, phase));
}

void
ModelPassWriter::Append(const std::string& name, OpPhase phase, uint64_t time, uint64_t launch)
{
    if (time == 0)
    {
        return;
    }
    // Steps without communication in between become one op, named by the first and the last.
    auto& pending = phase == OpPhase::FORWARD          ? m_forward
                    : phase == OpPhase::BACKWARD_INPUT ? m_input
                                                       : m_weight;
    pending.first = pending.time == 0 ? name : pending.first;
    pending.name = pending.time == 0 ? name : pending.first + ".." + name;
    pending.time += time;
    pending.launch += launch;
}

StageItem
ModelPassWriter::MakeCall(const ModelStep& step, const ModelTransfer& transfer, bool forward) const
{
    StageItem item;
    item.name = step.name;
    item.op.kind = OpKind::COLLECTIVE;
    item.op.collective = forward ? transfer.forward : transfer.backward;
    item.op.amount = forward ? transfer.forwardBytes : transfer.backwardBytes;
    item.op.communicator = transfer.slot;
    item.op.multiprocessors = transfer.multiprocessors;
    item.op.phase = forward ? OpPhase::FORWARD : OpPhase::BACKWARD_INPUT;
    item.splits = forward ? transfer.forwardSplits : transfer.backwardSplits;
    return item;
}

void
ModelPassWriter::AddTransfer(const ModelStep& step, const ModelTransfer& transfer, bool forward)
{
    const auto call = MakeCall(step, transfer, forward);
    if (call.IsEmpty())
    {
        return;
    }
    Flush();
    for (uint32_t i = 0; i < transfer.repetitions; ++i)
    {
        Push(call);
    }
}

bool
ModelPassWriter::IsOverlapped(const ModelStep& step) const
{
    // Linear layers of Transformer Engine, which those of embedding and output are not.
    return m_job.training.overlapTensor && m_layer >= 0 &&
           step.forward.kind == OperatorKind::PRODUCT;
}

const ModelTransfer*
ModelPassWriter::FindOverlapped(const ModelStep& step,
                                const std::vector<ModelTransfer>& transfers,
                                bool forward) const
{
    if (!IsOverlapped(step) || transfers.size() != 1)
    {
        return nullptr;
    }
    const auto& transfer = transfers.front();
    const auto kind = forward ? transfer.forward : transfer.backward;
    const bool isShared =
        kind == CollectiveKind::ALL_GATHER || kind == CollectiveKind::REDUCE_SCATTER;
    return isShared && transfer.slot == TP_SLOT ? &transfer : nullptr;
}

uint64_t
ModelPassWriter::GetShiftBytes(const ModelTransfer& transfer, bool forward) const
{
    const auto bytes = forward ? transfer.forwardBytes : transfer.backwardBytes;
    return bytes / m_job.layout.tp;
}

void
ModelPassWriter::AddPiece(const ModelStep& step, OpPhase phase, uint32_t piece, uint32_t pieces)
{
    StageItem item;
    item.name = step.name + "[" + std::to_string(piece) + "]";
    item.op.phase = phase;
    item.op.amount = m_times.GetPieceTime(step, phase, pieces);
    Push(std::move(item));
}

void
ModelPassWriter::AddCast(const ModelStep& step, OpPhase phase)
{
    Append(step.name + "[cast]", phase, m_times.GetCastTime(step, phase), 0);
}

void
ModelPassWriter::AddFromRing(const ModelStep& step, OpPhase phase, StageItem call, uint32_t shifts)
{
    AddCast(step, phase);
    Flush();
    // Each shift leaves a result of its own number behind, for which one piece waits.
    const auto first = m_results + 1;
    m_results += shifts;
    for (uint32_t i = 0; i < shifts; ++i)
    {
        call.produces = {first + i, false};
        Push(call);
    }
    // The rank's own piece is there already.
    AddPiece(step, phase, 0, shifts + 1);
    for (uint32_t i = 0; i < shifts; ++i)
    {
        m_consume.push_back({first + i, false});
        AddPiece(step, phase, i + 1, shifts + 1);
    }
}

void
ModelPassWriter::AddToRing(const ModelStep& step, StageItem call, uint32_t shifts)
{
    AddCast(step, OpPhase::FORWARD);
    Flush();
    // A piece is on its way round the ring while the next one is computed.
    for (uint32_t i = 0; i < shifts; ++i)
    {
        AddPiece(step, OpPhase::FORWARD, i, shifts + 1);
        call.produces = {++m_results, false};
        Push(call);
    }
    AddPiece(step, OpPhase::FORWARD, shifts, shifts + 1);
    m_consume.push_back(call.produces);
    // Pieces of all ranks lie side by side; a kernel reads them and writes their sum.
    const auto bytes = static_cast<double>(call.op.amount);
    ModelStep sum;
    sum.name = step.name + "[sum]";
    sum.forward = {0,
                   shifts * bytes / ELEMENT_BYTES,
                   (shifts + 2) * bytes,
                   Precision::BF16,
                   OperatorKind::ELEMENTWISE};
    AddCompute(sum, OpPhase::FORWARD);
}

void
ModelPassWriter::AddForwardStep(const ModelStep& step)
{
    if (step.ringSteps > 0)
    {
        AddFromRing(step,
                    OpPhase::FORWARD,
                    MakeCall(step, step.before.back(), true),
                    step.ringSteps);
        return;
    }
    // A collective that overlaps is tp - 1 shifts round the ring.
    const auto shifts = m_job.layout.tp - 1;
    const auto* from = FindOverlapped(step, step.before, true);
    const auto* to = FindOverlapped(step, step.after, true);
    const auto makeShift = [&](const ModelTransfer& transfer) {
        auto call = MakeCall(step, transfer, true);
        call.op.collective = CollectiveKind::SHIFT;
        call.op.amount = GetShiftBytes(transfer, true);
        return call;
    };
    if (from)
    {
        AddFromRing(step, OpPhase::FORWARD, makeShift(*from), shifts);
    }
    else
    {
        for (const auto& transfer : step.before)
        {
            AddTransfer(step, transfer, true);
        }
        if (to)
        {
            AddToRing(step, makeShift(*to), shifts);
            return;
        }
        AddCompute(step, OpPhase::FORWARD);
    }
    for (const auto& transfer : step.after)
    {
        AddTransfer(step, transfer, true);
    }
}

void
ModelPassWriter::AddBackwardStep(const ModelStep& step)
{
    const auto* ring = step.ringSteps > 0 ? &step.before.back() : nullptr;
    const auto* from = FindOverlapped(step, step.after, false);
    // Backward undoes the step from its end: what followed it comes first.
    for (auto transfer = step.after.rbegin(); transfer != step.after.rend() && !from; ++transfer)
    {
        AddTransfer(step, *transfer, false);
    }
    const auto gathered = AddRegathering(step);
    if (ring)
    {
        AddFromRing(step, OpPhase::BACKWARD_INPUT, MakeCall(step, *ring, false), step.ringSteps);
        return;
    }
    if (from)
    {
        auto call = MakeCall(step, *from, false);
        call.op.collective = CollectiveKind::SHIFT;
        call.op.amount = GetShiftBytes(*from, false);
        AddFromRing(step, OpPhase::BACKWARD_INPUT, std::move(call), m_job.layout.tp - 1);
        AddCompute(step, OpPhase::BACKWARD_WEIGHT);
        return;
    }
    AddInputGradient(step, gathered);
}

StageResult
ModelPassWriter::AddRegathering(const ModelStep& step)
{
    StageResult gathered;
    // Gradients of weights need the whole input, of which sequence parallelism keeps a part only.
    if (step.regatherBytes > 0)
    {
        Flush();
        StageItem gather;
        gather.name = step.name;
        gather.op.kind = OpKind::COLLECTIVE;
        gather.op.collective = CollectiveKind::ALL_GATHER;
        gather.op.amount = step.regatherBytes;
        gather.op.communicator = TP_SLOT;
        gather.op.phase = OpPhase::BACKWARD_WEIGHT;
        gather.op.multiprocessors = IsOverlapped(step) ? BULK_MULTIPROCESSORS : 0;
        gathered.number = ++m_results;
        gather.produces = gathered;
        Push(std::move(gather));
    }
    return gathered;
}

void
ModelPassWriter::AddInputGradient(const ModelStep& step, StageResult gathered)
{
    const bool communicates =
        std::any_of(step.before.begin(), step.before.end(), [&](const ModelTransfer& transfer) {
            return !MakeCall(step, transfer, false).IsEmpty();
        });
    if (communicates)
    {
        // Gradients of weights of steps before are not to hide what this step communicates.
        Flush();
    }
    AddCompute(step, OpPhase::BACKWARD_INPUT);
    if (!communicates || m_job.training.IsPytorch())
    {
        AddCompute(step, OpPhase::BACKWARD_WEIGHT);
        // PyTorch's autograd computes both gradients before it goes on to the communication of the
        // input, which compiled blocks wait for where it begins. Its asynchronous tensor
        // parallelism takes a reduce-scatter to pieces only behind a single product, not behind
        // the sum of those of several matrices (torch/_inductor/fx_passes/micro_pipeline_tp.py,
        // _find_producer_matmul).
        for (auto transfer = step.before.rbegin(); transfer != step.before.rend(); ++transfer)
        {
            AddTransfer(step, *transfer, false);
        }
        return;
    }
    Flush();
    AddReduction(step, gathered);
}

void
ModelPassWriter::AddReduction(const ModelStep& step, StageResult gathered)
{
    StageResult last;
    // Calls follow one another in reverse; gradients of weights need not wait for them.
    for (auto transfer = step.before.rbegin(); transfer != step.before.rend(); ++transfer)
    {
        auto call = MakeCall(step, *transfer, false);
        if (IsOverlapped(step) && transfer->slot == TP_SLOT)
        {
            call.op.multiprocessors = BULK_MULTIPROCESSORS;
        }
        for (uint32_t i = 0; i < transfer->repetitions && !call.IsEmpty(); ++i)
        {
            call.consumes = last;
            call.produces = {++m_results, false};
            last = call.produces;
            Push(call);
        }
    }
    m_consume.push_back(last);
    if (const auto time = m_times.GetTime(step, OpPhase::BACKWARD_WEIGHT))
    {
        StageItem item;
        item.name = step.name;
        item.op.phase = OpPhase::BACKWARD_WEIGHT;
        item.op.amount = time;
        item.op.layer = m_layer;
        item.consumes = gathered;
        m_items.push_back(std::move(item));
    }
}

} // namespace ns3
