/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef INPUT_TABLE_H
#define INPUT_TABLE_H

#include "workload-text.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief A table in a text file: the first line names the columns, in any order, and each of the
 *        others is a row with a field for each of them.
 *
 * Between tabs every character belongs to a field. Between commas fields are those of CSV (RFC
 * 4180): they may stand in quotes, which must end in their line, and blanks around them are left
 * out.
 */
class InputTable
{
  public:
    /// What a table looks like.
    struct Format
    {
        std::string what;                 //!< what it is, for messages: "an op table"
        char separator;                   //!< stands between two fields: a tab or a comma
        std::vector<std::string> columns; //!< the columns that are read, each of which it must have
        std::vector<std::string> others{}; //!< columns that it may have besides
        bool takesAll{false};              //!< columns of any name may stand besides
    };

    /**
     * @param text the file; must outlive this
     * @param format what it should look like
     * @throws WorkloadError if its first line has not each of the columns once, or others
     */
    InputTable(const WorkloadText& text, const Format& format);

    /// @return rows, those with the names of the columns left out
    std::size_t GetNRows() const;

    /**
     * @param row a row, counted from 0
     * @return number of its line
     */
    uint32_t GetLine(std::size_t row) const;

    /**
     * @param row a row, counted from 0
     * @return the fields of Format::columns, in their order
     * @throws WorkloadError if the row has more or fewer fields than there are columns
     */
    std::vector<TextField> Read(std::size_t row) const;

  private:
    /**
     * @param line a line
     * @return its fields
     */
    std::vector<TextField> Split(const WorkloadText::Line& line) const;

    /**
     * @param line a line of CSV
     * @return its fields without their quotes, and without blanks at their ends
     */
    std::vector<TextField> SplitQuoted(const WorkloadText::Line& line) const;

    /**
     * @param line a line
     * @return where it stands
     */
    SourceLocation LocateLine(const WorkloadText::Line& line) const;

    /**
     * @param count a number
     * @param what what it counts
     * @return "COUNT WHAT separated by tabs"
     */
    std::string DescribeFields(std::size_t count, const std::string& what) const;

    const WorkloadText& m_text;        //!< the file
    char m_separator;                  //!< stands between two fields
    std::size_t m_nFields{0};          //!< columns of the file
    std::vector<std::size_t> m_places; //!< which field is that of each column that is read
};

} // namespace ns3

#endif /* INPUT_TABLE_H */
