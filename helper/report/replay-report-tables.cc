/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "replay-report-tables.h"

#include "text-table.h"

#include <algorithm>
#include <numeric>
#include <string>
#include <variant>
#include <vector>

namespace ns3
{

namespace
{

/// Rows of the lists that show only the first of many.
constexpr std::size_t LIST_LENGTH = 5;

/// Rows of the list of collectives, which may be of many sizes.
constexpr std::size_t COLLECTIVE_LIST_LENGTH = 12;

/// Times of one part of the account, by rank.
using TimesByRank = std::vector<Time>;

/**
 * @param time a time
 * @return it in ms
 */
double
ToMilliseconds(Time time)
{
    return time.GetSeconds() * 1e3;
}

/**
 * @param text a text
 * @param width most characters
 * @return the text, its beginning replaced by dots if it is longer
 */
std::string
ShortenLeft(const std::string& text, std::size_t width)
{
    return text.size() <= width ? text : "..." + text.substr(text.size() - (width - 3));
}

/**
 * @param path a path
 * @return its last part
 */
std::string
GetBaseName(const std::string& path)
{
    const auto slash = path.find_last_of('/');
    return slash == std::string::npos ? path : path.substr(slash + 1);
}

/**
 * Add a row of the account: mean over ranks, share, and the rank with most of it.
 *
 * @param table the table
 * @param name name of the part
 * @param times its times by rank, over all iterations
 * @param total time of all iterations
 * @param iterations number of iterations, at least 1
 */
void
AddAccountRow(TextTable& table,
              const std::string& name,
              const TimesByRank& times,
              Time total,
              double iterations)
{
    double sum = 0;
    for (const auto& time : times)
    {
        sum += ToMilliseconds(time);
    }
    const double mean = sum / static_cast<double>(times.size());
    const auto worst = std::max_element(times.begin(), times.end());
    const double share = total.IsZero() ? 0 : 100 * mean / ToMilliseconds(total);
    table.AddRow({name,
                  FormatFixed(mean / iterations, 3),
                  FormatFixed(share, 1),
                  FormatFixed(ToMilliseconds(*worst) / iterations, 3),
                  std::to_string(worst - times.begin())});
}

/**
 * @param times times by rank
 * @return true if one of them is not 0
 */
bool
IsAnyPositive(const TimesByRank& times)
{
    return std::any_of(times.begin(), times.end(), [](Time time) {
        return time.IsStrictlyPositive();
    });
}

/// A class of collectives and what they took.
using CollectiveEntry = ReplayStatistics::CollectiveTable::value_type;

/**
 * @param statistics what the ranks did
 * @return the collectives of several ranks by class, those that took most time first
 */
std::vector<const CollectiveEntry*>
SortCollectives(const ReplayStatistics& statistics)
{
    std::vector<const CollectiveEntry*> order;
    for (const auto& entry : statistics.GetCollectives())
    {
        // A collective of one rank moves nothing.
        if (entry.first.ranks > 1)
        {
            order.push_back(&entry);
        }
    }
    std::stable_sort(order.begin(), order.end(), [](const auto* a, const auto* b) {
        return a->second.total > b->second.total;
    });
    return order;
}

} // namespace

void
PrintFigures(std::ostream& os, const std::vector<Figures>& rows)
{
    if (rows.empty())
    {
        return;
    }
    TextTable table;
    for (const auto& figure : rows.front())
    {
        if (!figure.label.empty())
        {
            const bool isWord = std::holds_alternative<std::string>(figure.value);
            table.AddColumn(figure.label, isWord ? TextTable::LEFT : TextTable::RIGHT);
        }
    }
    for (const auto& row : rows)
    {
        std::vector<std::string> cells;
        for (const auto& figure : row)
        {
            if (!figure.label.empty())
            {
                cells.push_back(figure.text);
            }
        }
        table.AddRow(cells);
    }
    os << "\n";
    table.Print(os);
}

void
PrintAccount(std::ostream& os, const ReplayStatistics& statistics)
{
    const Time total = statistics.GetTotalTime();
    TextTable table;
    table.AddColumn("where the time of a rank goes", TextTable::LEFT);
    table.AddColumn("mean, ms", TextTable::RIGHT);
    table.AddColumn("share, %", TextTable::RIGHT);
    table.AddColumn("worst, ms", TextTable::RIGHT);
    table.AddColumn("on rank", TextTable::RIGHT);
    // Times are divided by the iterations of the rank that came furthest.
    uint32_t most = 1;
    for (uint32_t rank = 0; rank < statistics.GetNRanks(); ++rank)
    {
        most = std::max(most, statistics.GetRank(rank).iterations);
    }
    for (const auto& part : ListTimeParts(statistics))
    {
        TimesByRank times(statistics.GetNRanks());
        for (uint32_t rank = 0; rank < times.size(); ++rank)
        {
            times[rank] = part.getTime(rank);
        }
        if (part.isAlways || IsAnyPositive(times))
        {
            AddAccountRow(table, part.label, times, total, most);
        }
    }
    os << "\n";
    table.Print(os);
}

void
PrintSlowestRanks(std::ostream& os, const ReplayStatistics& statistics)
{
    std::vector<uint32_t> order(statistics.GetNRanks());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
        return statistics.GetRank(a).end > statistics.GetRank(b).end;
    });
    TextTable table;
    table.AddColumn("slowest ranks", TextTable::LEFT);
    table.AddColumn("end, ms", TextTable::RIGHT);
    table.AddColumn("longest wait, ms", TextTable::RIGHT);
    table.AddColumn("for", TextTable::LEFT);
    for (std::size_t i = 0; i < std::min(order.size(), LIST_LENGTH); ++i)
    {
        const auto& rank = statistics.GetRank(order[i]);
        std::string op = "nothing";
        if (rank.longestWaitOp != UINT32_MAX)
        {
            const auto& program = statistics.GetWorkload().GetProgram(order[i]);
            const auto& waitedFor = program.GetOps()[rank.longestWaitOp];
            op = program.GetName(waitedFor) + ", " + GetBaseName(program.GetOrigin(waitedFor));
        }
        table.AddRow({"rank " + std::to_string(order[i]),
                      FormatMs(rank.end),
                      FormatMs(rank.longestWait),
                      ShortenLeft(op, 55)});
    }
    os << "\n";
    table.Print(os);
}

