/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef OPTION_TABLE_H
#define OPTION_TABLE_H

#include "option-values.h"

#include "ns3/data-rate.h"
#include "ns3/keyed-values.h"
#include "ns3/nstime.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

namespace ns3
{

/// Heading of the options of servers, links and topologies in the help.
constexpr const char* FABRIC_GROUP = "Fabric";

/// Heading of the options of collectives in the help.
constexpr const char* COLLECTIVE_GROUP = "Collectives";

/// Heading of the options of the run itself in the help.
constexpr const char* RUN_GROUP = "Run";

/**
 * @ingroup workload-replay
 * @brief What an option takes, and the variable that it sets.
 *
 * The functions below make those of the usual types; the variable must outlive what they return,
 * and its present value is the default that the help shows.
 */
struct OptionValue
{
    std::string form;        //!< what to write after the equals sign, such as FILE; empty = nothing
    std::string defaultText; //!< what applies without the option; empty = nothing to report
    std::function<void(const KeyedField&)> set;         //!< converts a value and stores it; throws
                                                        //!< WorkloadError if it is wrong
    std::function<void(const SourceLocation&)> check{}; //!< throws WorkloadError if the variable
                                                        //!< holds none of its words; null = holds
                                                        //!< no words

    /**
     * @param text what applies without the option
     * @return the same with this default in the help
     */
    OptionValue Default(const std::string& text) const;

    /**
     * @param variable what is set
     * @return a switch, which is off unless it is given
     */
    static OptionValue Switch(bool& variable);

    /**
     * @param variable what is set
     * @param form what to write
     * @return any text
     */
    static OptionValue Text(std::string& variable, const std::string& form);

    /**
     * @param variable what is set
     * @param form what to write
     * @return any text but an empty one, which a script has whose variable is not set
     */
    static OptionValue NonEmpty(std::string& variable, const std::string& form);

    /**
     * @param value what was typed
     * @param form what to write
     * @throws WorkloadError if nothing was
     */
    static void RefuseEmpty(const TextField& value, const std::string& form);

    /**
     * @param variable what is set
     * @param words what it may be
     * @param form what to write
     * @return one of some words
     */
    static OptionValue Word(std::string& variable,
                            const std::vector<std::string>& words,
                            const std::string& form = "NAME");

    /**
     * @param variable what is set
     * @param least smallest valid number
     * @param most largest valid number
     * @param form what to write
     * @return a whole number
     */
    static OptionValue Number(uint32_t& variable,
                              uint32_t least = 1,
                              uint32_t most = UINT32_MAX,
                              const std::string& form = "COUNT");

    /// @copydoc Number(uint32_t&, uint32_t, uint32_t, const std::string&)
    static OptionValue Number(uint64_t& variable,
                              uint64_t least,
                              uint64_t most,
                              const std::string& form = "COUNT");

    /// @copydoc Number(uint32_t&, uint32_t, uint32_t, const std::string&)
    static OptionValue Number(std::optional<uint32_t>& variable,
                              uint32_t least,
                              uint32_t most,
                              const std::string& form = "COUNT");

    /**
     * @param variable what is set, bytes
     * @param least smallest valid size, bytes
     * @return a size
     */
    static OptionValue Bytes(uint64_t& variable, uint64_t least);

    /**
     * @param variable what is set
     * @return a duration
     */
    static OptionValue Duration(Time& variable);

    /**
     * @param variable what is set
     * @return a rate above 0
     */
    static OptionValue Rate(DataRate& variable);
};

/**
 * @ingroup workload-replay
 * @brief An option of a program: all that parsing, help and messages need to know of it.
 */
struct Option
{
    std::string name;       //!< name without dashes
    OptionValue value;      //!< what it takes and sets
    std::string help;       //!< what it does, one sentence or two
    bool repeatable{false}; //!< may be given several times; in JSON as a list
    std::string subject{}; //!< in JSON the option may also be an object: the member of this name is
                           //!< what stands before the colon of NAME[:KEY=VALUE,...], the others
                           //!< are keys; empty = it may not
    std::string group{};   //!< heading in the help, set by OptionTable::Add()
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
     * @param group heading in the help; the last one again adds to it
     * @param options options; their names must be new
     */
    void Add(const std::string& group, const std::vector<Option>& options);

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
    void Set(const std::string& name, const KeyedField& value) const;

    /**
     * Look at the variables, which scripts may have set themselves.
     *
     * @throws WorkloadError if one that takes a few words holds something else
     */
    void Check() const;

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
