/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef ACCELERATOR_FILE_H
#define ACCELERATOR_FILE_H

#include "accelerator.h"

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief Find an accelerator.
 *
 * A file is one JSON object. All keys are optional if the key accelerator names a set to start
 * from; otherwise matrixFlops, vectorFlops and memoryBandwidth are needed.
 * - accelerator: name of a set;
 * - name: a name for people; that of the file if there is none;
 * - matrixFlops: {"bf16": FLOP/s, "fp16": FLOP/s, "fp8": FLOP/s}, at least one; a number, such as
 *   989.4e12, above 0; a format that is not there cannot be had, whatever the set has;
 * - vectorFlops: FLOP/s, above 0;
 * - memoryBandwidth: a rate with its unit, such as "3350GB/s";
 * - memory: capacity, such as "80GiB";
 * - matrixEfficiency, vectorEfficiency, memoryEfficiency: a list of {"atLeast": SIZE, "share":
 *   SHARE}, sizes in FLOP or bytes, one of them 0, no two alike, shares above 0 and at most 1;
 * - combination: "sum" or "max", see Accelerator::Combination;
 * - communicationShare: {"server": SHARE, "network": SHARE}, at least 0 and below 1; one that is
 *   missing stays as it was;
 * - launchLatency: a duration, such as "2us".
 *
 * @param value name of a set, or of a file that ends in .json
 * @return the accelerator
 * @throws WorkloadError if there is no such set or file, with the nearest name, or if something in
 *         the file is wrong, with its JSON pointer
 */
Accelerator FindAccelerator(const TextField& value);

} // namespace ns3

#endif /* ACCELERATOR_FILE_H */
