/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "nccl-tests-runs.h"

#include "ns3/input-values.h"
#include "ns3/text-table.h"

#include <algorithm>
#include <set>
#include <string>
#include <utility>

namespace ns3
{

namespace
{

/// Names of the programs of nccl-tests, and what they time.
const std::vector<std::pair<std::string, CollectiveKind>> PROGRAMS{
    {"all_reduce_perf", CollectiveKind::ALL_REDUCE},
    {"all_gather_perf", CollectiveKind::ALL_GATHER},
    {"reduce_scatter_perf", CollectiveKind::REDUCE_SCATTER},
    {"alltoall_perf", CollectiveKind::ALL_TO_ALL},
    {"sendrecv_perf", CollectiveKind::SHIFT},
    {"broadcast_perf", CollectiveKind::BROADCAST},
    {"reduce_perf", CollectiveKind::REDUCE},
    {"gather_perf", CollectiveKind::GATHER},
    {"scatter_perf", CollectiveKind::SCATTER}};

/// Programs of nccl-tests and rccl-tests that time what is no kind of collective here.
const std::vector<std::string> OTHER_PROGRAMS{"alltoallv_perf",
                                              "hypercube_perf",
                                              "all_reduce_bias_perf"};

/**
 * @param words the words of a line
 * @return what a program of nccl-tests times whose name is among them; nothing = none is
 */
std::optional<NcclTestsJob>
FindProgram(const std::vector<TextField>& words)
{
    for (const auto& word : words)
    {
        // The build may stand before the name, and punctuation of a command line behind it.
        const auto name = word.text.substr(word.text.find_last_of("/:>\"") + 1);
        NcclTestsJob job;
        for (const auto& [program, kind] : PROGRAMS)
        {
            if (BeginsWith(name, program))
            {
                job.kind = kind;
                return job;
            }
        }
        for (const auto& program : OTHER_PROGRAMS)
        {
            if (BeginsWith(name, program))
            {
                job.other = program;
                return job;
            }
        }
    }
    return std::nullopt;
}

/**
 * @ingroup workload-replay
 * @brief What a line says of a rank; the host is empty if it is another line.
 */
struct RankLine
{
    std::string group{"0"}; //!< group, which old versions do not print
    std::string rank;       //!< number
    std::string host;       //!< host
};

/**
 * @param words the words of a line
 * @return what "Rank R [Group G] Pid P on HOST device D" says
 */
RankLine
FindRank(const std::vector<TextField>& words)
{
    RankLine line;
    for (std::size_t i = 0; i + 1 < words.size(); ++i)
    {
        const auto& word = words[i].text;
        const auto& next = words[i + 1].text;
        if (word == "Rank")
        {
            line.rank = next;
        }
        else if (word == "Group")
        {
            line.group = next;
        }
        else if (word == "on" && !line.rank.empty())
        {
            line.host = next;
            break;
        }
    }
    return line;
}

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
 * @return its time, without the run; nothing = it is another line
 */
std::optional<NcclTestsRow>
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
        NcclTestsRow row;
        row.size = size;
        row.time = words[time];
        row.series = series;
        row.busFactor =
            algorithmBandwidth > LEAST_BANDWIDTH ? busBandwidth / algorithmBandwidth : 0;
        return row;
    }
    return std::nullopt;
}

} // namespace

std::string
DescribeNcclTestsRanks(const NcclTestsJob& job)
{
    if (job.ranks == 0)
    {
        return "an unknown number of ranks";
    }
    return FormatCount(job.ranks, "rank") +
           (job.servers > 0 ? " on " + FormatCount(job.servers, "server") : "");
}

std::string
DescribeNcclTestsJob(const NcclTestsJob& job)
{
    const auto name = job.kind ? ToString(*job.kind) : "unknown collective";
    return (job.other.empty() ? name : job.other) + " of " + DescribeNcclTestsRanks(job);
}

void
NcclTestsRuns::Add(const std::vector<TextField>& words)
{
    m_program = FindProgram(words).value_or(m_program);
    const auto line = FindRank(words);
    if (!line.host.empty())
    {
        AddRank(line.group, line.rank, line.host);
    }
}

void
NcclTestsRuns::AddRank(const std::string& group, const std::string& rank, const std::string& host)
{
    if (m_isTimed)
    {
        // The first rank of another run.
        m_groups.clear();
        m_isTimed = false;
    }
    m_groups[group].emplace(rank, host);
}

NcclTestsJob
NcclTestsRuns::AddTime()
{
    m_isTimed = true;
    auto job = m_program;
    for (const auto& [group, hosts] : m_groups)
    {
        // The bandwidths are those of the largest group, as of all where they are alike.
        if (hosts.size() > job.ranks)
        {
            std::set<std::string> servers;
            for (const auto& [rank, host] : hosts)
            {
                servers.insert(host);
            }
            job.ranks = static_cast<uint32_t>(hosts.size());
            job.servers = static_cast<uint32_t>(servers.size());
        }
    }
    return job;
}

bool
HasNcclTestsLines(const WorkloadText& text)
{
    const auto& lines = text.GetLines();
    return std::any_of(lines.begin(), lines.end(), [&text](const auto& line) {
        // A run that failed before its first time leaves the line of its parameters.
        return line.text.find("out-of-place") != std::string::npos ||
               line.text.find("# nThread ") != std::string::npos || FindTime(text, line);
    });
}

std::vector<NcclTestsRow>
ReadNcclTestsLines(const WorkloadText& text)
{
    NcclTestsRuns runs;
    std::vector<NcclTestsRow> rows;
    for (const auto& line : text.GetLines())
    {
        auto row = FindTime(text, line);
        if (row)
        {
            row->job = runs.AddTime();
            rows.push_back(*row);
        }
        else
        {
            runs.Add(text.SplitWords(line));
        }
    }
    return rows;
}

} // namespace ns3
