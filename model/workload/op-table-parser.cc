/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "op-table-parser.h"

#include "ns3/input-values.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <sstream>
#include <utility>

namespace ns3
{

namespace
{

/// A word that a column of communication types may hold.
struct TypeName
{
    const char* name;    //!< the word
    CollectiveKind kind; //!< the collective it means; unused by None
    bool blocking;       //!< whether the compute after it waits for it
};

/// All such words; the first one means no communication.
constexpr std::array<TypeName, 7> TYPE_NAMES{{
    {"None", CollectiveKind::ALL_REDUCE, false},
    {"ALLREDUCE", CollectiveKind::ALL_REDUCE, true},
    {"ALLREDUCE_ASYNC", CollectiveKind::ALL_REDUCE, false},
    {"ALLGATHER", CollectiveKind::ALL_GATHER, true},
    {"REDUCESCATTER", CollectiveKind::REDUCE_SCATTER, true},
    {"ALLTOALL", CollectiveKind::ALL_TO_ALL, true},
    {"SENDRECV", CollectiveKind::SHIFT, true},
}};

/**
 * @param number a number
 * @return its shortest spelling for a message
 */
std::string
Spell(double number)
{
    std::ostringstream text;
    text << number;
    return text.str();
}

/**
 * @param field a field of a column of communication types
 * @param column name of the column
 * @return what the word means
 */
const TypeName&
ParseType(const TextField& field, const std::string& column)
{
    std::vector<std::string> names;
    for (const auto& type : TYPE_NAMES)
    {
        if (field.text == type.name)
        {
            return type;
        }
        names.emplace_back(type.name);
    }
    if (field.text == "NONE")
    {
        return TYPE_NAMES.front();
    }
    throw WorkloadError(field.where,
                        column + " as one of " + JoinWords(names),
                        Quoted(field.text),
                        NearestName(field.text, names));
}

} // namespace

const std::array<const char*, OpTableParser::N_COLUMNS> OpTableParser::COLUMN_NAMES{
    "name",
    "forward_compute_time",
    "forward_comm_type",
    "forward_comm_size",
    "backward_compute_time",
    "backward_comm_type",
    "backward_comm_size",
    "weight_grad_compute_time",
    "weight_grad_comm_type",
    "weight_grad_comm_size",
    "process_time",
};

OpTableParser::OpTableParser(const WorkloadText& text, const OpTableOptions& options)
    : m_text(text),
      m_options(options)
{
}

std::vector<OpTableRow>
OpTableParser::Parse()
{
    const auto& lines = m_text.GetLines();
    ParseHeader(lines.front());
    if (lines.size() == 1)
    {
        throw WorkloadError({m_text.GetFile(), 0, 0, ""},
                            "at least one row after the header line",
                            "none");
    }
    std::vector<OpTableRow> rows;
    rows.reserve(lines.size() - 1);
    for (auto line = lines.begin() + 1; line != lines.end(); ++line)
    {
        rows.push_back(ParseRow(*line));
    }
    return rows;
}

void
OpTableParser::ParseHeader(const WorkloadText::Line& line)
{
    const SourceLocation where{m_text.GetFile(), line.number, 0, ""};
    const std::vector<std::string> names(COLUMN_NAMES.begin(), COLUMN_NAMES.end());
    const auto fields = m_text.Split(line, '\t');
    if (fields.size() == 1)
    {
        throw WorkloadError(where,
                            "a header line of " + std::to_string(names.size()) +
                                " columns separated by tabs",
                            Quoted(line.text));
    }
    for (const auto& field : fields)
    {
        const auto name = std::find(names.begin(), names.end(), field.text);
        if (name == names.end())
        {
            throw WorkloadError(field.where,
                                "a column of an op table (" + JoinWords(names) + ")",
                                Quoted(field.text),
                                NearestName(field.text, names));
        }
        const auto column = static_cast<std::size_t>(name - names.begin());
        if (std::find(m_order.begin(), m_order.end(), column) != m_order.end())
        {
            throw WorkloadError(field.where, "each column once", Quoted(field.text) + " again");
        }
        m_order.push_back(column);
    }
    for (std::size_t column = 0; column < names.size(); ++column)
    {
        if (std::find(m_order.begin(), m_order.end(), column) == m_order.end())
        {
            throw WorkloadError(where,
                                "a column " + Quoted(names[column]),
                                "a header line without it");
        }
    }
}

OpTableRow
OpTableParser::ParseRow(const WorkloadText::Line& line) const
{
    const auto fields = SplitRow(line);
    OpTableRow row;
    row.name = fields[NAME].text;
    row.line = line.number;
    if (row.name.empty())
    {
        throw WorkloadError(fields[NAME].where, "the name of an op", "an empty field");
    }
    row.forwardTime = ParseTime(fields, FORWARD_COMPUTE_TIME);
    row.backwardTime = ParseTime(fields, BACKWARD_COMPUTE_TIME);
    row.weightGradTime = ParseTime(fields, WEIGHT_GRAD_COMPUTE_TIME);
    row.processTime = ParseTime(fields, PROCESS_TIME);
    if (row.backwardTime == 0 && row.weightGradTime == 0)
    {
        row.backwardTime = ParseTime(fields, FORWARD_COMPUTE_TIME, m_options.backwardScale);
    }
    row.forwardCommunication = ParseCommunication(fields, FORWARD_COMM_TYPE);
    row.backwardCommunication = ParseCommunication(fields, BACKWARD_COMM_TYPE);
    row.weightGradCommunication = ParseCommunication(fields, WEIGHT_GRAD_COMM_TYPE);
    return row;
}

OpTableParser::Fields
OpTableParser::SplitRow(const WorkloadText::Line& line) const
{
    auto split = m_text.Split(line, '\t');
    if (split.size() != N_COLUMNS)
    {
        // The first field too many has a column; one that is missing has none.
        const SourceLocation where = split.size() > N_COLUMNS
                                         ? split[N_COLUMNS].where
                                         : SourceLocation{m_text.GetFile(), line.number, 0, ""};
        throw WorkloadError(where,
                            std::to_string(N_COLUMNS) + " fields separated by tabs",
                            std::to_string(split.size()));
    }
    Fields fields;
    for (std::size_t i = 0; i < N_COLUMNS; ++i)
    {
        fields[m_order[i]] = std::move(split[i]);
    }
    return fields;
}

uint64_t
OpTableParser::ParseTime(const Fields& fields, Column column, double scale) const
{
    const std::string name = COLUMN_NAMES[column];
    const auto time = ParseNonNegative(fields[column], name + " in ms");
    constexpr double psPerMs = 1e9;
    // ns3::Time counts in 64 bits with a sign.
    constexpr double endOfTime = 9223372036854775808.0;
    const double picoseconds = time * scale * psPerMs;
    if (!(picoseconds < endOfTime))
    {
        throw WorkloadError(fields[column].where,
                            name + " below 9223372036 ms" +
                                (scale != 1 ? " when multiplied by --backwardScale" : ""),
                            Quoted(fields[column].text) +
                                (scale != 1 ? " and --backwardScale=" + Spell(scale) : ""));
    }
    return static_cast<uint64_t>(std::llround(picoseconds));
}

OpTableCommunication
OpTableParser::ParseCommunication(const Fields& fields, Column typeColumn) const
{
    const auto sizeColumn = typeColumn + 1;
    const auto& size = fields[sizeColumn];
    const std::string sizeName = COLUMN_NAMES[sizeColumn];
    const auto& type = ParseType(fields[typeColumn], COLUMN_NAMES[typeColumn]);
    const auto elements = ParseCount(size, sizeName + " in elements");
    if (&type == &TYPE_NAMES.front() && elements > 0)
    {
        throw WorkloadError(size.where,
                            sizeName + " of 0, because " + COLUMN_NAMES[typeColumn] + " is None",
                            Quoted(size.text));
    }
    const auto largest = std::numeric_limits<uint64_t>::max() / m_options.elementBytes;
    if (elements > largest)
    {
        throw WorkloadError(size.where,
                            sizeName + " of at most " + std::to_string(largest) + " elements of " +
                                std::to_string(m_options.elementBytes) + " bytes",
                            Quoted(size.text));
    }
    return {elements * m_options.elementBytes, type.kind, type.blocking};
}

} // namespace ns3
