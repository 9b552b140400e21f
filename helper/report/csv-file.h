/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef CSV_FILE_H
#define CSV_FILE_H

#include "output-file.h"
#include "output-text.h"

#include "ns3/nstime.h"

#include <string>
#include <type_traits>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief Writes a table as a CSV file (RFC 4180, lines end in LF).
 */
class CsvFile
{
  public:
    /**
     * @param directory where the file goes
     * @param name its name
     * @param header names of the columns, with commas between
     */
    CsvFile(const std::string& directory, const std::string& name, const std::string& header)
        : m_file(directory, name)
    {
        m_file.GetStream() << header << '\n';
    }

    /**
     * @param first the first cell: a text, a whole number, or a time, which is written in ns
     * @param more the other cells
     */
    template <typename First, typename... More>
    void AddRow(const First& first, const More&... more)
    {
        m_row.clear();
        Append(first);
        ((m_row += ',', Append(more)), ...);
        m_row += '\n';
        m_file.GetStream().write(m_row.data(), static_cast<std::streamsize>(m_row.size()));
    }

    /**
     * @return what OutputFile::Finish() returns
     */
    std::string Finish()
    {
        return m_file.Finish();
    }

  private:
    /**
     * @param number a cell, added to the row
     */
    template <typename T>
    void Append(T number)
    {
        static_assert(std::is_integral_v<T>, "a cell is a text, a whole number or a time");
        AppendNumber(m_row, number);
    }

    /**
     * @param text a cell, added to the row
     */
    void Append(const std::string& text)
    {
        AppendCsvField(m_row, text);
    }

    /**
     * @param time a cell, added to the row in nanoseconds
     */
    void Append(const Time& time)
    {
        AppendNumber(m_row, ToNanoseconds(time));
    }

    OutputFile m_file; //!< the file
    std::string m_row; //!< the row that is written, kept for its room
};

} // namespace ns3

#endif /* CSV_FILE_H */
