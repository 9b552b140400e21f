/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "chakra-facts.h"

#include "chakra-attributes.h"
#include "chakra-schema.h"

#include "ns3/input-values.h"
#include "ns3/workload-text.h"

#include <algorithm>
#include <array>
#include <utility>

namespace ns3
{

namespace
{

constexpr const char* STREAMS = "wl_streams"; //!< list: "KIND ORDER DIMENSION NAME"
constexpr const char* GROUPS = "wl_groups";   //!< list: "GROUP DIMENSION LABEL"

/// What streams do, as it is written: the network's traffic, or work of the accelerator or host.
const std::vector<std::string> STREAM_KINDS{"network", "compute", "host"};

/// Orders of streams by StreamOrder, as they are written.
const std::vector<std::string> STREAM_ORDERS{"in-order", "as-ready", "parallel"};

/// Counts of a layout, and the attributes that hold them. The world is the number of traces.
const std::array<std::pair<const char*, uint32_t ParallelLayout::*>, 6> COUNTS{
    {{"wl_tp", &ParallelLayout::tp},
     {"wl_cp", &ParallelLayout::cp},
     {"wl_ep", &ParallelLayout::ep},
     {"wl_dp", &ParallelLayout::dp},
     {"wl_pp", &ParallelLayout::pp},
     {"wl_microbatches", &ParallelLayout::microbatches}}};

/**
 * @return names of all dimensions
 */
const std::vector<std::string>&
GetDimensionNames()
{
    static const auto names = []() {
        std::vector<std::string> all;
        for (std::size_t i = 0; i < N_DIMENSIONS; ++i)
        {
            all.push_back(ToString(static_cast<Dimension>(i)));
        }
        return all;
    }();
    return names;
}

/**
 * @ingroup workload-replay
 * @brief Takes an entry of a list apart, word by word.
 */
class EntryReader
{
  public:
    /**
     * @param text the entry
     * @param where its place
     */
    EntryReader(std::string text, SourceLocation where)
        : m_text(std::move(text)),
          m_where(std::move(where))
    {
    }

    /**
     * @return the next word
     */
    std::string Next()
    {
        const auto end = std::min(m_text.find(' ', m_begin), m_text.size());
        const auto word = m_text.substr(m_begin, end - m_begin);
        m_begin = std::min(end + 1, m_text.size());
        return word;
    }

    /**
     * @param words the words that are known
     * @return which of them is the next
     */
    std::size_t NextOf(const std::vector<std::string>& words)
    {
        return FindWord({Next(), m_where}, words, "one of " + JoinWords(words));
    }

    /**
     * @return what is left, which may have blanks
     */
    std::string GetRest() const
    {
        return m_text.substr(m_begin);
    }

