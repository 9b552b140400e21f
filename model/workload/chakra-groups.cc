/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "chakra-groups.h"

#include "ns3/input-json.h"
#include "ns3/input-values.h"
#include "ns3/workload-text.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <numeric>
#include <set>
#include <utility>

namespace ns3
{

namespace
{

/// What words stand for.
const std::map<std::string, Dimension> DIMENSION_WORDS{{"tp", Dimension::TP},
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

/**
 * Find out what a group is for by the words of its name or of its description: tp or tensor, cp or
 * context, ep or expert, dp, fsdp or data, pp or pipeline, edp, embedding.
 *
 * Such words are in the descriptions of Megatron-LM (EXPERT_MODEL_PARALLEL_GROUP, in
 * megatron/core/parallel_state.py) and of the meshes of PyTorch (mesh_tp). Data parallel ranks with
 * cp are dp, with experts edp (see ParallelGroups); a name with any other two says nothing.
 *
 * @param name a name, maybe with numbers: tp3, mesh_tp
 * @return the dimension; nullopt = it does not say
 */
std::optional<Dimension>
FindDimension(const std::string& name)
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
        const auto entry = DIMENSION_WORDS.find(word);
        if (entry != DIMENSION_WORDS.end())
        {
            found.insert(entry->second);
        }
        word.clear();
    }
    if (found == std::set<Dimension>{Dimension::CP, Dimension::DP})
    {
        // Data parallelism with context: gradients are summed over both.
        return Dimension::DP;
    }
    if (found == std::set<Dimension>{Dimension::EP, Dimension::DP})
    {
        // Expert parameters have replicas over a part of the data parallel ranks.
        return Dimension::EDP;
    }
    return found.size() == 1 ? std::make_optional(*found.begin()) : std::nullopt;
}

/**
 * @param name name of a group
 * @return what stands before the point of a decimal number; any other name as it is
 */
std::string
CutFraction(const std::string& name)
{
    const auto point = name.find('.');
    const auto whole = name.substr(0, point);
    const bool isNumber =
        // Traces may write the number of a group with a fraction: "3.0" for 3.
        point != std::string::npos && ReadWhole(whole) && ReadWhole(name.substr(point + 1));
    return isNumber ? whole : name;
}

/**
 * Find a key of a text that is JSON or Python, maybe quoted itself, and skip to its value.
 *
 * @param text the text
 * @param key the key
 * @param from where to begin
 * @param end where to end
 * @return where the value begins; npos = the key is not there
 */
std::size_t
FindValue(const std::string& text, const std::string& key, std::size_t from, std::size_t end)
{
    for (auto at = text.find(key, from); at < end; at = text.find(key, at + 1))
    {
        const auto after = at + key.size();
        const bool isKey = at > 0 && (text[at - 1] == '"' || text[at - 1] == '\'') && after < end &&
                           std::string("\"'\\").find(text[after]) != std::string::npos;
        if (isKey)
        {
            // Quotes may be escaped: the text is JSON or Python within JSON.
            return text.find_first_not_of("\"'\\: ", after);
        }
    }
    return std::string::npos;
}

/**
 * @param text a text
 * @param at where a list of whole numbers begins in it
 * @return the numbers
 */
std::vector<uint64_t>
ReadNumbers(const std::string& text, std::size_t at)
{
    std::vector<uint64_t> numbers;
    const auto end = text.find(']', at);
    constexpr const char* digits = "0123456789";
    for (auto begin = text.find_first_of(digits, at); begin < end;)
    {
        const auto after = std::min(text.find_first_not_of(digits, begin), text.size());
        // What exceeds 64 bits is above any rank and refused as such.
        numbers.push_back(ReadWhole(text.substr(begin, after - begin)).value_or(UINT64_MAX));
        begin = text.find_first_of(digits, after);
    }
    return numbers;
}

} // namespace

ChakraGroups::ChakraGroups(uint32_t world, std::string zeroIsWorld)
    : m_world(world),
      m_zeroIsWorld(std::move(zeroIsWorld))
{
}

