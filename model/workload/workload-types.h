/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef WORKLOAD_TYPES_H
#define WORKLOAD_TYPES_H

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief What an op of a rank's program does.
 */
enum class OpKind : uint8_t
{
    COMPUTE,    //!< keeps its stream busy for a time
    COLLECTIVE, //!< a collective call on a communicator
    SEND,       //!< one message to a member of a communicator
    RECV        //!< one message from a member of a communicator
};

/**
 * @ingroup workload-replay
 * @brief The part of a training iteration an op belongs to.
 */
enum class OpPhase : uint8_t
{
    FORWARD,         //!< forward pass
    BACKWARD_INPUT,  //!< gradient of the layer's input
    BACKWARD_WEIGHT, //!< gradient of the layer's weights
    GRAD_SYNC,       //!< reduction of gradients between replicas
    OPTIMIZER        //!< parameter update and what belongs to it
};

/**
 * @ingroup workload-replay
 * @brief The collectives, with the meaning MPI and NCCL give them.
 *
 * Bytes are counted as nccl-tests counts the size of a row (its doc/PERFORMANCE.md).
 */
enum class CollectiveKind : uint8_t
{
    ALL_REDUCE,     //!< bytes: the full vector, the same on every member
    ALL_GATHER,     //!< bytes: the gathered output; each member brings bytes / N
    REDUCE_SCATTER, //!< bytes: the full input; each member keeps bytes / N
    ALL_TO_ALL,     //!< bytes: all that one member sends, its own part included
    SHIFT,          //!< each member sends bytes to the next one (nccl-tests' sendrecv)
    BROADCAST,      //!< bytes: the vector of the root, which every member ends with
    REDUCE,         //!< bytes: the full vector; only the root ends with the sum
    GATHER,         //!< bytes: the gathered output of the root; each member brings bytes / N
    SCATTER,        //!< bytes: the full input of the root; each member ends with bytes / N
    BARRIER         //!< no bytes: nobody leaves before all have come
};

/**
 * @ingroup workload-replay
 * @brief How one member of an all-to-all shares its buffers out, by index of the other member.
 *
 * What a member sends to another one is what that one receives from it; else the sizes are free.
 */
struct AllToAllSplits
{
    std::vector<uint64_t> send;    //!< bytes to each member, its own part included
    std::vector<uint64_t> receive; //!< bytes from each member, its own part included
};

/**
 * @ingroup workload-replay
 * @brief The direction of parallelism a communicator serves.
 */
enum class Dimension : uint8_t
{
    TP,        //!< tensor parallel
    CP,        //!< context parallel
    EP,        //!< expert parallel
    DP,        //!< data parallel
    EDP,       //!< expert data parallel: replicas of the same experts
    PP,        //!< pipeline parallel
    EMBEDDING, //!< first and last pipeline stage, which share the embedding weights
    WORLD      //!< all ranks
};

/// Number of values of Dimension.
constexpr std::size_t N_DIMENSIONS = 8;

/**
 * @param kind an op kind
 * @return its name in reports: compute, collective, send, recv
 */
std::string ToString(OpKind kind);

/**
 * @param phase a phase
 * @return its name in reports: forward, backward-input, backward-weight, grad-sync, optimizer
 */
std::string ToString(OpPhase phase);

/**
 * @param kind a collective kind
 * @return its name in reports and options: all-reduce, all-gather, ...
 */
std::string ToString(CollectiveKind kind);

/**
 * @param kind a collective kind
 * @return true if one of its members, the root, differs from the others
 */
bool HasRoot(CollectiveKind kind);

/**
 * @return all collective kinds
 */
const std::vector<CollectiveKind>& GetCollectiveKinds();

/**
 * @param dimension a dimension
 * @return its name in reports and options: tp, cp, ep, dp, edp, pp, embedding, world
 */
std::string ToString(Dimension dimension);

} // namespace ns3

#endif /* WORKLOAD_TYPES_H */
