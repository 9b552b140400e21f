/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef CHAKRA_SCHEMA_H
#define CHAKRA_SCHEMA_H

#include "chakra-trace.pb.h"
#include "workload-types.h"

#include <array>
#include <cstddef>
#include <string>

namespace ns3
{

/// The schemas that are read, as they read after "expected": they are one and the same.
constexpr const char* CHAKRA_SCHEMAS = "the Chakra schema 0.0.4 or 1.0.0 (convert older traces)";

/**
 * @ingroup workload-replay
 * @brief Recognize a trace of a schema that had no metadata yet: its first message is a node.
 *
 * @param bytes the first message
 * @param length its length, bytes
 * @return the schema, as it reads after "found"; empty = it is metadata, or nothing that is known
 */
std::string FindOlderChakraSchema(const char* bytes, std::size_t length);

/**
 * @ingroup workload-replay
 * @param metadata metadata of a trace
 * @param file the file, for the message
 * @throws WorkloadError if the metadata names another schema than 0.0.4 and 1.0.0
 */
void CheckChakraSchema(const chakra::GlobalMetadata& metadata, const std::string& file);

/**
 * @ingroup workload-replay
 * @param metadata metadata of a trace
 * @param name name of an attribute
 * @return the attribute; null if there is none
 */
const chakra::Attribute* FindChakraAttribute(const chakra::GlobalMetadata& metadata,
                                             const std::string& name);

/**
 * @ingroup workload-replay
 * @brief A kind of collective of Chakra.
 */
struct ChakraCollective
{
    CollectiveKind kind; //!< what it is here
    bool isPart;         //!< its size is what a rank brings to a result of all
};

/// The kinds of collectives by their number (CollectiveCommType of the schema). Sizes are what
/// ASTRA-sim makes of them. Of two numbers for one kind, traces are written with the first.
inline constexpr std::array<ChakraCollective, 10> CHAKRA_COLLECTIVES{
    {{CollectiveKind::ALL_REDUCE, false},
     {CollectiveKind::REDUCE, false},
     {CollectiveKind::ALL_GATHER, true},
     {CollectiveKind::GATHER, true},
     {CollectiveKind::SCATTER, false},
     {CollectiveKind::BROADCAST, false},
     {CollectiveKind::ALL_TO_ALL, false},
     {CollectiveKind::REDUCE_SCATTER, false},
     {CollectiveKind::REDUCE_SCATTER, false},
     {CollectiveKind::BARRIER, false}}};

} // namespace ns3

#endif /* CHAKRA_SCHEMA_H */
