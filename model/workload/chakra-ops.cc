/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "chakra-ops.h"

#include "chakra-facts.h"
#include "chakra-file.h"
#include "chakra-schema.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace ns3
{

namespace
{

/// Longest time of a computation, ps: some 11 days.
constexpr double MAX_TIME = 1e18;

/// Most bytes of a message or of a rank's part in a collective: a thousand times any memory.
constexpr uint64_t MAX_BYTES = 1ULL << 50;

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
    result.unit = isHost ? ChakraUnit::HOST : ChakraUnit::DEVICE;
    if (isRecorded)
    {
        // Older converters write the stream of a kernel where ops of the host have their thread.
        const bool hasStream = !isHost && attributes.Has("stream");
        result.number = attributes.GetInteger(hasStream ? "stream" : "tid").value_or(0);
    }
    switch (GetType(node))
    {
    case ChakraNodeType::METADATA:
        result.unit = ChakraUnit::METADATA;
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
        // Some traces have the time in the attribute runtime.
        node.duration_micros() > 0 ? node.duration_micros() : GetCount(node, "runtime");
    if (static_cast<double>(micros) * CHAKRA_TIME_UNIT > MAX_TIME)
    {
        throw WorkloadError(Locate(node),
                            "a duration of at most 10^12 us",
                            std::to_string(micros) + " in " + Name(node));
    }
    // From microseconds to picoseconds.
    result.op.amount = micros * CHAKRA_TIME_UNIT;
    // Only work of the accelerator is estimated: ops of the host without a time take none.
    if (micros == 0 && result.unit == ChakraUnit::DEVICE)
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
        // Work without a rate takes no time; a warning says how often.
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
    // Elsewhere sizes are bytes already.
    return m_index.GetProducer() == ChakraIndex::STAGE ? STAGE_ELEMENT : 1;
}

void
ChakraOpMaker::SetCollective(const chakra::Node& node, ChakraOp& result)
{
    const auto type = ChakraAttributes(node).GetInteger("comm_type");
    if (!type || *type < 0 || *type >= static_cast<int64_t>(CHAKRA_COLLECTIVES.size()))
    {
        throw WorkloadError(Locate(node),
                            "a comm_type from 0 to 9",
                            (type ? std::to_string(*type) : "none") + " in " + Quoted(node.name()));
    }
    // By the number that Chakra's schema gives the kind.
    const auto& kind = CHAKRA_COLLECTIVES[static_cast<std::size_t>(*type)];
    auto& op = result.op;
    op.kind = OpKind::COLLECTIVE;
    op.communicator = FindSlot(node);
    op.collective = kind.kind;
    // What a barrier lists as size moves nothing.
    const bool hasBytes = kind.kind != CollectiveKind::BARRIER;
    op.amount = hasBytes ? FindBytes(node, "inputs") : 0;
    SetSplits(node, result);
    // Nothing to move: the members only wait for each other.
    if (op.amount == 0 && !result.splits)
    {
        op.collective = CollectiveKind::BARRIER;
    }
    const auto members = static_cast<uint32_t>(m_members[op.communicator].size());
    // Of these kinds Chakra counts one member's part, CollectiveKind the whole.
    op.amount *= kind.isPart ? members : 1;
    SetRoot(node, result);
    ReadChakraOpFacts(node, members, op);
    result.unit = ChakraUnit::COLLECTIVE;
}

void
ChakraOpMaker::SetSplits(const chakra::Node& node, ChakraOp& result) const
{
    const ChakraAttributes attributes(node);
    if (result.op.collective != CollectiveKind::ALL_TO_ALL || !attributes.Has(CHAKRA_SENT))
    {
        return;
    }
    AllToAllSplits splits{attributes.GetNumbers(CHAKRA_SENT),
                          attributes.GetNumbers(CHAKRA_RECEIVED)};
    const auto members = m_members[result.op.communicator].size();
    if (splits.send.size() != members || splits.receive.size() != members)
    {
        throw WorkloadError(Locate(node),
                            std::to_string(members) + " numbers in " + CHAKRA_SENT + " and in " +
                                CHAKRA_RECEIVED + ", one for each rank of the group",
                            std::to_string(splits.send.size()) + " and " +
                                std::to_string(splits.receive.size()) + " in " +
                                Quoted(node.name()));
    }
    result.splits = std::move(splits);
}

void
ChakraOpMaker::SetRoot(const chakra::Node& node, ChakraOp& result)
{
    if (!HasRoot(result.op.collective))
    {
        return;
    }
    const auto root = ChakraAttributes(node).GetInteger(CHAKRA_ROOT);
    if (!root)
    {
        // The first member is taken, and a warning says how often.
        ++m_notes.rootless;
        return;
    }
    const auto& members = m_members[result.op.communicator];
    const auto member = std::find(members.begin(), members.end(), *root);
    if (member == members.end())
    {
        throw WorkloadError(Locate(node),
                            std::string(CHAKRA_ROOT) + ", a rank of its group",
                            std::to_string(*root) + " in " + Quoted(node.name()));
    }
    result.op.peer = static_cast<uint32_t>(member - members.begin());
}

void
ChakraOpMaker::SetPointToPoint(const chakra::Node& node, ChakraOp& result)
{
    const bool isSend = node.type() == static_cast<uint32_t>(ChakraNodeType::COMM_SEND);
    auto& op = result.op;
    op.kind = isSend ? OpKind::SEND : OpKind::RECV;
    op.peer =
        isSend ? FindPeer(node, "comm_src", "comm_dst") : FindPeer(node, "comm_dst", "comm_src");
    op.amount = FindBytes(node, isSend ? "inputs" : "outputs");
    const auto tag = ChakraAttributes(node).GetInteger("comm_tag").value_or(0);
    if (tag < std::numeric_limits<int32_t>::min() || tag > std::numeric_limits<uint32_t>::max())
    {
        throw WorkloadError(Locate(node),
                            "a comm_tag of 32 bits",
                            std::to_string(tag) + " in " + Quoted(node.name()));
    }
    // Negative tags keep their 32 bits; both ends of a message convert them alike.
    op.tag = static_cast<uint32_t>(tag);
    SetPeerSlot(node, op);
    ReadChakraOpFacts(node, 1, op);
    result.unit = isSend ? ChakraUnit::SEND : ChakraUnit::RECV;
}

void
ChakraOpMaker::SetPeerSlot(const chakra::Node& node, WorkloadOp& op)
{
    // Only our own exporter is known to name the same group on both sides.
    if (!m_index.GetStreams().empty() && !GetChakraGroup(node).empty())
    {
        op.communicator = FindSlot(node);
        const auto& members = m_members[op.communicator];
        // Where a group is all ranks, a rank need not be looked for.
        const bool isSame = op.peer < members.size() && members[op.peer] == op.peer;
        const auto member =
            isSame ? members.begin() + op.peer : std::find(members.begin(), members.end(), op.peer);
        if (member == members.end())
        {
            throw WorkloadError(Locate(node),
                                "another rank of group " + Quoted(GetChakraGroup(node)),
                                std::to_string(op.peer) + " in " + Quoted(node.name()));
        }
        op.peer = static_cast<uint32_t>(member - members.begin());
        return;
    }
    if (!m_peerSlot)
    {
        m_peerSlot = static_cast<uint32_t>(m_slots.size());
        // Messages without a group have a communicator of their own: all ranks.
        m_slots.emplace_back();
        m_members.emplace_back();
    }
    op.communicator = *m_peerSlot;
}

uint32_t
ChakraOpMaker::FindPeer(const chakra::Node& node, const char* own, const char* other) const
{
    const ChakraAttributes attributes(node);
    // Traces may leave out their own rank.
    const auto self = attributes.GetInteger(own).value_or(m_rank);
    if (self != m_rank)
    {
        throw WorkloadError(Locate(node),
                            std::string(own) + " " + std::to_string(m_rank) +
                                ", the rank of the trace",
                            std::to_string(self) + " in " + Quoted(node.name()));
    }
    const auto peer = attributes.GetInteger(other);
    if (!peer)
    {
        const bool isRecorded = m_index.GetProducer() == ChakraIndex::PYTORCH;
        throw WorkloadError(Locate(node),
                            std::string(other) + ", the other rank",
                            "none in " + Quoted(node.name()) +
                                (isRecorded ? ": PyTorch traces do not carry the peers of sends "
                                              "and receives"
                                            : ""));
    }
    if (*peer < 0 || *peer >= m_world || *peer == m_rank)
    {
        throw WorkloadError(Locate(node),
                            std::string(other) + " from 0 to " + std::to_string(m_world - 1) +
                                " and not " + std::to_string(m_rank) + " itself",
                            std::to_string(*peer) + " in " + Quoted(node.name()));
    }
    return static_cast<uint32_t>(*peer);
}

uint64_t
ChakraOpMaker::FindBytes(const chakra::Node& node, const char* list)
{
    const ChakraAttributes attributes(node);
    if (!attributes.GetInteger("comm_size"))
    {
        throw WorkloadError(Locate(node), "comm_size, a number", "none in " + Quoted(node.name()));
    }
    const auto size = GetCount(node, "comm_size");
    // A size above the limit is refused below; multiplied it could exceed 64 bits.
    auto bytes = size <= MAX_BYTES ? size * GetElementBytes() : size;
    if (m_index.GetProducer() == ChakraIndex::STAGE && m_options.elementBytes == 0)
    {
        // STAGE lists the bytes of the tensor beside, which give the width of its elements; but not
        // always: of tensors that are sharded anew it lists 0 or the bytes of another one.
        const auto listed = attributes.GetLastOfList(list);
        for (const uint64_t width : {1, 2, 4, 8})
        {
            bytes = listed && *listed == width * size ? *listed : bytes;
        }
    }
    // Counted for a note: these sizes were elements.
    m_notes.symbolic += bytes != size ? 1 : 0;
    if (bytes > MAX_BYTES)
    {
        throw WorkloadError(Locate(node),
                            "a comm_size of at most 2^50 bytes",
                            std::to_string(bytes) + " in " + Quoted(node.name()));
    }
    return bytes;
}

uint32_t
ChakraOpMaker::FindSlot(const chakra::Node& node)
{
    const auto name = GetChakraGroup(node);
    const auto known = m_slotOf.find(name);
    if (known != m_slotOf.end())
    {
        return known->second;
    }
    if (!m_groups.IsKnown(name, m_index.GetProducer() == ChakraIndex::PYTORCH))
    {
        throw WorkloadError(Locate(node),
                            "a group that the file of groups defines",
                            Quoted(name) + " in " + Quoted(node.name()),
                            NearestName(name, m_groups.GetNames()));
    }
    const auto group = m_groups.Resolve(name);
    const auto ranks = m_groups.GetRanks(group);
    if (std::find(ranks.begin(), ranks.end(), m_rank) == ranks.end())
    {
        throw WorkloadError(Locate(node),
                            "a group with rank " + std::to_string(m_rank),
                            Quoted(name) + " in " + Quoted(node.name()) +
                                ", which it is no member of");
    }
    // Several names may mean one group, such as "3.0" and "3": they share a slot.
    const auto same = std::find(m_slots.begin(), m_slots.end(), group);
    const auto slot = static_cast<uint32_t>(same - m_slots.begin());
    if (same == m_slots.end())
    {
        m_slots.emplace_back(group);
        m_members.push_back(ranks);
    }
    m_slotOf[name] = slot;
    return slot;
}

} // namespace ns3
