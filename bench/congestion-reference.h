/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef CONGESTION_REFERENCE_H
#define CONGESTION_REFERENCE_H

#include "congestion-run.h"

#include <cstdint>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief Two cases that were measured with the simulator of the HPCC family, and the same here.
 *
 * One switch, links of 400 Gb/s and 1 us, 1000 bytes of payload in a packet, 32 MiB of buffer under
 * dynamic thresholds, an acknowledgement per packet. Incast: 16 hosts send 8,388,608 bytes each.
 * Two flows: a host sends 40,000,000 bytes, another one the same 200 us later.
 *
 * A packet is 1048 bytes there, without preamble and gap, and more here. So the links here are
 * faster by the ratio: a packet takes the same time, and thresholds and buffer hold the same number
 * of packets. Rates of parameters are faster by the same ratio.
 */
struct CongestionReference
{
    /// Completion times of both cases, us; 0 = not known.
    struct Times
    {
        double incastMean{0}; //!< incast: mean of all
        double incastLast{0}; //!< incast: last one
        double twoMean{0};    //!< two flows: mean of both
        double twoLast{0};    //!< two flows: the longer
    };

    const char* name;            //!< what it is
    const char* control;         //!< congestion control, a TypeId without ns3::Rdma
    CongestionRun::Settings own; //!< attributes of the congestion control
    uint32_t kminBytes;          //!< Kmin there, bytes; Kmax is four times that
    Times measured;              //!< completion times there

    /**
     * @return all that were measured
     */
    static std::vector<CongestionReference> GetAll();

    /**
     * @param seed run number of the random numbers
     * @return completion times here
     */
    Times Run(uint32_t seed) const;

  private:
    /**
     * @param senders hosts that send
     * @param seed run number of the random numbers
     * @return the run
     */
    CongestionRun::Case MakeCase(uint32_t senders, uint32_t seed) const;
};

} // namespace ns3

#endif // CONGESTION_REFERENCE_H
