/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_NIC_SETTINGS_H
#define RDMA_NIC_SETTINGS_H

#include "ns3/data-rate.h"
#include "ns3/nstime.h"

#include <cstdint>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief What the attributes of RdmaNic say that its queue pairs go by, see
 * RdmaNic::MakeQueuePairConfig().
 */
class RdmaNicSettings
{
  protected:
    /// What is sent again after a loss.
    enum LossRecovery : uint8_t
    {
        AUTO,            //!< selective repeat where paths reorder packets, else go-back-N
        GO_BACK_N,       //!< all from the first missing packet on
        SELECTIVE_REPEAT //!< only what is missing
    };

    uint32_t m_mtu;                     //!< payload of a full packet, bytes
    uint32_t m_ackInterval;             //!< data packets per acknowledgement
    uint32_t m_maxTrain;                //!< most packets of a train
    uint32_t m_maxSharedTrain;          //!< the same where others are met
    uint32_t m_maxQueuedTrain;          //!< the same where queues are
    uint32_t m_trainsPerMessage;        //!< fewest trains of a message
    uint32_t m_trainsPerSharingMessage; //!< the same where others have sent just now
    uint32_t m_trainsPerWindow;         //!< fewest trains of a full window
    Time m_sharingMemory;               //!< for how long who has sent counts as sharing the port
    uint8_t m_ackPriority;              //!< priority of acknowledgements and notifications
    LossRecovery m_lossRecovery;        //!< what is sent again after a loss
    Time m_cnpInterval;                 //!< least time between notifications of a queue pair
    uint32_t m_reorderDistance;         //!< how far a packet may be overtaken, packets
    Time m_reorderTime;                 //!< for how long a packet may be overtaken; < 0 = auto
    Time m_retransmissionTimeout;       //!< how long to wait for an acknowledgement
    DataRate m_pairRate;                //!< rate above which no queue pair sends; 0 = the port's
    Time m_shortTimeout;                //!< how long where few packets are on their way
    uint32_t m_shortTimeoutPackets;     //!< how many packets are few
    double m_inFlightLimit;             //!< most that is on its way, bandwidth-delay products
    uint32_t m_retryLimit;              //!< timeouts in a row until a queue pair gives up
};

} // namespace ns3

#endif /* RDMA_NIC_SETTINGS_H */
