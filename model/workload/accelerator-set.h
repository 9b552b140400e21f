/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef ACCELERATOR_SET_H
#define ACCELERATOR_SET_H

#include "accelerator.h"

#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief A named set of parameters of an accelerator.
 */
struct AcceleratorSet
{
    Accelerator::Parameters parameters; //!< the parameters, the name among them
    std::string source;                 //!< where they come from
};

/**
 * @ingroup workload-replay
 * @return the sets that come with the module: a100, h100, h800, b200
 */
const std::vector<AcceleratorSet>& GetAcceleratorSets();

/**
 * @ingroup workload-replay
 * @param value name of a set
 * @param otherwise what else the value may be, for the message; empty = nothing
 * @return the set
 * @throws WorkloadError with the nearest name if there is none of that name
 */
const AcceleratorSet& FindAcceleratorSet(const TextField& value, const std::string& otherwise);

} // namespace ns3

#endif /* ACCELERATOR_SET_H */
