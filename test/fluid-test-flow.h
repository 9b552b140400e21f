/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef FLUID_TEST_FLOW_H
#define FLUID_TEST_FLOW_H

#include "ns3/fluid-network.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay-tests
 * @brief A flow over one link after another that writes down what it hears.
 *
 * Its limit is that of most tests, three quarters of a link that carries a byte per time step.
 */
class FluidTestFlow : public FluidFlow
{
  public:
    /// What it hears in a step.
    struct Heard
    {
        int64_t now;    //!< time step
        double passed;  //!< time steps since the last time
        double sent;    //!< bytes that it has sent since
        double arrived; //!< bytes that have come since
        double marked;  //!< part of them that was marked
        uint64_t bytes; //!< what the first port says in telemetry that it has sent; 0 = none is
        uint64_t queue; //!< what it says that waits there
    };

    /**
     * @param links numbers of its links, in the order of travel
     * @param marks what GetMarksLeft() says
     * @param change time step from which on its limit may change at any time; NEVER = marks alone
     *        change it
     */
    FluidTestFlow(const std::vector<uint32_t>& links, double marks, int64_t change)
        : m_marks(marks),
          m_change(change)
    {
        hops = MakeHops(links);
        nodes = static_cast<uint32_t>(links.size() + 1);
    }

    /**
     * @param links numbers of links, in the order of travel
     * @return hops over them
     */
    static std::vector<FluidHop> MakeHops(const std::vector<uint32_t>& links)
    {
        std::vector<FluidHop> made(links.size());
        for (uint32_t i = 0; i < links.size(); ++i)
        {
            made[i].link = links[i];
            made[i].from = i;
            made[i].to = i + 1;
        }
        return made;
    }

    double GetLimit(int64_t now) override
    {
        waiting = progress.waiting;
        return most(now);
    }

    double Emptied(int64_t now, double queueing [[maybe_unused]]) override
    {
        if (emptied)
        {
            emptied(now);
        }
        const bool isLast = nMore == 0;
        nMore -= isLast ? 0 : 1;
        return isLast ? 0 : next;
    }

    void Observe(const FluidFeedback& feedback) override
    {
        const auto* const telemetry = feedback.telemetry;
        const bool hasPort = telemetry && telemetry->count > 0;
        heard.push_back({feedback.now,
                         feedback.passed,
                         feedback.sent,
                         feedback.arrived,
                         feedback.marked,
                         hasPort ? telemetry->hops[0].sentBytes : 0,
                         hasPort ? telemetry->hops[0].queue : 0});
    }

    void Lose(int64_t now, uint32_t hop) override
    {
        hops[hop].Advance(now);
        lost = hops[hop].backlog;
    }

    void UpdatePath() override
    {
    }

    bool IsAtRest() const override
    {
        return isAtRest;
    }

    bool IsPatient() const override
    {
        return true;
    }

    int64_t GetNextChange(int64_t now) const override
    {
        return std::max(m_change, now);
    }

    double GetMarksLeft(double arriving [[maybe_unused]]) const override
    {
        return m_marks;
    }

    bool WantsTelemetry() const override
    {
        return wantsTelemetry;
    }

    /// Its limit, by the time step.
    std::function<double(int64_t)> most{[](int64_t) { return 0.75; }};
    std::function<void(int64_t)> emptied; //!< called when it has sent all, with the time step
    double next{0};                       //!< bytes of each further message
    uint32_t nMore{0};                    //!< further messages
    bool isAtRest{true};                  //!< what IsAtRest() says
    bool wantsTelemetry{false};           //!< what WantsTelemetry() says
    std::vector<Heard> heard;             //!< all that it has heard
    double waiting{0}; //!< bytes that waited when it was last asked for its limit
    double lost{0};    //!< bytes that waited at a link that went down

  private:
    double m_marks;   //!< what GetMarksLeft() says
    int64_t m_change; //!< from when on its limit may change at any time
};

} // namespace ns3

#endif /* FLUID_TEST_FLOW_H */
