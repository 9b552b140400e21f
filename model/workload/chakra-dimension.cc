/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "chakra-dimension.h"

#include <cctype>
#include <map>
#include <set>

namespace ns3
{

namespace
{

/// What words tell.
const std::map<std::string, Dimension> WORDS{{"tp", Dimension::TP},
                                             {"tensor", Dimension::TP},
                                             {"cp", Dimension::CP},
                                             {"context", Dimension::CP},
                                             {"ep", Dimension::EP},
                                             {"expert", Dimension::EP},
                                             {"dp", Dimension::DP},
                                             {"fsdp", Dimension::DP},
                                             {"data", Dimension::DP},
                                             {"pp", Dimension::PP},
                                             {"pipeline", Dimension::PP},
                                             {"edp", Dimension::EDP},
                                             {"embedding", Dimension::EMBEDDING}};

} // namespace

std::optional<Dimension>
FindChakraDimension(const std::string& name)
{
    std::set<Dimension> found;
    std::string word;
    // The end closes the last word.
    for (const char sign : name + " ")
    {
        const auto byte = static_cast<unsigned char>(sign);
        if (std::isalpha(byte))
        {
            word += static_cast<char>(std::tolower(byte));
            continue;
        }
        const auto entry = WORDS.find(word);
        if (entry != WORDS.end())
        {
            found.insert(entry->second);
        }
        word.clear();
    }
    if (found == std::set<Dimension>{Dimension::CP, Dimension::DP})
    {
        return Dimension::DP;
    }
    if (found == std::set<Dimension>{Dimension::EP, Dimension::DP})
    {
        return Dimension::EDP;
    }
    return found.size() == 1 ? std::make_optional(*found.begin()) : std::nullopt;
}

} // namespace ns3
