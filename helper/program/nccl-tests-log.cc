/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "nccl-tests-log.h"

#include "nccl-tests-runs.h"
#include "rccl-tests-records.h"

#include "ns3/input-json.h"
#include "ns3/input-values.h"
#include "ns3/json-section.h"
#include "ns3/replay-statistics.h"
#include "ns3/text-table.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

namespace
{

/**
 * @ingroup workload-replay
 * @brief Collects times by size.
 */
class TimesBySize
{
  public:
    /**
     * @param size bytes
     * @param time us
     */
    void Add(const TextField& size, const TextField& time)
    {
        const auto bytes = ParseCount(size, "a size, bytes");
        const auto microseconds = ParseNonNegative(time, "a time, us");
        if (bytes == 0)
        {
            return; // nothing was sent
        }
        if (microseconds <= 0)
        {
            throw WorkloadError(time, "a time above 0 us");
        }
        auto& [sum, count] = m_sums[bytes];
        sum += microseconds;
        ++count;
    }

    /// @return whether there are none
    bool IsEmpty() const
    {
        return m_sums.empty();
    }

    /**
     * @param file the file
     * @return mean time of each size, us by bytes
     */
    std::map<uint64_t, double> GetMeans(const std::string& file) const
    {
        if (m_sums.empty())
        {
            throw WorkloadError({file, 0, 0, ""},
                                "a line of nccl-tests with a size above 0 and its times",
                                "none");
        }
        std::map<uint64_t, double> means;
        for (const auto& [bytes, sum] : m_sums)
        {
            means[bytes] = sum.first / sum.second;
        }
        return means;
    }

