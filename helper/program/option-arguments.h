/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef OPTION_ARGUMENTS_H
#define OPTION_ARGUMENTS_H

#include "network-options.h"
#include "option-table.h"

#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief What messages about the command line say of the program.
 */
struct ProgramWords
{
    std::string
        mainOption;   //!< the option that an argument without its name is most likely meant for
    std::string task; //!< what the options are of, such as replay
};

/**
 * @ingroup workload-replay
 * @brief Read the command line and the configuration file it names.
 *
 * The command line wins over the configuration file, both win over the set that the option fabric
 * names, and of one option given twice the last. An option that may be given several times, such as
 * linkDown, adds to what was given before.
 *
 * @param program what messages say of the program
 * @param table the options of the program
 * @param arguments the arguments without the program's name
 * @param [in,out] options what the table sets
 * @throws WorkloadError if an argument is no option, or a value is wrong
 */
void ParseArguments(const ProgramWords& program,
                    const OptionTable& table,
                    const std::vector<std::string>& arguments,
                    NetworkOptions& options);

} // namespace ns3

#endif /* OPTION_ARGUMENTS_H */
