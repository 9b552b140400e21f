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
                                std::string("a record of rccl-tests, {\"numCycle\": ...}") +
                                    (records.empty() ? "" : ", as in the lines before"),
                                Quoted(line.text));
        }
    }
    return records;
}

/**
 * @param record a record
 * @return its row
 */
NcclTestsRow
ReadRecord(const JsonSection& record)
{
    const auto name = record.GetText("name").text;
    const auto kind = NAMES.find(name);
    NcclTestsRow row;
    row.job.kind = kind == NAMES.end() ? std::nullopt : std::optional(kind->second);
    row.job.other = row.job.kind ? "" : name;
    row.job.ranks = record.GetWhole("ranks", 1, MOST_RANKS);
    row.job.servers = record.GetWhole("nodes", 1, MOST_RANKS);
    row.size = record.GetNumber("size");
    row.time = record.GetNumber("time");
    row.series = record.GetText("type");
    row.series.text += " " + record.GetText("redop").text;
    row.isInPlace = record.GetWhole(IN_PLACE, 0, 1) == 1;
    return row;
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

std::vector<NcclTestsRow>
ReadRcclTestsRecords(const WorkloadText& text)
{
    std::vector<NcclTestsRow> rows;
    for (const auto& item : ParseRecords(text))
    {
        const SourceLocation where{text.GetFile(), 0, 0, "/" + std::to_string(rows.size())};
        if (!item.is_object())
        {
            throw WorkloadError(where, "a record of rccl-tests", Quoted(item.dump()));
        }
        std::vector<std::string> keys;
        for (const auto& entry : item.items())
        {
            keys.push_back(entry.key());
        }
        rows.push_back(ReadRecord(JsonSection(item, where, keys)));
    }
    return rows;
}

} // namespace ns3
