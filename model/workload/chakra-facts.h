/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef CHAKRA_FACTS_H
#define CHAKRA_FACTS_H

#include "chakra-trace.pb.h"
#include "workload.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ns3
{

/// @name Attributes of nodes for what the schema has no word for; who does not know them goes by
/// the rest of the node.
/// @{
constexpr const char* CHAKRA_STREAM = "wl_stream";         //!< number of its stream
constexpr const char* CHAKRA_PHASE = "wl_phase";           //!< see OpPhase; none = forward
constexpr const char* CHAKRA_LAYER = "wl_layer";           //!< layer
constexpr const char* CHAKRA_MICROBATCH = "wl_microbatch"; //!< microbatch
constexpr const char* CHAKRA_TIME = "wl_duration_ps";      //!< time that is not whole us
constexpr const char* CHAKRA_BYTES = "wl_bytes";     //!< bytes of a result that parts do not give
constexpr const char* CHAKRA_ROOT = "wl_root";       //!< rank of the root of a collective
constexpr const char* CHAKRA_SENT = "wl_send_bytes"; //!< all-to-all: bytes to each member
constexpr const char* CHAKRA_RECEIVED = "wl_receive_bytes"; //!< all-to-all: bytes from each member
/// @}

/// Picoseconds of a microsecond, in which Chakra counts.
constexpr uint64_t CHAKRA_TIME_UNIT = 1000000;

/**
 * @ingroup workload-replay
 * @brief What is known of a group beside its ranks.
 */
struct ChakraGroupFact
{
    std::string group;                     //!< its name in traces
    Dimension dimension{Dimension::WORLD}; //!< the parallelism that it serves
    std::string label;                     //!< its name in reports
};

/**
 * @ingroup workload-replay
 * @brief What a trace that was exported by this module says, in attributes of its metadata, beyond
 *        what the schema has words for.
 */
struct ChakraFacts
{
    std::vector<WorkloadStream> streams;  //!< streams by number; empty = somebody else's trace
    std::vector<ChakraGroupFact> groups;  //!< groups of the rank, in the order of their numbers
    std::optional<ParallelLayout> layout; //!< shape of the job
};

/**
 * @ingroup workload-replay
 * @param [in,out] owner a node or metadata; takes an attribute
 * @param name its name
 * @return the attribute, to be given a value
 */
template <typename Owner>
chakra::Attribute&
AddChakraAttribute(Owner& owner, const char* name)
{
    auto* attribute = owner.add_attributes();
    attribute->set_name(name);
    return *attribute;
}

/**
 * @ingroup workload-replay
 * @param facts what is to be said
 * @param [in,out] metadata takes it
 */
void WriteChakraFacts(const ChakraFacts& facts, chakra::GlobalMetadata& metadata);

/**
 * @ingroup workload-replay
 * @param metadata metadata of a trace
 * @param file the file, for errors
 * @return what it says
 * @throws WorkloadError if it says it in words that are not known
 */
ChakraFacts ReadChakraFacts(const chakra::GlobalMetadata& metadata, const std::string& file);

/**
 * @ingroup workload-replay
 * @brief Say what the fields of a node cannot say of its op: its stream, what it belongs to, and
 *        amounts that the units of Chakra round.
 *
 * @param op the op
 * @param members number of members of its communicator, if it is a collective
 * @param [in,out] node the node, with all that the schema has words for
 */
void WriteChakraOpFacts(const WorkloadOp& op, uint32_t members, chakra::Node& node);

/**
 * @ingroup workload-replay
 * @brief Take in what WriteChakraOpFacts() has said, but for the stream.
 *
 * An exact amount counts only as long as the rounded one beside is that of it: who edits a trace
 * need not know of both.
 *
 * @param node a node
 * @param members number of members of its group, if it is a collective
 * @param [in,out] op what it says without these attributes
 */
void ReadChakraOpFacts(const chakra::Node& node, uint32_t members, WorkloadOp& op);

} // namespace ns3

#endif /* CHAKRA_FACTS_H */
