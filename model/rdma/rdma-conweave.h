/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_CONWEAVE_H
#define RDMA_CONWEAVE_H

#include "rdma-packet.h"

#include "ns3/ecmp-hash.h"

#include <cstdint>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief What the two ends of RdmaConweaveRouting have in common.
 *
 * In the RdmaPathTag of data, path is the uplink that it has taken, about the time step at which it
 * was at the first switch, reported the time of the last packet by the old path; of both the lower
 * 32 bits.
 */
struct RdmaConweave
{
    /// What RdmaPathTag::congestion says: of data, below REPLY, and of what the last switch
    /// reports.
    enum Flag : uint8_t
    {
        EPOCH = 3,         //!< mask of the number of the flow's epoch, which wraps
        REROUTED = 1 << 2, //!< has taken the new path of the epoch
        REQUEST = 1 << 3,  //!< begins the epoch, and asks for a REPLY
        TAIL = 1 << 4,     //!< the last one by the old path
        REPLY = 1 << 5,    //!< the REQUEST has come
        CLEAR = 1 << 6,    //!< what came out of order is in order again
        NOTIFY = 1 << 7    //!< the path has marked a packet
    };

    /// The attributes of RdmaConweaveRouting, times in time steps.
    struct Parameters
    {
        int64_t replyMargin{0};    //!< ReplyMargin
        int64_t busySteps{0};      //!< PathBusyTime
        int64_t inactiveSteps{0};  //!< InactiveTime
        int64_t resumeMargin{0};   //!< ResumeMargin
        int64_t resumeSteps{0};    //!< ResumeTime
        uint32_t reorderQueues{0}; //!< ReorderQueues
    };

    /// Priority of what the last switch reports: the highest.
    static constexpr uint8_t PRIORITY = 7;

    /**
     * @param layer what links add to packets
     * @return frame of what the last switch reports, bytes: headers alone
     */
    static constexpr uint32_t GetReportBytes(const RdmaLinkLayer& layer)
    {
        return layer.GetDataBytes(0);
    }

    /**
     * Find what must stay in order: priorities overtake each other anyway.
     *
     * @param packet a data packet
     * @return number of its flow and priority
     */
    static uint64_t GetFlow(const RdmaPacket& packet)
    {
        return EcmpMix(packet.flowHash + packet.priority);
    }
};

} // namespace ns3

#endif /* RDMA_CONWEAVE_H */
