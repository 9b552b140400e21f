/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "fluid-test-cases.h"

#include "ns3/fluid-acknowledger.h"

#include <cstddef>
#include <string>
#include <vector>

namespace ns3
{

namespace
{

/**
 * @ingroup workload-replay-tests
 * @brief Congestion control hears in a fluid what it hears with packets, and when it does.
 */
class FluidFeedbackTestCase : public FluidTestCase
{
  public:
    FluidFeedbackTestCase()
        : FluidTestCase("fluid: senders hear of what arrives, recover, and know of full links")
    {
    }

  private:
    void DoRun() override
    {
        // Rates fall below what the port carries while the queue of the beginning empties: who is
        // told of it before it has arrived loses nothing.
        Compare("ns3::RdmaDcqcn", 8, Time(0), 8);
        // Windows that have become small grow in round trips, not messages.
        Compare("ns3::RdmaHpcc", 8, MilliSeconds(5), 8);
        // HPCC leaves 5 % of a link that nobody else uses.
        const Time alone = Compare("ns3::RdmaHpcc", 0, MilliSeconds(5), 2);
        NS_TEST_EXPECT_MSG_GT(alone, PACKET * 2000 * 103 / 100, "not all of it");
    }

    /**
     * Compare a fluid with packets: hosts that send to one at once, and one of them once more.
     *
     * @param control TypeId name of the congestion control
     * @param senders how many send at once
     * @param again when the first sends again; 0 = never
     * @param limit how much the last message may differ, per cent
     * @return how long it takes as a fluid
     */
    Time Compare(const std::string& control, uint32_t senders, Time again, double limit)
    {
        std::vector<Time> times;
        std::vector<double> queues;
        for (const std::string protocol : {"ns3::RdmaRcProtocol", "ns3::FluidProtocol"})
        {
            Begin(protocol, control);
            Install(MakeStar(9, "100Gbps", NanoSeconds(250)));
            for (uint32_t host = 1; host <= senders; ++host)
            {
                Post(Time(0), host, 0, 1000 * MTU);
            }
            if (again.IsStrictlyPositive())
            {
                Post(again, 1, 0, 2000 * MTU);
            }
            Run();
            times.push_back(GetLastArrival() - again);
            queues.push_back(m_fabric->GetDevice(0, 9)->GetCounters().maxQueue);
        }
        // Windows, or the first notifications, end what comes into the first queue.
        NS_TEST_EXPECT_MSG_EQ_TOL(queues[1],
                                  queues[0],
                                  0.2 * queues[0] + 10 * WIRE,
                                  control << ": largest queue");
        NS_TEST_EXPECT_MSG_EQ_TOL(times[1].GetSeconds(),
                                  times[0].GetSeconds(),
                                  limit / 100 * times[0].GetSeconds(),
                                  control << ", " << senders << " senders");
        return times[1];
    }
};

/**
 * @ingroup workload-replay-tests
 * @brief Congestion control that writes down when it hears of what.
 */
class FluidTestControl : public RdmaRateControl
{
  public:
    double GetRate(Time now [[maybe_unused]]) override
    {
        return 0;
    }

    void AckReceived(const RdmaAck& ack) override
    {
        acks.push_back(ack.now);
    }

    bool UsesAcknowledgements() const override
    {
        return hears;
    }

    void CnpReceived(Time now) override
    {
        notifications.push_back(now);
    }

    bool hears{true};                //!< whether it uses acknowledgements
    std::vector<Time> acks;          //!< when acknowledgements have come
    std::vector<Time> notifications; //!< when notifications have
};

/**
 * @ingroup workload-replay-tests
 * @brief Where every packet is marked, notifications come at the least interval between two, the
 *        first at once, and acknowledgements as many and as evenly as packets do.
 */
class FluidAcknowledgerTestCase : public TestCase
{
  public:
    FluidAcknowledgerTestCase()
        : TestCase("fluid: acknowledgements and notifications")
    {
    }

  private:
    void DoRun() override
    {
        Check(true);
        Check(false);
    }

    /**
     * @param hears whether the control uses acknowledgements
     */
    void Check(bool hears)
    {
        RdmaQueuePairConfig config;
        config.mtu = 4096;
        config.usesCnp = true;
        config.cnpInterval = MicroSeconds(50);
        FluidTestControl control;
        control.hears = hears;
        FluidAcknowledger acknowledger(config, control, 0);
        const Time step = MicroSeconds(5);
        for (int count = 1; count <= 200; ++count)
        {
            FluidFeedback feedback;
            feedback.now = (step * count).GetTimeStep();
            feedback.passed = static_cast<double>(step.GetTimeStep());
            feedback.arrived = 10 * 4000.0;
            feedback.marked = 1;
            // Ten packets of 4,000 bytes on the wire come in each step.
            acknowledger.Report(feedback, {feedback.passed, 0, 4000, false});
        }
        // At 5, 55, ..., 955 us of the millisecond.
        NS_TEST_ASSERT_MSG_EQ(control.notifications.size(), 20, "one in 50 us");
        for (std::size_t i = 0; i < control.notifications.size(); ++i)
        {
            NS_TEST_EXPECT_MSG_EQ(control.notifications[i],
                                  MicroSeconds(5 + 50 * static_cast<int64_t>(i)),
                                  "notification " << i);
        }
        NS_TEST_ASSERT_MSG_EQ(control.acks.size(), hears ? 2000 : 0, "one for each packet");
        for (std::size_t i = 0; i < control.acks.size(); ++i)
        {
            // A packet each half microsecond, from the beginning on.
            const Time error = control.acks[i] - NanoSeconds(500 * (static_cast<int64_t>(i) + 1));
            NS_TEST_EXPECT_MSG_LT(Abs(error), NanoSeconds(2), "acknowledgement " << i);
        }
    }
};

} // namespace

std::vector<TestCase*>
MakeFluidFeedbackTestCases()
{
    return {new FluidAcknowledgerTestCase, new FluidFeedbackTestCase};
}

} // namespace ns3