void
ChakraGroups::ReadFile(const std::string& file)
{
    m_file = file;
    const auto json = ParseJson(WorkloadText(file));
    if (!json.is_object())
    {
        throw WorkloadError({file, 0, 0, ""},
                            "an object of groups, {\"NAME\": [RANKS]}",
                            "another value");
    }
    for (const auto& [name, ranks] : json.items())
    {
        const SourceLocation where{file, 0, 0, "/" + name};
        std::vector<uint64_t> numbers;
        for (const auto& rank : ranks)
        {
            if (!ranks.is_array() || !rank.is_number_unsigned())
            {
                throw WorkloadError(where, "a list of ranks", Quoted(ranks.dump()));
            }
            numbers.push_back(rank.get<uint64_t>());
        }
        if (!ranks.is_array())
        {
            throw WorkloadError(where, "a list of ranks", Quoted(ranks.dump()));
        }
        // Kept apart from groups of traces, before which it goes.
        Define(name, numbers, where, m_ofFile);
    }
}

void
ChakraGroups::ReadNode(const std::string& text, const SourceLocation& where)
{
    const auto npos = std::string::npos;
    const std::string key = "pg_name";
    for (auto at = FindValue(text, key, 0, text.size()); at != npos;)
    {
        // The text from one pg_name to the next describes one group.
        const auto next = FindValue(text, key, at, text.size());
        const auto name =
            text.substr(at, std::min(text.find_first_of("\"'\\,} ", at), text.size()) - at);
        const auto ranks = FindValue(text, "ranks", at, std::min(next, text.size()));
        if (ranks != npos && text[ranks] == '[')
        {
            Define(name, ReadNumbers(text, ranks), where, m_ofNodes);
        }
        const auto what = FindValue(text, "pg_desc", at, std::min(next, text.size()));
        const auto end = std::min(text.find_first_of("\"'\\,}", what), text.size());
        const auto dimension = FindDimension(what == npos ? "" : text.substr(what, end - what));
        if (dimension)
        {
            // The first description counts.
            m_dimensions.emplace(name, *dimension);
        }
        at = next;
    }
}

void
ChakraGroups::Define(const std::string& name,
                     const std::vector<uint64_t>& ranks,
                     const SourceLocation& where,
                     std::map<std::string, std::vector<uint32_t>>& groups) const
{
    std::vector<uint32_t> members;
    std::set<uint64_t> seen;
    for (const auto rank : ranks)
    {
        if (rank >= m_world || !seen.insert(rank).second)
        {
            throw WorkloadError(where,
                                "ranks from 0 to " + std::to_string(m_world - 1) + " in group " +
                                    Quoted(name) + ", each once",
                                std::to_string(rank) + (rank < m_world ? " twice" : ""));
        }
        members.push_back(static_cast<uint32_t>(rank));
    }
    // PyTorch leaves the list empty if a group has all ranks (distributed_c10d.py).
    if (members.empty())
    {
        members.resize(m_world);
        std::iota(members.begin(), members.end(), 0);
    }
    const auto [group, isNew] = groups.emplace(name, members);
    if (!isNew && group->second != members)
    {
        throw WorkloadError(where,
                            "the same ranks in group " + Quoted(name) + " as in other nodes",
                            "others");
    }
}

void
ChakraGroups::AddUse(const std::string& name, uint32_t rank)
{
    m_uses[name].insert(rank);
}

const std::vector<uint32_t>*
ChakraGroups::FindDefined(const std::string& name) const
{
    // What the user's file says goes before what the traces say.
    for (const auto* groups : {&m_ofFile, &m_ofNodes})
    {
        const auto group = groups->find(name);
        if (group != groups->end())
        {
            return &group->second;
        }
    }
    return nullptr;
}

