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
        auto& stream = m_file.GetStream();
        stream << Format(first);
        ((stream << ',' << Format(more)), ...);
        stream << '\n';
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
     * @param number a cell
     * @return what is written
     */
    template <typename T>
    static T Format(T number)
    {
        static_assert(std::is_integral_v<T>, "a cell is a text, a whole number or a time");
        return number;
    }

    /// @copydoc Format(T)
    static std::string Format(const std::string& text)
    {
        return FormatCsvField(text);
    }

    /// @copydoc Format(T)
    static int64_t Format(const Time& time)
    {
        return ToNanoseconds(time);
    }

    OutputFile m_file; //!< the file
};

} // namespace ns3

#endif /* CSV_FILE_H */
