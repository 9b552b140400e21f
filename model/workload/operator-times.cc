/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "operator-times.h"

#include "ns3/input-table.h"
#include "ns3/input-values.h"
#include "ns3/workload-text.h"

#include <cmath>

namespace ns3
{

namespace
{

/// The columns by their index in COLUMNS.
enum Column : std::size_t
{
    NAME,           //!< name of the operator
    FORWARD,        //!< us
    BACKWARD_INPUT, //!< us
    BACKWARD_WEIGHT //!< us
};

/// The columns as the header has them.
const std::vector<std::string> COLUMNS{"operator",
                                       "forward_us",
                                       "backward_input_us",
                                       "backward_weight_us"};

/// Longest time of an operator, us: 1000000 s, as of all durations of an input.
constexpr double MAX_TIME = 1e12;

/**
 * @param fields the fields of a row, by column
 * @param column a column of times
 * @return the time there, ps
 */
uint64_t
ParseTime(const std::vector<TextField>& fields, Column column)
{
    constexpr double psPerUs = 1e6;
    const auto& field = fields[column];
    const auto microseconds = ParseNonNegative(field, COLUMNS[column]);
    if (microseconds > MAX_TIME)
    {
        throw WorkloadError(field, COLUMNS[column] + " of at most 1e12");
    }
    return static_cast<uint64_t>(std::llround(microseconds * psPerUs));
}

} // namespace

OperatorTimes::OperatorTimes(const std::string& file)
{
    const WorkloadText text(file);
    const InputTable table(text, {"a table of operator times", '\t', COLUMNS});
    for (std::size_t row = 0; row < table.GetNRows(); ++row)
    {
        const auto fields = table.Read(row);
        const auto& name = fields[NAME];
        if (name.text.empty())
        {
            throw WorkloadError(name.where, "the name of an operator", "an empty field");
        }
        if (!m_index.emplace(name.text, m_rows.size()).second)
        {
            throw WorkloadError(name, "every operator once");
        }
        m_rows.push_back({name,
                          ParseTime(fields, FORWARD),
                          ParseTime(fields, BACKWARD_INPUT),
                          ParseTime(fields, BACKWARD_WEIGHT)});
    }
}

const OperatorTimes::Row*
OperatorTimes::Find(const std::string& name) const
{
    const auto found = m_index.find(name);
    return found == m_index.end() ? nullptr : &m_rows[found->second];
}

const std::vector<OperatorTimes::Row>&
OperatorTimes::GetRows() const
{
    return m_rows;
}

} // namespace ns3
