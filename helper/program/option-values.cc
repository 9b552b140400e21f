/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "option-values.h"

#include "ns3/compute-clock.h"
#include "ns3/object-factory.h"
#include "ns3/tcp-congestion-ops.h"
#include "ns3/tcp-socket-base.h"
#include "ns3/type-id.h"

#include <algorithm>
#include <array>

namespace ns3
{

namespace
{

/// Largest factor of a time.
constexpr double MAX_SCALE = 1e6;

/**
 * @return names of the TypeIds of all congestion controls of ns-3's TCP
 */
std::vector<std::string>
GetCongestionControls()
{
    std::vector<std::string> names;
    for (uint16_t i = 0; i < TypeId::GetRegisteredN(); ++i)
    {
        const TypeId tid = TypeId::GetRegistered(i);
        // ns-3 takes some of them, such as TcpCubic, for sockets, so the object itself has to be
        // asked.
        const bool isCandidate = tid.IsChildOf(TcpCongestionOps::GetTypeId()) ||
                                 tid.IsChildOf(TcpSocketBase::GetTypeId());
        if (!isCandidate || !tid.HasConstructor())
        {
            continue;
        }
        ObjectFactory factory;
        factory.SetTypeId(tid);
        if (DynamicCast<TcpCongestionOps>(factory.Create<Object>()))
        {
            names.push_back(tid.GetName());
        }
    }
    return names;
}

/// Most numbers of a range, and so the end of those that may be in it.
constexpr uint64_t MAX_NUMBER = 1000000;

/**
 * @param value numbers below MAX_NUMBER, or ranges of them, such as 0-7
 * @param separator what stands between them
 * @param expected what would be right, for the message
 * @return the numbers in that order
 * @throws WorkloadError if it is anything else
 */
std::vector<uint32_t>
ParseNumbers(const TextField& value, char separator, const std::string& expected)
{
    std::vector<uint32_t> numbers;
    for (const auto& part : SplitText(value.text, separator))
    {
        const auto dash = part.find('-');
        const auto first = ReadWhole(part.substr(0, dash));
        const auto last = dash == std::string::npos ? first : ReadWhole(part.substr(dash + 1));
        if (!first || !last || *last < *first || *last >= MAX_NUMBER)
        {
            throw WorkloadError(value.where,
                                expected + ", below " + std::to_string(MAX_NUMBER),
                                Quoted(part));
        }
        for (auto number = *first; number <= *last; ++number)
        {
            numbers.push_back(static_cast<uint32_t>(number));
        }
    }
    return numbers;
}

} // namespace

Dimension
ParseDimension(const TextField& value)
{
    std::vector<std::string> words;
    for (std::size_t i = 0; i < N_DIMENSIONS; ++i)
    {
        words.push_back(ToString(static_cast<Dimension>(i)));
    }
    return static_cast<Dimension>(FindWord(value, words, "a dimension: " + JoinWords(words)));
}

uint32_t
ParsePositive(const TextField& value)
{
    return static_cast<uint32_t>(ParseNumber(value, 1, UINT32_MAX));
}

double
ParseFactor(const TextField& value)
{
    const auto factor = ReadDecimal(value.text);
    if (!factor)
    {
        throw WorkloadError(value, "a number that is not negative, such as 2.0");
    }
    return *factor;
}

double
ParseScale(const TextField& value)
{
    const auto scale = ReadDecimal(value.text);
    if (!scale || *scale <= 0 || *scale > MAX_SCALE)
    {
        throw WorkloadError(value, "a number above 0 and at most 1000000, such as 1.5");
    }
    return *scale;
}

double
ParseShare(const TextField& value)
{
    const auto share = ReadDecimal(value.text);
    if (!share || *share > 100)
    {
        throw WorkloadError(value, "a number from 0 to 100, such as 0.05");
    }
    return *share;
}

std::pair<uint32_t, double>
ParseRankFactor(const TextField& value)
{
    const auto colon = std::min(value.text.find(':'), value.text.size());
    const auto rank = ReadWhole(value.text.substr(0, colon));
    const auto factor = ReadDecimal(value.text.substr(std::min(colon + 1, value.text.size())));
    if (!rank || *rank > UINT32_MAX || !factor || *factor <= 0 || *factor > MAX_SCALE)
    {
        throw WorkloadError(value,
                            "RANK:FACTOR, a rank and how many times as long as the others it "
                            "computes, such as 3:1.5");
    }
    return {static_cast<uint32_t>(*rank), *factor};
}

CommunicationShare
ParseCommunicationShare(const TextField& value)
{
    CommunicationShare shares;
    double* const both[]{&shares.server, &shares.network};
    // By reach: 0 within a server, 1 over the network.
    std::array<bool, 2> isGiven{};
    auto text = value.text;
    // In a job, where commas separate options, a plus stands for the comma.
    std::replace(text.begin(), text.end(), '+', ',');
    for (const auto& part : SplitText(text, ','))
    {
        const auto colon = part.find(':');
        const auto reach = part.substr(0, colon == std::string::npos ? 0 : colon);
        const auto share = ReadDecimal(colon == std::string::npos ? part : part.substr(colon + 1));
        const bool isAlone = colon == std::string::npos && part == text;
        if (!share || *share > ComputeClock::MAX_SHARE ||
            !(isAlone || reach == "server" || reach == "network") || isGiven[reach == "network"])
        {
            throw WorkloadError(value,
                                "a share of at least 0 and below 1, such as 0.02, or shares by "
                                "reach, such as server:0.15,network:0.02");
        }
        if (isAlone)
        {
            return {*share, *share, 0};
        }
        isGiven[reach == "network"] = true;
        *both[reach == "network"] = *share;
    }
    return shares;
}

std::string
ParseWord(const TextField& value, const std::vector<std::string>& words)
{
    auto expected = JoinWords(words);
    if (words.size() > 1)
    {
        expected = JoinWords({words.begin(), words.end() - 1}) + " or " + words.back();
    }
    return words[FindWord(value, words, expected)];
}

bool
ParseSwitch(const TextField& value)
{
    return value.text.empty() || ParseWord(value, {"true", "false"}) == "true";
}

std::vector<uint32_t>
ParseHosts(const TextField& value)
{
    return ParseNumbers(value, '+', "hosts such as 0-7+16-23");
}

std::vector<uint32_t>
ParseRanges(const TextField& value, const std::string& expected)
{
    return ParseNumbers(value, ',', expected);
}

std::pair<Time, Time>
ParseTimeSpan(const TextField& value)
{
    const auto colon = value.text.find(':');
    const auto from = ReadDuration(value.text.substr(0, colon));
    const auto to =
        colon == std::string::npos ? std::nullopt : ReadDuration(value.text.substr(colon + 1));
    if (!from || !to || *to <= *from)
    {
        throw WorkloadError(value, "FROM:TO, two times, the later one last, such as 10ms:12ms");
    }
    return {*from, *to};
}

RowRepeat
ParseRowRepeat(const TextField& value)
{
    const auto first = value.text.find(':');
    const auto last = value.text.rfind(':');
    const auto count = ReadWhole(value.text.substr(last == std::string::npos ? 0 : last + 1));
    if (first == std::string::npos || first == 0 || last <= first + 1 || !count || *count < 1 ||
        *count > UINT32_MAX)
    {
        throw WorkloadError(value,
                            "FIRST:LAST:N, two rows and how often they stand in the model, such as "
                            "ln_1:add_15:36");
    }
    return {value.text.substr(0, first),
            value.text.substr(first + 1, last - first - 1),
            static_cast<uint32_t>(*count)};
}

std::string
ParseCongestionControl(const TextField& value)
{
    const auto names = GetCongestionControls();
    const std::string prefix = "ns3::";
    // "ns3::" may be left out.
    const bool isFull = value.text.compare(0, prefix.size(), prefix) == 0;
    const auto name = isFull ? value.text : prefix + value.text;
    if (std::find(names.begin(), names.end(), name) == names.end())
    {
        throw WorkloadError(value.where,
                            "a congestion control of ns-3's TCP, such as ns3::TcpCubic",
                            Quoted(value.text),
                            NearestName(name, names));
    }
    return name;
}

} // namespace ns3
