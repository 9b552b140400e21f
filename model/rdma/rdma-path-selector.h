/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_PATH_SELECTOR_H
#define RDMA_PATH_SELECTOR_H

#include <cstdint>
#include <memory>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief How a sender spreads its packets over paths: which entropy value each carries.
 *
 * Switches hash the entropy value, which stands in the UDP source port, so that packets of one
 * value take one path. Of a host with several ports it also says by which the packet leaves.
 */
class RdmaPathSelector
{
  public:
    /// How entropy values are chosen.
    enum Kind : uint8_t
    {
        REPS,       //!< values that have met no congestion again, others drawn anew
        OBLIVIOUS,  //!< any, whatever has become of packets
        ROUND_ROBIN //!< one after another
    };

    /// What has become of a packet.
    enum Verdict : uint8_t
    {
        GOOD,    //!< has arrived, and met no congestion
        MARKED,  //!< has arrived, marked by ECN
        TRIMMED, //!< has met a full queue
        LOST     //!< nothing was heard of it
    };

    virtual ~RdmaPathSelector() = default;

    /**
     * @return entropy value of the next packet, below the number of values
     */
    virtual uint16_t Choose() = 0;

    /**
     * @param entropy entropy value of a packet
     * @param verdict what has become of it
     * @param now time step
     */
    virtual void Note(uint16_t entropy [[maybe_unused]],
                      Verdict verdict [[maybe_unused]],
                      int64_t now [[maybe_unused]])
    {
    }

    /**
     * @param kind how to choose
     * @param values number of entropy values, at least 1
     * @param salt what its draws follow from
     * @return the selector
     */
    static std::unique_ptr<RdmaPathSelector> Create(Kind kind, uint32_t values, uint64_t salt);
};

} // namespace ns3

#endif /* RDMA_PATH_SELECTOR_H */
