/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RANK_TRACE_FIELDS_H
#define RANK_TRACE_FIELDS_H

#include "ns3/workload-text.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief A piece of a line of a rank trace that knows its place.
 *
 * The place is worked out only when an error asks for it: finding the column of every field would
 * read each line as often as it has fields.
 */
class RankTraceSpan
{
  public:
    /**
     * @param text the trace
     * @param line a line of it
     * @param span a piece of that line; must point into its text
     */
    RankTraceSpan(const WorkloadText& text, const WorkloadText::Line& line, std::string_view span)
        : m_text(&text),
          m_line(&line),
          m_span(span)
    {
    }

    /**
     * @return the bytes
     */
    std::string_view Get() const
    {
        return m_span;
    }

    /**
     * @return the bytes and where they stand
     */
    TextField ToField() const
    {
        const auto byte = static_cast<std::size_t>(m_span.data() - m_line->text.data());
        return {std::string(m_span), m_text->Locate(*m_line, byte)};
    }

    /**
     * @param span a piece of the same line
     * @return that piece
     */
    RankTraceSpan Narrow(std::string_view span) const
    {
        return {*m_text, *m_line, span};
    }

    /**
     * Report the first byte of this piece as wrong.
     *
     * @param expected what would have been right
     * @param found what stands there; empty = the piece itself, as far as a message shows it
     * @param suggestion the nearest valid name; empty = none is near
     */
    [[noreturn]] void Fail(const std::string& expected,
                           const std::string& found = "",
                           const std::string& suggestion = "") const
    {
        throw WorkloadError(ToField().where,
                            expected,
                            found.empty() ? Quoted(std::string(m_span)) : found,
                            suggestion);
    }

  private:
    const WorkloadText* m_text;       //!< the trace
    const WorkloadText::Line* m_line; //!< the line
    std::string_view m_span;          //!< the piece
};

/**
 * @ingroup workload-replay
 * @brief The KEY=VALUE pairs, separated by commas, that describe an op of a rank trace.
 *
 * A value that opens with a bracket ends with its matching one; brackets in quotes do not count.
 * Any other value ends at the next comma, but a description at the next known key: it is free text
 * that may hold commas, colons, slashes, equals signs and parentheses.
 */
class RankTraceFields
{
  public:
    /**
     * @param span the pairs
     * @param keys the keys that may be asked for; others are skipped
     * @throws WorkloadError if a pair has no equals sign or a list is not closed
     */
    RankTraceFields(const RankTraceSpan& span, const std::vector<std::string>& keys);

    /**
     * @param key a key that must be there
     * @return its value
     * @throws WorkloadError if it is not there
     */
    RankTraceSpan Get(const std::string& key) const;

    /**
     * @param key a key
     * @return true if it is there and not None
     */
    bool Has(const std::string& key) const;

  private:
    /// A pair as it stands in the line.
    struct Pair
    {
        std::string_view key;   //!< left of the equals sign
        std::string_view value; //!< right of it
    };

    /**
     * Take the next pair.
     *
     * @param rest what is left of the pairs; the pair and the comma after it are removed
     * @return the pair
     */
    Pair Take(std::string_view& rest) const;

    /**
     * @param key a key
     * @return its pair; null if it is not there
     */
    const Pair* Find(std::string_view key) const;

    RankTraceSpan m_span;                    //!< all pairs
    const std::vector<std::string>& m_known; //!< the keys that may be asked for
    std::vector<Pair> m_pairs;               //!< the pairs in their order
};

/**
 * @ingroup workload-replay
 * @brief Split a Python list of quoted strings.
 *
 * @param list the list with its brackets; may be empty
 * @return what stands between the quotes; escapes are left as they are
 * @throws WorkloadError if anything else than quoted strings and commas stands in the list
 */
std::vector<RankTraceSpan> ParsePythonStrings(const RankTraceSpan& list);

/**
 * @ingroup workload-replay
 * @brief Multiply the numbers of a Python list of counts, such as a shape.
 *
 * @param list the list with its brackets; an empty one is the shape of a scalar
 * @return the product; 1 for an empty list
 * @throws WorkloadError if anything else than counts and commas stands in the list, or if the
 *         product does not fit
 */
uint64_t ParseShape(const RankTraceSpan& list);

} // namespace ns3

#endif /* RANK_TRACE_FIELDS_H */
