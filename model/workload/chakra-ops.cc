/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "chakra-ops.h"

#include "chakra-facts.h"
#include "chakra-file.h"

#include <algorithm>
#include <cmath>

namespace ns3
{

namespace
{

/// Longest time of a computation, ps: some 11 days.
constexpr double MAX_TIME = 1e18;

/// Bytes of an element of STAGE, whose tensors are of 16 bits where it does not say more.
constexpr uint64_t STAGE_ELEMENT = 2;

/**
 * @param node a node
 * @return its type
 */
ChakraNodeType
GetType(const chakra::Node& node)
{
    const bool isKnown = node.type() <= static_cast<uint32_t>(ChakraNodeType::COMM_COLL);
    return isKnown ? static_cast<ChakraNodeType>(node.type()) : ChakraNodeType::INVALID;
}

/**
 * @param node a node
 * @return how messages name it
 */
std::string
Name(const chakra::Node& node)
{
    return Quoted(node.name());
}

} // namespace

bool
IsChakraCollective(const chakra::Node& node)
{
    const ChakraAttributes attributes(node);
    return attributes.Has("comm_type") || !attributes.GetSwitch("is_cpu_op");
}

std::string
GetChakraGroup(const chakra::Node& node)
{
    // STAGE calls it comm_group in its older traces.
    const ChakraAttributes attributes(node);
    return attributes.GetText(attributes.Has("pg_name") ? "pg_name" : "comm_group");
}

ChakraOpMaker::ChakraOpMaker(const ChakraOptions& options,
                             const ChakraIndex& index,
                             const ChakraGroups& groups,
                             uint32_t rank,
                             uint32_t world,
                             ChakraNotes& notes)
    : m_options(options),
      m_index(index),
      m_groups(groups),
      m_rank(rank),
      m_world(world),
      m_notes(notes)
{
}

const std::vector<std::optional<std::string>>&
ChakraOpMaker::GetSlots() const
{
    return m_slots;
}

ChakraGroupFact
ChakraOpMaker::GetGroupFact(uint32_t slot) const
{
    return m_groups.GetFact(*m_slots[slot]);
}

ChakraOp
ChakraOpMaker::Make(const chakra::Node& node)
{
    const ChakraAttributes attributes(node);
    const bool isHost = attributes.GetSwitch("is_cpu_op");
    const bool isRecorded = m_index.GetProducer() == ChakraIndex::PYTORCH;
    ChakraOp result;
    result.lane = isHost ? ChakraLane::HOST : ChakraLane::DEVICE;
    if (isRecorded)
    {
        // Older converters write the stream of a kernel where ops of the host have their thread.
        const bool hasStream = !isHost && attributes.Has("stream");
        result.number = attributes.GetInteger(hasStream ? "stream" : "tid").value_or(0);
    }
    switch (GetType(node))
    {
    case ChakraNodeType::METADATA:
        result.lane = ChakraLane::METADATA;
        break;
    case ChakraNodeType::COMM_COLL:
        if (IsChakraCollective(node))
        {
            SetCollective(node, result);
            break;
        }
        [[fallthrough]];
    case ChakraNodeType::COMP:
    case ChakraNodeType::MEM_LOAD:
    case ChakraNodeType::MEM_STORE:
        SetTime(node, result);
        break;
    case ChakraNodeType::COMM_SEND:
    case ChakraNodeType::COMM_RECV:
        // What PyTorch records of the host is the call; the transfer is a kernel.
        if (isHost && isRecorded)
        {
            SetTime(node, result);
        }
        else
        {
            SetPointToPoint(node, result);
        }
        break;
    case ChakraNodeType::INVALID:
        throw WorkloadError(Locate(node),
                            "a node type from 1 to 7",
                            std::to_string(node.type()) + " in " + Name(node));
    }
    return result;
}

void
ChakraOpMaker::SetTime(const chakra::Node& node, ChakraOp& result)
{
    const auto micros =
        node.duration_micros() > 0 ? node.duration_micros() : GetCount(node, "runtime");
    if (static_cast<double>(micros) * CHAKRA_TIME_UNIT > MAX_TIME)
    {
        throw WorkloadError(Locate(node),
                            "a duration of at most 10^12 us",
                            std::to_string(micros) + " in " + Name(node));
    }
    result.op.amount = micros * CHAKRA_TIME_UNIT;
    // Only work of the accelerator is estimated: ops of the host without a time take none.
    if (micros == 0 && result.lane == ChakraLane::DEVICE)
    {
        result.op.amount = FindRooflineTime(node);
    }
    ReadChakraOpFacts(node, 1, result.op);
}

uint64_t
ChakraOpMaker::FindRooflineTime(const chakra::Node& node)
{
    const ChakraAttributes attributes(node);
    const double operations = attributes.GetNumber("num_ops").value_or(0);
    const double bytes =
        attributes.GetNumber("tensor_size").value_or(0) * static_cast<double>(GetElementBytes());
    // A rate of 0 has not been given, and limits nothing.
    const auto divide = [](double amount, double rate) { return rate > 0 ? amount / rate : 0; };
    const double seconds =
        std::max(divide(operations, m_options.peakFlops), divide(bytes, m_options.memoryBandwidth));
    if (seconds == 0 && (operations > 0 || bytes > 0))
    {
        ++m_notes.untimed;
    }
    const double picoseconds = std::round(seconds * 1e12);
    // Negated, so that it holds for NaN as well.
    if (!(picoseconds >= 0 && picoseconds <= MAX_TIME))
    {
        throw WorkloadError(Locate(node),
                            "num_ops and tensor_size for at most 10^6 s",
                            "more in " + Name(node));
    }
    return static_cast<uint64_t>(picoseconds);
}

uint64_t
ChakraOpMaker::GetCount(const chakra::Node& node, const char* name) const
{
    const auto value = ChakraAttributes(node).GetInteger(name).value_or(0);
    if (value < 0)
    {
        throw WorkloadError(Locate(node),
                            std::string(name) + " of at least 0",
                            std::to_string(value) + " in " + Name(node));
    }
    return static_cast<uint64_t>(value);
}

SourceLocation
ChakraOpMaker::Locate(const chakra::Node& node) const
{
    return {m_index.GetPath() + ", node " + std::to_string(node.id()), 0, 0, ""};
}

uint64_t
ChakraOpMaker::GetElementBytes() const
{
    if (m_options.elementBytes > 0)
    {
        return m_options.elementBytes;
    }
    return m_index.GetProducer() == ChakraIndex::STAGE ? STAGE_ELEMENT : 1;
}

} // namespace ns3
