/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef GOAL_READER_H
#define GOAL_READER_H

#include "workload.h"

#include <memory>
#include <string>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief Recognize a GOAL schedule by its first word or its first bytes.
 *
 * @param file a file
 * @return true if it is to be read as one; false also if it cannot be read
 */
bool LooksLikeGoal(const std::string& file);

/**
 * @ingroup workload-replay
 * @brief Read a GOAL schedule (Hoefler, Siebert, Lumsdaine: Group Operation Assembly Language,
 *        ICPP'09), text or binary, the input of LogGOPSim, ATLAHS and htsim.
 *
 * Each node becomes an op, `requires` an edge from the finish of an op and `irequires` one from its
 * start. Ops need the CPU that they name, and messages the NIC (StreamOrder::RESOURCES).
 *
 * Tags are compared whole. Where a label is defined twice it means the first op.
 *
 * @param file the file
 * @return the workload, with one communicator of all ranks
 * @throws WorkloadError with line and column, or byte offset
 */
std::shared_ptr<const Workload> ReadGoal(const std::string& file);

} // namespace ns3

#endif /* GOAL_READER_H */
