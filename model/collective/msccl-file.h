/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef MSCCL_FILE_H
#define MSCCL_FILE_H

#include "msccl-plan.h"

#include <string>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @param file path of an algorithm of MSCCL in XML, or of an execution plan of MSCCL++ in JSON
 * @return the algorithm; whether it does what it says CheckMscclPlan() finds
 * @throws WorkloadError if it is none, or does what is not simulated
 */
MscclPlan ReadMscclPlan(const std::string& file);

} // namespace ns3

#endif /* MSCCL_FILE_H */
