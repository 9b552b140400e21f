/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef CHAKRA_COLLECTIVES_H
#define CHAKRA_COLLECTIVES_H

#include "workload-types.h"

#include <array>

namespace ns3
{

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

#endif /* CHAKRA_COLLECTIVES_H */
