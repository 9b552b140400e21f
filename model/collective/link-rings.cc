/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "link-rings.h"

#include <algorithm>
#include <cstddef>
#include <random>
#include <utility>

namespace ns3
{

namespace
{

/// Members that may be looked at, and turned round, in all.
constexpr uint64_t MOST_WORK = 20000000;

/// Most beginnings.
constexpr uint32_t MOST_STARTS = 400;

/// Turns of a path that has been given up, for each member.
constexpr uint64_t TURNS_PER_MEMBER = 50;

/// Position of a member that is not in the path.
constexpr uint32_t NOWHERE = UINT32_MAX;

/// @brief Looks for rings in a graph, one after the other.
class RingSearch
{
  public:
    /**
     * @param neighbours by member, each once
     */
    explicit RingSearch(const LinkNeighbours& neighbours)
        : m_all(neighbours)
    {
    }

    /// @return most rings that were found
    std::vector<std::vector<uint32_t>> Find()
    {
        std::size_t most = m_all.front().size() / 2;
        for (const auto& own : m_all)
        {
            most = std::min(most, own.size() / 2);
        }
        std::vector<std::vector<uint32_t>> best;
        for (uint32_t start = 0; best.size() < most && start < MOST_STARTS; ++start)
        {
            m_left = m_all;
            std::vector<std::vector<uint32_t>> rings;
            while (rings.size() < most && FindRing())
            {
                rings.push_back(m_path);
                TakeLinks();
            }
            best = rings.size() > best.size() ? rings : best;
        }
        return best;
    }

  private:
    /// @return whether m_path has become a ring of links that are left
    bool FindRing()
    {
        const auto count = static_cast<uint32_t>(m_left.size());
        m_path.clear();
        m_positions.assign(count, NOWHERE);
        Append(Draw(count));
        for (uint64_t turns = 0; turns < TURNS_PER_MEMBER * count && m_work < MOST_WORK;)
        {
            const uint32_t next = FindNext();
            if (next != NOWHERE)
            {
                Append(next);
                continue;
            }
            if (m_path.size() == count && AreLinked(m_path.back(), m_path.front()))
            {
                return true;
            }
            if (!Turn())
            {
                return false;
            }
            ++turns;
        }
        return false;
    }

    /**
     * @param member a member, which the path goes on to
     */
    void Append(uint32_t member)
    {
        m_positions[member] = static_cast<uint32_t>(m_path.size());
        m_path.push_back(member);
    }

    /**
     * @return member that the path goes on to: of those that are not in it the one with the fewest
     *         such neighbours, of several any; NOWHERE = there is none
     */
    uint32_t FindNext()
    {
        const auto& own = m_left[m_path.back()];
        const uint32_t first = Draw(static_cast<uint32_t>(own.size()));
        uint32_t best = NOWHERE;
        std::size_t fewest = SIZE_MAX;
        m_work += own.size() * own.size();
        for (std::size_t i = 0; i < own.size(); ++i)
        {
            const auto member = own[(first + i) % own.size()];
            const auto free = CountFree(member);
            if (m_positions[member] == NOWHERE && free < fewest)
            {
                best = member;
                fewest = free;
            }
        }
        return best;
    }

    /**
     * Turn the end of the path round, from behind a neighbour of its last member on.
     *
     * @return whether there is such a neighbour
     */
    bool Turn()
    {
        const auto& own = m_left[m_path.back()];
        const uint32_t first = Draw(static_cast<uint32_t>(own.size()));
        uint32_t pivot = NOWHERE;
        for (std::size_t i = 0; i < own.size(); ++i)
        {
            const auto place = m_positions[own[(first + i) % own.size()]];
            if (place + 2 >= m_path.size())
            {
                continue; // the member before the last one
            }
            pivot = pivot == NOWHERE ? place : pivot;
            // Best is a last member from which the path goes on, or closes.
            const auto last = m_path[place + 1];
            const bool isWhole = m_path.size() == m_left.size();
            if (isWhole ? AreLinked(last, m_path.front()) : CountFree(last) > 0)
            {
                pivot = place;
                break;
            }
        }
        if (pivot == NOWHERE)
        {
            return false;
        }
        std::reverse(m_path.begin() + pivot + 1, m_path.end());
        for (std::size_t i = pivot + 1; i < m_path.size(); ++i)
        {
            m_positions[m_path[i]] = static_cast<uint32_t>(i);
        }
        m_work += m_path.size() - pivot;
        return true;
    }

    /// Take the links of the ring m_path out of those that are left.
    void TakeLinks()
    {
        for (std::size_t i = 0; i < m_path.size(); ++i)
        {
            const auto a = m_path[i];
            const auto b = m_path[(i + 1) % m_path.size()];
            for (const auto& [from, to] : {std::pair(a, b), std::pair(b, a)})
            {
                auto& own = m_left[from];
                own.erase(std::find(own.begin(), own.end(), to));
            }
        }
    }

    /**
     * @param member a member
     * @return how many of its neighbours are not in the path
     */
    std::size_t CountFree(uint32_t member) const
    {
        const auto& own = m_left[member];
        return static_cast<std::size_t>(std::count_if(own.begin(), own.end(), [this](auto other) {
            return m_positions[other] == NOWHERE;
        }));
    }

    /**
     * @param a a member
     * @param b another one
     * @return whether a link between them is left
     */
    bool AreLinked(uint32_t a, uint32_t b) const
    {
        return std::find(m_left[a].begin(), m_left[a].end(), b) != m_left[a].end();
    }

    /**
     * @param count how many numbers there are to choose from; 0 = none
     * @return one of them
     */
    uint32_t Draw(uint32_t count)
    {
        return count == 0 ? 0 : static_cast<uint32_t>(m_random() % count);
    }

    const LinkNeighbours& m_all;       //!< neighbours by member
    LinkNeighbours m_left;             //!< those over links that no ring has yet
    std::vector<uint32_t> m_path;      //!< members in the order of the path
    std::vector<uint32_t> m_positions; //!< position in the path by member, or NOWHERE
    uint64_t m_work{0};                //!< what was done so far, see MOST_WORK
    /// Breaks ties. Its numbers are those of the C++ standard, the same everywhere.
    std::mt19937 m_random{1};
};

} // namespace

std::vector<std::vector<uint32_t>>
FindLinkRings(const LinkNeighbours& neighbours)
{
    LinkNeighbours single = neighbours;
    for (auto& own : single)
    {
        std::sort(own.begin(), own.end());
        own.erase(std::unique(own.begin(), own.end()), own.end());
    }
    return single.size() < 3 ? std::vector<std::vector<uint32_t>>() : RingSearch(single).Find();
}

} // namespace ns3
