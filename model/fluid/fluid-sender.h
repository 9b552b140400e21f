/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef FLUID_SENDER_H
#define FLUID_SENDER_H

#include "fluid-acknowledger.h"
#include "fluid-flow.h"
#include "fluid-path.h"

#include "ns3/event-id.h"
#include "ns3/rdma-sender.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace ns3
{

class FluidFabric;
class FluidNetwork;

/**
 * @ingroup workload-replay
 * @brief The sending half of a queue pair whose messages move through a FluidFabric.
 *
 * It has the congestion control, window and path that it would have with packets. Messages leave
 * one after another. The last byte of one arrives as much later as its packet would take over the
 * path and through the queues of the moment, and its acknowledgement comes back without queues.
 *
 * What congestion control hears of single packets it hears here of all of a step at once, see
 * FluidAcknowledger.
 *
 * What is lost where a link goes down is sent again as by go-back-N: all from the first byte on
 * that has not passed the link. The sender hears of it a round trip after it has a whole path
 * again, if it has something to send then and its window has room, and else by a timeout: without
 * packets behind the gap the receiver misses nothing.
 */
class FluidSender : public RdmaSender, public FluidFlow
{
  public:
    /**
     * @param nic NIC that it belongs to
     * @param number its number there
     * @param peer node that it sends to
     * @param udpSourcePort UDP source port that its packets would have
     * @param priority priority of its packets
     * @param fabric moves what it sends; must outlive it
     */
    FluidSender(RdmaQueuePairHost& nic,
                uint32_t number,
                uint32_t peer,
                uint16_t udpSourcePort,
                uint8_t priority,
                FluidFabric& fabric);

    ~FluidSender() override;

    bool CanSend() const override;
    RdmaPacketPtr MakePacket(int64_t now, const Turn& turn) override;
    void HandleFeedback(const RdmaPacket& packet) override;

    double GetLimit(int64_t now) override;
    double Emptied(int64_t now, double queueing) override;
    void Observe(const FluidFeedback& feedback) override;
    void Lose(int64_t now, uint32_t hop) override;
    void UpdatePath() override;
    bool IsAtRest() const override;
    bool IsPatient() const override;
    int64_t GetNextChange(int64_t now) const override;
    double GetMarksLeft(double arriving) const override;
    bool WantsTelemetry() const override;

  private:
    void Posted() override;

    /**
     * Find the path by the routes of the moment, and take it if there is one.
     */
    void FindPath();

    /// Send from the message that is next on.
    void Begin();

    /**
     * Send a message without payload, which announces what may be sent: it takes its bytes at line
     * rate, the delays of its path and the queues of the moment, and no part of what links carry.
     */
    void SendControl();

    /**
     * The message that is sent leaves.
     *
     * @param departed when its last byte has left its host
     * @param queueing time steps that it waits on its path if no link is paused until then
     */
    void Depart(int64_t departed, double queueing);

    /**
     * @param transfer a message
     * @return bytes that it takes on the wire
     */
    double GetWireBytes(const RdmaTransfer& transfer) const;

    /**
     * @param payload payload of a packet, bytes
     * @return bytes that it takes on the wire
     */
    uint32_t GetPacketBytes(uint64_t payload) const;

    /**
     * A message has come whole, unless links were paused.
     *
     * @param transfer the message
     */
    void Arrive(RdmaTransfer* transfer);

    /**
     * The acknowledgement of a message has come.
     *
     * @param end number behind that of its last packet
     */
    void Acknowledged(uint64_t end);

    /**
     * What is sent from now on does not arrive.
     *
     * @param transfer first message of which something is lost
     * @param bytes what of it has to be sent again, bytes on the wire
     * @param direction link where it is lost; UINT32_MAX = there is no path at all
     */
    void LoseFrom(RdmaTransfer* transfer, double bytes, uint32_t direction);

    /**
     * Report what was lost: packets that are sent again, and drops.
     *
     * @param from number of the first packet
     */
    void CountLost(uint64_t from);

    /// It has sent a window's worth that does not arrive, and waits.
    void Stall();

    /**
     * @return whether it has a path, of links that are up
     */
    bool HasPath() const;

    /// Expect to hear of what is lost by a timeout, if not before.
    void StartTimer();

    /// Nothing has come back in time.
    void TimeOut();

    /// Send again what is lost.
    void GoBack();

    /// A message that has left, and when it comes.
    struct InFlight
    {
        RdmaTransfer* transfer; //!< the message
        double sent;            //!< FluidFlow::all up to its end; 0 = it has met no queue
        EventId arrival;        //!< Arrive()
    };

    /// What does not arrive, and what has it sent again.
    struct Loss
    {
        RdmaTransfer* transfer{nullptr}; //!< first message to be sent again; null = none is
        double bytes{0};                 //!< what of it has to be, bytes on the wire
        uint32_t direction{UINT32_MAX};  //!< link where it is lost; UINT32_MAX = there is no path
        bool isStalled{false};           //!< the window is full of it
        EventId stall;                   //!< Stall(), where it has a window
        EventId timer;                   //!< TimeOut()
        EventId goBack;                  //!< GoBack(), when it hears that something is missing
    };

    FluidFabric& m_fabric;                  //!< all links
    FluidNetwork* m_domain{nullptr};        //!< moves what it sends, once there is a path
    std::optional<FluidPath> m_path;        //!< its path; none = not known yet
    RdmaQueuePairHost* m_receiver{nullptr}; //!< NIC at the other end, once there is a path
    int64_t m_heardFrom{0};                 //!< from when on it hears of what it sends, time step
    int64_t m_lastArrival{-1};        //!< when the newest message that has left arrives; -1 = never
    std::vector<InFlight> m_inFlight; //!< messages that have left and not come, oldest first
    Loss m_lost;                      //!< what is to be sent again
    FluidAcknowledger m_acknowledger; //!< notifies congestion control
};

} // namespace ns3

#endif /* FLUID_SENDER_H */
