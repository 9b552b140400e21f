/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef FLOW_SIZES_H
#define FLOW_SIZES_H

#include "ns3/input-values.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief How large flows are: a distribution of sizes, linear between the points of its cumulative
 *        distribution function.
 *
 * Those with names are the ones that congestion control papers use, with the points of the traffic
 * generators that come with them:
 * - web-search: M. Alizadeh et al., "Data Center TCP (DCTCP)", SIGCOMM 2010, fig. 4, as HPCC has it
 *   (github.com/alibaba-edu/High-Precision-Congestion-Control, traffic_gen);
 * - data-mining: A. Greenberg et al., "VL2", SIGCOMM 2009, fig. 2, as in
 *   github.com/HKUST-SING/TrafficGenerator, conf;
 * - storage: distributed storage of Alibaba in 2019, from the same directory as web-search.
 */
class FlowSizes
{
  public:
    /// A point of the cumulative distribution function.
    struct Point
    {
        double bytes; //!< a size
        double share; //!< share of flows that are no larger, 0 to 1
    };

    /**
     * @param points the points; both members grow, share from 0 to 1
     */
    explicit FlowSizes(std::vector<Point> points);

    /**
     * @param value a name, a size such as 64KiB that all flows have, or a file with a line "BYTES
     *              SHARE" for each point, whose shares grow from 0 to 1 or to 100
     * @return the distribution
     * @throws WorkloadError if it is none of them, or the file is wrong
     */
    static FlowSizes Parse(const TextField& value);

    /**
     * @return mean size, bytes
     */
    double GetMean() const;

    /**
     * @param share a share, 0 to 1; of a uniform random number the result is a random size
     * @return the size that this share of the flows does not exceed, bytes, at least 1
     */
    uint64_t Get(double share) const;

  private:
    std::vector<Point> m_points; //!< the points, at least two
};

} // namespace ns3

#endif /* FLOW_SIZES_H */
