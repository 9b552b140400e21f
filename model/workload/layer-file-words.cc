/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "layer-file-words.h"

#include <algorithm>

namespace ns3
{

std::vector<TextField>
SplitWords(const WorkloadText& text, const WorkloadText::Line& line, const std::string& separators)
{
    std::vector<TextField> words;
    auto begin = line.text.find_first_not_of(separators);
    while (begin != std::string::npos)
    {
        const auto end = std::min(line.text.find_first_of(separators, begin), line.text.size());
        words.push_back({line.text.substr(begin, end - begin), text.Locate(line, begin)});
        begin = line.text.find_first_not_of(separators, end);
    }
    return words;
}

std::string
JoinWords(const std::vector<std::string>& words)
{
    std::string joined;
    for (const auto& word : words)
    {
        joined += (joined.empty() ? "" : ", ") + word;
    }
    return joined;
}

} // namespace ns3
