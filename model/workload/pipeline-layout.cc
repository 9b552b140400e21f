/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "pipeline-layout.h"

#include "ns3/input-values.h"

#include <algorithm>
#include <string>

namespace ns3
{

namespace
{

/// Most letters of a layout with its repetitions written out.
constexpr std::size_t MOST_LETTERS = 100000;

/**
 * @ingroup workload-replay
 * @brief Writes out the repetitions of a layout.
 */
class LayoutExpander
{
  public:
    /**
     * @param text the layout
     */
    explicit LayoutExpander(const TextField& text)
        : m_field(text)
    {
    }

    /**
     * @return its letters and bars
     */
    std::string Expand()
    {
        auto letters = ExpandUntil('\0');
        if (m_at < m_field.text.size())
        {
            Fail("a parenthesis that was opened");
        }
        return letters;
    }

  private:
    /**
     * @param expected what would be right where it is read
     */
    [[noreturn]] void Fail(const std::string& expected) const
    {
        const auto rest = m_field.text.substr(m_at);
        throw WorkloadError(m_field.where,
                            expected,
                            rest.empty() ? "the end of it" : "'" + rest.substr(0, 20) + "'");
    }

    /**
     * @param end the character behind it; 0 = the end of the text
     * @return what stands before, written out
     */
    std::string ExpandUntil(char end)
    {
        const auto& text = m_field.text;
        std::string letters;
        for (; m_at < text.size() && text[m_at] != ')';)
        {
            const char c = text[m_at++];
            if (c == ',' || c == ' ')
            {
                continue;
            }
            std::string piece(1, c);
            if (c == '(')
            {
                piece = ExpandUntil(')');
            }
            else if (std::string("EtmL|").find(c) == std::string::npos)
            {
                // Back to the wrong character, so that the message shows it.
                --m_at;
                Fail(
                    "E (embedding), t (layer), m (layer that predicts further tokens), L (loss), | "
                    "between parts, or x*n and (...)*n, as in \"Et*3|(tt|)*4tL\"");
            }
            const auto count = ReadCount();
            // Divided, not multiplied: nested repetitions soon exceed 64 bits.
            if (count > 0 && piece.size() > (MOST_LETTERS - letters.size()) / count)
            {
                Fail("at most " + std::to_string(MOST_LETTERS) + " letters with repetitions");
            }
            for (uint64_t i = 0; i < count; ++i)
            {
                letters += piece;
            }
        }
        if (end == ')')
        {
            if (m_at == text.size())
            {
                Fail("a parenthesis that closes");
            }
            ++m_at;
        }
        return letters;
    }

    /**
     * @return how often what was just read is repeated
     */
    uint64_t ReadCount()
    {
        const auto& text = m_field.text;
        if (m_at == text.size() || text[m_at] != '*')
        {
            return 1;
        }
        const auto begin = ++m_at;
        m_at = std::min(text.find_first_not_of("0123456789", begin), text.size());
        const auto digits = text.substr(begin, m_at - begin);
        const auto count = ReadWhole(digits);
        if (!count || *count == 0 || *count > MOST_LETTERS)
        {
            m_at = begin;
            Fail("a number of repetitions from 1 to " + std::to_string(MOST_LETTERS) +
                 " behind the *");
        }
        return *count;
    }

    const TextField& m_field; //!< the layout
    std::size_t m_at{0};      //!< the next character
};

} // namespace

PipelineLayout
ParsePipelineLayout(const TextField& text)
{
    const auto parts = SplitText(LayoutExpander(text).Expand(), '|');
    PipelineLayout layout;
    bool hasMtp = false;
    for (std::size_t i = 0; i < parts.size(); ++i)
    {
        const auto& part = parts[i];
        const auto name = "part " + std::to_string(i + 1) + " of " + std::to_string(parts.size());
        const auto check = [&](bool isRight, const std::string& expected) {
            if (!isRight)
            {
                throw WorkloadError(text.where,
                                    expected + " in " + name,
                                    part.empty() ? "nothing" : Quoted(part));
            }
        };
        const auto count = [&part](char letter) {
            return static_cast<uint32_t>(std::count(part.begin(), part.end(), letter));
        };
        const bool isFirst = i == 0;
        const bool isLast = i + 1 == parts.size();
        check(count('E') == (isFirst ? 1 : 0) && (!isFirst || part.front() == 'E'),
              isFirst ? "E once, at its beginning," : "no E");
        check(count('L') == (isLast ? 1 : 0) && (!isLast || part.back() == 'L'),
              isLast ? "L once, at its end," : "no L");
        for (const char letter : part)
        {
            check(letter != 't' || !hasMtp, "no t behind an m");
            hasMtp = hasMtp || letter == 'm';
        }
        layout.layers.push_back(count('t'));
        layout.mtpLayers.push_back(count('m'));
    }
    return layout;
}

} // namespace ns3
