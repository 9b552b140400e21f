/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "operator-times.h"

#include "ns3/input-values.h"
#include "ns3/workload-text.h"

#include <array>
#include <cmath>

namespace ns3
{

namespace
{

/// The columns by their index in COLUMNS.
enum Column : std::size_t
{
    NAME,            //!< name of the operator
    FORWARD,         //!< us
    BACKWARD_INPUT,  //!< us
    BACKWARD_WEIGHT, //!< us
    N_COLUMNS        //!< number of columns
};

/// The columns as the header spells them.
const std::vector<std::string> COLUMNS{"operator",
                                       "forward_us",
                                       "backward_input_us",
                                       "backward_weight_us"};

/// Longest time of an operator, us: 1000000 s, as of all durations of an input.
constexpr double MAX_TIME = 1e12;

/// Where each column stands.
using Places = std::array<std::size_t, N_COLUMNS>;

/**
 * @param text the file
 * @return where its columns stand
 */
Places
ReadHeader(const WorkloadText& text)
{
    const auto& line = text.GetLines().front();
    const auto names = text.Split(line, '\t');
    const auto expected = "the columns " + JoinWords(COLUMNS) + " with tabs between them";
    Places places;
    places.fill(names.size());
    for (std::size_t i = 0; i < names.size(); ++i)
    {
        auto& place = places[FindWord(names[i], COLUMNS, expected)];
        if (place != names.size())
        {
            throw WorkloadError(names[i].where, "every column once", Quoted(names[i].text));
        }
        place = i;
    }
    for (std::size_t column = 0; column < N_COLUMNS; ++column)
    {
        if (places[column] == names.size())
        {
            throw WorkloadError(text.Locate(line, 0), expected, "no " + COLUMNS[column]);
        }
    }
    return places;
}

/**
 * @param fields the fields of a line
 * @param places where the columns stand
 * @param column a column of times
 * @return the time there, ps
 */
uint64_t
ParseTime(const std::vector<TextField>& fields, const Places& places, Column column)
{
    constexpr double psPerUs = 1e6;
    const auto& field = fields[places[column]];
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
    const auto places = ReadHeader(text);
    const auto& lines = text.GetLines();
    for (std::size_t i = 1; i < lines.size(); ++i)
    {
        const auto fields = text.Split(lines[i], '\t');
        if (fields.size() != N_COLUMNS)
        {
            throw WorkloadError(text.Locate(lines[i], 0),
                                std::to_string(N_COLUMNS) + " fields with tabs between them",
                                std::to_string(fields.size()));
        }
        const auto& name = fields[places[NAME]];
        if (name.text.empty())
        {
            throw WorkloadError(name.where, "the name of an operator", "an empty field");
        }
        if (!m_index.emplace(name.text, m_rows.size()).second)
        {
            throw WorkloadError(name, "every operator once");
        }
        m_rows.push_back({name,
                          ParseTime(fields, places, FORWARD),
                          ParseTime(fields, places, BACKWARD_INPUT),
                          ParseTime(fields, places, BACKWARD_WEIGHT)});
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
