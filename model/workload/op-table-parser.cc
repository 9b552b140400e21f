/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "op-table-parser.h"

#include "ns3/input-table.h"
#include "ns3/input-values.h"

#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <sstream>

namespace ns3
{

namespace
{

/// The columns by their index in COLUMNS.
enum Column : std::size_t
{
    NAME,                     //!< name of the op
    FORWARD_COMPUTE_TIME,     //!< ms
    FORWARD_COMM_TYPE,        //!< communication after forward
    FORWARD_COMM_SIZE,        //!< elements
    BACKWARD_COMPUTE_TIME,    //!< ms
    BACKWARD_COMM_TYPE,       //!< communication after backward
    BACKWARD_COMM_SIZE,       //!< elements
    WEIGHT_GRAD_COMPUTE_TIME, //!< ms
    WEIGHT_GRAD_COMM_TYPE,    //!< communication after the weight gradient
    WEIGHT_GRAD_COMM_SIZE,    //!< elements
    PROCESS_TIME              //!< ms
};

/// The fields of a row by their column.
using Fields = std::vector<TextField>;

/// The columns as the header line has them.
const std::vector<std::string> COLUMNS{
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
FormatNumber(double number)
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
    if (field.text == "NONE")
    {
        return TYPE_NAMES.front();
    }
    std::vector<std::string> names;
    names.reserve(TYPE_NAMES.size());
    for (const auto& type : TYPE_NAMES)
    {
        names.emplace_back(type.name);
    }
    return TYPE_NAMES[FindWord(field, names, column + " as one of " + JoinWords(names))];
}

/**
 * @param field a field of a column of times in ms
 * @param name name of the column
 * @param scale factor to multiply the time by
 * @return the product in ps, rounded to nearest
 */
uint64_t
ParseTime(const TextField& field, const std::string& name, double scale)
{
    constexpr double psPerMs = 1e9;
    // ns3::Time counts in 64 bits with a sign.
    constexpr double endOfTime = 9223372036854775808.0;
    const double picoseconds = ParseNonNegative(field, name + " in ms") * scale * psPerMs;
    if (!(picoseconds < endOfTime))
    {
        const bool isScaled = scale != 1;
        throw WorkloadError(
            field.where,
            name + " below 9223372036 ms" + (isScaled ? " when multiplied by --backwardScale" : ""),
            Quoted(field.text) + (isScaled ? " and --backwardScale=" + FormatNumber(scale) : ""));
    }
    return static_cast<uint64_t>(std::llround(picoseconds));
}

/**
 * @param fields the fields of a row
 * @param column a column of communication types; the next one holds the sizes in elements
 * @param elementBytes bytes of an element
 * @return the communication
 */
OpTableCommunication
ParseCommunication(const Fields& fields, Column column, uint64_t elementBytes)
{
    const auto& size = fields[column + 1];
    const auto& sizeName = COLUMNS[column + 1];
    const auto& type = ParseType(fields[column], COLUMNS[column]);
    const auto elements = ParseCount(size, sizeName + " in elements");
    if (&type == &TYPE_NAMES.front() && elements > 0)
    {
        throw WorkloadError(size, sizeName + " of 0, because " + COLUMNS[column] + " is None");
    }
    const auto largest = std::numeric_limits<uint64_t>::max() / elementBytes;
    if (elements > largest)
    {
        throw WorkloadError(size,
                            sizeName + " of at most " + std::to_string(largest) + " elements of " +
                                std::to_string(elementBytes) + " bytes");
    }
    return {elements * elementBytes, type.kind, type.blocking};
}

/**
 * @param fields the fields of a row
 * @param line its line
 * @param elementBytes see OpTableOptions
 * @param backwardScale see OpTableOptions
 * @return the row
 */
OpTableRow
ParseRow(const Fields& fields, uint32_t line, uint64_t elementBytes, double backwardScale)
{
    const auto parseTime = [&fields](Column column, double scale = 1) {
        return ParseTime(fields[column], COLUMNS[column], scale);
    };
    const auto parseCommunication = [&fields, elementBytes](Column column) {
        return ParseCommunication(fields, column, elementBytes);
    };
    OpTableRow row;
    row.name = fields[NAME].text;
    row.line = line;
    if (row.name.empty())
    {
        throw WorkloadError(fields[NAME].where, "the name of an op", "an empty field");
    }
    row.forwardTime = parseTime(FORWARD_COMPUTE_TIME);
    row.backwardTime = parseTime(BACKWARD_COMPUTE_TIME);
    row.weightGradTime = parseTime(WEIGHT_GRAD_COMPUTE_TIME);
    row.processTime = parseTime(PROCESS_TIME);
    // Without times of its own, backward is estimated from the forward time.
    if (row.backwardTime == 0 && row.weightGradTime == 0)
    {
        row.backwardTime = parseTime(FORWARD_COMPUTE_TIME, backwardScale);
    }
    row.forwardCommunication = parseCommunication(FORWARD_COMM_TYPE);
    row.backwardCommunication = parseCommunication(BACKWARD_COMM_TYPE);
    row.weightGradCommunication = parseCommunication(WEIGHT_GRAD_COMM_TYPE);
    return row;
}

} // namespace

std::vector<OpTableRow>
ParseOpTable(const WorkloadText& text, uint64_t elementBytes, double backwardScale)
{
    const InputTable table(text, {"an op table", '\t', COLUMNS});
    if (table.GetNRows() == 0)
    {
        throw WorkloadError({text.GetFile(), 0, 0, ""},
                            "at least one row after the header line",
                            "none");
    }
    std::vector<OpTableRow> rows;
    rows.reserve(table.GetNRows());
    for (std::size_t row = 0; row < table.GetNRows(); ++row)
    {
        rows.push_back(ParseRow(table.Read(row), table.GetLine(row), elementBytes, backwardScale));
    }
    return rows;
}

} // namespace ns3
