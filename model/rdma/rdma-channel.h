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
     * @param delay propagation delay; to be set before the ports are plugged in
     */
    void SetDelay(Time delay);

    /**
     * @return propagation delay
     */
    Time GetDelay() const;

    /**
     * @return how far the processes that have its ends may run ahead of each other: the delay less
     * what packets are held for; the delay if both ends belong to one process
     */
    Time GetLookAhead() const;

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
    double m_holdShare;                          //!< share of it that packets may be held for
    Time m_lookAhead;                            //!< of a cable between processes
    bool m_isCut{false};                         //!< the ends belong to two processes
    bool m_up{true};                             //!< whether it carries packets
    std::array<Ptr<RdmaNetDevice>, 2> m_devices; //!< the two ports
};

} // namespace ns3

#endif /* RDMA_CHANNEL_H */
