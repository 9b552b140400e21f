/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rccl-tests-records.h"

#include "ns3/input-json.h"
#include "ns3/input-values.h"
#include "ns3/json-section.h"
#include "ns3/workload-error.h"

#include <map>
#include <string>

namespace ns3
{

namespace
{

/// Key that no other JSON of collectives' times has.
const std::string IN_PLACE = "inPlace";

/// Names of collectives in records.
const std::map<std::string, CollectiveKind> NAMES{{"AllReduce", CollectiveKind::ALL_REDUCE},
                                                  {"AllGather", CollectiveKind::ALL_GATHER},
                                                  {"ReduceScatter", CollectiveKind::REDUCE_SCATTER},
                                                  {"AlltoAll", CollectiveKind::ALL_TO_ALL},
                                                  {"AllToAll", CollectiveKind::ALL_TO_ALL},
                                                  {"SendRecv", CollectiveKind::SHIFT},
                                                  {"Broadcast", CollectiveKind::BROADCAST},
                                                  {"Reduce", CollectiveKind::REDUCE},
                                                  {"Gather", CollectiveKind::GATHER},
                                                  {"Scatter", CollectiveKind::SCATTER}};

/// Largest number of ranks and nodes.
constexpr uint64_t MOST_RANKS = 1U << 24;

/**
 * @param text a file
 * @return its first character that is no blank
 */
char
GetFirst(const WorkloadText& text)
{
    const auto& line = text.GetLines().front().text;
    return line[line.find_first_not_of(" \t")];
}

/**
 * @param text a file of records
 * @return all of them
 */
nlohmann::ordered_json
ParseRecords(const WorkloadText& text)
{
    if (GetFirst(text) == '[')
    {
        return ParseJson(text);
    }
    auto records = nlohmann::ordered_json::array();
    for (const auto& line : text.GetLines())
    {
        try
        {
            records.push_back(nlohmann::ordered_json::parse(line.text));
        }
        catch (const nlohmann::json::exception&)
        {
            throw WorkloadError({text.GetFile(), line.number, 0, ""},
                                "a record of rccl-tests, as in the lines before",
                                Quoted(line.text));
        }
    }
    return records;
}

/**
 * @param record a record
 * @return what all records of a file must have alike, in words
 */
std::string
DescribeSeries(const JsonSection& record)
{
    return record.GetText("name").text + " of " + record.GetNumber("ranks").text + " ranks, " +
           record.GetText("type").text + ", " + record.GetText("redop").text;
}

} // namespace

bool
HasRcclTestsRecords(const WorkloadText& text)
{
    const auto& lines = text.GetLines();
    const auto first = GetFirst(text);
    // The first record of a list stands in the line of the bracket, or in the next one.
    const auto has = [&lines](std::size_t line) {
        return line < lines.size() && lines[line].text.find(IN_PLACE) != std::string::npos;
    };
    return (first == '[' && (has(0) || has(1))) || (first == '{' && has(0));
}

RcclTestsRecords
ReadRcclTestsRecords(const WorkloadText& text, std::optional<CollectiveKind> kind)
{
    RcclTestsRecords all;
    std::string series;
    std::size_t number = 0;
    for (const auto& item : ParseRecords(text))
    {
        const SourceLocation where{text.GetFile(), 0, 0, "/" + std::to_string(number++)};
        if (!item.is_object())
        {
            throw WorkloadError(where, "a record of rccl-tests", Quoted(item.dump()));
        }
        std::vector<std::string> keys;
        for (const auto& entry : item.items())
        {
            keys.push_back(entry.key());
        }
        const JsonSection section(item, where, keys);
        const auto name = NAMES.find(section.GetText("name").text);
        RcclTestsRecord record;
        record.kind = name == NAMES.end() ? std::nullopt : std::optional(name->second);
        record.ranks = section.GetWhole("ranks", 1, MOST_RANKS);
        if (kind && record.kind && record.kind != kind)
        {
            all.leftOut.insert(ToString(*record.kind) + " of " + std::to_string(record.ranks) +
                               " ranks");
            continue;
        }
        const auto own = DescribeSeries(section);
        if (!series.empty() && own != series)
        {
            throw WorkloadError(where,
                                "records of one collective, number of ranks, type and reduction, "
                                "as the first (" +
                                    series + ")" + (kind ? "" : ", unless kind says which count"),
                                own);
        }
        series = own;
        record.size = section.GetNumber("size");
        record.time = section.GetNumber("time");
        record.isInPlace = section.GetWhole(IN_PLACE, 0, 1) == 1;
        record.servers = section.GetWhole("nodes", 1, MOST_RANKS);
        all.records.push_back(record);
    }
    return all;
}

} // namespace ns3
