/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RANK_TRACE_H
#define RANK_TRACE_H

#include "workload-types.h"

#include "ns3/workload-error.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief What an op of a rank trace does.
 */
enum class RankTraceAction : uint8_t
{
    GET_BATCH,  //!< fetch a microbatch
    FORWARD,    //!< forward pass of a microbatch
    LOSS,       //!< loss of a microbatch, last stage only
    BACKWARD,   //!< backward pass of a microbatch
    SEND,       //!< message to a neighbouring stage
    RECV,       //!< message from a neighbouring stage
    ALL_REDUCE, //!< reduction of gradients after the last backward pass
    OPTIMIZER   //!< parameter update
};

/**
 * @ingroup workload-replay
 * @brief The part of the pipeline schedule an op was recorded in.
 */
enum class RankTraceState : uint8_t
{
    NONE,     //!< none: the op of a single-GPU profile
    WARMUP,   //!< forward passes before the first backward pass
    HELP,     //!< the receive before the first steady forward pass
    STEADY,   //!< one forward, one backward
    COOLDOWN, //!< backward passes after the last forward pass
    FINALIZE  //!< after the last backward pass
};

/**
 * @ingroup workload-replay
 * @brief A collective that an op of a rank trace consists of or contains.
 */
struct RankTraceCollective
{
    std::string name;                                //!< name in reports
    CollectiveKind kind{CollectiveKind::ALL_REDUCE}; //!< which one
    Dimension dimension{Dimension::TP};              //!< in which group
    uint64_t bytes{0};                               //!< the rank's own input; 0 = nothing moves
    bool isShard{false}; //!< true if the input is one member's share of CollectiveKind's bytes
    int64_t start{0};    //!< start in ns, waiting for other members included
    int64_t end{0};      //!< end in ns

    /**
     * @return true if its parts differ among the members: tokens go to few of the experts
     */
    bool HasSplits() const;
};

/**
 * @ingroup workload-replay
 * @brief An op of a rank trace.
 *
 * Times are nanoseconds of the clock of the rank's server; they mean nothing to other ranks.
 */
struct RankTraceOp
{
    std::string name;                                   //!< name in the file
    RankTraceAction action{RankTraceAction::GET_BATCH}; //!< what it does
    bool forward{true};                                 //!< SEND, RECV: towards the last stage
    uint32_t rank{0};                                   //!< the rank
    uint32_t line{0};                                   //!< line in the file, counted from 1
    uint32_t stage{0};                                  //!< pipeline stage
    std::optional<uint32_t> microbatch;                 //!< microbatch, counted from 0
    RankTraceState state{RankTraceState::NONE};         //!< part of the schedule
    bool hasClock{false}; //!< false: the file has no timestamp; times count from the op's start
    int64_t start{0};     //!< start in ns
    int64_t end{0};       //!< end in ns, at least start
    uint64_t bytes{0};    //!< SEND, RECV: bytes of the message
    std::vector<RankTraceCollective> collectives; //!< its collectives in their order

    /**
     * @return true if it is a message to or from a neighbouring stage
     */
    bool IsMessage() const;

    /**
     * @param before the op before it
     * @return true if the two are a send and a receive that were recorded as one exchange: two
     *         adjacent lines of equal duration and timestamp
     */
    bool IsExchangedWith(const RankTraceOp& before) const;
};

/**
 * @ingroup workload-replay
 * @brief What was recorded of one rank.
 */
struct RankTrace
{
    std::string file;             //!< path of the file
    std::vector<RankTraceOp> ops; //!< its ops, at least one, all of one rank and stage

    /**
     * @return true if one GPU recorded it alone, so that no communication ran
     */
    bool IsProfile() const;

    /**
     * @param line a line; 0 = none
     * @return the place in the file
     */
    SourceLocation Locate(uint32_t line = 0) const;

    /**
     * @param action an action
     * @param forward direction; true for ops that have none but backward passes
     * @return number of such ops
     */
    uint32_t Count(RankTraceAction action, bool forward) const;

    /**
     * @return number of forward passes
     */
    uint32_t CountMicrobatches() const;

    /**
     * @return number of forward passes that belong to the warm-up
     */
    uint32_t CountWarmup() const;

    /**
     * @return stages of its pipeline, shown by the loss or by the depth of the warm-up; none if
     *         neither shows
     */
    std::optional<uint32_t> FindStages() const;

    /**
     * @param dimension a dimension
     * @return line of an op that communicates in it; 0 if none does
     */
    uint32_t FindUse(Dimension dimension) const;

    /**
     * Multiply the bytes of all messages and collectives, rounding up.
     *
     * @param factor what by, above 0
     */
    void ScaleBytes(double factor);
};

/**
 * @ingroup workload-replay
 * @brief Find out whether traces are good for a world of any size, as profiles of each stage are
 * that were recorded by one GPU alone: what a GPU does hangs on its stage alone.
 *
 * @param traces traces
 * @param stages stages of the pipeline
 * @return whether there is one profile of each stage, and nothing else
 */
bool AreOnePerStage(const std::vector<RankTrace>& traces, uint32_t stages);

} // namespace ns3

#endif /* RANK_TRACE_H */
