/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "collective-latencies.h"

#include "ns3/input-values.h"

#include <optional>
#include <vector>

namespace ns3
{

namespace
{

/**
 * @param text a name
 * @return the protocol of that name, if there is one
 */
std::optional<CollectiveProtocol>
ParseProtocol(const std::string& text)
{
    for (const auto protocol : GetCollectiveProtocols())
    {
        if (ToString(protocol) == text)
        {
            return protocol;
        }
    }
    return std::nullopt;
}

/**
 * @param time a duration
 * @return the duration in us, as a list of latencies has it
 */
std::string
FormatTime(Time time)
{
    // Whole picoseconds, without floating point: the text must parse to the same time again.
    const int64_t steps = time.GetPicoSeconds();
    std::string text = std::to_string(steps / 1000000);
    if (steps % 1000000 != 0)
    {
        text += "." + std::to_string(1000000 + steps % 1000000).substr(1);
        text.erase(text.find_last_not_of('0') + 1);
    }
    return text + "us";
}

} // namespace

const std::vector<CollectiveProtocol>&
GetCollectiveProtocols()
{
    static const std::vector<CollectiveProtocol> protocols = {CollectiveProtocol::SIMPLE,
                                                              CollectiveProtocol::LL128,
                                                              CollectiveProtocol::LL};
    return protocols;
}

std::string
ToString(CollectiveProtocol protocol)
{
    switch (protocol)
    {
    case CollectiveProtocol::LL:
        return "ll";
    case CollectiveProtocol::LL128:
        return "ll128";
    case CollectiveProtocol::SIMPLE:
        break;
    }
    return "simple";
}

std::string
CollectiveLatencies::Parse(const std::string& text)
{
    // Each object that has the attribute parses its default.
    static std::map<std::string, Entries> parsed;
    auto& entries = parsed[text];
    const auto fault = entries.empty() ? ParseEntries(text, entries) : "";
    if (!fault.empty())
    {
        parsed.erase(text);
        return fault;
    }
    for (const auto& [key, entry] : entries)
    {
        m_entries[key] = entry;
    }
    return "";
}

std::string
CollectiveLatencies::ParseEntries(const std::string& text, Entries& entries)
{
    for (const auto& item : text.empty() ? std::vector<std::string>() : SplitText(text, ','))
    {
        const auto sides = SplitText(item, '=');
        const bool isPair = sides.size() == 2;
        const auto key = isPair ? SplitText(sides[0], '/') : std::vector<std::string>();
        const auto values = isPair ? SplitText(sides[1], ':') : std::vector<std::string>();
        if (key.size() != 2 || values.size() != 3)
        {
            return "\"" + item + "\" is not of the form ALGORITHM/PROTOCOL=BASE:SERVER:NETWORK";
        }
        const auto protocol = ParseProtocol(key[1]);
        if (!protocol)
        {
            return "\"" + key[1] + "\" in \"" + item + "\" is none of simple, ll128 and ll";
        }
        std::vector<Time> times;
        for (const auto& value : values)
        {
            const auto time = ReadDuration(value);
            if (!time)
            {
                return "\"" + value + "\" in \"" + item + "\" is not a duration such as 0.6us";
            }
            times.push_back(*time);
        }
        entries[{key[0], *protocol}] = {times[0], times[1], times[2]};
    }
    return "";
}

std::string
CollectiveLatencies::ToText() const
{
    std::string text;
    for (const auto& [key, entry] : m_entries)
    {
        text += (text.empty() ? "" : ",") + key.first + "/" + ToString(key.second) + "=" +
                FormatTime(entry.base) + ":" + FormatTime(entry.server) + ":" +
                FormatTime(entry.network);
    }
    return text;
}

CollectiveLatencies::Entry
CollectiveLatencies::Find(const std::string& algorithm, CollectiveProtocol protocol) const
{
    // Algorithms that NCCL lacks have no latencies of their own and count as a ring.
    for (const auto& name : {algorithm, std::string("ring")})
    {
        const auto found = m_entries.find({name, protocol});
        if (found != m_entries.end())
        {
            return found->second;
        }
    }
    return {};
}

} // namespace ns3
