/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef FLUID_PORTS_H
#define FLUID_PORTS_H

#include "fluid-link.h"
#include "fluid-share.h"

#include <cstdint>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief Divides what links carry among those who would use more of it: ports of hosts among their
 *        flows, and full links among the links that lead to them.
 */
class FluidPorts
{
  public:
    /**
     * @param links all links, by number; must outlive this
     */
    explicit FluidPorts(std::vector<FluidLink>& links);

    /**
     * @param source number of a link where flows begin, which is to be shared out anew
     */
    void Request(uint32_t source);

    /**
     * @return ports that were asked for since this was called last, in that order
     */
    std::vector<uint32_t> TakeRequests();

    /**
     * @param source number of a link where flows begin
     * @return rates of these, max-min fair by their limits, in the order of FluidLink::uses; valid
     *         until the next call
     */
    const std::vector<double>& Divide(uint32_t source);

    /**
     * Have links carry less that lead to full ones, and ask for those where flows begin.
     *
     * @param busy links that have a queue
     * @param now time step
     * @return links with a queue that carry less and are not busy
     */
    std::vector<uint32_t> HoldBack(const std::vector<uint32_t>& busy, int64_t now);

  private:
    /**
     * Have the links that lead to a full one carry no more than it takes from each. What goes
     * elsewhere by these links is held up as well, as it stands in the same queue, or in the memory
     * of a host whose port is paused.
     *
     * @param full the full link
     * @param takes what it takes in, bytes per time step
     * @param now time step
     */
    void HoldBackFrom(const FluidLink& full, double takes, int64_t now);

    std::vector<FluidLink>& m_links;  //!< all links
    std::vector<uint32_t> m_requests; //!< ports to be shared out
    std::vector<bool> m_isRequested;  //!< by link: it is among them
    std::vector<uint32_t> m_held;     //!< links that are held back
    FluidShare m_share;               //!< divides
    std::vector<double> m_limits;     //!< scratch: of those who share
};

} // namespace ns3

#endif /* FLUID_PORTS_H */
