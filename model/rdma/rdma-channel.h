/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_CHANNEL_H
#define RDMA_CHANNEL_H

#include "ns3/channel.h"
#include "ns3/nstime.h"

#include <array>
#include <cstddef>

namespace ns3
{

class RdmaNetDevice;

/**
 * @ingroup workload-replay
 * @brief A full-duplex cable between two ports.
 */
class RdmaChannel : public Channel
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    RdmaChannel();
    ~RdmaChannel() override;

    /**
     * Plug in the two ports.
     *
     * @param a one port
     * @param b the other port
     */
    void Connect(Ptr<RdmaNetDevice> a, Ptr<RdmaNetDevice> b);

    /**
     * @return propagation delay
     */
    Time GetDelay() const;

    /**
     * Cut the cable, or mend it, now. What is on it or queued at its ports is lost.
     *
     * @param up whether it carries packets from now on
     */
    void SetUp(bool up);

    /**
     * @return whether it carries packets
     */
    bool IsUp() const;

    std::size_t GetNDevices() const override;
    Ptr<NetDevice> GetDevice(std::size_t i) const override;

  protected:
    void DoDispose() override;

  private:
    Time m_delay;                                //!< propagation delay
    bool m_up{true};                             //!< whether it carries packets
    std::array<Ptr<RdmaNetDevice>, 2> m_devices; //!< the two ports
};

} // namespace ns3

#endif /* RDMA_CHANNEL_H */
