/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef INFRA_QUANTITY_H
#define INFRA_QUANTITY_H

#include "ns3/json-section.h"
#include "ns3/nstime.h"

#include <cstdint>
#include <string>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief Read a bandwidth of InfraGraph: an object with a choice, and under its name a number.
 *
 * @param section the object that has it
 * @param key its key
 * @return bit/s, at least 1; gigatransfers are those of 16 lanes of PCIe
 * @throws WorkloadError if it is anything else
 */
uint64_t ReadInfraRate(const JsonSection& section, const std::string& key);

/**
 * @ingroup workload-replay
 * @brief Read a latency of InfraGraph, likewise.
 *
 * @param section the object that has it
 * @param key its key
 * @return the latency
 * @throws WorkloadError if it is anything else
 */
Time ReadInfraDelay(const JsonSection& section, const std::string& key);

} // namespace ns3

#endif /* INFRA_QUANTITY_H */
