/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "svg-text.h"

#include "text-table.h"

#include <map>

namespace ns3
{

std::string
EscapeXml(const std::string& text)
{
    static const std::map<char, std::string> entities{{'<', "&lt;"},
                                                      {'>', "&gt;"},
                                                      {'&', "&amp;"},
                                                      {'"', "&quot;"}};
    std::string escaped;
    for (const char c : text)
    {
        const auto entity = entities.find(c);
        const char shown = c >= ' ' && c <= '~' ? c : '?';
        escaped += entity == entities.end() ? std::string(1, shown) : entity->second;
    }
    return escaped;
}

std::string
FormatPixels(double value)
{
    auto text = FormatFixed(value, 1);
    if (text.size() > 2 && text.compare(text.size() - 2, 2, ".0") == 0)
    {
        text.erase(text.size() - 2);
    }
    return text == "-0" ? "0" : text;
}

} // namespace ns3