  private:
    std::string m_text;     //!< the entry
    SourceLocation m_where; //!< its place
    std::size_t m_begin{0}; //!< where the next word begins
};

/**
 * @param metadata metadata of a trace
 * @param name name of a list
 * @return what is in it
 */
std::vector<std::string>
GetTexts(const chakra::GlobalMetadata& metadata, const char* name)
{
    const auto* attribute = FindChakraAttribute(metadata, name);
    if (!attribute)
    {
        return {};
    }
    const auto& values = attribute->text_list().values();
    return {values.begin(), values.end()};
}

/**
 * @param stream a stream
 * @return its place in STREAM_KINDS
 */
std::size_t
FindKind(const WorkloadStream& stream)
{
    return stream.compute ? 1 : (stream.host ? 2 : 0);
}

} // namespace

void
WriteChakraFacts(const ChakraFacts& facts, chakra::GlobalMetadata& metadata)
{
    auto& streams = *AddChakraAttribute(metadata, STREAMS).mutable_text_list();
    for (const auto& stream : facts.streams)
    {
        streams.add_values(STREAM_KINDS[FindKind(stream)] + " " +
                           STREAM_ORDERS[static_cast<std::size_t>(stream.order)] + " " +
                           ToString(stream.dimension) + " " + stream.name);
    }
    auto& groups = *AddChakraAttribute(metadata, GROUPS).mutable_text_list();
    for (const auto& fact : facts.groups)
    {
        groups.add_values(fact.group + " " + ToString(fact.dimension) + " " + fact.label);
    }
    for (const auto& [name, count] : COUNTS)
    {
        if (facts.layout)
        {
            AddChakraAttribute(metadata, name).set_uint32_value((*facts.layout).*count);
        }
    }
}

ChakraFacts
ReadChakraFacts(const chakra::GlobalMetadata& metadata, const std::string& file)
{
    ChakraFacts facts;
    for (const auto& text : GetTexts(metadata, STREAMS))
    {
        EntryReader entry(text, {file + ", " + STREAMS, 0, 0, ""});
        WorkloadStream stream;
        const auto kind = entry.NextOf(STREAM_KINDS);
        stream.compute = kind == 1;
        stream.host = kind == 2;
        stream.order = static_cast<StreamOrder>(entry.NextOf(STREAM_ORDERS));
        stream.dimension = static_cast<Dimension>(entry.NextOf(GetDimensionNames()));
        stream.name = entry.GetRest();
        facts.streams.push_back(stream);
    }
    for (const auto& text : GetTexts(metadata, GROUPS))
    {
        EntryReader entry(text, {file + ", " + GROUPS, 0, 0, ""});
        ChakraGroupFact fact;
        fact.group = entry.Next();
        fact.dimension = static_cast<Dimension>(entry.NextOf(GetDimensionNames()));
        fact.label = entry.GetRest();
        facts.groups.push_back(fact);
    }
    for (const auto& [name, count] : COUNTS)
    {
        const auto* attribute = FindChakraAttribute(metadata, name);
        if (attribute)
        {
            facts.layout = facts.layout.value_or(ParallelLayout());
            (*facts.layout).*count = attribute->uint32_value();
        }
    }
    return facts;
}

void
WriteChakraOpFacts(const WorkloadOp& op, uint32_t members, chakra::Node& node)
{
    AddChakraAttribute(node, CHAKRA_STREAM).set_int32_value(op.stream);
    if (op.phase != OpPhase::FORWARD)
    {
        AddChakraAttribute(node, CHAKRA_PHASE).set_text_value(ToString(op.phase));
    }
    if (op.layer >= 0)
    {
        AddChakraAttribute(node, CHAKRA_LAYER).set_int32_value(op.layer);
    }
    if (op.microbatch >= 0)
    {
        AddChakraAttribute(node, CHAKRA_MICROBATCH).set_int32_value(op.microbatch);
    }
    // duration_micros is cut to whole microseconds: the exact picoseconds stand beside it.
    if (op.kind == OpKind::COMPUTE && node.duration_micros() * CHAKRA_TIME_UNIT != op.amount)
    {
        AddChakraAttribute(node, CHAKRA_TIME).set_uint64_value(op.amount);
    }
    // comm_size is a member's part, rounded up, from which the whole cannot be computed.
    if (op.kind == OpKind::COLLECTIVE && op.amount % members != 0 &&
        (op.collective == CollectiveKind::ALL_GATHER || op.collective == CollectiveKind::GATHER))
    {
        AddChakraAttribute(node, CHAKRA_BYTES).set_uint64_value(op.amount);
    }
}

void
ReadChakraOpFacts(const chakra::Node& node, uint32_t members, WorkloadOp& op)
{
    const ChakraAttributes attributes(node);
    const auto phase = attributes.GetText(CHAKRA_PHASE);
    // FORWARD is not written: it is the phase of an op without the attribute.
    for (const auto value : {OpPhase::BACKWARD_INPUT,
                             OpPhase::BACKWARD_WEIGHT,
                             OpPhase::GRAD_SYNC,
                             OpPhase::OPTIMIZER})
    {
        op.phase = phase == ToString(value) ? value : op.phase;
    }
    op.layer = static_cast<int32_t>(attributes.GetInteger(CHAKRA_LAYER).value_or(-1));
    op.microbatch = static_cast<int32_t>(attributes.GetInteger(CHAKRA_MICROBATCH).value_or(-1));
    const auto exact = [&attributes](const char* name) {
        return static_cast<uint64_t>(std::max<int64_t>(attributes.GetInteger(name).value_or(0), 0));
    };
    // Exact values count only if they round to the ordinary ones, which another tool may have
    // changed alone.
    const auto time = exact(CHAKRA_TIME);
    if (op.kind == OpKind::COMPUTE && time > 0 && time < op.amount + CHAKRA_TIME_UNIT &&
        op.amount < time + CHAKRA_TIME_UNIT)
    {
        op.amount = time;
    }
    const auto bytes = exact(CHAKRA_BYTES);
    if (op.kind == OpKind::COLLECTIVE && bytes > 0 && bytes < op.amount &&
        op.amount - bytes < members)
    {
        op.amount = bytes;
    }
}

} // namespace ns3
