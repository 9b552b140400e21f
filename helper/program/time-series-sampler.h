/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef TIME_SERIES_SAMPLER_H
#define TIME_SERIES_SAMPLER_H

#include "replay-fabric.h"

#include "ns3/nstime.h"
#include "ns3/time-series.h"
#include "ns3/topology-graph.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief Looks at ports and queue pairs at regular times.
 *
 * It sees a time before anything else happens at that time (RadixHeapScheduler::OBSERVER), so that
 * what it sees does not depend on which process has which nodes.
 */
class TimeSeriesSampler
{
  public:
    /**
     * @param request what is to be seen
     * @param fabric the network; must outlive this
     * @param graph the topology
     * @throws WorkloadError if there is no such link or rank
     */
    TimeSeriesSampler(const TimeSeriesRequest& request,
                      const ReplayFabric& fabric,
                      const TopologyGraph& graph);

    /// Look no more: the jobs have ended.
    void Stop();

    /**
     * @return what was seen, the time after the last look included; to be called once, when nothing
     *         happens any more
     */
    std::shared_ptr<TimeSeries> Finish();

  private:
    /// A port that is looked at.
    struct Port
    {
        uint32_t link;        //!< its link
        uint32_t node;        //!< its node
        TimeSeries::Key key;  //!< the series that it belongs to
        PortReading before{}; //!< what it had counted when it was looked at last
    };

    /**
     * @param request what is to be seen
     * @param graph the topology
     * @return the ports to look at, those of other processes included
     */
    static std::vector<Port> FindPorts(const TimeSeriesRequest& request,
                                       const TopologyGraph& graph);

    /// Look, and again after an interval.
    void Tick();

    /// Look at all ports and queue pairs.
    void Look();

    const ReplayFabric& m_fabric;         //!< the network
    std::vector<Port> m_ports;            //!< ports of this process
    std::vector<uint32_t> m_ranks;        //!< ranks whose queue pairs are looked at
    std::shared_ptr<TimeSeries> m_series; //!< what was seen
    bool m_isOver{false};                 //!< the jobs have ended
    /// Payload that queue pairs had acknowledged when they were looked at last, by rank.
    std::vector<std::vector<uint64_t>> m_acknowledged;
};

} // namespace ns3

#endif /* TIME_SERIES_SAMPLER_H */