  private:
    std::map<uint64_t, std::pair<double, uint32_t>> m_sums; //!< sum, us, and how many, by bytes
};

/**
 * @param text a file
 * @return whether it is JSON with results
 */
bool
IsJson(const WorkloadText& text)
{
    const auto& lines = text.GetLines();
    const auto& first = lines.front().text;
    return first[first.find_first_not_of(" \t")] == '{' &&
           std::any_of(lines.begin(), lines.end(), [](const auto& line) {
               return line.text.find("\"results\"") != std::string::npos;
           });
}

/**
 * @param object an object
 * @return its keys, all of which are right
 */
std::vector<std::string>
ListKeys(const nlohmann::ordered_json& object)
{
    std::vector<std::string> keys;
    for (const auto& item : object.items())
    {
        keys.push_back(item.key());
    }
    return keys;
}

/**
 * @param json what nccl-tests -J writes
 * @return what its command and its list of devices say of the run
 */
NcclTestsJob
FindJsonJob(const nlohmann::ordered_json& json)
{
    using Json = nlohmann::ordered_json;
    NcclTestsRuns runs;
    const auto textOf = [](const auto& value) {
        return value.is_string() ? value.template get<std::string>() : value.dump();
    };
    for (const auto& argument : json.value("args", Json::array()))
    {
        runs.Add({{textOf(argument), {}}});
    }
    const auto config = json.value("config", Json::object());
    const auto& owner = config.contains("devices") ? config : json;
    for (const auto& device : owner.value("devices", Json::array()))
    {
        if (device.is_object() && device.contains("hostname"))
        {
            runs.AddRank(device.value("group", Json()).dump(),
                         device.value("rank", Json()).dump(),
                         textOf(device.at("hostname")));
        }
    }
    return runs.AddTime();
}

/**
 * @param text a file in JSON
 * @return its rows
 */
std::vector<NcclTestsRow>
ReadLogJson(const WorkloadText& text)
{
    const auto json = ParseJson(text);
    const SourceLocation where{text.GetFile(), 0, 0, ""};
    const JsonSection section(json, where, ListKeys(json));
    const auto job = FindJsonJob(json);
    std::vector<NcclTestsRow> rows;
    for (const auto& result : section.Get("results", "array"))
    {
        auto place = section.Locate("results");
        place.pointer += "/" + std::to_string(rows.size());
        const JsonSection object(result, place, ListKeys(result));
        // Calls that are only made in place have a null out of place.
        const std::string out = "out_of_place";
        const bool isInPlace = result.contains(out) && result.at(out).is_null();
        const auto name = isInPlace ? "in_place" : out;
        const auto timed = object.GetObject(name, ListKeys(object.Get(name, "object")));
        NcclTestsRow row;
        row.size = object.GetNumber("size");
        row.time = timed.GetNumber("time");
        row.series.where = place;
        row.series.text = object.Has("type") ? object.GetText("type").text : "";
        row.series.text += object.Has("redop") ? " " + object.GetText("redop").text : "";
        row.job = job;
        rows.push_back(row);
    }
    return rows;
}

/**
 * @param text a file
 * @return its rows, whatever was measured
 */
std::vector<NcclTestsRow>
ReadRows(const WorkloadText& text)
{
    return HasRcclTestsRecords(text) ? ReadRcclTestsRecords(text)
           : IsJson(text)            ? ReadLogJson(text)
                                     : ReadNcclTestsLines(text);
}

/**
 * @ingroup workload-replay
 * @brief The rows of a log, sorted into those that count and those that do not.
 */
struct Selection
{
    std::vector<NcclTestsRow> rows; //!< those that count, in the order of the file
    std::set<std::string> leftOut;  //!< what the others are of, in words
};

/**
 * @param rows rows of a log
 * @param counts says whether a row counts
 * @return the rows, sorted
 */
template <typename Predicate>
Selection
Select(const std::vector<NcclTestsRow>& rows, Predicate counts)
{
    Selection selection;
    for (const auto& row : rows)
    {
        if (counts(row))
        {
            selection.rows.push_back(row);
        }
        else
        {
            selection.leftOut.insert(DescribeNcclTestsJob(row.job));
        }
    }
    return selection;
}

/**
 * @param rows all rows of a log
 * @param kind the collective that is asked for; nothing = the only one
 * @return the rows, those of the collective and those that do not say theirs counting
 * @throws WorkloadError if rows of several collectives count
 */
Selection
SelectKind(const std::vector<NcclTestsRow>& rows, std::optional<CollectiveKind> kind)
{
    auto selection = Select(rows, [kind](const auto& row) {
        return row.job.other.empty() && (!kind || !row.job.kind || row.job.kind == kind);
    });
    for (const auto& row : selection.rows)
    {
        const auto& first = selection.rows.front().job;
        if (row.job.kind != first.kind)
        {
            throw WorkloadError(row.size.where,
                                "runs of one collective, as the one before (" +
                                    DescribeNcclTestsJob(first) + "), unless kind says which count",
                                DescribeNcclTestsJob(row.job));
        }
    }
    return selection;
}

/// Ranks and servers of runs; 0 = not known.
using Layout = std::pair<uint32_t, uint32_t>;

/**
 * @param layouts ranks and servers
 * @return them in words
 */
std::string
JoinLayouts(const std::set<Layout>& layouts)
{
    std::vector<std::string> words;
    for (const auto& [ranks, servers] : layouts)
    {
        NcclTestsJob job;
        job.ranks = ranks;
        job.servers = servers;
        words.push_back(DescribeNcclTestsRanks(job));
    }
    return JoinWords(words);
}

/**
 * @param job a run
 * @return its ranks and servers
 */
Layout
GetLayout(const NcclTestsJob& job)
{
    return {job.ranks, job.servers};
}

/**
 * @param file the log
 * @param rows rows of one collective
 * @param wanted the ranks and servers that are asked for; 0 = any
 * @return the ranks and servers that count: all that are asked for, or the only ones there are
 * @throws WorkloadError if there are several of which none is asked for
 */
std::set<Layout>
ChooseLayouts(const std::string& file,
              const std::vector<NcclTestsRow>& rows,
              const NcclTestsJob& wanted)
{
    std::set<Layout> all;
    std::set<Layout> chosen;
    for (const auto& row : rows)
    {
        const auto& job = row.job;
        all.insert(GetLayout(job));
        if ((wanted.ranks == 0 || wanted.ranks == job.ranks) &&
            (wanted.servers == 0 || wanted.servers == job.servers))
        {
            chosen.insert(GetLayout(job));
        }
    }
    if (all.size() > 1 && chosen.empty())
    {
        const auto ranks = wanted.ranks > 0 ? DescribeNcclTestsRanks(wanted)
                                            : "ranks on " + FormatCount(wanted.servers, "server");
        throw WorkloadError({file, 0, 0, ""},
                            "runs of " + ranks + ", as is asked for",
                            "others alone: " + JoinLayouts(all));
    }
    return all.size() > 1 ? chosen : all;
}

/**
 * @param timed a row with a time and both bandwidths
 * @param ranks number of ranks, at least 2
 * @return the kind that they leave; nothing = several
 */
std::optional<CollectiveKind>
FindReduction(const NcclTestsRow& timed, uint32_t ranks)
{
    // A series is a type and, if the log has it, a reduction behind a blank.
    const auto blank = timed.series.text.find(' ');
    const bool reduces =
        blank != std::string::npos && timed.series.text.substr(blank + 1) != "none";
    for (const auto kind : {CollectiveKind::ALL_REDUCE, CollectiveKind::REDUCE_SCATTER})
    {
        // The factors of both kinds differ by 2, and two decimals leave a percent.
        const double factor = GetBusBandwidthFactor(kind, ranks);
        if (reduces && std::fabs(timed.busFactor / factor - 1) < 0.02)
        {
            return kind;
        }
    }
    return std::nullopt;
}

/**
 * @param rows rows of one run, of a collective that is not known
 * @return the kind that they leave; nothing = several
 */
std::optional<CollectiveKind>
FindKind(const std::vector<NcclTestsRow>& rows)
{
    // The last row is the largest, whose bandwidths have the most digits.
    const auto largest =
        std::find_if(rows.rbegin(), rows.rend(), [](const auto& row) { return row.busFactor > 0; });
    const bool isKnown = largest != rows.rend() && largest->job.ranks > 1;
    return isKnown ? FindReduction(*largest, largest->job.ranks) : std::nullopt;
}

/**
 * @param rows rows of one run
 * @throws WorkloadError if they differ in type or reduction
 */
void
CheckSeries(const std::vector<NcclTestsRow>& rows)
{
    std::string series;
    for (const auto& row : rows)
    {
        // nccl-tests gives empty messages the reduction none, and JSON may not say the type.
        if (row.size.text == "0" || row.series.text.empty())
        {
            continue;
        }
        if (!series.empty() && row.series.text != series)
        {
            throw WorkloadError(row.series.where,
                                "lines of one type and reduction, as those before (" + series + ")",
                                Quoted(row.series.text));
        }
        series = row.series.text;
    }
}

} // namespace

