/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef MSCCLPP_PROGRAM_H
#define MSCCLPP_PROGRAM_H

#include "msccl-plan.h"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief An operation of an execution plan of MSCCL++.
 */
struct MscclppOp
{
    /// Chunks of a GPU that it reads or writes.
    struct Chunks
    {
        uint32_t gpu{0};   //!< whose they are; of those of a group the GPU of the operation
        MscclPlace place;  //!< the first of them
        uint32_t count{0}; //!< how many
    };

    /// A connection as one GPU sees it. The n-th of two GPUs and a type is the n-th at either end.
    struct Channel
    {
        std::string type;   //!< memory or port
        uint32_t peer{0};   //!< the other GPU
        uint32_t number{0}; //!< how many of this type and peer stand before it
    };

    std::string name;                         //!< what it does, as the newer plans call it
    SourceLocation where;                     //!< its place in the file
    std::vector<Chunks> sources;              //!< what it reads
    std::vector<Chunks> destinations;         //!< where it writes to
    std::vector<Channel> channels;            //!< connections that it signals or waits on
    std::vector<uint32_t> semaphores;         //!< semaphores of its GPU that it takes or gives
    uint32_t barrier{0};                      //!< barrier of its GPU
    uint32_t blocks{0};                       //!< thread blocks that meet there
    std::vector<MscclStep::Dependency> after; //!< operations of its GPU that must be over
    uint32_t part{0};                         //!< which part of its chunks it deals with
    uint32_t parts{1};                        //!< of how many
    std::vector<uint32_t> sourceGroup;        //!< GPUs whose sum an NVSwitch reads; empty = none
    std::vector<uint32_t> destinationGroup;   //!< GPUs that an NVSwitch writes to; empty = none
    uint64_t unit{0};           //!< of a pipeline: bytes that each time round it deals with
    uint32_t chunks{0};         //!< of a pipeline: chunks that it goes over
    std::vector<MscclppOp> ops; //!< of a pipeline: operations that it goes round
};

/**
 * @ingroup workload-replay
 * @brief A GPU of an execution plan of MSCCL++.
 */
struct MscclppGpu
{
    std::vector<uint32_t> semaphores;           //!< what each of them begins with
    std::vector<std::vector<MscclppOp>> blocks; //!< operations of each thread block
};

/**
 * @ingroup workload-replay
 * @brief An execution plan of MSCCL++ as its file has it.
 */
struct MscclppProgram
{
    MscclPlan head;               //!< what holds for all GPUs; without blocks
    std::vector<MscclppGpu> gpus; //!< the GPUs
};

} // namespace ns3

#endif /* MSCCLPP_PROGRAM_H */
