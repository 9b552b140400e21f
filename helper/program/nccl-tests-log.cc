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

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

namespace
{

/// Columns of calls out of place, or in place: time, algbw, busbw and errors.
constexpr std::size_t TIMED_COLUMNS = 4;

/// Bandwidth in GB/s from which on two decimals give a ratio of bandwidths to a percent.
constexpr double LEAST_BANDWIDTH = 1;

/// Names of types of elements.
const std::vector<std::string> ELEMENT_TYPES{"int8",
                                             "char",
                                             "uint8",
                                             "int32",
                                             "int",
                                             "uint32",
                                             "int64",
                                             "uint64",
                                             "half",
                                             "float16",
                                             "float",
                                             "float32",
                                             "double",
                                             "float64",
                                             "bfloat16",
                                             "f8e4m3",
                                             "f8e5m2",
                                             "fp8_e4m3",
                                             "fp8_e5m2"};

/**
 * @ingroup workload-replay
 * @brief A line with a time.
 */
struct TimedLine
{
    TextField size;      //!< bytes
    TextField time;      //!< us, out of place or, if there is no such, in place
    TextField series;    //!< type and reduction, by which lines belong together
    double busFactor{0}; //!< busbw over algbw; 0 = too small to be known
};

/**
 * @param word a word
 * @return it without a tag that stands before a number: "[1,0]<stdout>:1024" is 1024
 */
TextField
DropTag(TextField word)
{
    const auto tag = word.text.find_last_of(":>");
    if (tag != std::string::npos)
    {
        word.text.erase(0, tag + 1);
        word.where.column += static_cast<uint32_t>(tag + 1);
    }
    return word;
}

/**
 * @param text a file
 * @param line a line of it
 * @return its time; nothing = it is another line
 */
std::optional<TimedLine>
FindTime(const WorkloadText& text, const WorkloadText::Line& line)
{
    const auto words = text.SplitWords(line);
    // Two numbers stand before the type, and behind it as many words as there are columns.
    for (std::size_t type = 2; type < words.size(); ++type)
    {
        const auto& name = words[type].text;
        const auto size = DropTag(words[type - 2]);
        const auto rest = words.size() - type - 1;
        if (std::find(ELEMENT_TYPES.begin(), ELEMENT_TYPES.end(), name) == ELEMENT_TYPES.end() ||
            !ReadWhole(size.text) || !ReadWhole(words[type - 1].text) || rest < TIMED_COLUMNS)
        {
            continue;
        }
        // Calls that a trace replays are only made in place.
        const auto columns = rest < 2 * TIMED_COLUMNS ? TIMED_COLUMNS : 2 * TIMED_COLUMNS;
        // Reduction and root, or one of them, or none; a version may have more columns at the end.
        const auto skipped = std::min<std::size_t>(rest - columns, 2);
        const bool hasReduction = skipped > 0 && !ReadDecimal(words[type + 1].text);
        auto series = words[type];
        series.text += hasReduction ? " " + words[type + 1].text : "";
        const auto time = type + 1 + skipped;
        const auto algorithmBandwidth = ReadDecimal(words[time + 1].text).value_or(0);
        const auto busBandwidth = ReadDecimal(words[time + 2].text).value_or(0);
        return TimedLine{size,
                         words[time],
                         series,
                         algorithmBandwidth > LEAST_BANDWIDTH ? busBandwidth / algorithmBandwidth
                                                              : 0};
    }
    return std::nullopt;
}

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
 * @param text a file in JSON
 * @param [in,out] times receives its times
 */
void
AddLogJson(const WorkloadText& text, TimesBySize& times)
{
    const auto json = ParseJson(text);
    const SourceLocation where{text.GetFile(), 0, 0, ""};
    const auto keysOf = [](const nlohmann::ordered_json& object) {
        std::vector<std::string> keys;
        for (const auto& item : object.items())
        {
            keys.push_back(item.key());
        }
        return keys;
    };
    const JsonSection section(json, where, keysOf(json));
    std::size_t number = 0;
    for (const auto& result : section.Get("results", "array"))
    {
        auto place = section.Locate("results");
        place.pointer += "/" + std::to_string(number++);
        const JsonSection row(result, place, keysOf(result));
        // Calls that are only made in place have a null out of place.
        const std::string out = "out_of_place";
        const bool isInPlace = result.contains(out) && result.at(out).is_null();
        const auto name = isInPlace ? "in_place" : out;
        const auto timed = row.GetObject(name, keysOf(row.Get(name, "object")));
        times.Add(row.GetNumber("size"), timed.GetNumber("time"));
    }
}

/**
 * @param text a file with records of rccl-tests
 * @param kind the collective that is asked for; nothing = all
 * @param [in,out] times receives their times: those out of place, unless all are in place
 * @return what was left out
 */
std::set<std::string>
AddRecords(const WorkloadText& text, std::optional<CollectiveKind> kind, TimesBySize& times)
{
    const auto [records, leftOut] = ReadRcclTestsRecords(text, kind);
    const bool hasOutOfPlace = std::any_of(records.begin(), records.end(), [](const auto& record) {
        return !record.isInPlace;
    });
    for (const auto& record : records)
    {
        if (record.isInPlace != hasOutOfPlace)
        {
            times.Add(record.size, record.time);
        }
    }
    return leftOut;
}

/**
 * @param text a file
 * @param kind the collective that is asked for; nothing = the only one
 * @param [in,out] times receives its times
 * @return what was left out
 */
std::set<std::string>
AddLogLines(const WorkloadText& text, std::optional<CollectiveKind> kind, TimesBySize& times)
{
    NcclTestsRuns runs(kind);
    std::string series;
    for (const auto& line : text.GetLines())
    {
        const auto timed = FindTime(text, line);
        if (!timed)
        {
            runs.Add(text.SplitWords(line));
            continue;
        }
        if (!runs.AddTime(timed->size))
        {
            continue;
        }
        // nccl-tests gives empty messages the reduction none.
        const bool isEmpty = timed->size.text == "0";
        if (!isEmpty && !series.empty() && timed->series.text != series)
        {
            throw WorkloadError(timed->series.where,
                                "lines of one type and reduction, as those before (" + series + ")",
                                Quoted(timed->series.text));
        }
        series = isEmpty ? series : timed->series.text;
        times.Add(timed->size, timed->time);
    }
    return runs.GetLeftOut();
}

/**
 * @param timed a line with a time and both bandwidths
 * @param ranks number of ranks, at least 2
 * @return the kind that they leave; nothing = several
 */
std::optional<CollectiveKind>
FindReduction(const TimedLine& timed, uint32_t ranks)
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
 * @param text a file of lines
 * @param kind the collective whose runs count; nothing = all
 * @return what it reports of them; it has no ranks if none counts
 */
NcclTestsJob
FindJob(const WorkloadText& text, std::optional<CollectiveKind> kind)
{
    NcclTestsRuns runs(kind);
    std::optional<TimedLine> largest;
    bool counts = false;
    for (const auto& line : text.GetLines())
    {
        const auto timed = FindTime(text, line);
        if (!timed)
        {
            runs.Add(text.SplitWords(line));
        }
        else if (runs.AddTime(timed->size))
        {
            counts = true;
            // The last row is the largest, whose bandwidths have the most digits.
            largest = timed->busFactor > 0 ? timed : largest;
        }
    }
    if (!counts && !runs.GetLeftOut().empty())
    {
        return FindJob(text, std::nullopt);
    }
    auto job = runs.GetJob();
    if (!job.kind && largest && job.ranks > 1)
    {
        job.kind = FindReduction(*largest, job.ranks);
    }
    return job;
}

} // namespace