bool
ChakraGroups::IsKnown(const std::string& name, bool isLenient) const
{
    const auto whole = CutFraction(name);
    // With a file of groups a name that it lacks is a slip, but in traces of PyTorch.
    return IsWorld(whole) || FindDefined(name) || FindDefined(whole) || isLenient || m_file.empty();
}

bool
ChakraGroups::IsWorld(const std::string& name) const
{
    return name.empty() || (name == "0" && m_zeroIsWorld != "off");
}

std::string
ChakraGroups::Resolve(const std::string& name) const
{
    const auto whole = CutFraction(name);
    if (m_zeroIsWorld == "on" && name == "0")
    {
        return "";
    }
    // The exact name first: "3.0" may be defined beside "3".
    if (FindDefined(name))
    {
        return name;
    }
    return IsWorld(whole) && !FindDefined(whole) ? "" : whole;
}

std::vector<uint32_t>
ChakraGroups::GetRanks(const std::string& resolved) const
{
    if (resolved.empty())
    {
        std::vector<uint32_t> all(m_world);
        std::iota(all.begin(), all.end(), 0);
        return all;
    }
    const auto* defined = FindDefined(resolved);
    if (defined)
    {
        return *defined;
    }
    // Nothing defines the group: its members are the ranks that use it.
    std::set<uint32_t> ranks;
    for (const auto& [name, users] : m_uses)
    {
        if (name == resolved || CutFraction(name) == resolved)
        {
            ranks.insert(users.begin(), users.end());
        }
    }
    return {ranks.begin(), ranks.end()};
}

void
ChakraGroups::Describe(const ChakraGroupFact& fact)
{
    m_facts.emplace(fact.group, fact);
}

ChakraGroupFact
ChakraGroups::GetFact(const std::string& resolved) const
{
    const auto fact = m_facts.find(resolved);
    if (fact != m_facts.end())
    {
        return fact->second;
    }
    const auto found = m_dimensions.find(resolved);
    const auto dimension = found != m_dimensions.end()
                               ? found->second
                               : FindDimension(resolved).value_or(Dimension::WORLD);
    return {resolved, dimension, resolved.empty() ? "world" : "group-" + resolved};
}

std::vector<std::string>
ChakraGroups::GetDescribed() const
{
    std::vector<std::string> names;
    for (const auto& [name, fact] : m_facts)
    {
        names.push_back(name);
    }
    // Of two numbers the shorter one is the smaller one.
    std::stable_sort(names.begin(), names.end(), [](const auto& a, const auto& b) {
        return a.size() < b.size();
    });
    return names;
}

std::vector<std::string>
ChakraGroups::GetNames() const
{
    std::vector<std::string> names;
    for (const auto* groups : {&m_ofFile, &m_ofNodes})
    {
        for (const auto& [name, ranks] : *groups)
        {
            names.push_back(name);
        }
    }
    return names;
}

std::vector<std::string>
ChakraGroups::GetWarnings() const
{
    std::vector<std::string> warnings;
    std::vector<std::string> inferred;
    for (const auto& [name, ranks] : m_uses)
    {
        const auto resolved = Resolve(name);
        if (!resolved.empty() && !FindDefined(resolved))
        {
            inferred.push_back(name);
        }
    }
    if (!inferred.empty())
    {
        warnings.push_back("nothing defines the groups " + JoinWords(inferred) +
                           ": each was taken to consist of the ranks whose traces have a "
                           "collective of it, see --commGroups");
    }
    const auto zero = m_ofFile.find("0");
    if (zero != m_ofFile.end() && zero->second.size() < m_world && m_zeroIsWorld != "off")
    {
        warnings.push_back(
            m_zeroIsWorld == "on"
                ? "group 0 is all ranks, as ASTRA-sim takes it, and not those that " + m_file +
                      " says (--astraZeroIsWorld)"
                : "group 0 has the ranks that " + m_file +
                      " says; ASTRA-sim takes all ranks where a trace writes 0, see "
                      "--astraZeroIsWorld");
    }
    return warnings;
}

} // namespace ns3
