/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_ECN_MARKER_H
#define RDMA_ECN_MARKER_H

#include "rdma-train.h"

#include "ns3/data-rate.h"
#include "ns3/nstime.h"
#include "ns3/object.h"
#include "ns3/random-variable-stream.h"

#include <cstdint>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief Marks packets by the length of the queue that they leave, as RED does on the instantaneous
 * length.
 *
 * Nothing is marked up to Kmin; from there the probability rises to Pmax at Kmax, beyond which all
 * are marked (Y. Zhu et al., Congestion control for large-scale RDMA deployments, SIGCOMM 2015,
 * figure 5). The two lengths are given as the time that the port takes to send them, so that one
 * pair serves ports of all rates. Ports share one marker, which has no state: each draws from a
 * stream of its own.
 *
 * A marker with another curve overrides GetProbability() and GetKmin(), which follow from the
 * length of the queue and the rate alone: packets of a train, and a fluid, ask for lengths that no
 * queue has at that moment. RdmaNetDevice::SetEcnMarker() gives it to a port.
 */
class RdmaEcnMarker : public Object
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    RdmaEcnMarker();
    ~RdmaEcnMarker() override;

    /**
     * Look whether the parameters agree with each other.
     *
     * @throws WorkloadError if they do not, as Kmin above Kmax
     */
    virtual void CheckParameters() const;

    /**
     * @param rate rate of a port
     * @return queue length up to which it marks nothing, bytes
     */
    virtual uint64_t GetKmin(DataRate rate) const;

    /**
     * @param queue queue length, bytes
     * @param rate rate of the port
     * @return probability with which a packet is marked, 0 to 1
     */
    virtual double GetProbability(uint64_t queue, DataRate rate) const;

    /**
     * @param queue queue length, bytes
     * @param rate rate of the port
     * @return what GetProbability() gives
     * @throws WorkloadError if it is none, as markers need not be of this module
     */
    double AskProbability(uint64_t queue, DataRate rate) const;

    /**
     * @param queue queue length, above Kmin, bytes
     * @param rate rate of the port
     * @param random the port's own source of numbers
     * @return whether to mark the packet
     */
    bool Mark(uint64_t queue, DataRate rate, UniformRandomVariable& random) const;

    /**
     * @return whether ports to NVLinks mark as well
     */
    bool MarksNvlink() const;

  private:
    Time m_kmin;        //!< sending time of the queue where marking begins
    Time m_kmax;        //!< sending time of the queue where all are marked
    double m_pmax;      //!< probability just below Kmax
    bool m_nvlinkMarks; //!< whether ports to NVLinks mark as well
};

/**
 * @ingroup workload-replay
 * @brief What one port marks by: a marker, the port's rate, and random numbers of its own.
 */
class RdmaPortMarking
{
  public:
    /**
     * @param marker marks what waits; null = nothing is marked
     * @param rate rate of the port
     */
    void Set(Ptr<RdmaEcnMarker> marker, DataRate rate);

    /**
     * @return what marks; null = nothing does
     */
    Ptr<RdmaEcnMarker> GetMarker() const
    {
        return m_marker;
    }

    /**
     * @return queue length up to which nothing is marked, bytes
     */
    uint64_t GetKmin() const
    {
        return m_kmin;
    }

    /**
     * @param queue queue length, bytes
     * @return whether to mark the packet
     */
    bool Mark(uint64_t queue) const
    {
        return queue > m_kmin && m_marker->Mark(queue, m_rate, *m_random);
    }

    /**
     * All packets of a train that waits among others (RdmaTrain::queued) have come, and each sees
     * those behind itself, and is marked or not by itself. Of a longer one, which is sent as it
     * comes in, the first sees those behind the train, and decides for all.
     *
     * @param train packets that leave their queue together
     * @param bytes size of one of them
     * @param behind bytes that stay in the queue
     * @return how many of them to mark
     */
    uint16_t CountMarks(const RdmaTrain& train, uint32_t bytes, uint64_t behind) const
    {
        if (train.count > train.queued)
        {
            return Mark(behind + bytes) ? train.count : 0;
        }
        uint16_t marks = 0;
        for (uint16_t left = train.count; left > 0; --left)
        {
            marks += Mark(behind + left * bytes) ? 1 : 0;
        }
        return marks;
    }

    /**
     * @param stream number of the stream of the random numbers
     */
    void AssignStream(int64_t stream);

  private:
    uint64_t m_kmin{UINT64_MAX};         //!< queue length up to which nothing is marked
    DataRate m_rate;                     //!< rate of the port
    Ptr<RdmaEcnMarker> m_marker;         //!< marks what waits
    Ptr<UniformRandomVariable> m_random; //!< decides; null = nothing was ever marked
};

} // namespace ns3

#endif /* RDMA_ECN_MARKER_H */
