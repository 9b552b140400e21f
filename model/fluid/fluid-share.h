/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef FLUID_SHARE_H
#define FLUID_SHARE_H

#include <cstdint>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief Divides a capacity among users max-min fairly, each of whom takes no more than its limit.
 *
 * Who wants less than an equal part gets what it wants, and the others share the rest alike
 * (D. Bertsekas and R. Gallager, "Data Networks", 2nd edition, section 6.5.2). One object is used
 * again and again, so that it keeps its memory.
 */
class FluidShare
{
  public:
    /**
     * @param capacity what there is, at least 0
     * @param limits what each user takes at most, at least 0
     * @return what each gets; valid until the next call, or the limits change
     */
    const std::vector<double>& Divide(double capacity, const std::vector<double>& limits);

  private:
    std::vector<double> m_parts;   //!< what each gets
    std::vector<uint32_t> m_order; //!< users, those with the lowest limits first
};

} // namespace ns3

#endif /* FLUID_SHARE_H */
