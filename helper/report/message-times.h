/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef MESSAGE_TIMES_H
#define MESSAGE_TIMES_H

#include "ns3/nstime.h"
#include "ns3/workload-types.h"

#include <cstdint>
#include <map>
#include <utility>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief Counts values above 0 by size, so that quantiles of any number of them can be given.
 *
 * An octave has 128 bins of equal width, so that a quantile is exact to within 0.4 % of its value;
 * memory is that of the bins that are filled. The largest value is kept exactly. (The scheme of G.
 * Tene's HdrHistogram, 2012.)
 */
class QuantileHistogram
{
  public:
    /**
     * @param value a value; 0 and below count as 0
     * @param times how often it is there
     */
    void Add(double value, uint64_t times = 1);

    /**
     * @param share share of the values that are at most as large, 0 to 1
     * @return middle of the bin of the smallest such value, at most the largest value; 0 = there
     * are no values
     */
    double GetQuantile(double share) const;

    /**
     * @return mean value; 0 = there are no values
     */
    double GetMean() const;

    /**
     * @return the largest value; 0 = there are no values
     */
    double GetMax() const;

  private:
    std::map<int32_t, uint64_t> m_bins; //!< values by number of their bin
    uint64_t m_count{0};                //!< values
    double m_sum{0};                    //!< their sum
    double m_max{0};                    //!< the largest
};

/**
 * @ingroup workload-replay
 * @brief How long messages took: those of a dimension, or of all that one job has in it.
 */
struct MessageTimes
{
    uint64_t count{0};          //!< messages
    uint64_t bytes{0};          //!< their payload, bytes
    QuantileHistogram time;     //!< from being handed over until the last byte has arrived, ns
    QuantileHistogram slowdown; //!< that time over IdealMessageTime; at least about 1

    /**
     * @param size payload, bytes
     * @param taken how long it took
     * @param ideal how long it would take if nothing were in its way, above 0
     * @param times how many such messages there are
     */
    void Add(uint64_t size, Time taken, Time ideal, uint64_t times = 1);
};

/// Times of messages by job (index; see Workload::JobRank) and dimension.
using MessageTimesTable = std::map<std::pair<uint32_t, Dimension>, MessageTimes>;

} // namespace ns3

#endif /* MESSAGE_TIMES_H */
