/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef GOAL_SCANNER_H
#define GOAL_SCANNER_H

#include "ns3/workload-error.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief A word, number or character of a GOAL text.
 */
struct GoalToken
{
    /// What it is.
    enum Kind : uint8_t
    {
        END,    //!< nothing: the file is over
        WORD,   //!< letters, digits and underscores, beginning with a letter
        NUMBER, //!< digits
        ANY,    //!< -1
        OTHER   //!< one character
    };

    Kind kind{END};         //!< what it is
    std::string text;       //!< what stands there, of a number 40 characters at most
    uint64_t number{0};     //!< NUMBER: its value; if it is above 2^64 - 1, isTooLarge is set
    bool isTooLarge{false}; //!< NUMBER: see number
    uint32_t line{0};       //!< line that it begins in, counted from 1
    uint32_t column{0};     //!< column of its first character, counted from 1
};

/**
 * @ingroup workload-replay
 * @brief Splits a GOAL text into tokens. Only a part of the file is in memory.
 *
 * Blanks, line ends and comments separate tokens and mean nothing else.
 */
class GoalScanner
{
  public:
    /**
     * @param file the file
     * @throws WorkloadError if it cannot be read, or the first token is wrong
     */
    explicit GoalScanner(const std::string& file);

    /**
     * @return the token at hand
     */
    const GoalToken& Get() const;

    /**
     * @return the token after it
     */
    const GoalToken& GetNext() const;

    /**
     * Go on to the next token.
     *
     * @throws WorkloadError if the one after it is wrong
     */
    void Advance();

    /**
     * @param token a token
     * @return its place
     */
    SourceLocation Locate(const GoalToken& token) const;

    /**
     * The token at hand is wrong.
     *
     * @param expected what would be right
     * @param suggestion the nearest valid word; empty = none
     * @throws WorkloadError always
     */
    [[noreturn]] void Fail(const std::string& expected, const std::string& suggestion = "") const;

  private:
    /**
     * @return the next character; END_OF_FILE at the end
     */
    int Peek();

    /// Go on to the next character.
    void Skip();

    /// Skip blanks, line ends and comments.
    void SkipBlanks();

    /// Skip a comment that has been begun, up to its end.
    void SkipLongComment();

    /**
     * Read a token.
     *
     * @param [out] token the token
     */
    void Read(GoalToken& token);

    /**
     * Read the rest of a word.
     *
     * @param [out] token the token
     */
    void ReadWord(GoalToken& token);

    /**
     * Read the rest of a number.
     *
     * @param [out] token the token
     */
    void ReadNumber(GoalToken& token);

    /// What Peek() returns at the end.
    static constexpr int END_OF_FILE = -1;

    std::string m_file;                //!< the file
    std::ifstream m_stream;            //!< the same, open
    std::vector<char> m_buffer;        //!< a part of it
    std::size_t m_at{0};               //!< place of the next character in the part
    std::size_t m_size{0};             //!< characters of the part
    uint32_t m_line{1};                //!< line of the next character
    uint32_t m_column{1};              //!< its column
    std::array<GoalToken, 2> m_tokens; //!< the token at hand and the one after it
    std::size_t m_current{0};          //!< which of them is at hand
};

} // namespace ns3

#endif /* GOAL_SCANNER_H */