std::vector<NcclTestsJob>
ListNcclTestsJobs(const WorkloadText& text, const NcclTestsJob& wanted)
{
    const auto all = ReadRows(text);
    auto rows = SelectKind(all, wanted.kind).rows;
    if (rows.empty())
    {
        rows = SelectKind(all, std::nullopt).rows;
    }
    std::vector<NcclTestsJob> jobs;
    for (const auto& layout : ChooseLayouts(text.GetFile(), rows, wanted))
    {
        const auto own =
            Select(rows, [&layout](const auto& row) { return GetLayout(row.job) == layout; });
        auto job = own.rows.front().job;
        job.kind = job.kind ? job.kind : FindKind(own.rows);
        jobs.push_back(job);
    }
    return jobs;
}

bool
LooksLikeNcclTests(const WorkloadText& text)
{
    return IsJson(text) || HasRcclTestsRecords(text) || HasNcclTestsLines(text);
}

NcclTestsTimes
ReadNcclTests(const WorkloadText& text, const NcclTestsJob& wanted)
{
    auto [rows, leftOut] = SelectKind(ReadRows(text), wanted.kind);
    if (rows.empty() && !leftOut.empty())
    {
        throw WorkloadError({text.GetFile(), 0, 0, ""},
                            wanted.kind
                                ? "runs of the kind that is asked for, " + ToString(*wanted.kind)
                                : "runs of a collective",
                            "others alone: " + JoinWords({leftOut.begin(), leftOut.end()}));
    }
    const auto layouts = ChooseLayouts(text.GetFile(), rows, wanted);
    if (layouts.size() > 1)
    {
        const auto& [ranks, servers] = *layouts.rbegin();
        throw WorkloadError({text.GetFile(), 0, 0, ""},
                            "--ranks and --servers that say which runs count, such as --ranks=" +
                                std::to_string(ranks) + " --servers=" + std::to_string(servers),
                            "runs of " + JoinLayouts(layouts));
    }
    auto chosen =
        Select(rows, [&layouts](const auto& row) { return layouts.count(GetLayout(row.job)) > 0; });
    CheckSeries(chosen.rows);
    // Times in place count where there are no others.
    const bool hasOutOfPlace = std::any_of(chosen.rows.begin(),
                                           chosen.rows.end(),
                                           [](const auto& row) { return !row.isInPlace; });
    TimesBySize times;
    for (const auto& row : chosen.rows)
    {
        if (row.isInPlace != hasOutOfPlace)
        {
            times.Add(row.size, row.time);
        }
    }
    leftOut.merge(chosen.leftOut);
    const auto job = chosen.rows.empty() ? NcclTestsJob{} : chosen.rows.front().job;
    return {times.GetMeans(text.GetFile()), job, leftOut};
}

} // namespace ns3
