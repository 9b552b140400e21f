/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "goal-lowering.h"

#include "ns3/assert.h"

namespace ns3
{

namespace
{

/// Most streams of a program, which numbers them in 16 bits.
constexpr std::size_t MAX_STREAMS = 60000;

} // namespace

GoalLowering::GoalLowering(const std::string& file, bool hasNodes, uint32_t rank, uint32_t world)
    : m_builder(file),
      m_rank(rank),
      m_world(world)
{
    if (hasNodes)
    {
        m_builder.SetNodes({});
    }
}

std::string
GoalLowering::FindFault(const GoalNode& node) const
{
    if (node.kind == OpKind::COMPUTE)
    {
        return node.amount <= MAX_NANOSECONDS
                   ? ""
                   : "a time of at most " + std::to_string(MAX_NANOSECONDS) + " ns";
    }
    if (node.amount > MAX_BYTES)
    {
        return "a message of at most " + std::to_string(MAX_BYTES) + " bytes";
    }
    const bool isAny = node.kind == OpKind::RECV && node.peer == WorkloadOp::ANY_PEER;
    if (isAny || (node.peer < m_world && node.peer != m_rank))
    {
        return "";
    }
    return "a rank from 0 to " + std::to_string(m_world - 1) + " other than rank " +
           std::to_string(m_rank) + " itself" + (node.kind == OpKind::RECV ? ", or -1 (any)" : "");
}

void
GoalLowering::Reserve(uint64_t nodes, uint64_t edges)
{
    m_builder.Reserve(nodes, edges);
}

GoalLowering::OpIndex
GoalLowering::Add(const GoalNode& node, uint32_t origin, std::string_view name)
{
    NS_ASSERT_MSG(node.cpu <= MAX_LANE && node.nic <= MAX_LANE, "a CPU or NIC beyond all");
    WorkloadOp op;
    op.kind = node.kind;
    op.origin = origin;
    op.cpu = static_cast<uint16_t>(node.cpu);
    op.nic = static_cast<uint16_t>(node.nic);
    if (node.kind == OpKind::COMPUTE)
    {
        // From nanoseconds to picoseconds; FindFault() has refused what would exceed 64 bits.
        op.amount = node.amount * 1000;
        op.stream = FindStream(true, op.cpu);
        return m_builder.AddOp(op, name.empty() ? "calc" : name);
    }
    op.amount = node.amount;
    op.peer = static_cast<uint32_t>(node.peer);
    op.tag = node.tag;
    op.stream = FindStream(false, op.nic);
    return m_builder.AddOp(op, name.empty() ? ToString(op.kind) : name);
}

void
GoalLowering::AddEdge(OpIndex before, OpIndex after, bool isStart)
{
    if (isStart)
    {
        m_builder.AddStartEdge(before, after);
    }
    else
    {
        m_builder.AddFinishEdge(before, after);
    }
}

uint64_t
GoalLowering::GetNOps() const
{
    return m_builder.GetDraft().GetOps().size();
}

std::shared_ptr<const WorkloadProgram>
GoalLowering::Build()
{
    // A rank without ops has a stream all the same, by which UsesResources() knows what it is.
    if (m_streams.empty())
    {
        FindStream(true, 0);
    }
    return m_builder.Build();
}

uint16_t
GoalLowering::FindStream(bool isCpu, uint16_t number)
{
    // Numbers of NICs come after those of all CPUs.
    const auto [entry, isNew] = m_streams.try_emplace(number + (isCpu ? 0 : MAX_LANE + 1));
    if (isNew)
    {
        if (m_streams.size() > MAX_STREAMS)
        {
            throw WorkloadError({m_builder.GetDraft().GetFile(), 0, 0, ""},
                                "at most " + std::to_string(MAX_STREAMS) + " CPUs and NICs a rank",
                                "more in rank " + std::to_string(m_rank));
        }
        WorkloadStream stream;
        stream.name = (isCpu ? "cpu" : "nic") + std::to_string(number);
        stream.compute = isCpu;
        stream.order = StreamOrder::RESOURCES;
        entry->second = m_builder.AddStream(stream);
    }
    return entry->second;
}

} // namespace ns3
