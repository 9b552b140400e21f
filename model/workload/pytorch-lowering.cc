/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "pytorch-lowering.h"

#include <algorithm>

namespace ns3
{

namespace
{

/**
 * @param node an operator with a kernel
 * @return its name with the shapes of its tensors: aten::mm[512,1024][1024,1024]
 */
std::string
DescribeShapes(const PytorchNode& node)
{
    auto text = node.name;
    for (const auto& tensor : node.inputs)
    {
        std::string lengths;
        for (const auto length : tensor.shape)
        {
            lengths += (lengths.empty() ? "" : ",") + std::to_string(length);
        }
        text += "[" + lengths + "]";
    }
    return text;
}

/**
 * @param node an operator with a kernel
 * @return whether it moves data between an accelerator and the host
 */
bool
IsHostCopy(const PytorchNode& node)
{
    if (node.name == "aten::_local_scalar_dense")
    {
        // Tensor.item(): the number that it brings to the host is no tensor there.
        return true;
    }
    // A single number goes to the kernel as an argument.
    const auto isOnHost = [](const auto& tensor) {
        return !tensor.onDevice && tensor.elements > 1;
    };
    return node.name.find("copy_") != std::string::npos &&
           std::any_of(node.inputs.begin(), node.inputs.end(), isOnHost);
}

/**
 * @param node a node
 * @return whether it is an operator whose tensors are the host's
 */
bool
IsOfHost(const PytorchNode& node)
{
    const auto isOnDevice = [](const auto& tensor) { return tensor.onDevice; };
    return !node.schema.empty() && !node.inputs.empty() &&
           std::none_of(node.inputs.begin(), node.inputs.end(), isOnDevice) &&
           std::none_of(node.outputs.begin(), node.outputs.end(), isOnDevice);
}

} // namespace

PytorchLowering::PytorchLowering(const PytorchTrace& trace,
                                 uint32_t rank,
                                 const Accelerator& accelerator,
                                 const OperatorTimes* times,
                                 PytorchNotes& notes)
    : m_trace(trace),
      m_rank(rank),
      m_accelerator(accelerator),
      m_costs(accelerator),
      m_times(times),
      m_notes(notes),
      m_builder(trace.file)
{
}

std::shared_ptr<const WorkloadProgram>
PytorchLowering::Lower(const FindRanks& findRanks, const EvenBytes& evenBytes)
{
    m_findRanks = findRanks;
    m_evenBytes = evenBytes;
    m_builder.SetNodes({});
    const auto running = FindRunning();
    for (const auto& node : m_trace.nodes)
    {
        if (node.message)
        {
            AddCommunication(node);
        }
        else if (running.count(node.id) > 0)
        {
            AddOperator(node);
        }
        else if (IsOfHost(node))
        {
            ++m_notes.host;
        }
    }
    return m_builder.Build();
}

std::set<uint64_t>
PytorchLowering::FindRunning() const
{
    std::set<uint64_t> hidden;
    for (const auto& node : m_trace.nodes)
    {
        // Parts have larger numbers.
        if (hidden.count(node.parent) > 0 || PytorchCosts::IsAttention(node))
        {
            hidden.insert(node.id);
        }
    }
    std::map<uint64_t, PytorchCosts::Part> parts;
    std::set<uint64_t> running;
    // From the end, where parts come before the operator that they are parts of.
    for (auto node = m_trace.nodes.rbegin(); node != m_trace.nodes.rend(); ++node)
    {
        const auto own = hidden.count(node->parent) > 0 ? PytorchCosts::NOTHING
                         : node->message                ? PytorchCosts::PRODUCT
                                                        : PytorchCosts::FindPart(*node);
        const bool isHidden = hidden.count(node->id) > 0;
        auto& rest = parts[node->id];
        // Where a part has a kernel of the same kind, that is the one that runs.
        if (!node->message && own > (isHidden ? PytorchCosts::NOTHING : rest))
        {
            running.insert(node->id);
        }
        auto& parent = parts[node->parent];
        parent = std::max({parent, own, rest});
    }
    return running;
}

void
PytorchLowering::AddOperator(const PytorchNode& node)
{
    WorkloadOp op;
    op.amount = FindTime(node);
    const auto index = AddOp(op, node, {"compute", true});
    AddWaits(index);
    for (const auto* tensors : {&node.inputs, &node.outputs})
    {
        for (const auto& tensor : *tensors)
        {
            // The host may wait without a trace, or not at all: memory tells what is needed.
            const auto writer = m_written.find(tensor.storage);
            if (writer != m_written.end())
            {
                m_builder.AddFinishEdge(writer->second, index);
                // Later operators come after this one in the stream anyway.
                m_written.erase(writer);
            }
        }
    }
    m_computed = {index};
}

uint64_t
PytorchLowering::FindTime(const PytorchNode& node)
{
    // A row for these shapes goes before one for all shapes.
    for (const auto& name : {DescribeShapes(node), node.name})
    {
        const auto* row = m_times ? m_times->Find(name) : nullptr;
        if (row)
        {
            ++m_notes.measured;
            m_notes.used.insert(name);
            return row->forward;
        }
    }
    if (IsHostCopy(node))
    {
        ++m_notes.copies;
        return 0;
    }
    const auto cost = m_costs.Find(node);
    const bool isProduct = cost.matrixFlops > 0 || cost.vectorFlops > 0;
    m_notes.products += isProduct ? 1 : 0;
    m_notes.others += isProduct ? 0 : 1;
    m_notes.wide += cost.vectorFlops > 0 ? 1 : 0;
    return std::max(m_accelerator.GetTime(cost), m_accelerator.GetLaunchTime(cost));
}

void
PytorchLowering::AddCommunication(const PytorchNode& node)
{
    const auto& message = *node.message;
    const auto word = KinetoValues::FindCommunication(message.name);
    if (word == "wait")
    {
        const auto [begin, end] = m_numbers.equal_range(node.sequence);
        for (auto found = begin; found != end; ++found)
        {
            m_waits.insert(found->second);
        }
        m_numbers.erase(begin, end);
        return;
    }
    const auto kind = KinetoValues::FindCollective(word);
    const bool isMessage = word == "send" || word == "recv";
    if (!kind && !isMessage)
    {
        // Beginnings and ends of groups of calls, and the making of communicators.
        const bool isCall = message.sent.value_or(0) > 0 || message.received.value_or(0) > 0;
        m_notes.unknown += isCall ? 1 : 0;
        return;
    }
    const auto ranks = m_findRanks(node);
    const auto member =
        static_cast<uint32_t>(std::find(ranks.begin(), ranks.end(), m_rank) - ranks.begin());
    WorkloadOp op;
    op.communicator = FindSlot(message.group, ranks);
    const auto peer = message.peer.value_or(0);
    const bool isPeer = peer < ranks.size() && peer != member;
    if (isMessage && !isPeer)
    {
        ++m_notes.unknown;
        return;
    }
    const auto& name = m_slots[op.communicator].first;
    WorkloadStream stream{name.empty() ? "world" : name, false, Dimension::WORLD};
    if (kind)
    {
        SetCollective(node, *kind, op);
        op.peer = HasRoot(op.collective) && peer < ranks.size() ? peer : 0;
    }
    else
    {
        stream = {word, false, Dimension::PP, StreamOrder::PARALLEL};
        op.kind = word == "send" ? OpKind::SEND : OpKind::RECV;
        op.peer = peer;
        op.amount = std::max(message.sent.value_or(0), message.received.value_or(0));
    }
    Connect(node, AddOp(op, node, stream));
}

void
PytorchLowering::Connect(const PytorchNode& node, OpIndex index)
{
    // PyTorch lets a call wait for all that was computed before it (ProcessGroupNCCL).
    for (const auto before : m_computed)
    {
        m_builder.AddFinishEdge(before, index);
    }
    for (const auto before : m_waits)
    {
        m_builder.AddFinishEdge(before, index);
    }
    for (const auto& tensor : node.inputs)
    {
        const auto writer = m_written.find(tensor.storage);
        if (writer != m_written.end() && m_waits.count(writer->second) == 0)
        {
            m_builder.AddFinishEdge(writer->second, index);
        }
    }
    // The node that waits for the call names it by this number.
    m_numbers.emplace(node.sequence, index);
    for (const auto& tensor : node.outputs)
    {
        m_written[tensor.storage] = index;
    }
}

void
PytorchLowering::SetCollective(const PytorchNode& node, CollectiveKind kind, WorkloadOp& op)
{
    const auto& message = *node.message;
    const auto members = m_slots[op.communicator].second.size();
    const bool isBarrier = kind == CollectiveKind::BARRIER;
    auto& calls = m_collectives[op.communicator];
    op.kind = OpKind::COLLECTIVE;
    op.amount = isBarrier ? 0 : KinetoValues::CountBytes(kind, message, members).value_or(0);
    if (m_evenBytes)
    {
        op.amount = m_evenBytes(op.communicator, calls.size(), op.amount);
    }
    const auto splits = KinetoValues::MakeSplits(kind, message, members);
    op.splits = splits ? m_builder.AddSplits(*splits) : op.splits;
    // Nothing to move: the members only wait for each other.
    op.collective = op.amount == 0 && !splits ? CollectiveKind::BARRIER : kind;
    // Parts may have any length, and 0 says that members need not agree.
    calls.emplace_back(kind, splits ? 0 : op.amount);
}

PytorchLowering::OpIndex
PytorchLowering::AddOp(WorkloadOp op, const PytorchNode& node, const WorkloadStream& stream)
{
    const auto [found, isNew] = m_streams.try_emplace(stream.name);
    found->second = isNew ? m_builder.AddStream(stream) : found->second;
    op.stream = found->second;
    op.origin = static_cast<uint32_t>(std::min<uint64_t>(node.id, UINT32_MAX));
    return m_builder.AddOp(op, node.message ? node.message->name : node.name);
}

void
PytorchLowering::AddWaits(OpIndex op)
{
    for (const auto before : m_waits)
    {
        m_builder.AddFinishEdge(before, op);
    }
    m_waits.clear();
}

uint32_t
PytorchLowering::FindSlot(const std::string& name, const std::vector<uint32_t>& ranks)
{
    const RecordedGroups::Group group{name, ranks};
    const auto found = std::find(m_slots.begin(), m_slots.end(), group);
    if (found != m_slots.end())
    {
        return static_cast<uint32_t>(found - m_slots.begin());
    }
    m_slots.push_back(group);
    m_collectives.emplace_back();
    return static_cast<uint32_t>(m_slots.size() - 1);
}

const std::vector<RecordedGroups::Group>&
PytorchLowering::GetSlots() const
{
    return m_slots;
}

const std::vector<RecordedGroups::Calls>&
PytorchLowering::GetCollectives() const
{
    return m_collectives;
}

} // namespace ns3
