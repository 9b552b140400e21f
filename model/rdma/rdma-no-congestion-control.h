/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_NO_CONGESTION_CONTROL_H
#define RDMA_NO_CONGESTION_CONTROL_H

#include "rdma-congestion-control.h"

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief No congestion control: queue pairs send at line rate, whatever happens.
 *
 * A window of fixed size may limit what is under way.
 */
class RdmaNoCongestionControl : public RdmaCongestionControl
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    RdmaNoCongestionControl();
    ~RdmaNoCongestionControl() override;

    std::unique_ptr<RdmaRateControl> Create(const RdmaPath& path) const override;
    bool NeedsEveryAck() const override;

  private:
    uint64_t m_window; //!< payload not acknowledged, bytes; 0 = any amount
};

} // namespace ns3

#endif /* RDMA_NO_CONGESTION_CONTROL_H */
