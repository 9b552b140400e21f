/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "layer-file-parser.h"

#include "ns3/input-values.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace ns3
{

namespace
{

/// The collectives. The root of a broadcast is the first member of the group.
const std::vector<std::pair<std::string, CollectiveKind>> COLLECTIVES{
    {"ALLREDUCE", CollectiveKind::ALL_REDUCE},
    {"ALLGATHER", CollectiveKind::ALL_GATHER},
    {"REDUCESCATTER", CollectiveKind::REDUCE_SCATTER},
    {"ALLTOALL", CollectiveKind::ALL_TO_ALL},
    {"BROADCAST", CollectiveKind::BROADCAST},
};

/// What may follow the name of a collective, and the group it means; nullopt = policy and column
/// say it.
const std::vector<std::pair<std::string, std::optional<Dimension>>> SUFFIXES{
    {"", std::nullopt},
    {"_EP", Dimension::EP},
    {"_DP_EP", Dimension::EDP},
};

/// The three parts of a row as its columns are called, by LayerColumn.
const std::array<std::string, 3> PARTS{"fwd", "ig", "wg"};

/**
 * @param field a word that should be a time
 * @param what name of its column
 * @return the time in ps
 */
uint64_t
ParseTime(const TextField& field, const std::string& what)
{
    constexpr uint64_t psPerNs = 1000;
    // ns3::Time counts picoseconds in 64 bits with a sign.
    constexpr uint64_t largest = std::numeric_limits<int64_t>::max() / psPerNs;
    const auto time = ParseCount(field, what + " in ns");
    if (time > largest)
    {
        throw WorkloadError(field, what + " of at most " + std::to_string(largest) + " ns");
    }
    return time * psPerNs;
}

/**
 * @param type a word that should be a communication
 * @param size a word that should be its bytes
 * @param column name of the column of the type
 * @param group where the column communicates, if the word does not say it; nullopt = it does not
 * @param work what receives the communication
 */
void
ParseCommunication(const TextField& type,
                   const TextField& size,
                   const std::string& column,
                   const std::optional<Dimension>& group,
                   LayerWork& work)
{
    std::vector<std::string> names{"NONE"};
    // Before the type: a size that is no number is a fault of the file even where the type is NONE.
    const auto bytes = ParseCount(size, "bytes of " + column);
    if (type.text == names.front())
    {
        // AICB leaves the size where it switches a communication off.
        return;
    }
    for (const auto& [suffix, dimension] : SUFFIXES)
    {
        for (const auto& [name, kind] : COLLECTIVES)
        {
            names.push_back(name + suffix);
            if (type.text != names.back())
            {
                continue;
            }
            if (bytes > 0 && !group)
            {
                throw WorkloadError(type,
                                    column + " NONE, because the policy does not use it here");
            }
            work.bytes = bytes;
            work.kind = kind;
            work.dimension = dimension.value_or(group.value_or(Dimension::WORLD));
            return;
        }
    }
    throw WorkloadError(type.where,
                        column + " as one of " + JoinWords(names),
                        Quoted(type.text),
                        NearestName(type.text, names));
}

/**
 * @param text the file
 * @param line the line of a row
 * @param policy policy of the file
 * @param isFirst whether it is the first row
 * @return the row
 */
LayerRow
ParseRow(const WorkloadText& text,
         const WorkloadText::Line& line,
         LayerFilePolicy policy,
         bool isFirst)
{
    const bool isCustomized = policy == LayerFilePolicy::HYBRID_CUSTOMIZED;
    const std::size_t nColumns = isCustomized ? 13 : 12;
    const auto words = text.SplitWords(line);
    if (words.size() != nColumns)
    {
        // The first word too many has a column; one that is missing has none.
        throw WorkloadError(words.size() > nColumns
                                ? words[nColumns].where
                                : SourceLocation{text.GetFile(), line.number, 0, ""},
                            std::to_string(nColumns) + " columns",
                            std::to_string(words.size()));
    }
    LayerRow row;
    row.name = words[0].text;
    row.line = line.number;
    if (words[1].text != "-1")
    {
        ParseCount(words[1], "dep, which is not used, as -1 or");
    }
    row.updateTime = ParseTime(words[11], "update_time");
    const auto groups =
        GetLayerGroups(policy, isCustomized ? ParseLayerRowPolicy(words[12]) : policy, isFirst);
    for (std::size_t column = 0; column < PARTS.size(); ++column)
    {
        // A part has three columns: time, communication and its bytes.
        const auto* part = &words[2 + 3 * column];
        auto& work = row.work[column];
        work.time = ParseTime(part[0], PARTS[column] + "_time");
        ParseCommunication(part[1], part[2], PARTS[column] + "_comm", groups[column], work);
    }
    return row;
}

/**
 * @param text the file
 * @param policy its policy
 * @return its rows
 */
std::vector<LayerRow>
ParseRows(const WorkloadText& text, LayerFilePolicy policy)
{
    const auto& lines = text.GetLines();
    if (lines.size() == 1)
    {
        throw WorkloadError({text.GetFile(), 0, 0, ""},
                            "the number of rows on the line after the header",
                            "the end of the file");
    }
    const auto words = text.SplitWords(lines[1]);
    if (words.size() != 1)
    {
        throw WorkloadError(words[1], "the number of rows alone on its line");
    }
    const auto& count = words.front();
    const auto nRows = ParseCount(count, "the number of rows");
    const auto nFound = lines.size() - 2;
    if (nRows == 0)
    {
        throw WorkloadError(count, "at least 1 row");
    }
    if (nRows != nFound)
    {
        // The first row too many is the better place to look at, if there is one.
        throw WorkloadError(nFound > nRows ? text.Locate(lines[2 + nRows], 0) : count.where,
                            std::to_string(nRows) + " rows, as line " +
                                std::to_string(lines[1].number) + " says",
                            std::to_string(nFound));
    }
    std::vector<LayerRow> rows;
    rows.reserve(nFound);
    for (std::size_t i = 2; i < lines.size(); ++i)
    {
        rows.push_back(ParseRow(text, lines[i], policy, i == 2));
    }
    return rows;
}

/**
 * @param field a word of the header that should be a row, counted from 0
 * @param nRows number of rows
 * @return the row
 */
std::size_t
ParseRowNumber(const TextField& field, std::size_t nRows)
{
    const auto row = ParseCount(field, "a row, counted from 0,");
    if (row >= nRows)
    {
        throw WorkloadError(field, "a row from 0 to " + std::to_string(nRows - 1));
    }
    return row;
}

/**
 * Mark the checkpoints and the rows that start a recomputation from them.
 *
 * @param header what the header says
 * @param rows the rows
 */
void
MarkRows(const LayerFileHeader& header, std::vector<LayerRow>& rows)
{
    for (const auto& field : header.checkpoints)
    {
        rows[ParseRowNumber(field, rows.size())].isCheckpoint = true;
    }
    for (const auto& field : header.recomputations)
    {
        const auto row = ParseRowNumber(field, rows.size());
        rows[row].startsRecomputation = true;
        if (std::none_of(rows.begin(), rows.begin() + row, [](const LayerRow& earlier) {
                return earlier.isCheckpoint;
            }))
        {
            throw WorkloadError(field.where, "a row after one of the checkpoints", field.text);
        }
    }
}

} // namespace

LayerFile
ParseLayerFile(const WorkloadText& text)
{
    LayerFile file;
    file.file = text.GetFile();
    file.header = ParseLayerFileHeader(text);
    file.rows = ParseRows(text, file.header.policy);
    MarkRows(file.header, file.rows);
    if (file.header.lastBottomLayer)
    {
        const auto& field = *file.header.lastBottomLayer;
        file.lastBottomLayer = ParseRowNumber(field, file.rows.size());
        if (file.lastBottomLayer + 1 == file.rows.size())
        {
            throw WorkloadError(field.where, "a row that others follow", "the last row");
        }
    }
    return file;
}

} // namespace ns3
