/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_TEST_CASE_H
#define RDMA_TEST_CASE_H

#include "transport-test-case.h"

#include "ns3/rdma-fabric-helper.h"
#include "ns3/topology-graph.h"

#include <memory>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay-tests
 * @brief Base of the cases that send messages through an rdma fabric.
 *
 * Rates and sizes are chosen such that sending a packet takes a whole number of nanoseconds, which
 * may be all that the clock of the test program resolves.
 */
class RdmaTestCase : public TransportTestCase
{
  public:
    using TransportTestCase::TransportTestCase;

  protected:
    /// Payload that makes a data packet take 4050 bytes on the wire: 324 ns at 100 Gb/s.
    static constexpr uint32_t MTU = 4050 - 62 - 20;

    void DoTeardown() override
    {
        TransportTestCase::DoTeardown();
        m_fabric.reset();
    }

    /// Begin a fabric anew, without congestion control.
    void Reset()
    {
        RdmaTestCase::DoTeardown();
        m_fabric = std::make_unique<RdmaFabricHelper>();
        m_fabric->SetCongestionControl("ns3::RdmaNoCongestionControl");
        m_fabric->SetMtu(MTU);
    }

    /**
     * @param graph the fabric to make
     */
    void Install(const TopologyGraph& graph)
    {
        m_fabric->Install(graph);
        m_fabric->AssignStreams(1);
        for (const auto& transport : m_fabric->GetTransports())
        {
            AddRank(transport);
        }
    }

    /**
     * @param hosts number of hosts at one switch; host r has link r, the switch is the last node
     * @param rate rate of the links
     * @param delay propagation delay of each
     * @return the fabric
     */
    static TopologyGraph MakeStar(uint32_t hosts, const std::string& rate, Time delay)
    {
        TopologyGraph graph;
        for (uint32_t host = 0; host < hosts; ++host)
        {
            graph.AddHost("h" + std::to_string(host));
        }
        const uint32_t center = graph.AddSwitch("s");
        for (uint32_t host = 0; host < hosts; ++host)
        {
            graph.AddLink(host, center, DataRate(rate), delay);
        }
        return graph;
    }

    /**
     * @param first rate of each host's link at the first of two switches
     * @param second likewise at the second one, whose hosts follow; host r has link r
     * @param trunk rate of the link between the switches, which is the last one
     * @param delay propagation delay of each link
     * @return the fabric
     */
    static TopologyGraph MakeDumbbell(const std::vector<std::string>& first,
                                      const std::vector<std::string>& second,
                                      const std::string& trunk,
                                      Time delay)
    {
        TopologyGraph graph;
        const auto hosts = static_cast<uint32_t>(first.size() + second.size());
        for (uint32_t host = 0; host < hosts; ++host)
        {
            graph.AddHost("h" + std::to_string(host));
        }
        const uint32_t ends[] = {graph.AddSwitch("first"), graph.AddSwitch("second")};
        for (const auto& rate : first)
        {
            graph.AddLink(graph.GetNLinks(), ends[0], DataRate(rate), delay);
        }
        for (const auto& rate : second)
        {
            graph.AddLink(graph.GetNLinks(), ends[1], DataRate(rate), delay);
        }
        graph.AddLink(ends[0], ends[1], DataRate(trunk), delay);
        return graph;
    }

    std::unique_ptr<RdmaFabricHelper> m_fabric; //!< the fabric
};

} // namespace ns3

#endif /* RDMA_TEST_CASE_H */
