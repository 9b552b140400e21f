/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef UEC_PARAMETERS_H
#define UEC_PARAMETERS_H

#include "rdma-path-selector.h"

#include "ns3/nstime.h"

#include <cstdint>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief What both halves of a queue pair of the Ultra Ethernet like transport go by, see
 * UecProtocol for where the values come from.
 */
struct UecParameters
{
    /// Headers of a packet, and a packet without payload, bytes: what htsim counts (uec.cpp,
    /// UecSrc::_hdr_size; uecpacket.h, ACKSIZE), from Ethernet's to those of the transport.
    static constexpr uint32_t HEADER_BYTES = 64;

    RdmaPathSelector::Kind spraying{RdmaPathSelector::REPS}; //!< how entropy values are chosen
    uint32_t entropies{1};                                   //!< number of entropy values
    uint64_t ackBytes{0};                                    //!< payload per acknowledgement, bytes
    Time retransmissionTimeout; //!< how long to wait for an acknowledgement of a packet
    double lossThreshold{0};    //!< windows of packets that may overtake one until it counts as
                                //!< lost; 0 = any number

    /**
     * @param payload payload, bytes
     * @return frame of a data packet, bytes
     */
    static constexpr uint32_t GetDataBytes(uint32_t payload)
    {
        return HEADER_BYTES + payload;
    }
};

} // namespace ns3

#endif /* UEC_PARAMETERS_H */