NcclTestsJob
ReadNcclTestsJob(const WorkloadText& text, std::optional<CollectiveKind> kind)
{
    if (!HasRcclTestsRecords(text))
    {
        return FindJob(text, kind);
    }
    auto found = ReadRcclTestsRecords(text, kind);
    found = found.records.empty() ? ReadRcclTestsRecords(text, std::nullopt) : std::move(found);
    if (found.records.empty())
    {
        return {};
    }
    const auto& first = found.records.front();
    return {first.kind, first.ranks, first.servers};
}

bool
LooksLikeNcclTests(const WorkloadText& text)
{
    if (IsJson(text) || HasRcclTestsRecords(text))
    {
        return true;
    }
    const auto& lines = text.GetLines();
    return std::any_of(lines.begin(), lines.end(), [&text](const auto& line) {
        // A run that failed before its first time leaves the line of its parameters.
        return line.text.find("out-of-place") != std::string::npos ||
               line.text.find("# nThread ") != std::string::npos || FindTime(text, line);
    });
}

NcclTestsTimes
ReadNcclTests(const WorkloadText& text, std::optional<CollectiveKind> kind)
{
    TimesBySize times;
    std::set<std::string> leftOut;
    if (HasRcclTestsRecords(text))
    {
        leftOut = AddRecords(text, kind, times);
    }
    else if (IsJson(text))
    {
        AddLogJson(text, times);
    }
    else
    {
        leftOut = AddLogLines(text, kind, times);
    }
    if (times.IsEmpty() && !leftOut.empty())
    {
        throw WorkloadError({text.GetFile(), 0, 0, ""},
                            "runs of the kind that is asked for, " + ToString(*kind),
                            "others alone: " + JoinWords({leftOut.begin(), leftOut.end()}));
    }
    return {times.GetMeans(text.GetFile()), leftOut};
}

} // namespace ns3
