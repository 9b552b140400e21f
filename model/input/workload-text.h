/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef WORKLOAD_TEXT_H
#define WORKLOAD_TEXT_H

#include "foreign-file.h"
#include "workload-error.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief A text file read whole and split into lines, the ground of all line-based readers.
 *
 * Lines end in LF or CRLF, the last one may end without; a UTF-8 byte order mark is skipped. Blank
 * lines are left out, the numbers of the others still count them.
 */
class WorkloadText
{
  public:
    /// A line that is not blank.
    struct Line
    {
        uint32_t number{0}; //!< its number in the file, counted from 1
        std::string text;   //!< its bytes, without the line end
    };

    /**
     * Read a file.
     *
     * @param file path of the file
     * @param readable kinds of files of other tools that the reader at hand reads
     * @throws WorkloadError if the file cannot be read, holds a NUL byte or only blank lines, or is
     *         of a kind that another reader reads
     */
    explicit WorkloadText(const std::string& file, const std::vector<ForeignFile>& readable = {});

    /**
     * @return path of the file
     */
    const std::string& GetFile() const;

    /**
     * @return the lines that are not blank, at least one
     */
    const std::vector<Line>& GetLines() const;

    /**
     * @return all lines, each with its end but the last one, blank ones in their place: a parser
     * gives the right lines
     */
    std::string Join() const;

    /**
     * @param line a line of this file
     * @param byte offset in the line, counted from 0
     * @return that place, its column in characters of UTF-8
     */
    SourceLocation Locate(const Line& line, std::size_t byte) const;

    /**
     * Split a line at every separator; fields may be empty.
     *
     * @param line a line of this file
     * @param separator the character between two fields
     * @return the fields, at least one
     */
    std::vector<TextField> Split(const Line& line, char separator) const;

    /**
     * Split a line at every run of blanks, of which tabs are some; no word is empty.
     *
     * @param line a line of this file
     * @param more characters that separate like a blank
     * @return the words
     */
    std::vector<TextField> SplitWords(const Line& line, const std::string& more = "") const;

  private:
    /**
     * @param content what the file holds, without a byte order mark
     */
    void SplitLines(const std::string& content);

    std::string m_file;        //!< path of the file
    std::vector<Line> m_lines; //!< the lines that are not blank
};

} // namespace ns3

#endif /* WORKLOAD_TEXT_H */
