/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef COLLECTIVE_BENCH_REPORT_H
#define COLLECTIVE_BENCH_REPORT_H

#include "collective-bench-cluster.h"
#include "collective-bench-options.h"
#include "collective-reference.h"

#include "ns3/replay-result.h"

#include <cstdint>
#include <ostream>
#include <set>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief What the time of a collective of some size comes to; a row of the table of nccl-tests.
 */
struct CollectiveTiming
{
    uint64_t bytes{0};            //!< size, bytes
    double microseconds{0};       //!< mean time of a call, us; 0 = nothing had to move
    double algorithmBandwidth{0}; //!< size over time, GB/s of 10^9 bytes; 0 = no time was taken
    double busBandwidth{0}; //!< see GetBusBandwidth(), GB/s of 10^9 bytes; 0 = no time was taken
    std::string algorithm;  //!< name of the algorithm that ran
};

/**
 * @ingroup workload-replay
 * @brief Work out the bandwidths of a time.
 *
 * @param kind the kind of collective
 * @param ranks number of members
 * @param bytes size, bytes
 * @param microseconds mean time of a call, us
 * @return the row, without the algorithm
 */
CollectiveTiming MakeCollectiveTiming(CollectiveKind kind,
                                      uint32_t ranks,
                                      uint64_t bytes,
                                      double microseconds);

/**
 * @ingroup workload-replay
 * @brief The table of wl-collective: for people in the manner of nccl-tests, or as CSV.
 *
 * Rows are printed, and flushed, as they come. Lines of the table for people that are no rows begin
 * with '#'. CSV has its header and rows alone, and more digits.
 */
class CollectiveBenchReport
{
  public:
    /**
     * @param os where to; must outlive this object
     * @param options what the user asks for; must outlive this object
     * @param reference what to compare with; null = nothing; must outlive this object
     */
    CollectiveBenchReport(std::ostream& os,
                          const CollectiveBenchOptions& options,
                          const CollectiveReference* reference);

    /**
     * Print what is timed and the headings of the columns.
     *
     * @param cluster where the ranks stand
     * @param fabric what they run on
     */
    void PrintHead(const CollectiveBenchCluster& cluster, const FabricDescription& fabric);

    /**
     * Print each note once, before the row that it is about. Tables in CSV have none.
     *
     * @param notes what goes otherwise than was asked for
     */
    void PrintNotes(const std::vector<std::string>& notes);

    /**
     * @param timing a row
     */
    void PrintRow(const CollectiveTiming& timing);

    /**
     * Print mean bus bandwidth and distance from the reference, if there are rows to take them of.
     *
     * @param troubles what the last row has left idle of the network, or lost
     */
    void PrintEnd(const std::vector<std::string>& troubles);

  private:
    /**
     * Print a fact, continued below itself if it is long.
     *
     * @param head what it is about
     * @param text the fact
     */
    void PrintFact(const std::string& head, const std::string& text);

    /**
     * Print a line of the table.
     *
     * @param cells texts by column
     * @param start what the line begins with, in place of blanks
     */
    void PrintCells(const std::vector<std::string>& cells, const std::string& start);

    std::ostream& m_os;                      //!< where to
    const CollectiveBenchOptions& m_options; //!< what the user asks for
    const CollectiveReference* m_reference;  //!< what to compare with; null = nothing
    CollectiveComparison m_comparison;       //!< distance from it
    double m_busBandwidths{0};               //!< sum over the rows, GB/s
    uint64_t m_rows{0};                      //!< rows printed
    std::set<std::string> m_notes;           //!< notes printed
};

/**
 * @ingroup workload-replay
 * @param options what the user asks for
 * @param cluster where the ranks stand
 * @return such as "16 ranks on 2 servers, 8 on each"
 */
std::string DescribeCluster(const CollectiveBenchOptions& options,
                            const CollectiveBenchCluster& cluster);

} // namespace ns3

#endif /* COLLECTIVE_BENCH_REPORT_H */
