/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef PROGRAM_CYCLE_H
#define PROGRAM_CYCLE_H

#include "workload-program.h"

namespace ns3
{

/**
 * @ingroup workload-replay
 * @param program a program
 * @throws WorkloadError naming an op that waits for itself through edges and the order of streams,
 *         if there is one
 */
void CheckAcyclic(const WorkloadProgram& program);

} // namespace ns3

#endif /* PROGRAM_CYCLE_H */
