/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef TEXT_TABLE_H
#define TEXT_TABLE_H

#include "ns3/nstime.h"

#include <cstdint>
#include <ostream>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief A table of text with aligned columns.
 */
class TextTable
{
  public:
    /// Where the text of a column stands.
    enum Alignment
    {
        LEFT, //!< words
        RIGHT //!< numbers
    };

    /**
     * @param heading what stands above the column
     * @param alignment where its text stands
     */
    void AddColumn(const std::string& heading, Alignment alignment);

    /**
     * @param cells the texts of a row, one for each column
     */
    void AddRow(const std::vector<std::string>& cells);

    /**
     * @return true if there is no row
     */
    bool IsEmpty() const;

    /**
     * Print heading and rows; rows are indented by two blanks. Columns stand two blanks apart, or
     * one if lines would be longer than 100 characters.
     *
     * @param os where to
     */
    void Print(std::ostream& os) const;

  private:
    /**
     * @param cells the texts of a row
     * @param indent what stands before the first one
     * @param widths width of each column
     * @param gap what stands between columns
     * @param os where to
     */
    void PrintRow(const std::vector<std::string>& cells,
                  const std::string& indent,
                  const std::vector<std::size_t>& widths,
                  const std::string& gap,
                  std::ostream& os) const;

    std::vector<std::string> m_headings;          //!< what stands above the columns
    std::vector<Alignment> m_alignments;          //!< where the text of the columns stands
    std::vector<std::vector<std::string>> m_rows; //!< the texts by row and column
};

/**
 * @ingroup workload-replay
 * @param value a number
 * @param decimals digits after the point
 * @return the number in decimal notation, never with an exponent
 */
std::string FormatFixed(double value, int decimals);

/**
 * @ingroup workload-replay
 * @param count a number
 * @param noun what is counted
 * @return the number and the noun, in the plural if it is not one
 */
std::string FormatCount(uint64_t count, const std::string& noun);

/**
 * @ingroup workload-replay
 * @param time a time
 * @return it in ms, to the microsecond
 */
std::string FormatMs(Time time);

/**
 * @ingroup workload-replay
 * @brief Print a text in lines of at most 100 characters.
 *
 * @param os where to
 * @param head what stands before the first line
 * @param indent what stands before the others
 * @param text the text; words are separated by single blanks
 */
void PrintHanging(std::ostream& os,
                  const std::string& head,
                  const std::string& indent,
                  const std::string& text);

/**
 * @ingroup workload-replay
 * @param os where to
 * @param lines lines, which are printed and flushed
 * @return whether there is any
 */
bool PrintLines(std::ostream& os, const std::vector<std::string>& lines);

} // namespace ns3

#endif /* TEXT_TABLE_H */
