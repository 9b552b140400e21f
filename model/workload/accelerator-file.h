/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef ACCELERATOR_FILE_H
#define ACCELERATOR_FILE_H

#include "accelerator.h"

#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief Find an accelerator.
 *
 * Those that have a name are the files examples/accelerators/NAME.json of the module. A file is one
 * JSON object. All keys are optional if the key accelerator names one to start from; otherwise
 * matrixFlops, vectorFlops and memoryBandwidth are needed.
 * - accelerator: name of an accelerator;
 * - name: a name for people; that of the file if there is none;
 * - source: where the numbers come from;
 * - matrixFlops: {"bf16": FLOP/s, "fp16": FLOP/s, "fp8": FLOP/s}, at least one; a number, such as
 *   989.4e12, above 0; a format that is not there cannot be had, whatever the one named has;
 * - vectorFlops: FLOP/s, above 0;
 * - memoryBandwidth: a rate with its unit, such as "3350GB/s";
 * - memory: capacity, such as "80GiB";
 * - matrixEfficiency, vectorEfficiency, memoryEfficiency: a list of {"atLeast": SIZE, "share":
 *   SHARE}, sizes in FLOP or bytes, one of them 0, no two alike, shares above 0 and at most 1;
 * - combination: "sum" or "max", see Accelerator::Combination;
 * - multiprocessors: streaming multiprocessors, 1 to 65535, of which kernels of communication
 * occupy some (CollectiveAlgorithm::CountMultiprocessors());
 * - communicationShare: {"server": SHARE, "network": SHARE}, at least 0 and below 1; one that is
 *   missing stays as it was. What communication takes whose multiprocessors nobody knows; without
 *   multiprocessors beside it, what all takes;
 * - launchLatency: a duration, such as "2us";
 * - operators: how long operators take that somebody has measured, see ReadOperatorCurves(); they
 *   do not follow the shares above.
 *
 * @param value name of an accelerator, or of a file that ends in .json
 * @return the accelerator
 * @throws WorkloadError if there is no such accelerator or file, with the nearest name, or if
 * something in the file is wrong, with its JSON pointer
 */
Accelerator FindAccelerator(const TextField& value);

/**
 * @ingroup workload-replay
 * @return names of the accelerators that come with the module, sorted
 */
std::vector<std::string> GetAcceleratorNames();

} // namespace ns3

#endif /* ACCELERATOR_FILE_H */
