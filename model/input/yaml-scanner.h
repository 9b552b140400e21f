/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef YAML_SCANNER_H
#define YAML_SCANNER_H

#include "json-section.h"
#include "workload-text.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief Goes through a YAML file, and reads keys and what is no map or list. Columns are bytes of
 * a line, counted from 0.
 */
class YamlScanner
{
  protected:
    using Json = JsonSection::Json; //!< a value

    /**
     * @param text the file; must outlive this
     */
    explicit YamlScanner(const WorkloadText& text);

    /// @return whether all lines have been read
    bool IsAtEnd() const;

    /// @return the present line
    const std::string& GetLine() const;

    /// @return what is left of the present line
    std::string GetRest() const;

    /// @return the next character of the line; 0 = there is none
    char Peek() const;

    /// @return the present place
    SourceLocation GetPlace() const;

    /**
     * @param expected what would be right
     * @param found what stands there
     * @throws WorkloadError always
     */
    [[noreturn]] void Complain(const std::string& expected, const std::string& found) const;

    /// Go to the beginning of the next line that holds anything.
    void NextLine();

    /// Go to what comes next, which may stand in another line.
    void SkipBlanks();

    /// Go to what comes next in the line.
    void SkipSpaces();

    /**
     * Check that a line ends, and go to what comes next.
     */
    void EndLine();

    /// @return whether an entry of a list begins here
    bool IsEntry() const;

    /**
     * @param column a column; -1 = that of the whole file
     * @return whether something comes next, further right than that
     */
    bool IsInside(int64_t column) const;

    /**
     * @param column column of a map or list that has ended
     * @throws WorkloadError if what comes next belongs to none
     */
    void CheckColumn(int64_t column) const;

    /**
     * @return column of the colon behind the key that begins here; none = there is no key
     */
    std::optional<std::size_t> FindColon() const;

    /**
     * @param map keys that were there before
     * @return the key that begins here; what comes next stands behind its colon
     */
    std::string ReadKey(const Json& map);

    /**
     * @param parent column of the key that the text belongs to
     * @return the block of text that begins in the next line
     */
    Json ReadText(int64_t parent);

    /**
     * @return the text between quotes that begin here
     */
    std::string ReadQuoted();

    /**
     * @throws WorkloadError if a value begins as none does that is read
     */
    void CheckPlain() const;

    /**
     * @param text a text
     * @param place where it stands
     * @throws WorkloadError if it is no UTF-8
     */
    static void CheckUnicode(const std::string& text, const SourceLocation& place);

    const WorkloadText& m_text; //!< the file
    std::size_t m_line{0};      //!< the present line
    std::size_t m_column{0};    //!< what comes next in it
};

} // namespace ns3

#endif /* YAML_SCANNER_H */
