/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "input-table.h"

#include "input-values.h"

#include <algorithm>
#include <set>

namespace ns3
{

InputTable::InputTable(const WorkloadText& text, const Format& format)
    : m_text(text),
      m_separator(format.separator)
{
    const auto& line = text.GetLines().front();
    const auto names = Split(line);
    m_nFields = names.size();
    m_places.assign(format.columns.size(), m_nFields);
    auto known = format.columns;
    known.insert(known.end(), format.others.begin(), format.others.end());
    if (m_nFields == 1 && m_places.size() > 1 && !format.takesAll)
    {
        throw WorkloadError(LocateLine(line),
                            "a header line of " + DescribeFields(m_places.size(), "columns"),
                            Quoted(line.text));
    }
    std::set<std::size_t> found;
    for (std::size_t field = 0; field < m_nFields; ++field)
    {
        const auto& name = names[field];
        if (format.takesAll && std::count(known.begin(), known.end(), name.text) == 0)
        {
            continue;
        }
        const auto column =
            FindWord(name, known, "a column of " + format.what + " (" + JoinWords(known) + ")");
        if (!found.insert(column).second)
        {
            throw WorkloadError(name.where, "each column once", Quoted(name.text) + " again");
        }
        if (column < m_places.size())
        {
            m_places[column] = field;
        }
    }
    for (std::size_t column = 0; column < m_places.size(); ++column)
    {
        if (m_places[column] == m_nFields)
        {
            throw WorkloadError(LocateLine(line),
                                "a column " + Quoted(format.columns[column]),
                                "a header line without it");
        }
    }
}

std::size_t
InputTable::GetNRows() const
{
    return m_text.GetLines().size() - 1;
}

uint32_t
InputTable::GetLine(std::size_t row) const
{
    return m_text.GetLines()[row + 1].number;
}

std::vector<TextField>
InputTable::Read(std::size_t row) const
{
    const auto& line = m_text.GetLines()[row + 1];
    const auto fields = Split(line);
    if (fields.size() != m_nFields)
    {
        // The first field too many has a place; one that is missing has none.
        throw WorkloadError(fields.size() > m_nFields ? fields[m_nFields].where : LocateLine(line),
                            DescribeFields(m_nFields, "fields"),
                            std::to_string(fields.size()));
    }
    std::vector<TextField> read;
    read.reserve(m_places.size());
    for (const auto place : m_places)
    {
        read.push_back(fields[place]);
    }
    return read;
}

std::vector<TextField>
InputTable::Split(const WorkloadText::Line& line) const
{
    return m_separator == ',' ? SplitQuoted(line) : m_text.Split(line, m_separator);
}

std::vector<TextField>
InputTable::SplitQuoted(const WorkloadText::Line& line) const
{
    std::vector<TextField> fields(1);
    std::size_t start = 0;
    bool isQuoted = false;
    std::size_t quote = 0;
    const auto close = [&]() {
        // An error is located where the field's text begins.
        const auto blanks = line.text.find_first_not_of(" \t", start);
        auto& [text, where] = fields.back();
        where = m_text.Locate(line, blanks == std::string::npos ? start : blanks);
        text.erase(text.find_last_not_of(" \t") + 1);
        text.erase(0, std::min(text.find_first_not_of(" \t"), text.size()));
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
        throw WorkloadError(m_text.Locate(line, quote),
                            "quotes that are closed in their line",
                            "quotes that are not");
    }
    close();
    return fields;
}

SourceLocation
InputTable::LocateLine(const WorkloadText::Line& line) const
{
    return {m_text.GetFile(), line.number, 0, ""};
}

std::string
InputTable::DescribeFields(std::size_t count, const std::string& what) const
{
    return std::to_string(count) + " " + what + " separated by " +
           (m_separator == ',' ? "commas" : "tabs");
}

} // namespace ns3
