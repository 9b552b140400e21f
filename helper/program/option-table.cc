/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "option-table.h"

#include "ns3/assert.h"
#include "ns3/text-table.h"

#include <algorithm>
#include <iomanip>
#include <sstream>
#include <utility>

namespace ns3
{

void
OptionTable::Add(Option option)
{
    NS_ASSERT_MSG(Find(option.name) == nullptr, "option " << option.name << " added twice");
    m_options.push_back(std::move(option));
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
OptionTable::Set(const std::string& name, const TextField& value) const
{
    const Option* option = Find(name);
    NS_ASSERT_MSG(option != nullptr, "there is no option " << name);
    option->set(value);
}

const std::vector<Option>&
OptionTable::GetOptions() const
{
    return m_options;
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
    constexpr std::size_t lineWidth = 100;
    constexpr std::size_t helpColumn = 27;
    std::string group;
    for (const auto& option : m_options)
    {
        if (option.group != group)
        {
            group = option.group;
            os << "\n" << group << ":\n";
        }
        std::string head = "  --" + option.name;
        if (!option.valueText.empty())
        {
            head += "=" + option.valueText;
        }
        std::string help = option.help;
        if (!option.defaultText.empty())
        {
            help += " [" + option.defaultText + "]";
        }
        auto lines = WrapText(help, lineWidth - helpColumn);
        if (head.size() + 1 >= helpColumn)
        {
            os << head << "\n";
            head.clear();
        }
        for (const auto& line : lines)
        {
            os << std::left << std::setw(helpColumn) << head << line << "\n";
            head.clear();
        }
    }
}

} // namespace ns3
