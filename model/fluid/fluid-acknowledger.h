/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef FLUID_ACKNOWLEDGER_H
#define FLUID_ACKNOWLEDGER_H

#include "fluid-flow.h"

#include "ns3/rdma-congestion-control.h"
#include "ns3/rdma-queue-pair-config.h"

#include <cstdint>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief Reports to the congestion control of a queue pair what comes back of a fluid: as many
 *        acknowledgements as there would be of packets, spread over the step, and notifications.
 *
 * Marks are the part of the packets that a queue of that length marks. A notification comes when so
 * much has gathered that a packet is marked, which is drawn, at the least interval between two.
 */
class FluidAcknowledger
{
  public:
    /// What the sender knows besides of the moment at which something comes back.
    struct Moment
    {
        double roundTrip{0};   //!< of a full packet, queues included, time steps
        double onWay{0};       //!< payload that is in flight, bytes
        double packetBytes{0}; //!< bytes of a full packet on the wire
        bool isWhole{false};   //!< all that was sent has come: what is left is no full packet
    };

    /**
     * @param config what the queue pair goes by; must outlive this object
     * @param control its congestion control; must outlive this object
     * @param key what its draws go by: those of other queue pairs and other runs have others
     */
    FluidAcknowledger(const RdmaQueuePairConfig& config, RdmaRateControl& control, uint64_t key);

    /**
     * @param feedback what has come in a step
     * @param moment of what the sender knows
     */
    void Report(const FluidFeedback& feedback, const Moment& moment);

    /**
     * Report what has been sent of which nothing has come back.
     *
     * @param now time step
     * @param bytes bytes on the wire; 0 or less = nothing
     */
    void Send(int64_t now, double bytes);

    /**
     * Nothing is reported as of an earlier time from now on: the control has been asked.
     *
     * @param now time step
     */
    void Ask(int64_t now)
    {
        m_notBefore = now;
    }

    /**
     * @return packets that are to be marked before it is notified again; infinity = it never is
     */
    double GetMarksLeft() const;

  private:
    /// Draw how many packets are expected to be marked until one is.
    void DrawMarks();

    /**
     * Report the notifications of a step, and what was sent before each.
     *
     * @param feedback what has come
     * @param packets how many full packets have
     * @return bytes that are reported as sent
     */
    double Notify(const FluidFeedback& feedback, double packets);

    /**
     * @param now time step at which the last of some packets has come
     * @param gap time steps between two of them
     * @param packets how many
     * @return which of them, from 0 on, is the first that may be notified of; packets or more =
     * none
     */
    double FindPacket(int64_t now, double gap, double packets) const;

    /**
     * Report the acknowledgements of a step.
     *
     * @param feedback what they report
     * @param moment of what the sender knows
     * @param packets how many full packets they acknowledge, above 0
     */
    void Acknowledge(const FluidFeedback& feedback, const Moment& moment, double packets);

    const RdmaQueuePairConfig& m_config; //!< what the queue pair goes by
    RdmaRateControl& m_control;          //!< its congestion control
    int64_t m_nextCnpAt{0};              //!< from when on it may be notified again, time step
    int64_t m_notBefore{0};              //!< nothing is reported as of an earlier time step
    double m_arrived{0};                 //!< bytes on the wire that are to be acknowledged
    double m_reportedRoundTrip{0}; //!< round trip that was reported last, time steps; 0 = none
    const uint64_t m_key;          //!< what draws go by
    double m_part;                 //!< part of a packet that has come, 0 to 1
    uint32_t m_nDraws{0};          //!< draws of DrawMarks()
    double m_marksLeft{0};         //!< marks to come before the next notification, see DrawMarks()
    double m_acknowledgedPayload{0}; //!< reported in all, bytes
};

} // namespace ns3

#endif /* FLUID_ACKNOWLEDGER_H */
