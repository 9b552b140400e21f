/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef COLLECTIVE_REFERENCE_H
#define COLLECTIVE_REFERENCE_H

#include "nccl-tests-runs.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief Times of a collective by size, read from a table to compare with.
 *
 * The table is CSV (RFC 4180) with a header. The columns size_bytes and time_us (mean time of a
 * call, us) may stand anywhere among others, which are not looked at. So tables that wl-collective
 * itself prints will do. The output of nccl-tests and rccl-tests is read as it is, see
 * ReadNcclTests().
 */
class CollectiveReference
{
  public:
    /**
     * Read a table.
     *
     * @param file path of the file
     * @param wanted the collective, ranks and servers whose times are taken of a log of several
     *        runs, as ReadNcclTests() has it
     * @throws WorkloadError with file, line and column if it cannot be read, lacks one of the
     *         columns or has it twice, a row has more or fewer fields than the header, a size
     * stands twice, a time is 0, or there is no row
     */
    explicit CollectiveReference(const std::string& file, const NcclTestsJob& wanted = {});

    /**
     * @return path of the file
     */
    const std::string& GetFile() const;

    /**
     * @return what was measured, as far as the file says it
     */
    const NcclTestsJob& GetJob() const;

    /**
     * @return other runs that the file has: collective, ranks and servers, each once
     */
    const std::set<std::string>& GetLeftOut() const;

    /**
     * @return time by size, us by bytes; at least one, all above 0
     */
    const std::map<uint64_t, double>& GetTimes() const;

    /**
     * @param bytes a size
     * @return its time, us; absent if the table has no such size
     */
    std::optional<double> Find(uint64_t bytes) const;

  private:
    std::string m_file;                 //!< path of the file
    std::map<uint64_t, double> m_times; //!< us, by bytes
    NcclTestsJob m_job;                 //!< what was measured
    std::set<std::string> m_leftOut;    //!< other runs
};

/**
 * @ingroup workload-replay
 * @brief How far simulated times are from those of a reference.
 */
class CollectiveComparison
{
  public:
    /// A size with both times.
    struct Row
    {
        uint64_t bytes{0};      //!< size, bytes
        double microseconds{0}; //!< simulated time, us
        double referenceUs{0};  //!< time of the reference, us

        /**
         * @return simulated time over time of the reference
         */
        double GetRatio() const;
    };

    /**
     * @param row a size; both times are above 0
     */
    void Add(const Row& row);

    /**
     * @return number of sizes
     */
    std::size_t GetCount() const;

    /**
     * @return geometric mean of max(ratio, 1 / ratio) over all sizes, less 1: 0 if all times agree,
     *         0.1 if they are off by 10 % up or down; 0 = there are no sizes
     */
    double GetMeanError() const;

    /**
     * @return the size whose ratio is farthest from 1, by factor; the first one on a tie; there
     * must be one
     */
    const Row& GetWorst() const;

  private:
    std::size_t m_count{0}; //!< number of sizes
    double m_logarithms{0}; //!< sum of |ln ratio|
    Row m_worst;            //!< the size farthest off
};

} // namespace ns3

#endif /* COLLECTIVE_REFERENCE_H */
