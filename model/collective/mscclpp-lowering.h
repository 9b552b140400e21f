/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef MSCCLPP_LOWERING_H
#define MSCCLPP_LOWERING_H

#include "msccl-plan.h"
#include "mscclpp-program.h"

#include <cstdint>

namespace ns3
{

/**
 * @ingroup workload-replay
 * Make steps of the operations of MSCCL++.
 *
 * Each thread block keeps its number. What it puts into memory of another GPU is received there by
 * a block for it alone, in the order in which it was sent; waits of thread blocks depend on what
 * that has received. What it reads of another GPU it asks for by a request, which a further block
 * there answers, and one beside it receives. An NVSwitch is asked in the same way, by a request
 * that it sends to all GPUs of the group, and pipelines go round as often as chunks are long.
 *
 * @param program what a file says
 * @param chunk length of a chunk, bytes; 0 = not known: the steps say none, and pipelines go round
 *        twice
 * @return the plan; whether it does what it says CheckMscclPlan() finds
 * @throws WorkloadError naming an operation that MSCCL++ does not have, or for which its
 * counterpart is missing: a signal without wait, a wait without signal, packets that nobody puts
 */
MscclPlan LowerMscclpp(const MscclppProgram& program, uint64_t chunk);

} // namespace ns3

#endif /* MSCCLPP_LOWERING_H */
