/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "text-table.h"

#include "ns3/assert.h"

#include <algorithm>
#include <iomanip>
#include <locale>
#include <numeric>
#include <sstream>

namespace ns3
{

namespace
{

/// What stands before the first column of a row.
const std::string INDENT = "  ";

/// Characters that a line may have.
constexpr std::size_t LINE_WIDTH = 100;

} // namespace

void
TextTable::AddColumn(const std::string& heading, Alignment alignment)
{
    m_headings.push_back(heading);
    m_alignments.push_back(alignment);
}

void
TextTable::AddRow(const std::vector<std::string>& cells)
{
    NS_ASSERT_MSG(cells.size() == m_headings.size(), "a row must have a cell for each column");
    m_rows.push_back(cells);
}

bool
TextTable::IsEmpty() const
{
    return m_rows.empty();
}

void
TextTable::Print(std::ostream& os) const
{
    std::vector<std::size_t> widths(m_headings.size());
    for (std::size_t column = 0; column < m_headings.size(); ++column)
    {
        widths[column] = m_headings[column].size();
        for (const auto& row : m_rows)
        {
            const auto indent = column == 0 ? INDENT.size() : 0;
            widths[column] = std::max(widths[column], row[column].size() + indent);
        }
    }
    // Gaps of two blanks, or of one where the table is too wide otherwise.
    const std::size_t gaps = widths.empty() ? 0 : widths.size() - 1;
    const auto width = std::accumulate(widths.begin(), widths.end(), 2 * gaps);
    const std::string gap(width <= LINE_WIDTH ? 2 : 1, ' ');
    PrintRow(m_headings, "", widths, gap, os);
    for (const auto& row : m_rows)
    {
        PrintRow(row, INDENT, widths, gap, os);
    }
}

void
TextTable::PrintRow(const std::vector<std::string>& cells,
                    const std::string& indent,
                    const std::vector<std::size_t>& widths,
                    const std::string& gap,
                    std::ostream& os) const
{
    std::string line;
    for (std::size_t column = 0; column < cells.size(); ++column)
    {
        const std::string cell = (column == 0 ? indent : "") + cells[column];
        const std::string padding(widths[column] - cell.size(), ' ');
        line += column == 0 ? "" : gap;
        line += m_alignments[column] == LEFT ? cell + padding : padding + cell;
    }
    // A padded last column would leave blanks at the end of the line.
    line.erase(line.find_last_not_of(' ') + 1);
    os << line << "\n";
}

std::string
FormatFixed(double value, int decimals)
{
    std::ostringstream stream;
    stream.imbue(std::locale::classic());
    stream << std::fixed << std::setprecision(decimals) << value;
    return stream.str();
}

std::string
FormatCount(uint64_t count, const std::string& noun)
{
    const bool endsInCh = noun.size() > 1 && noun.compare(noun.size() - 2, 2, "ch") == 0;
    return std::to_string(count) + " " + noun + (count == 1 ? "" : endsInCh ? "es" : "s");
}

std::string
FormatMs(Time time)
{
    return FormatFixed(time.GetSeconds() * 1e3, 3);
}

void
PrintHanging(std::ostream& os,
             const std::string& head,
             const std::string& indent,
             const std::string& text)
{
    std::string line = head;
    bool isBegun = false;
    std::istringstream words(text);
    for (std::string word; words >> word; isBegun = true)
    {
        if (isBegun && line.size() + 1 + word.size() > LINE_WIDTH)
        {
            os << line << "\n";
            line = indent;
            isBegun = false;
        }
        line += (isBegun ? " " : "") + word;
    }
    os << line << "\n";
}

bool
PrintLines(std::ostream& os, const std::vector<std::string>& lines)
{
    for (const auto& line : lines)
    {
        os << line << "\n";
    }
    os.flush();
    return !lines.empty();
}

} // namespace ns3
