/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_ADAPTIVE_ROUTING_H
#define RDMA_ADAPTIVE_ROUTING_H

#include "rdma-routing.h"

#include "ns3/nstime.h"

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief Adaptive routing: each packet goes by the port that would send it first.
 *
 * That is the port with the least to send, counted in time, as ports of different rates may be of
 * equal cost. A port that is paused, for the priority of the packet, comes after all that are not;
 * one whose link is down is not chosen unless all are. Ports that are equal are chosen by a hash of
 * the packet.
 *
 * Switches compare the queues of all their ports, as NVIDIA's Spectrum does for RoCE, rather than
 * of two and the best of the last choice, as DRILL (S. Ghorbani et al., SIGCOMM 2017) makes do
 * with. By default they know the lengths as they are. Chips know them in grades and late: with
 * GradeTime, ports whose queues are of the same grade are equal; with UpdateInterval, what a switch
 * has seen of a port stands for that time, and all packets in it follow the same view.
 *
 * With RemoteTime a switch also goes by what others report: each packet that goes from one
 * switch to another reports, of one leaf after the other, how much waits at the port by which
 * packets have gone there last, which is added to what waits at the port towards the teller. So a
 * leaf keeps away from a spine whose link down to the destination's leaf is crowded, as soon as a
 * packet of the spine has brought the news.
 */
class RdmaAdaptiveRouting : public RdmaRouting
{
  public:
    /// What switches know of their ports.
    struct View
    {
        int64_t gradeSteps{0};  //!< queue of one grade, time steps; 0 = it is known exactly
        int64_t grades{1};      //!< number of grades
        int64_t updateSteps{0}; //!< for how long a look at a port stands, time steps
        int64_t remoteSteps{0}; //!< for how long a report counts, time steps; 0 = there
                                //!< are none
    };

    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    RdmaAdaptiveRouting();
    ~RdmaAdaptiveRouting() override;

    bool Reorders() const override;
    bool WritesPackets() const override;
    void SetGraph(const TopologyGraph& graph) override;
    std::unique_ptr<RdmaPathChoice> Create(uint32_t node, uint64_t salt) const override;

  private:
    Time m_gradeTime;      //!< queue of one grade; 0 = known exactly
    uint32_t m_grades;     //!< number of grades
    Time m_updateInterval; //!< for how long a look at a port stands
    Time m_remoteTime;     //!< for how long a report of another switch counts; 0 = there are none
    TopologyGraph m_graph; //!< the fabric, if switches report to each other
    Leaves m_leaves;       //!< leaf of each host, likewise
};

} // namespace ns3

#endif /* RDMA_ADAPTIVE_ROUTING_H */
