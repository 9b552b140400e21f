/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef MSCCL_PLAN_H
#define MSCCL_PLAN_H

#include "collective-latencies.h"

#include "ns3/workload-error.h"
#include "ns3/workload-types.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief A chunk of a GPU that a step reads or writes first; further chunks follow it.
 */
struct MscclPlace
{
    /// Buffers of a GPU.
    enum Buffer : uint8_t
    {
        INPUT,  //!< what the caller brings
        OUTPUT, //!< what the caller gets; in place it shares memory with the input
        SCRATCH //!< what the plan keeps for itself
    };

    Buffer buffer{INPUT}; //!< the buffer
    uint32_t chunk{0};    //!< place in it, chunks
};

/**
 * @ingroup workload-replay
 * @brief What a thread block does at a time.
 */
struct MscclStep
{
    /// A step of the same GPU that must be over first.
    struct Dependency
    {
        uint32_t block{0}; //!< its thread block
        uint32_t step{0};  //!< its place there
    };

    /// How a message goes.
    enum Path : uint8_t
    {
        DIRECT, //!< from GPU to GPU
        SUM,    //!< through an NVSwitch, which adds up those of all GPUs of a group
        ALL     //!< through an NVSwitch, which sends it to all GPUs of a group, the sender too
    };

    bool receives{false};    //!< it waits for a message of another GPU
    bool reduces{false};     //!< it adds what it received, or the source, to other chunks
    bool stores{false};      //!< it writes to the destination
    bool sends{false};       //!< it sends the result to another GPU
    bool isPaced{false};     //!< it sends to a sum, and the next one receives the result: further
                             //!< pieces go when pieces of that have come
    bool isAwaited{false};   //!< it announces to other blocks when it is over
    MscclPlace source;       //!< what it sends, copies or adds to what it received
    MscclPlace destination;  //!< where it writes to
    uint32_t count{0};       //!< how many chunks; 0 = none
    uint32_t receiver{0};    //!< GPU that it sends to, if it does; of a sum the one that gets it
    uint32_t sender{0};      //!< GPU that it receives from, if it does; not looked at in a sum
    Path receivedBy{DIRECT}; //!< how the message goes that it receives
    Path sentBy{DIRECT};     //!< how the message goes that it sends
    uint32_t group{0};       //!< number of the group whose NVSwitch it uses, see MscclPlan::groups
    uint32_t control{0};     //!< bytes of its message besides chunks: of a signal or a request
    uint64_t bytes{0};       //!< bytes of its chunks; 0 = as many as they have in the call
    std::vector<Dependency> dependencies; //!< what it waits for first
    std::string pointer;                  //!< its place in the file, see SourceLocation::pointer
};

/**
 * @ingroup workload-replay
 * @brief A thread block of a GPU: its steps, one after another.
 */
struct MscclBlock
{
    /// A thread block.
    struct Owner
    {
        uint32_t gpu{0};   //!< its GPU
        uint32_t block{0}; //!< its number there
    };

    uint32_t channel{0};          //!< connection between the GPUs
    uint32_t tag{0};              //!< number of the blocks that it sends to and receives from
    std::optional<Owner> works;   //!< thread block whose operations it takes part in; none = it is
                                  //!< one itself
    std::vector<MscclStep> steps; //!< what it does in each loop
};

/**
 * @ingroup workload-replay
 * @brief An algorithm of MSCCL: what every thread block of every GPU does with which chunk.
 *
 * A file of MSCCL has it so; one of MSCCL++ is lowered to it. The n-th message from GPU to GPU with
 * a tag is the n-th that is received there with it.
 */
struct MscclPlan
{
    std::string file;                                        //!< path of its file
    CollectiveKind kind{CollectiveKind::ALL_REDUCE};         //!< what it does
    CollectiveProtocol protocol{CollectiveProtocol::SIMPLE}; //!< how it is run
    uint32_t chunks{1};   //!< what the bytes of a call are cut into, as CollectiveKind counts them
    uint32_t channels{1}; //!< most connections between two GPUs
    std::string gpuPointer{"/algo/gpu"}; //!< place of the GPUs in it
    bool inPlace{false};                 //!< the output stands where the input is
    uint64_t minBytes{0};                //!< least bytes of a call that it is for
    uint64_t maxBytes{0};                //!< most bytes; 0 = any
    uint64_t granule{1};                 //!< what the bytes of a call are a multiple of
    bool isWhole{
        false}; //!< chunks go whole, not in as many loops as a connection's buffer asks for
    std::vector<std::vector<MscclBlock>> gpus; //!< thread blocks of each GPU
    /// GPUs for which an NVSwitch adds or multicasts, ascending; each group once.
    std::vector<std::vector<uint32_t>> groups;

    /**
     * @param buffer input or output
     * @return chunks of it that a GPU has
     */
    uint32_t CountChunks(MscclPlace::Buffer buffer) const;

    /**
     * @param gpu a GPU
     * @param block a thread block of it
     * @param step a step of that
     * @return its place in the file
     */
    SourceLocation Locate(uint32_t gpu, uint32_t block, uint32_t step) const;
};

} // namespace ns3

#endif /* MSCCL_PLAN_H */
