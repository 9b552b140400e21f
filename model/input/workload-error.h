/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef WORKLOAD_ERROR_H
#define WORKLOAD_ERROR_H

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief A place in an input: a file with line and column, a JSON pointer, or an option.
 */
struct SourceLocation
{
    std::string source{};  //!< file name, or the option as typed ("--world")
    uint32_t line{0};      //!< line, counted from 1; 0 = no line applies
    uint32_t column{0};    //!< column in characters, counted from 1; 0 = no column applies
    std::string pointer{}; //!< JSON pointer; empty = not a JSON input

    /**
     * @return FILE:LINE:COLUMN, FILE:LINE, FILE:POINTER or FILE, whatever is known
     */
    std::string ToString() const;
};

/**
 * @ingroup workload-replay
 * @brief A piece of an input and the place where it stands, for the messages about it.
 */
struct TextField
{
    std::string text;     //!< what stands there
    SourceLocation where; //!< where it begins
};

/**
 * @ingroup workload-replay
 * @brief The one error type for faults of the user's input: files, options, configurations.
 *
 * what() is one line: `LOCATION: error: expected ..., found ...; did you mean ...?`.
 */
class WorkloadError : public std::runtime_error
{
  public:
    /**
     * @param where the place at fault
     * @param expected what would have been right, as it reads after "expected "
     * @param found what stands there, as it reads after "found "
     * @param suggestion the nearest valid name; empty = none is near
     */
    WorkloadError(SourceLocation where,
                  const std::string& expected,
                  const std::string& found,
                  const std::string& suggestion = "");

    /**
     * @param field the piece at fault; what stands there is quoted as found
     * @param expected what would have been right, as it reads after "expected "
     */
    WorkloadError(const TextField& field, const std::string& expected);

    /**
     * @return the place at fault
     */
    const SourceLocation& GetLocation() const;

  private:
    SourceLocation m_where; //!< the place at fault
};

/**
 * @ingroup workload-replay
 * @brief Find the valid name that a user most likely meant.
 *
 * Damerau-Levenshtein distance (optimal string alignment), case ignored.
 *
 * @param word what was typed
 * @param candidates the valid names
 * @return the nearest candidate within a third of the length of the word (at least 2 edits), the
 *         first one on a tie; empty if none is that near
 */
std::string NearestName(const std::string& word, const std::vector<std::string>& candidates);

/**
 * @ingroup workload-replay
 * @brief Make any input safe to print in one line of an error message.
 *
 * @param text the text found
 * @return the text in single quotes, bytes outside printable ASCII as \\xNN, cut after 60 bytes
 */
std::string Quoted(const std::string& text);

/**
 * @ingroup workload-replay
 * @param words words
 * @return the words with commas between them, as messages list them
 */
std::string JoinWords(const std::vector<std::string>& words);

} // namespace ns3

#endif /* WORKLOAD_ERROR_H */
