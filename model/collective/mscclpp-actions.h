/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef MSCCLPP_ACTIONS_H
#define MSCCLPP_ACTIONS_H

#include "mscclpp-program.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief What an operation that moves chunks does.
 */
struct MscclppAction
{
    bool reduces{false}; //!< it adds further sources to the first one
    bool reads{false};   //!< sources, but for the first one of a sum, are of other GPUs
    bool sends{false};   //!< destinations, but for those of its own, are of other GPUs
    bool unpacks{false}; //!< what it reads, but for the first one of a sum, are packets
    bool packs{false};   //!< what it writes, but for the first one of a sum, are packets
    bool signals{false}; //!< it signals that its chunks are there
    std::size_t own{0};  //!< destinations of its own GPU, if it sends
};

/**
 * @ingroup workload-replay
 * @brief What an operation through NVSwitches does.
 */
struct MscclppSwitchAction
{
    bool sums{false};       //!< it reads the sum of a group of GPUs
    bool multicasts{false}; //!< it writes to all GPUs of a group
    bool packs{false};      //!< what it reads and writes are packets
};

/**
 * @ingroup workload-replay
 * @param name name of an operation
 * @return what it does; null if it moves no chunks from GPU to GPU or within one
 */
const MscclppAction* FindMscclppAction(const std::string& name);

/**
 * @ingroup workload-replay
 * @param name name of an operation
 * @return what it does; null if it uses no NVSwitch
 */
const MscclppSwitchAction* FindMscclppSwitchAction(const std::string& name);

/**
 * @ingroup workload-replay
 * @return names of all operations
 */
std::vector<std::string> GetMscclppNames();

/**
 * @ingroup workload-replay
 * Check that an operation has the chunks that it needs, each where it needs it.
 *
 * @param op the operation
 * @param action what it does
 * @param gpu its GPU
 * @throws WorkloadError if it has not
 */
void CheckMscclppChunks(const MscclppOp& op, const MscclppAction& action, uint32_t gpu);

/**
 * @ingroup workload-replay
 * Check that an operation through NVSwitches has the channels and chunks that it needs.
 *
 * @param op the operation
 * @param action what it does
 * @throws WorkloadError if it has not
 */
void CheckMscclppSwitch(const MscclppOp& op, const MscclppSwitchAction& action);

/**
 * @ingroup workload-replay
 * Check that an operation deals with what its pipeline goes over, in pieces: MSCCL++ would write
 * beyond shorter chunks, and packets and what a group of thread blocks shares go at once.
 *
 * @param pipeline the pipeline
 * @param op an operation in it
 * @throws WorkloadError if it does not
 */
void CheckMscclppPiece(const MscclppOp& pipeline, const MscclppOp& op);

} // namespace ns3

#endif /* MSCCLPP_ACTIONS_H */
