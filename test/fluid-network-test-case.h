/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef FLUID_NETWORK_TEST_CASE_H
#define FLUID_NETWORK_TEST_CASE_H

#include "fluid-test-flow.h"

#include "ns3/simulator.h"
#include "ns3/test.h"

#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay-tests
 * @brief Base of cases that send flows of 0.75 over links of a fluid's network.
 *
 * Times are time steps, rates are bytes per time step.
 */
class FluidNetworkTestCase : public TestCase
{
  public:
    using TestCase::TestCase;

  protected:
    /// Time steps between two looks.
    static constexpr int64_t STEP = 1000;

    /// What sums of rates may be rounded by, bytes.
    static constexpr double ROUNDING = 1e-6;

    void DoTeardown() override
    {
        m_flows.clear();
        m_network.reset();
        m_links.clear();
        m_counters.clear();
        Simulator::Destroy();
    }

    /// Begin a network anew.
    void Begin()
    {
        FluidNetworkTestCase::DoTeardown();
        m_network = std::make_unique<FluidNetwork>(m_links, TimeStep(STEP));
    }

    /**
     * @param settings a new link
     * @return its number
     */
    uint32_t AddLink(const FluidLink::Settings& settings)
    {
        m_links.emplace_back(settings);
        return static_cast<uint32_t>(m_links.size() - 1);
    }

    /**
     * @return number of a new port of a host that carries 1
     */
    uint32_t AddPort()
    {
        FluidLink::Settings settings;
        settings.capacity = 1;
        settings.counters = &m_counters.emplace_back();
        return AddLink(settings);
    }

    /**
     * @param capacity what the port carries
     * @param threshold what a link that leads there may hold, bytes
     * @return number of a new port of a switch, which marks a millionth for each byte that waits
     */
    uint32_t AddQueue(double capacity, double threshold = 1e9)
    {
        FluidLink::Settings settings;
        settings.capacity = capacity;
        settings.counters = &m_counters.emplace_back();
        settings.buffer = m_network->AddBuffer({[threshold](double) { return threshold; }});
        settings.marking = [](double queue) { return queue / 1e6; };
        return AddLink(settings);
    }

    /**
     * @param links links of a new flow
     * @param change from when on its limit may change at any time; FluidFlow::NEVER = it is
     *        deferred
     * @return the flow
     */
    FluidTestFlow& AddFlow(const std::vector<uint32_t>& links, int64_t change)
    {
        m_flows.push_back(std::make_unique<FluidTestFlow>(links, FluidLink::NO_MARKS, change));
        m_flows.back()->id = static_cast<uint32_t>(m_flows.size());
        return *m_flows.back();
    }

    /**
     * @param links links of a new flow, which sends from now on
     * @param change see AddFlow()
     * @param bytes what it sends
     * @return the flow
     */
    FluidTestFlow& Send(const std::vector<uint32_t>& links, int64_t change, double bytes = 1e9)
    {
        FluidTestFlow& flow = AddFlow(links, change);
        m_network->Start(flow, bytes);
        return flow;
    }

    /**
     * Run until a time, and what is to happen then left out.
     *
     * @param time the time
     */
    void RunTo(int64_t time)
    {
        Simulator::Stop(TimeStep(time) - Simulator::Now());
        Simulator::Run();
    }

    std::vector<FluidLink> m_links;                      //!< links of the network
    std::unique_ptr<FluidNetwork> m_network;             //!< the network
    std::vector<std::unique_ptr<FluidTestFlow>> m_flows; //!< what it carries
    std::deque<PortCounters> m_counters;                 //!< by link
};

} // namespace ns3

#endif /* FLUID_NETWORK_TEST_CASE_H */
