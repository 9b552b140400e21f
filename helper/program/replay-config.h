/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef REPLAY_CONFIG_H
#define REPLAY_CONFIG_H

#include "option-table.h"
#include "option-values.h"

#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief An option and the value given to it.
 */
struct OptionAssignment
{
    std::string name; //!< name of the option, without dashes
    KeyedField value; //!< its value and where it was written
};

/**
 * @ingroup workload-replay
 * @brief What the configuration of another simulator says, as options.
 */
struct ForeignConfig
{
    std::vector<OptionAssignment> assignments; //!< options and attributes
    std::vector<std::string> notes;            //!< what has no counterpart, one sentence each
};

/**
 * @ingroup workload-replay
 * @brief Read a configuration file: one JSON object whose keys are options.
 *
 * Values are strings, numbers or booleans, and mean what the same text means on the command line.
 * 1e9 stands for 1000000000. An option that may be given several times also takes a list of them,
 * and one of the form NAME[:KEY=VALUE,...] in the list an object, whose members may be such lists
 * in turn.
 *
 * @param file path of the file
 * @param table the options; names that it does not hold may belong to ns-3
 * @return the options in the order of the file; whether their names exist is not checked
 * @throws WorkloadError with file, line and column if it is not JSON, with file and JSON pointer if
 *         a key stands twice or a value is of another type
 */
std::vector<OptionAssignment> ReadReplayConfig(const std::string& file, const OptionTable& table);

} // namespace ns3

#endif /* REPLAY_CONFIG_H */
