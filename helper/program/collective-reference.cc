/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "collective-reference.h"

#include "nccl-tests-log.h"

#include "ns3/assert.h"
#include "ns3/input-values.h"
#include "ns3/workload-text.h"

#include <cmath>
#include <vector>

namespace ns3
{

namespace
{

/// Name of the column of sizes.
const std::string SIZE_COLUMN = "size_bytes";

/// Name of the column of times.
const std::string TIME_COLUMN = "time_us";

/**
 * @param text a text
 * @return it without blanks at either end
 */
std::string
Trim(const std::string& text)
{
    const auto first = text.find_first_not_of(" \t");
    return first == std::string::npos
               ? ""
               : text.substr(first, text.find_last_not_of(" \t") + 1 - first);
}

/**
 * Split a line at its commas, but for those in quotes. Blanks around a field do not belong to it.
 *
 * @param text the file
 * @param line a line of it
 * @return the fields without their quotes
 * @throws WorkloadError if quotes are not closed
 */
std::vector<TextField>
SplitRow(const WorkloadText& text, const WorkloadText::Line& line)
{
    std::vector<TextField> fields(1);
    std::size_t start = 0;
    bool isQuoted = false;
    std::size_t quote = 0;
    const auto close = [&]() {
        // An error is located where the field's text begins.
        const auto blanks = line.text.find_first_not_of(" \t", start);
        auto& field = fields.back();
        field.where = text.Locate(line, blanks == std::string::npos ? start : blanks);
        field.text = Trim(field.text);
    };
    for (std::size_t i = 0; i < line.text.size(); ++i)
    {
        const char c = line.text[i];
        if (c == '"')
        {
            // Two quotes that stand for one close and open; what then is lost is no number.
            isQuoted = !isQuoted;
            quote = isQuoted ? i : quote;
        }
        else if (c == ',' && !isQuoted)
        {
            close();
            fields.emplace_back();
            start = i + 1;
        }
        else
        {
            fields.back().text += c;
        }
    }
    if (isQuoted)
    {
        throw WorkloadError(text.Locate(line, quote),
                            "quotes that are closed in their line",
                            "quotes that are not");
    }
    close();
    return fields;
}

/**
 * @param text the file
 * @param name name of a column
 * @return where it stands in the header
 * @throws WorkloadError if it is missing or stands twice
 */
std::size_t
FindColumn(const WorkloadText& text, const std::string& name)
{
    const auto& line = text.GetLines().front();
    const auto header = SplitRow(text, line);
    std::size_t column = header.size();
    for (std::size_t i = 0; i < header.size(); ++i)
    {
        if (header[i].text != name)
        {
            continue;
        }
        if (column != header.size())
        {
            throw WorkloadError(header[i].where, "one column " + name, "a second one of that name");
        }
        column = i;
    }
    if (column == header.size())
    {
        throw WorkloadError(text.Locate(line, 0),
                            "a header with the column " + name,
                            Quoted(line.text));
    }
    return column;
}

} // namespace

CollectiveReference::CollectiveReference(const std::string& file)
    : m_file(file)
{
    const WorkloadText text(file, {ForeignFile::NCCL_TESTS});
    const auto& lines = text.GetLines();
    if (lines.front().text.find(SIZE_COLUMN) == std::string::npos && LooksLikeNcclTests(text))
    {
        m_times = ReadNcclTests(text);
        return;
    }
    const auto sizeColumn = FindColumn(text, SIZE_COLUMN);
    const auto timeColumn = FindColumn(text, TIME_COLUMN);
    const auto nColumns = SplitRow(text, lines.front()).size();
    for (std::size_t i = 1; i < lines.size(); ++i)
    {
        const auto fields = SplitRow(text, lines[i]);
        if (fields.size() != nColumns)
        {
            throw WorkloadError({file, lines[i].number, 0, ""},
                                std::to_string(nColumns) + " fields, as many as the header has",
                                std::to_string(fields.size()));
        }
        const auto& size = fields[sizeColumn];
        const auto& time = fields[timeColumn];
        const double microseconds = ParseNonNegative(time, TIME_COLUMN);
        if (microseconds <= 0)
        {
            throw WorkloadError(time, TIME_COLUMN + " above 0");
        }
        if (!m_times.emplace(ParseCount(size, SIZE_COLUMN), microseconds).second)
        {
            throw WorkloadError(size.where,
                                "every size once",
                                Quoted(size.text) + " a second time");
        }
    }
    if (m_times.empty())
    {
        throw WorkloadError({file, 0, 0, ""}, "a row for a size", "the header alone");
    }
}

const std::string&
CollectiveReference::GetFile() const
{
    return m_file;
}

const std::map<uint64_t, double>&
CollectiveReference::GetTimes() const
{
    return m_times;
}

std::optional<double>
CollectiveReference::Find(uint64_t bytes) const
{
    const auto time = m_times.find(bytes);
    return time == m_times.end() ? std::nullopt : std::optional<double>(time->second);
}

double
CollectiveComparison::Row::GetRatio() const
{
    return microseconds / referenceUs;
}

void
CollectiveComparison::Add(const Row& row)
{
    NS_ASSERT_MSG(row.microseconds > 0 && row.referenceUs > 0, "a ratio needs times above 0");
    // Twice as long and half as long are errors of the same size.
    const double logarithm = std::fabs(std::log(row.GetRatio()));
    if (m_count == 0 || logarithm > std::fabs(std::log(m_worst.GetRatio())))
    {
        m_worst = row;
    }
    m_logarithms += logarithm;
    ++m_count;
}

std::size_t
CollectiveComparison::GetCount() const
{
    return m_count;
}

double
CollectiveComparison::GetMeanError() const
{
    // From the mean of logarithms back to a ratio, less 1.
    return m_count == 0 ? 0 : std::expm1(m_logarithms / static_cast<double>(m_count));
}

const CollectiveComparison::Row&
CollectiveComparison::GetWorst() const
{
    NS_ASSERT_MSG(m_count > 0, "nothing was compared");
    return m_worst;
}

} // namespace ns3
