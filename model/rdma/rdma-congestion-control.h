/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_CONGESTION_CONTROL_H
#define RDMA_CONGESTION_CONTROL_H

#include "rdma-telemetry.h"

#include "ns3/data-rate.h"
#include "ns3/nstime.h"
#include "ns3/object.h"

#include <cstdint>
#include <limits>
#include <memory>
#include <string>

namespace ns3
{

class RdmaMessagePriorities;

/**
 * @ingroup workload-replay
 * @brief What congestion control knows of the path of a queue pair when it begins.
 */
struct RdmaPath
{
    DataRate lineRate;  //!< rate of the sender's port, bit/s
    Time baseRtt;       //!< round trip of a full packet and its acknowledgement, nothing queued
    Time networkRtt;    //!< the longest one of the fabric
    uint32_t mtu{4096}; //!< payload of a full packet, bytes
};

/**
 * @ingroup workload-replay
 * @brief What an acknowledgement reports to the sender.
 */
struct RdmaAck
{
    Time now;                                //!< when it has arrived
    Time rtt;                                //!< since the packet that it responds to was sent
    uint64_t bytes{0};                       //!< payload newly acknowledged
    uint64_t acknowledged{0};                //!< payload acknowledged since the queue pair began
    uint64_t sent{0};                        //!< payload sent since the queue pair began
    bool marked{false};                      //!< ECN has marked one of the packets acknowledged
    const RdmaTelemetry* telemetry{nullptr}; //!< of the packet that it responds to; null = none
};

/**
 * @ingroup workload-replay
 * @brief Congestion control of one queue pair: how fast it may send, and how far ahead.
 *
 * There are no timers: what a timer would have done in the meantime is done when the state is next
 * looked at, which leaves the pace of the packets the same.
 */
class RdmaRateControl
{
  public:
    /// Window of a queue pair that has none.
    static constexpr uint64_t NO_WINDOW = std::numeric_limits<uint64_t>::max();

    virtual ~RdmaRateControl() = default;

    /**
     * @param now the time; never goes back
     * @return rate at which the queue pair is to send, bit/s on the wire, above 0 and not above the
     *         line rate
     */
    virtual double GetRate(Time now) = 0;

    /**
     * A rate limiter pays in at the rate of the moment: what takes long at a low rate takes less
     * if the rate grows in the meantime.
     *
     * @param now the time
     * @param pause time to the next packet at the rate of now, which is below line rate
     * @return time to the next packet if nothing more is heard
     */
    virtual Time GetPause(Time now [[maybe_unused]], Time pause)
    {
        return pause;
    }

    /**
     * A window of fewer packets than one acknowledgement stands for (AckInterval of RdmaNic) has
     * each packet acknowledged.
     *
     * @return payload that may be sent and not acknowledged, bytes, at least 1; a packet that
     *         begins within it is sent whole; NO_WINDOW = any amount
     */
    virtual uint64_t GetWindow() const
    {
        return NO_WINDOW;
    }

    /**
     * A data packet leaves.
     *
     * @param now the time
     * @param bytes bytes on the wire, headers included
     */
    virtual void PacketSent(Time now [[maybe_unused]], uint32_t bytes [[maybe_unused]])
    {
    }

    /**
     * An acknowledgement has arrived that acknowledges something new.
     *
     * @param ack what it reports
     */
    virtual void AckReceived(const RdmaAck& ack [[maybe_unused]])
    {
    }

    /**
     * A congestion notification packet has arrived.
     *
     * @param now the time
     */
    virtual void CnpReceived(Time now [[maybe_unused]])
    {
    }

    /**
     * A packet has met a full queue: a switch has trimmed it, and the receiver has reported it.
     *
     * @param now the time
     * @param bytes payload that it had
     * @param inFlight payload in flight beside it
     */
    virtual void PacketTrimmed(Time now [[maybe_unused]],
                               uint64_t bytes [[maybe_unused]],
                               uint64_t inFlight [[maybe_unused]])
    {
    }

    /**
     * The retransmission timer has expired.
     *
     * @param now the time
     */
    virtual void TimedOut(Time now [[maybe_unused]])
    {
    }

