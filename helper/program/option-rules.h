/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef OPTION_RULES_H
#define OPTION_RULES_H

#include "ns3/workload-error.h"

#include <functional>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief A rule by which options go together.
 *
 * @tparam Options what the user asks for, NetworkOptions or one that derives from it
 */
template <typename Options>
class OptionRule
{
  public:
    /// Whether a rule applies.
    using Condition = std::function<bool(const Options&)>;
    /// A part of a message, which depends on the options; empty = the rule does not apply.
    using Text = std::function<std::string(const Options&)>;

    /**
     * Some options would do nothing.
     *
     * @param names names of these options
     * @param condition when
     * @param reason why, see NetworkOptions::Refuse()
     */
    OptionRule(const std::vector<std::string>& names,
               const Condition& condition,
               const std::string& reason)
        : OptionRule(names, When(condition, reason))
    {
    }

    /**
     * Some options would do nothing.
     *
     * @param names names of these options
     * @param reason why, see NetworkOptions::Refuse()
     */
    OptionRule(const std::vector<std::string>& names, const Text& reason)
        : m_names(names),
          m_text(reason)
    {
    }

    /**
     * An option is missing, or has a value that does not go with others.
     *
     * @param name name of the option
     * @param condition when
     * @param expected what would be right
     * @param found what there is
     */
    OptionRule(const std::string& name,
               const Condition& condition,
               const std::string& expected,
               const std::string& found)
        : OptionRule(name, When(condition, expected), found)
    {
    }

    /**
     * An option is missing, or has a value that does not go with others.
     *
     * @param name name of the option
     * @param expected what would be right
     * @param found what there is
     */
    OptionRule(const std::string& name, const Text& expected, const std::string& found)
        : m_names{name},
          m_text(expected),
          m_found(found)
    {
    }

    /**
     * A rule whose message takes more than a condition, or several rules.
     *
     * @param check throws WorkloadError if options do not go together
     */
    OptionRule(const std::function<void(const Options&)>& check)
        : m_check(check)
    {
    }

    /**
     * @param options what the user asks for
     * @throws WorkloadError naming the option at fault
     */
    void Check(const Options& options) const
    {
        if (m_check)
        {
            m_check(options);
            return;
        }
        const auto text = m_text(options);
        if (text.empty())
        {
            return;
        }
        if (m_found.empty())
        {
            options.Refuse(m_names, text);
            return;
        }
        throw WorkloadError(options.Locate(m_names.front()), text, m_found);
    }

  private:
    /**
     * @param condition when a text applies
     * @param text the text
     * @return the text if it applies
     */
    static Text When(const Condition& condition, const std::string& text)
    {
        return [condition, text](const Options& options) {
            return condition(options) ? text : std::string();
        };
    }

    std::vector<std::string> m_names;            //!< options that are refused, or the one at fault
    Text m_text;                                 //!< why, or what would be right
    std::string m_found;                         //!< what there is; empty = options are refused
    std::function<void(const Options&)> m_check; //!< in place of all these; null = there is none
};

/**
 * @ingroup workload-replay
 * @brief Apply rules in their order.
 *
 * @tparam Options what the user asks for
 * @param rules the rules
 * @param options what the user asks for
 * @throws WorkloadError naming the option at fault
 */
template <typename Options>
void
ApplyRules(const std::vector<OptionRule<Options>>& rules, const Options& options)
{
    for (const auto& rule : rules)
    {
        rule.Check(options);
    }
}

/**
 * @ingroup workload-replay
 * @param name name of an option
 * @return the condition that it was given
 */
inline auto
Given(const std::string& name)
{
    return [name](const auto& options) { return options.IsGiven(name); };
}

} // namespace ns3

#endif /* OPTION_RULES_H */
