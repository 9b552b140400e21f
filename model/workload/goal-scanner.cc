/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "goal-scanner.h"

namespace ns3
{

namespace
{

/// Bytes of the file that are read at once.
constexpr std::size_t PART = 1 << 18;

/// Longest word that is taken.
constexpr std::size_t MAX_WORD = 1000;

/// Characters that are kept of a number, enough for any that is not too large.
constexpr std::size_t MAX_DIGITS = 40;

/**
 * @param c a character
 * @return true if it is a digit
 */
bool
IsDigit(int c)
{
    return c >= '0' && c <= '9';
}

/**
 * @param c a character
 * @return true if it is a letter of ASCII
 */
bool
IsLetter(int c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

} // namespace

GoalScanner::GoalScanner(const std::string& file)
    : m_file(file),
      m_stream(file, std::ios::binary),
      m_buffer(PART)
{
    if (!m_stream || Peek() == END_OF_FILE)
    {
        throw WorkloadError({file, 0, 0, ""},
                            "a GOAL schedule",
                            m_stream.is_open() ? "an empty file" : "no file that can be read");
    }
    // One token ahead: what follows a word distinguishes a label from an op.
    Read(m_tokens[0]);
    Read(m_tokens[1]);
}

const GoalToken&
GoalScanner::Get() const
{
    return m_tokens[m_current];
}

const GoalToken&
GoalScanner::GetNext() const
{
    return m_tokens[1 - m_current];
}

void
GoalScanner::Advance()
{
    Read(m_tokens[m_current]);
    m_current = 1 - m_current;
}

SourceLocation
GoalScanner::Locate(const GoalToken& token) const
{
    return {m_file, token.line, token.column, ""};
}

void
GoalScanner::Fail(const std::string& expected, const std::string& suggestion) const
{
    const auto& token = Get();
    throw WorkloadError(Locate(token),
                        expected,
                        token.kind == GoalToken::END ? "the end of the file" : Quoted(token.text),
                        suggestion);
}

int
GoalScanner::Peek()
{
    if (m_at == m_size)
    {
        m_stream.read(m_buffer.data(), static_cast<std::streamsize>(m_buffer.size()));
        m_size = static_cast<std::size_t>(m_stream.gcount());
        m_at = 0;
        if (m_size == 0)
        {
            return END_OF_FILE;
        }
    }
    return static_cast<unsigned char>(m_buffer[m_at]);
}

void
GoalScanner::Skip()
{
    const bool isLineEnd = m_buffer[m_at++] == '\n';
    m_line += isLineEnd ? 1 : 0;
    m_column = isLineEnd ? 1 : m_column + 1;
}

void
GoalScanner::SkipBlanks()
{
    while (true)
    {
        const int c = Peek();
        if (c != ' ' && c != '\t' && c != '\r' && c != '\n')
        {
            return;
        }
        Skip();
    }
}

void
GoalScanner::SkipLongComment()
{
    const SourceLocation begin{m_file, m_line, m_column - 1, ""};
    // Skip the asterisk: in "/*/" it does not end the comment as well.
    Skip();
    for (int before = 0;; Skip())
    {
        const int c = Peek();
        if (c == END_OF_FILE)
        {
            throw WorkloadError(begin, "a comment that ends with */", "the end of the file");
        }
        if (before == '*' && c == '/')
        {
            Skip();
            return;
        }
        before = c;
    }
}

void
GoalScanner::Read(GoalToken& token)
{
    while (true)
    {
        SkipBlanks();
        token = {};
        token.line = m_line;
        token.column = m_column;
        const int c = Peek();
        if (c == END_OF_FILE)
        {
            return;
        }
        if (IsLetter(c))
        {
            ReadWord(token);
            return;
        }
        if (IsDigit(c))
        {
            ReadNumber(token);
            return;
        }
        token.kind = GoalToken::OTHER;
        token.text = static_cast<char>(c);
        Skip();
        const int next = Peek();
        if (c == '-' && next == '1')
        {
            token.text = "-1";
            Skip();
            // -1 is any rank or tag; GOAL has no other negative numbers.
            token.kind = IsDigit(Peek()) ? GoalToken::OTHER : GoalToken::ANY;
        }
        if (c != '/' || (next != '/' && next != '*'))
        {
            return;
        }
        if (next == '*')
        {
            SkipLongComment();
            continue;
        }
        while (Peek() != '\n' && Peek() != END_OF_FILE)
        {
            Skip();
        }
    }
}

void
GoalScanner::ReadWord(GoalToken& token)
{
    token.kind = GoalToken::WORD;
    for (int c = Peek(); IsLetter(c) || IsDigit(c) || c == '_'; c = Peek())
    {
        if (token.text.size() == MAX_WORD)
        {
            throw WorkloadError(Locate(token),
                                "a label of at most " + std::to_string(MAX_WORD) + " characters",
                                Quoted(token.text));
        }
        token.text += static_cast<char>(c);
        Skip();
    }
}

void
GoalScanner::ReadNumber(GoalToken& token)
{
    token.kind = GoalToken::NUMBER;
    for (int c = Peek(); IsDigit(c); c = Peek())
    {
        const auto digit = static_cast<uint64_t>(c - '0');
        // Once the number is too large its value is not used.
        token.isTooLarge = token.isTooLarge || token.number > (UINT64_MAX - digit) / 10;
        token.number = token.number * 10 + digit;
        if (token.text.size() < MAX_DIGITS)
        {
            token.text += static_cast<char>(c);
        }
        Skip();
    }
}

} // namespace ns3
