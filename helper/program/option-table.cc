/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "option-table.h"

#include "ns3/assert.h"
#include "ns3/text-table.h"

#include <algorithm>

namespace ns3
{

OptionValue
OptionValue::Default(const std::string& text) const
{
    return {form, text, set, check};
}

OptionValue
OptionValue::Switch(bool& variable)
{
    return {"", "", [&variable](const auto& v) { variable = ParseSwitch(v); }};
}

OptionValue
OptionValue::Text(std::string& variable, const std::string& form)
{
    return {form, variable, [&variable](const auto& v) { variable = v.text; }};
}

OptionValue
OptionValue::NonEmpty(std::string& variable, const std::string& form)
{
    return {form, variable, [&variable, form](const auto& v) {
                RefuseEmpty(v, form);
                variable = v.text;
            }};
}

void
OptionValue::RefuseEmpty(const TextField& value, const std::string& form)
{
    if (value.text.empty())
    {
        throw WorkloadError(value, form);
    }
}

OptionValue
OptionValue::Word(std::string& variable,
                  const std::vector<std::string>& words,
                  const std::string& form)
{
    // The value at hand is checked, too: a script may have set the variable, see Check().
    const auto check = [&variable, words](const SourceLocation& where) {
        if (!variable.empty())
        {
            ParseWord({variable, where}, words);
        }
    };
    return {form,
            variable,
            [&variable, words](const auto& v) { variable = ParseWord(v, words); },
            check};
}

OptionValue
OptionValue::Number(uint32_t& variable, uint32_t least, uint32_t most, const std::string& form)
{
    return {form, std::to_string(variable), [&variable, least, most](const auto& v) {
                variable = static_cast<uint32_t>(ParseNumber(v, least, most));
            }};
}

OptionValue
OptionValue::Number(uint64_t& variable, uint64_t least, uint64_t most, const std::string& form)
{
    return {form, std::to_string(variable), [&variable, least, most](const auto& v) {
                variable = ParseNumber(v, least, most);
            }};
}

OptionValue
OptionValue::Number(std::optional<uint32_t>& variable,
                    uint32_t least,
                    uint32_t most,
                    const std::string& form)
{
    return {form, "", [&variable, least, most](const auto& v) {
                variable = static_cast<uint32_t>(ParseNumber(v, least, most));
            }};
}

OptionValue
OptionValue::Bytes(uint64_t& variable, uint64_t least)
{
    return {"SIZE", std::to_string(variable), [&variable, least](const auto& v) {
                variable = ParseBytes(v, least);
            }};
}

OptionValue
OptionValue::Duration(Time& variable)
{
    return {"TIME", std::to_string(variable.GetNanoSeconds()) + "ns", [&variable](const auto& v) {
                variable = ParseDuration(v);
            }};
}

OptionValue
OptionValue::Rate(DataRate& variable)
{
    return {"RATE", FormatRate(variable), [&variable](const auto& v) {
                variable = ParseRate(v, 1);
            }};
}

void
OptionTable::Add(const std::string& group, const std::vector<Option>& options)
{
    for (const auto& option : options)
    {
        NS_ASSERT_MSG(Find(option.name) == nullptr, "option " << option.name << " added twice");
        m_options.push_back(option);
        m_options.back().group = group;
    }
}

const Option*
OptionTable::Find(const std::string& name) const
{
    const auto option = std::find_if(m_options.begin(),
                                     m_options.end(),
                                     [&name](const Option& entry) { return entry.name == name; });
    return option == m_options.end() ? nullptr : &*option;
}

void
OptionTable::Set(const std::string& name, const KeyedField& value) const
{
    const Option* option = Find(name);
    NS_ASSERT_MSG(option != nullptr, "there is no option " << name);
    option->value.set(value);
}

void
OptionTable::Check() const
{
    for (const auto& option : m_options)
    {
        if (option.value.check)
        {
            option.value.check({"--" + option.name, 0, 0, ""});
        }
    }
}

std::vector<std::string>
OptionTable::GetNames() const
{
    std::vector<std::string> names;
    for (const auto& option : m_options)
    {
        names.push_back(option.name);
    }
    return names;
}

void
OptionTable::PrintHelp(std::ostream& os) const
{
    const std::string indent(27, ' ');
    std::string group;
    for (const auto& option : m_options)
    {
        if (option.group != group)
        {
            group = option.group;
            os << "\n" << group << ":\n";
        }
        const auto& form = option.value.form;
        const auto& defaultText = option.value.defaultText;
        auto head = "  --" + option.name + (form.empty() ? "" : "=" + form);
        const auto help = option.help + (defaultText.empty() ? "" : " [" + defaultText + "]");
        // A long head has a line of its own.
        if (head.size() + 1 >= indent.size())
        {
            os << head << "\n";
            head.clear();
        }
        PrintHanging(os, head + indent.substr(head.size()), indent, help);
    }
}

} // namespace ns3
