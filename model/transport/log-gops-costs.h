/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LOG_GOPS_COSTS_H
#define LOG_GOPS_COSTS_H

#include "ns3/nstime.h"
#include "ns3/object.h"

#include <cstdint>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief What messages cost in the LogGOPS model (Hoefler, Schneider, Lumsdaine: LogGOPSim -
 *        Simulating Large-Scale Applications in the LogGOPS Model, HPDC'10, section 2).
 *
 * Of a message of s bytes the first one costs o or g, the s - 1 others O or G each. An empty
 * message costs what one of a byte does.
 */
class LogGopsCosts : public Object
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    LogGopsCosts();
    ~LogGopsCosts() override;

    /**
     * @return time from the moment when the sender's CPU is done with the first byte to the moment
     *         when it is at the receiver, L
     */
    Time GetLatency() const;

    /**
     * @return time for which a message needs the CPU at each end whatever its size, o
     */
    Time GetOverhead() const;

    /**
     * @param bytes size of a message
     * @return time for which it needs the CPU, o + (s - 1) O
     */
    Time GetCpuTime(uint64_t bytes) const;

    /**
     * @param bytes size of a message
     * @return time for which it needs the NIC at each end, g + (s - 1) G
     */
    Time GetNicTime(uint64_t bytes) const;

    /**
     * @param bytes size of a message
     * @return time for which the receiver's CPU is busy with it if it waits for the last byte,
     *         o + (s - 1) max(O, G)
     */
    Time GetReceiveTime(uint64_t bytes) const;

    /**
     * @param bytes size of a message
     * @return true if its sender is done with it when it is buffered (at most S bytes), false if
     *         the sender waits until it is received (rendezvous)
     */
    bool IsEager(uint64_t bytes) const;

  private:
    /**
     * @param fixed time for the first byte
     * @param perByte time for each other one, ns
     * @param bytes size of a message
     * @return time for all of it
     */
    static Time GetTime(Time fixed, double perByte, uint64_t bytes);

    Time m_latency;        //!< L
    Time m_overhead;       //!< o
    Time m_gap;            //!< g
    double m_byteGap;      //!< G, ns
    double m_byteOverhead; //!< O, ns
    uint64_t m_eagerLimit; //!< S, bytes
};

} // namespace ns3

#endif /* LOG_GOPS_COSTS_H */
