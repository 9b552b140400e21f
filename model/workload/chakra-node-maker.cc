/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "chakra-node-maker.h"

#include "chakra-facts.h"
#include "chakra-file.h"
#include "chakra-schema.h"

#include <algorithm>

namespace ns3
{

namespace
{

/// Version of the schema; 1.0.0 has the same fields, and older readers do not know it.
constexpr const char* SCHEMA = "0.0.4";

/**
 * @param kind what an op does
 * @return the type of its node
 */
ChakraNodeType
FindType(OpKind kind)
{
    switch (kind)
    {
    case OpKind::COLLECTIVE:
        return ChakraNodeType::COMM_COLL;
    case OpKind::SEND:
        return ChakraNodeType::COMM_SEND;
    case OpKind::RECV:
        return ChakraNodeType::COMM_RECV;
    case OpKind::COMPUTE:
        break;
    }
    return ChakraNodeType::COMP;
}

} // namespace

std::string
NameChakraGroup(uint32_t communicator)
{
    return std::to_string(uint64_t{communicator} + 1);
}

ChakraNodeMaker::ChakraNodeMaker(const Workload& workload, uint32_t rank)
    : m_workload(workload),
      m_rank(rank),
      m_program(workload.GetProgram(rank)),
      m_worked(m_program.GetStreams().size())
{
}

chakra::GlobalMetadata
ChakraNodeMaker::MakeMetadata() const
{
    ChakraFacts facts;
    facts.streams = m_program.GetStreams();
    facts.layout = m_workload.GetLayout();
    auto communicators = m_workload.GetCommunicatorSlots(m_rank);
    std::sort(communicators.begin(), communicators.end());
    for (const auto id : communicators)
    {
        const auto& communicator = m_workload.GetCommunicators()[id];
        facts.groups.push_back({NameChakraGroup(id), communicator.dimension, communicator.name});
    }
    chakra::GlobalMetadata metadata;
    metadata.set_version(SCHEMA);
    WriteChakraFacts(facts, metadata);
    return metadata;
}

void
ChakraNodeMaker::Make(uint32_t index, const std::vector<uint32_t>& dependencies, chakra::Node& node)
{
    const auto& op = m_program.GetOps()[index];
    node.Clear();
    node.set_id(index);
    node.set_name(m_program.GetName(op));
    node.set_type(static_cast<uint32_t>(FindType(op.kind)));
    for (const auto before : dependencies)
    {
        node.add_data_dependencies(before);
    }
    const bool isHost = op.kind == OpKind::COMPUTE && m_program.GetStreams()[op.stream].host;
    AddChakraAttribute(node, "is_cpu_op").set_bool_value(isHost);
    switch (op.kind)
    {
    case OpKind::COMPUTE:
        SetComputation(op, node);
        break;
    case OpKind::COLLECTIVE:
        SetCollective(op, node);
        break;
    case OpKind::SEND:
    case OpKind::RECV:
        SetPointToPoint(op, node);
        break;
    }
}

void
ChakraNodeMaker::SetComputation(const WorkloadOp& op, chakra::Node& node)
{
    // What is cut off of one computation is added to the next one of the stream.
    auto& worked = m_worked[op.stream];
    const auto before = worked / CHAKRA_TIME_UNIT;
    worked += op.amount;
    node.set_duration_micros(worked / CHAKRA_TIME_UNIT - before);
    WriteChakraOpFacts(op, 1, node);
}

void
ChakraNodeMaker::SetCollective(const WorkloadOp& op, chakra::Node& node) const
{
    const auto& communicator = GetCommunicator(op);
    const auto type = std::find_if(
        CHAKRA_COLLECTIVES.begin(),
        CHAKRA_COLLECTIVES.end(),
        [&op](const ChakraCollective& collective) { return collective.kind == op.collective; });
    const auto members = static_cast<uint32_t>(communicator.ranks.size());
    // For some kinds Chakra gives the size of one member's part, not that of the buffer.
    const uint64_t parts = type->isPart ? members : 1;
    AddChakraAttribute(node, "comm_type").set_int64_value(type - CHAKRA_COLLECTIVES.begin());
    AddChakraAttribute(node, "comm_size")
        .set_int64_value(
            static_cast<int64_t>(op.amount / parts + (op.amount % parts != 0 ? 1 : 0)));
    AddChakraAttribute(node, "pg_name")
        .set_text_value(NameChakraGroup(m_workload.GetCommunicatorSlots(m_rank)[op.communicator]));
    WriteChakraOpFacts(op, members, node);
    if (HasRoot(op.collective))
    {
        AddChakraAttribute(node, CHAKRA_ROOT)
            .set_int32_value(static_cast<int32_t>(communicator.ranks[op.peer]));
    }
    const auto* splits = m_program.GetSplits(op);
    if (splits)
    {
        const auto add = [&node](const char* name, const std::vector<uint64_t>& bytes) {
            auto& list = *AddChakraAttribute(node, name).mutable_uint64_list();
            for (const auto part : bytes)
            {
                list.add_values(part);
            }
        };
        add(CHAKRA_SENT, splits->send);
        add(CHAKRA_RECEIVED, splits->receive);
    }
}

void
ChakraNodeMaker::SetPointToPoint(const WorkloadOp& op, chakra::Node& node) const
{
    const bool isSend = op.kind == OpKind::SEND;
    const auto peer = GetCommunicator(op).ranks[op.peer];
    const auto add = [&node](const char* name, uint32_t value) {
        // Readers of 32 bits expect signed ones.
        AddChakraAttribute(node, name).set_int32_value(static_cast<int32_t>(value));
    };
    add("comm_src", isSend ? m_rank : peer);
    add("comm_dst", isSend ? peer : m_rank);
    add("comm_tag", op.tag);
    AddChakraAttribute(node, "comm_size").set_int64_value(static_cast<int64_t>(op.amount));
    AddChakraAttribute(node, "pg_name")
        .set_text_value(NameChakraGroup(m_workload.GetCommunicatorSlots(m_rank)[op.communicator]));
    WriteChakraOpFacts(op, 1, node);
}

const Communicator&
ChakraNodeMaker::GetCommunicator(const WorkloadOp& op) const
{
    return m_workload.GetCommunicators()[m_workload.GetCommunicatorSlots(m_rank)[op.communicator]];
}

} // namespace ns3
