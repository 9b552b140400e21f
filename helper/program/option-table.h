/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef OPTION_TABLE_H
#define OPTION_TABLE_H

#include "option-values.h"

#include <cstddef>
#include <functional>
#include <ostream>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief An option of a program: all that parsing, help and messages need to know of it.
 */
struct Option
{
    std::string name;        //!< name without dashes
    std::string group;       //!< heading in the help
    std::string valueText;   //!< what to write after the equals sign, such as FILE or TIME
    std::string defaultText; //!< what applies without the option; empty = nothing to tell
    std::string help;        //!< what it does, one sentence or two
    std::function<void(const TextField&)> set; //!< converts a value and stores it; throws
                                               //!< WorkloadError if it is wrong
    bool repeatable{false};                    //!< may be given several times; in JSON as a list
};

/**
 * @ingroup workload-replay
 * @brief The options of a program: the one source of parsing, help and messages.
 *
 * Command line and configuration files set options by name through Set().
 */
class OptionTable
{
  public:
    /**
     * @param option an option; its name must be new
     */
    void Add(Option option);

    /**
     * @param name a name without dashes
     * @return the option, or nullptr if there is none of that name
     */
    const Option* Find(const std::string& name) const;

    /**
     * Set an option.
     *
     * @param name its name; must be in the table
     * @param value its value and where it was written
     * @throws WorkloadError if the value is wrong
     */
    void Set(const std::string& name, const TextField& value) const;

    /**
     * @return all options in the order they were added
     */
    const std::vector<Option>& GetOptions() const;

    /**
     * @return the names of all options
     */
    std::vector<std::string> GetNames() const;

    /**
     * Print all options by group, with their defaults, in lines of at most 100 characters.
     *
     * @param os where to
     */
    void PrintHelp(std::ostream& os) const;

  private:
    std::vector<Option> m_options; //!< in the order they were added; groups are contiguous
};

} // namespace ns3

#endif /* OPTION_TABLE_H */
