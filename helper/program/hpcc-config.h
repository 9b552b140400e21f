/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_CONFIG_H
#define HPCC_CONFIG_H

#include "replay-config.h"

#include <string>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief Read the configuration of the network of SimAI (SimAI.conf), HPCC or conweave
 * (config.txt): lines of KEY and values.
 *
 * @param file path of the file
 * @return options that mean the same
 * @throws WorkloadError if a value is wrong, or asks for a congestion control that there is none of
 */
ForeignConfig ReadHpccConfig(const std::string& file);

} // namespace ns3

#endif /* HPCC_CONFIG_H */
