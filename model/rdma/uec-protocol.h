/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef UEC_PROTOCOL_H
#define UEC_PROTOCOL_H

#include "rdma-protocol.h"
#include "uec-parameters.h"

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief A transport in the manner of Ultra Ethernet: packets sprayed by entropy values, selective
 * acknowledgements, unordered arrival of packets, loss reported by trimmed packets.
 *
 * After the Ultra Ethernet Specification 1.0 (June 2025) and its reference program htsim
 * (ultraethernet/uet-htsim). What is like it: see UecSender and UecReceiver. What is not: packet
 * delivery contexts are queue pairs that live as long as the job, messages are handed up in the
 * order in which they were posted, and headers are counted, not written.
 */
class UecProtocol : public RdmaProtocol
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    UecProtocol();
    ~UecProtocol() override;

    bool Reorders() const override;
    std::string GetUnsupportedReason(const RdmaCongestionControl& control) const override;
    std::string GetDefaultCongestionControl() const override;
    std::string FindUnsupportedReason(Feature feature) const override;
    std::string FindReplacement(const std::string& attribute) const override;
    std::string GetTimeoutAttribute() const override;
    SwitchSettings GetSwitchSettings(Time networkRtt) const override;
    std::unique_ptr<RdmaSender> CreateSender(RdmaQueuePairHost& nic,
                                             uint32_t number,
                                             uint32_t peer,
                                             uint16_t udpSourcePort,
                                             uint8_t priority) const override;
    std::unique_ptr<RdmaReceiver> CreateReceiver(RdmaQueuePairHost& nic,
                                                 uint32_t number,
                                                 const RdmaPacket& packet) const override;

  private:
    /// @return what both halves of a queue pair go by
    UecParameters GetParameters() const;

    RdmaPathSelector::Kind m_spraying; //!< how entropy values are chosen
    uint32_t m_entropies;              //!< number of entropy values
    uint64_t m_ackBytes;               //!< payload per acknowledgement, bytes
    Time m_timeout;                    //!< how long to wait for an acknowledgement
    double m_lossThreshold;            //!< windows of packets that may overtake one; 0 = any number
    bool m_isLossless; //!< switches pause their neighbours instead of dropping and trimming
    double m_markFrom; //!< queue from which on packets are marked, round trips
    double m_markAll;  //!< queue from which on all are
    double m_trim;     //!< queue that packets are trimmed at; 0 = they are not
};

} // namespace ns3

#endif /* UEC_PROTOCOL_H */
