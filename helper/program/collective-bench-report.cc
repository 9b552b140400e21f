/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "collective-bench-report.h"

#include "option-table.h"
#include "replay-assumptions.h"

#include "ns3/output-text.h"
#include "ns3/replay-report.h"
#include "ns3/text-table.h"

#include <algorithm>
#include <array>

namespace ns3
{

namespace
{

/// A column.
struct Column
{
    const char* name;  //!< its heading
    std::size_t width; //!< its width in the table for people, with the blanks before it
};

/// The columns; the last two only with a reference.
constexpr std::array<Column, 8> COLUMNS{{{"size_bytes", 12},
                                         {"count", 12},
                                         {"time_us", 12},
                                         {"algbw_gbs", 12},
                                         {"busbw_gbs", 12},
                                         {"algorithm", 17},
                                         {"reference_us", 14},
                                         {"ratio", 9}}};

/// How many of the columns belong to the reference.
constexpr std::size_t REFERENCE_COLUMNS = 2;

/// Digits after the point in the table for people, and in CSV: to the picosecond.
constexpr std::array<int, 2> DECIMALS{3, 6};

/// Bytes per second in a GB/s.
constexpr double GIGABYTE = 1e9;

/**
 * @param options what the user asks for
 * @return how algorithms are chosen
 */
std::string
DescribeChoice(const CollectiveBenchOptions& options)
{
    std::string text = options.collectives.empty() ? "by kind and size" : options.algorithms;
    if (!options.fabricSet.empty())
    {
        text = options.collectives.empty() ? "the fastest" : text;
        text += ", by the costs of the fabric " + options.fabricSet;
    }
    return text;
}

/**
 * @param fabric what the ranks run on
 * @return what headers take of it; empty if there are none
 */
std::string
DescribeHeaders(const FabricDescription& fabric)
{
    return fabric.mtu == 0 ? ""
                           : "; headers leave " + FormatFixed(100 * fabric.goodputShare, 2) +
                                 " % of a link's rate";
}

/**
 * @param reference what to compare with
 * @param simulated the ranks and servers that are simulated
 * @return what it is, and which of it is not compared or was measured on others
 */
std::string
DescribeReference(const CollectiveReference& reference, const NcclTestsJob& simulated)
{
    const auto& job = reference.GetJob();
    const bool differs = job.ranks > 0 && (job.ranks != simulated.ranks ||
                                           (job.servers > 0 && job.servers != simulated.servers));
    const auto& leftOut = reference.GetLeftOut();
    return reference.GetFile() + "; ratio = time_us / reference_us" +
           (differs ? "; measured on " + DescribeNcclTestsRanks(job) + ", not on " +
                          DescribeNcclTestsRanks(simulated)
                    : "") +
           (leftOut.empty() ? "" : "; left out: " + JoinWords({leftOut.begin(), leftOut.end()}));
}

} // namespace

CollectiveTiming
MakeCollectiveTiming(CollectiveKind kind, uint32_t ranks, uint64_t bytes, double microseconds)
{
    CollectiveTiming timing;
    timing.bytes = bytes;
    timing.microseconds = microseconds;
    if (microseconds > 0)
    {
        const double rate = static_cast<double>(bytes) / (microseconds * 1e-6);
        timing.algorithmBandwidth = rate / GIGABYTE;
        timing.busBandwidth = GetBusBandwidthFactor(kind, ranks) * rate / GIGABYTE;
    }
    return timing;
}

CollectiveBenchReport::CollectiveBenchReport(std::ostream& os,
                                             const CollectiveBenchOptions& options,
                                             const CollectiveReference* reference)
    : m_os(os),
      m_options(options),
      m_reference(reference)
{
}

void
CollectiveBenchReport::PrintFact(const std::string& head, const std::string& text)
{
    const std::string indent = "#" + std::string(13, ' ');
    PrintHanging(m_os, "# " + head + indent.substr(head.size() + 2), indent, text);
}

void
CollectiveBenchReport::PrintCells(const std::vector<std::string>& cells, const std::string& start)
{
    std::string line;
    std::size_t end = 0;
    for (std::size_t i = 0; i < cells.size(); ++i)
    {
        // A cell that is too wide takes its room from the blanks before the next one.
        end += m_options.csv ? 0 : COLUMNS.at(i).width;
        const auto separator = i == 0 ? "" : m_options.csv ? "," : " ";
        const auto size = line.size() + cells[i].size() + (i == 0 ? 0 : 1);
        line += std::string(end > size ? end - size : 0, ' ') + separator +
                (m_options.csv ? FormatCsvField(cells[i]) : cells[i]);
    }
    // The blanks before the first cell make room for it.
    line.replace(0, start.size(), start);
    m_os << line << std::endl;
}

void
CollectiveBenchReport::PrintHead(const CollectiveBenchCluster& cluster,
                                 const FabricDescription& fabric)
{
    if (!m_options.csv)
    {
        std::string task = ToString(m_options.kind);
        task += HasRoot(m_options.kind) ? " with root " + std::to_string(m_options.root) : "";
        task += ", " + FormatCount(m_options.iterations, "call") + " of each size";
        PrintFact("collective", task);
        PrintFact("placement", DescribeCluster(m_options, cluster));
        PrintFact("network", FormatNetwork(fabric) + DescribeHeaders(fabric));
        PrintFact("algorithm", DescribeChoice(m_options));
        for (const auto& assumption : ListNetworkAssumptions(m_options, cluster.graph))
        {
            PrintFact("assumed", assumption);
        }
        for (const auto& warning : fabric.warnings)
        {
            PrintFact("warning", warning);
        }
        if (m_reference != nullptr)
        {
            const auto nServers = static_cast<uint32_t>(cluster.serverShares.size());
            PrintFact("reference",
                      DescribeReference(*m_reference, {{}, {}, m_options.ranks, nServers}));
        }
        m_os << "#\n";
    }
    std::vector<std::string> headings;
    const auto count = COLUMNS.size() - (m_reference == nullptr ? REFERENCE_COLUMNS : 0);
    for (std::size_t i = 0; i < count; ++i)
    {
        headings.emplace_back(COLUMNS.at(i).name);
    }
    PrintCells(headings, m_options.csv ? "" : "#");
}

void
CollectiveBenchReport::PrintNotes(const std::vector<std::string>& notes)
{
    for (const auto& note : notes)
    {
        if (!m_options.csv && m_notes.insert(note).second)
        {
            PrintFact("note", note);
        }
    }
}

void
CollectiveBenchReport::PrintRow(const CollectiveTiming& timing)
{
    const int decimals = DECIMALS.at(m_options.csv ? 1 : 0);
    std::vector<std::string> cells{std::to_string(timing.bytes),
                                   std::to_string(m_options.CountElements(timing.bytes)),
                                   FormatFixed(timing.microseconds, decimals),
                                   FormatFixed(timing.algorithmBandwidth, decimals),
                                   FormatFixed(timing.busBandwidth, decimals),
                                   timing.algorithm};
    if (m_reference != nullptr)
    {
        const auto time = m_reference->Find(timing.bytes);
        const std::string none = m_options.csv ? "" : "-";
        cells.push_back(time ? FormatFixed(*time, decimals) : none);
        cells.push_back(none);
        if (time && timing.microseconds > 0)
        {
            const CollectiveComparison::Row row{timing.bytes, timing.microseconds, *time};
            m_comparison.Add(row);
            cells.back() = FormatFixed(row.GetRatio(), decimals);
        }
    }
    PrintCells(cells, "");
    m_busBandwidths += timing.busBandwidth;
    ++m_rows;
}

void
CollectiveBenchReport::PrintEnd(const std::vector<std::string>& troubles)
{
    if (m_options.csv)
    {
        return;
    }
    m_os << (troubles.empty() ? "" : "#\n");
    for (const auto& trouble : troubles)
    {
        PrintFact("last row", trouble);
    }
    if (m_options.kind != CollectiveKind::BARRIER && m_rows > 0)
    {
        m_os << "#\n# mean bus bandwidth: "
             << FormatFixed(m_busBandwidths / static_cast<double>(m_rows), 3) << " GB/s\n";
    }
    if (m_comparison.GetCount() > 0)
    {
        const auto& worst = m_comparison.GetWorst();
        m_os << "# against the reference, " << FormatCount(m_comparison.GetCount(), "size")
             << ": geometric mean of max(ratio, 1 / ratio) less 1: "
             << FormatFixed(100 * m_comparison.GetMeanError(), 2)
             << " %\n# worst: " << FormatCount(worst.bytes, "byte") << ", "
             << FormatFixed(worst.microseconds, 3) << " us instead of "
             << FormatFixed(worst.referenceUs, 3) << " us, ratio "
             << FormatFixed(worst.GetRatio(), 3) << "\n";
    }
    m_os.flush();
}

std::string
DescribeCluster(const CollectiveBenchOptions& options, const CollectiveBenchCluster& cluster)
{
    const auto& shares = cluster.serverShares;
    const auto [least, most] = std::minmax_element(shares.begin(), shares.end());
    std::string text =
        FormatCount(options.ranks, "rank") + " on " + FormatCount(shares.size(), "server");
    if (shares.size() > 1)
    {
        text += ", " + std::to_string(*most) +
                (*least < *most ? " or " + std::to_string(*least) : "") + " on each";
    }
    return text;
}

} // namespace ns3