void
PrintBusiestLinks(std::ostream& os, const ReplayResult& result)
{
    const double seconds = result.duration.GetSeconds();
    std::vector<const LinkUse*> order;
    for (const auto& link : result.links)
    {
        if (link.bytes > 0)
        {
            order.push_back(&link);
        }
    }
    // Seconds that the bytes take at the link's rate.
    const auto getLoad = [](const LinkUse* link) {
        return static_cast<double>(link->bytes) * 8 / static_cast<double>(link->rate);
    };
    std::stable_sort(order.begin(), order.end(), [&](const LinkUse* a, const LinkUse* b) {
        return getLoad(a) > getLoad(b);
    });
    TextTable table;
    table.AddColumn("busiest links", TextTable::LEFT);
    table.AddColumn("rate, Gb/s", TextTable::RIGHT);
    table.AddColumn("used, %", TextTable::RIGHT);
    table.AddColumn("sent, bytes", TextTable::RIGHT);
    table.AddColumn("max queue, bytes", TextTable::RIGHT);
    table.AddColumn("drops", TextTable::RIGHT);
    for (std::size_t i = 0; i < std::min(order.size(), LIST_LENGTH); ++i)
    {
        const LinkUse& link = *order[i];
        table.AddRow({ShortenLeft(link.from + " -> " + link.to, 34),
                      FormatFixed(static_cast<double>(link.rate) / 1e9, 1),
                      FormatFixed(seconds > 0 ? 100 * getLoad(&link) / seconds : 0, 1),
                      std::to_string(link.bytes),
                      std::to_string(link.maxQueue),
                      std::to_string(link.drops)});
    }
    if (!table.IsEmpty())
    {
        os << "\n";
        table.Print(os);
    }
}

void
PrintCollectives(std::ostream& os, const ReplayStatistics& statistics)
{
    const auto order = SortCollectives(statistics);
    std::vector<Figures> rows;
    for (std::size_t i = 0; i < std::min(order.size(), COLLECTIVE_LIST_LENGTH); ++i)
    {
        rows.push_back(ListCollective(order[i]->first, order[i]->second));
    }
    PrintFigures(os, rows);
    if (order.size() > COLLECTIVE_LIST_LENGTH)
    {
        os << "  and " << order.size() - COLLECTIVE_LIST_LENGTH
           << " more sizes that took less time (all are in summary.json, see --outputDir)\n";
    }
}

} // namespace ns3
