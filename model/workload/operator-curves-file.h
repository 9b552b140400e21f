/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef OPERATOR_CURVES_FILE_H
#define OPERATOR_CURVES_FILE_H

#include "operator-curves.h"

#include "ns3/json-section.h"

#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @return the keys of the object that ReadOperatorCurves() reads
 */
const std::vector<std::string>& GetOperatorCurveKeys();

/**
 * @ingroup workload-replay
 * @brief Read how long operators take, the object operators of an accelerator's file.
 *
 * All keys are optional; what is not there stays as it was. Every object may have a key source,
 * which says where its numbers come from.
 * - products, experts: {"bf16": {"launch": TIME, "share": SHARE, "memory": SHARE, "halfDepth":
 *   TERMS}, ...}, those of experts also with "tileRows", see OperatorCurves::Product;
 * - casts: {"memory": SHARE, "transposed": 1 or 0};
 * - attention: a list of {"kernel": "fa2", "headSize": 128, "forward": {"flops": FLOP/s,
 *   "halfLength": TOKENS}, "backward": {...}};
 * - memoryBound: {"norm": SHARE, ...}, see GetMemoryKindNames();
 * - launch: {"device": TIME, "host": TIME};
 * - routing: {"token": TIME};
 * - power: {"products": SHARE, "attention": SHARE}.
 *
 * Shares are above 0 and at most 1.
 *
 * @param section the object
 * @param [in,out] curves receives what it says
 * @throws WorkloadError if something in it is wrong
 */
void ReadOperatorCurves(const JsonSection& section, OperatorCurves& curves);

} // namespace ns3

#endif /* OPERATOR_CURVES_FILE_H */
