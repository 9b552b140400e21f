/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef MSCCL_XML_H
#define MSCCL_XML_H

#include "msccl-plan.h"

#include <string>

namespace ns3
{

/**
 * @ingroup workload-replay
 * Read the XML that msccl-tools write and MSCCL's runtime reads; elements stand in the order of
 * their numbers.
 *
 * @param file path of an algorithm of MSCCL
 * @return the algorithm; whether it does what it says CheckMscclPlan() finds
 * @throws WorkloadError if it is none, or for a kind of collective that is not simulated
 */
MscclPlan ReadMscclXml(const std::string& file);

} // namespace ns3

#endif /* MSCCL_XML_H */
