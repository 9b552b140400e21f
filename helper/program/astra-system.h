/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef ASTRA_SYSTEM_H
#define ASTRA_SYSTEM_H

#include "option-table.h"
#include "replay-config.h"

#include <string>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief Read a system configuration of ASTRA-sim (system.json): algorithms of collectives by
 * dimension, delays and rates.
 *
 * @param file path of the file
 * @param topology what the option topology says, which decides what lists of several dimensions
 *                 come to
 * @param table the options that there are
 * @return options that mean the same
 * @throws WorkloadError if a value is wrong
 */
ForeignConfig ReadAstraSystem(const std::string& file,
                              const std::string& topology,
                              const OptionTable& table);

} // namespace ns3

#endif /* ASTRA_SYSTEM_H */