    /**
     * @return whether it goes on as if it were new, whatever was sent so far; false = it may not
     */
    virtual bool IsAtRest() const
    {
        return false;
    }

    /**
     * Where acknowledgements come without packets, nobody makes them for a control without use for
     * them.
     *
     * @return whether AckReceived() does anything
     */
    virtual bool UsesAcknowledgements() const
    {
        return true;
    }

    /**
     * A control that changes by notifications, timers and bytes sent alone need not hear of each
     * acknowledgement, where these come without packets.
     *
     * @param now the time
     * @param rate rate at which the queue pair sends, bit/s on the wire, above 0
     * @return until when its rate stays as it is if no notification comes; now = any
     *         acknowledgement may change it, as here
     */
    virtual Time GetNextChange(Time now, double rate [[maybe_unused]])
    {
        return now;
    }
};

/**
 * @ingroup workload-replay
 * @brief Line rate, and a window that never changes.
 */
class RdmaFixedRateControl : public RdmaRateControl
{
  public:
    /**
     * @param rate line rate, bit/s
     * @param window window, bytes; NO_WINDOW = any amount
     */
    RdmaFixedRateControl(double rate, uint64_t window)
        : m_rate(rate),
          m_window(window)
    {
    }

    double GetRate(Time now [[maybe_unused]]) override
    {
        return m_rate;
    }

    uint64_t GetWindow() const override
    {
        return m_window;
    }

    bool IsAtRest() const override
    {
        return true;
    }

    bool UsesAcknowledgements() const override
    {
        return false;
    }

    Time GetNextChange(Time now [[maybe_unused]], double rate [[maybe_unused]]) override
    {
        return TimeStep(std::numeric_limits<int64_t>::max());
    }

  private:
    double m_rate;     //!< line rate, bit/s
    uint64_t m_window; //!< window, bytes
};

/**
 * @ingroup workload-replay
 * @brief A congestion control: its parameters, and what it asks of the network.
 *
 * One object serves many queue pairs; each has an RdmaRateControl of its own.
 */
class RdmaCongestionControl : public Object
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    /**
     * @return name in reports and options, such as dcqcn; here the one that the class registered
     */
    virtual std::string GetName() const;

    /**
     * Look whether the parameters agree with each other. To be called before the simulation runs.
     *
     * @throws WorkloadError if they contradict each other
     */
    virtual void CheckParameters() const;

    /**
     * @param path path of a new queue pair
     * @return its control
     */
    virtual std::unique_ptr<RdmaRateControl> Create(const RdmaPath& path) const = 0;

    /**
     * @return whether receivers respond to marked packets with congestion notification packets
     */
    virtual bool UsesCnp() const;

    /**
     * @return least time between the congestion notification packets that a receiver sends to a
     *         queue pair; 0 = one for each marked packet
     */
    virtual Time GetCnpInterval() const;

    /**
     * @return whether ports write telemetry into data packets
     */
    virtual bool UsesTelemetry() const;

    /**
     * @return whether receivers grant credit, and senders send no more than that
     */
    virtual bool UsesCredits() const;

    /**
     * @return whether receivers grant credit to the message first of which the least is missing,
     *         rather than to all in turn
     */
    virtual bool GrantsShortestFirst() const;

    /**
     * @return priorities of packets, by the messages that they belong to; null = they have that of
     *         their connection, as here
     */
    virtual const RdmaMessagePriorities* GetMessagePriorities() const;

    /**
     * @return whether thresholds follow from the longest round trip of the fabric
     */
    virtual bool NeedsNetworkRtt() const;

    /**
     * @return whether every data packet is to be acknowledged, rather than every so many
     */
    virtual bool NeedsEveryAck() const;

    /**
     * @return why it cannot work where packets of a queue pair take different paths; empty = it can
     */
    virtual std::string GetSprayingUnsupportedReason() const;

    /**
     * @return why it cannot work where it hears of round trips in the mean of many packets; empty =
     *         it can, as here
     */
    virtual std::string GetFluidUnsupportedReason() const;
};

} // namespace ns3

#endif /* RDMA_CONGESTION_CONTROL_H */
