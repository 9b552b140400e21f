/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "chakra-lowering.h"

#include "chakra-facts.h"
#include "chakra-file.h"

#include <algorithm>

namespace ns3
{

namespace
{

/// Most streams of a program, which numbers them in 16 bits.
constexpr std::size_t MAX_STREAMS = 60000;

} // namespace

ChakraLowering::ChakraLowering(const ChakraOptions& options,
                               const ChakraIndex& index,
                               ChakraOpMaker& maker,
                               ChakraNotes& notes)
    : m_index(index),
      m_maker(maker),
      m_notes(notes),
      m_isRecorded(index.GetProducer() == ChakraIndex::PYTORCH),
      m_usesControl(options.controlDependencies == "on" ||
                    (options.controlDependencies == "auto" && !m_isRecorded)),
      m_hasShortIds(std::all_of(index.GetIds().begin(),
                                index.GetIds().end(),
                                [](uint64_t id) { return id <= UINT32_MAX; })),
      m_builder(index.GetPath())
{
}

std::shared_ptr<const WorkloadProgram>
ChakraLowering::Lower()
{
    const auto& ids = m_index.GetIds();
    m_builder.SetNodes(m_hasShortIds ? std::vector<uint64_t>() : ids);
    m_builder.Reserve(ids.size(), m_index.GetDependencyCount());
    for (const auto& stream : m_index.GetStreams())
    {
        m_builder.AddStream(stream);
    }
    ReadNodes();
    AddOrder();
    return m_builder.Build();
}

void
ChakraLowering::ReadNodes()
{
    ChakraFile file(m_index.GetPath());
    chakra::Node node;
    for (uint32_t place = 0; file.Next(); ++place)
    {
        file.Read(node);
        // The index is of a first pass over the file.
        if (place >= m_index.GetIds().size() || m_index.GetIds()[place] != node.id())
        {
            throw WorkloadError(file.AtNode(node.id()),
                                "a file that stays as it is while it is read",
                                "another node than before");
        }
        AddOp(node, place);
        AddEdges(node, place, node.data_dependencies());
        if (m_usesControl)
        {
            AddEdges(node, place, node.control_dependencies());
        }
        else
        {
            m_notes.unusedControls += static_cast<uint64_t>(node.control_dependencies_size());
        }
    }
}

void
ChakraLowering::AddOp(const chakra::Node& node, uint32_t place)
{
    auto result = m_maker.Make(node);
    auto& op = result.op;
    // Origins have 32 bits: if an id is longer, the place in the list of ids stands for it.
    op.origin = m_hasShortIds ? static_cast<uint32_t>(node.id()) : place;
    op.stream = FindStream(node, result);
    op.splits = result.splits ? m_builder.AddSplits(*result.splits) : op.splits;
    if (m_isRecorded)
    {
        const bool isDevice = result.unit == ChakraUnit::DEVICE;
        if (isDevice || result.unit == ChakraUnit::COLLECTIVE)
        {
            m_deviceOrder.AddDeviceOp(place, result.number, isDevice);
        }
        else
        {
            m_deviceOrder.AddHostOp(place, node.name());
            // How long a wait was when it was recorded says nothing of the replay: its edges do.
            op.amount = ChakraDeviceOrder::IsWait(node.name()) ? 0 : op.amount;
        }
    }
    m_builder.AddOp(op, node.name());
}

template <typename Dependencies>
void
ChakraLowering::AddEdges(const chakra::Node& node, uint32_t place, const Dependencies& dependencies)
{
    for (const auto id : dependencies)
    {
        const auto before = m_index.Find(id);
        if (before != ChakraIndex::NONE && before != place)
        {
            // An edge that the order of the stream implies would only take memory.
            if (!IsStreamOrder(before, place))
            {
                m_builder.AddFinishEdge(before, place);
            }
            continue;
        }
        if (!m_isRecorded)
        {
            throw WorkloadError(
                {m_index.GetPath() + ", node " + std::to_string(node.id()), 0, 0, ""},
                "dependencies on other nodes of the file",
                "one on node " + std::to_string(id) +
                    (before == place ? ", itself, in " : ", which is not there, in ") +
                    Quoted(node.name()));
        }
        // The converter of PyTorch's traces drops nodes without minding who depends on them.
        ++m_notes.strayEdges;
    }
}

bool
ChakraLowering::IsStreamOrder(OpIndex before, OpIndex after) const
{
    const auto& program = m_builder.GetDraft();
    // Streams that do not run in order list no ops here, so that their edges are kept.
    const auto& ops = program.GetStreamOps(program.GetOps()[after].stream);
    return ops.size() > 1 && ops.back() == after && ops[ops.size() - 2] == before;
}

uint16_t
ChakraLowering::FindStream(const chakra::Node& node, const ChakraOp& op)
{
    const auto named = ChakraAttributes(node).GetInteger(CHAKRA_STREAM);
    const auto count = static_cast<int64_t>(m_index.GetStreams().size());
    if (named && count > 0)
    {
        if (*named < 0 || *named >= count)
        {
            throw WorkloadError(
                {m_index.GetPath() + ", node " + std::to_string(node.id()), 0, 0, ""},
                std::string(CHAKRA_STREAM) + " from 0 to " + std::to_string(count - 1),
                std::to_string(*named) + " in " + Quoted(node.name()));
        }
        return static_cast<uint16_t>(*named);
    }
    const bool isCollective = op.unit == ChakraUnit::COLLECTIVE;
    const bool isCompute = op.unit == ChakraUnit::HOST || op.unit == ChakraUnit::DEVICE;
    const int64_t number = isCollective ? op.op.communicator : (isCompute ? op.number : 0);
    const auto known = m_streams.find({op.unit, number});
    if (known != m_streams.end())
    {
        return known->second;
    }
    if (m_streams.size() + m_index.GetStreams().size() >= MAX_STREAMS)
    {
        throw WorkloadError({m_index.GetPath(), 0, 0, ""},
                            "at most " + std::to_string(MAX_STREAMS) +
                                " streams, threads and groups",
                            "more");
    }
    return m_streams[{op.unit, number}] = m_builder.AddStream(MakeStream(op));
}

WorkloadStream
ChakraLowering::MakeStream(const ChakraOp& op) const
{
    const auto suffix = m_isRecorded ? "-" + std::to_string(op.number) : "";
    switch (op.unit)
    {
    case ChakraUnit::METADATA:
        return {"metadata", false, Dimension::WORLD, StreamOrder::PARALLEL, true};
    case ChakraUnit::HOST:
        return {"cpu" + suffix, false, Dimension::WORLD, StreamOrder::AS_READY, true};
    case ChakraUnit::DEVICE:
        return {"compute" + suffix, true, Dimension::WORLD, StreamOrder::AS_READY};
    case ChakraUnit::COLLECTIVE:
        break;
    case ChakraUnit::SEND:
        return {"send", false, Dimension::PP, StreamOrder::PARALLEL};
    case ChakraUnit::RECV:
        return {"recv", false, Dimension::PP, StreamOrder::PARALLEL};
    }
    const auto fact = m_maker.GetGroupFact(op.op.communicator);
    return {fact.label, false, fact.dimension, StreamOrder::AS_READY};
}

void
ChakraLowering::AddOrder()
{
    auto order = m_builder.FindOrder();
    CountLeaves();
    if (m_isRecorded)
    {
        order = m_deviceOrder.SortByLaunch(m_builder.GetDraft(), order);
        m_deviceOrder.AddEdges(order, m_builder);
    }
    ChainCollectives(order);
}

void
ChakraLowering::ChainCollectives(const std::vector<OpIndex>& order)
{
    const auto& ops = m_builder.GetDraft().GetOps();
    std::vector<std::optional<OpIndex>> last(m_maker.GetSlots().size());
    // A collective is identified by its number in its communicator: all members need the same
    // order.
    for (const auto index : order)
    {
        // Streams that the trace names have their order.
        const bool isOwn = ops[index].stream < m_index.GetStreams().size();
        if (ops[index].kind == OpKind::COLLECTIVE && !isOwn)
        {
            auto& before = last[ops[index].communicator];
            if (before)
            {
                m_builder.AddFinishEdge(*before, index);
            }
            before = index;
        }
    }
}

void
ChakraLowering::CountLeaves()
{
    const auto& program = m_builder.GetDraft();
    const auto& ops = program.GetOps();
    for (OpIndex op = 0; op < ops.size() && m_isRecorded; ++op)
    {
        const auto successors = program.GetFinishSuccessors(op);
        const bool isLeaf = successors.begin() == successors.end();
        m_notes.leaves += isLeaf && program.GetStreams()[ops[op].stream].compute ? 1 : 0;
    }
}

} // namespace ns3
