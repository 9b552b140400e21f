/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "fluid-test-cases.h"

#include "ns3/double.h"
#include "ns3/fluid-acknowledger.h"
#include "ns3/fluid-sender.h"
#include "ns3/rng-seed-manager.h"

#include <cmath>
#include <cstddef>
#include <string>
#include <utility>
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
            // Marks are drawn with DCQCN, which goes by them: a mean of runs.
            const int64_t runs = control == "ns3::RdmaDcqcn" ? 8 : 1;
            Time time;
            double queue = 0;
            for (int64_t run = 1; run <= runs; ++run)
            {
                RngSeedManager::SetRun(run);
                Begin(protocol, control);
                Install(MakeStar(9, "100Gbps", NanoSeconds(250)));
                SendAtOnce(senders, again);
                Run();
                time += (GetLastArrival() - again) / runs;
                const double most = m_fabric->GetDevice(0, 9)->GetCounters().maxQueue;
                queue += most / static_cast<double>(runs);
            }
            times.push_back(time);
            queues.push_back(queue);
        }
        RngSeedManager::SetRun(1);
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

    /**
     * @param senders how many send at once
     * @param again when the first sends again; 0 = never
     */
    void SendAtOnce(uint32_t senders, Time again)
    {
        for (uint32_t host = 1; host <= senders; ++host)
        {
            Post(Time(0), host, 0, 1000 * MTU);
        }
        if (again.IsStrictlyPositive())
        {
            Post(again, 1, 0, 2000 * MTU);
        }
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
        acks.push_back(ack);
    }

    bool UsesAcknowledgements() const override
    {
        return hears;
    }

    void CnpReceived(Time now) override
    {
        notifications.push_back(now);
    }

    void PacketSent(Time now, uint32_t bytes) override
    {
        sent.emplace_back(now, bytes);
    }

    bool hears{true};                            //!< whether it uses acknowledgements
    std::vector<RdmaAck> acks;                   //!< acknowledgements
    std::vector<Time> notifications;             //!< when notifications have
    std::vector<std::pair<Time, uint32_t>> sent; //!< bytes that have been sent, and until when
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
        Draw();
        NotifyOften();
    }

    /// @return packets of 4,096 bytes, and notifications without an interval
    static RdmaQueuePairConfig MakeConfig()
    {
        RdmaQueuePairConfig config;
        config.mtu = 4096;
        config.usesCnp = true;
        return config;
    }

    /// Without an interval each marked packet is notified of, when it comes, but not before its
    /// control was asked; what is sent counts up to then.
    void NotifyOften()
    {
        const RdmaQueuePairConfig config = MakeConfig();
        FluidTestControl control;
        FluidAcknowledger acknowledger(config, control, 0);
        FluidFeedback feedback;
        feedback.now = 8000;
        feedback.passed = 4000;
        feedback.arrived = 4 * 4000;
        feedback.sent = 12000;
        feedback.marked = 1;
        acknowledger.Ask(6500);
        acknowledger.Report(feedback, {10000, 0, 4000, false});
        const std::vector<Time> expected{TimeStep(6500),
                                         TimeStep(6500),
                                         TimeStep(7000),
                                         TimeStep(8000)};
        NS_TEST_EXPECT_MSG_EQ((control.notifications == expected), true, "packets at 5, 6, 7, 8");
        const std::vector<std::pair<Time, uint32_t>> sent{{TimeStep(6500), 7500},
                                                          {TimeStep(7000), 1500},
                                                          {TimeStep(8000), 3000}};
        NS_TEST_EXPECT_MSG_EQ((control.sent == sent), true, "three bytes each time step");
    }

    /// Who is notified of packets that are marked by chance, and when, of many queue pairs.
    void Draw()
    {
        constexpr uint64_t pairs = 20000;
        const RdmaQueuePairConfig config = MakeConfig();
        double sum = 0;
        uint64_t above = 0;
        uint64_t first = 0;
        uint64_t none = 0;
        for (uint64_t key = 0; key < pairs; ++key)
        {
            FluidTestControl control;
            FluidAcknowledger acknowledger(config, control, key);
            sum += acknowledger.GetMarksLeft();
            above += acknowledger.GetMarksLeft() > 1;
            FluidFeedback feedback;
            feedback.passed = 5000;
            feedback.now = 5000;
            feedback.arrived = 4000;
            feedback.marked = 0.2;
            acknowledger.Report(feedback, {10000, 0, 4000, false});
            first += control.notifications.size();
            feedback.now = 10000;
            feedback.arrived = 5 * 4000;
            acknowledger.Report(feedback, {10000, 0, 4000, false});
            none += control.notifications.empty();
        }
        // Within four standard deviations: of a mean 1 / sqrt(n), of a share half of that at most.
        const double mean = 4 / std::sqrt(pairs);
        const auto n = static_cast<double>(pairs);
        NS_TEST_EXPECT_MSG_EQ_TOL(sum / n, 1, mean, "marks to come");
        NS_TEST_EXPECT_MSG_EQ_TOL(above / n, std::exp(-1), mean / 2, "more than one");
        NS_TEST_EXPECT_MSG_EQ_TOL(first / n, 0.2, mean / 2, "of one packet");
        NS_TEST_EXPECT_MSG_EQ_TOL(none / n, std::pow(0.8, 6), mean / 2, "not of six packets");
    }

    /**
     * @param hears whether the control uses acknowledgements
     */
    void Check(bool hears)
    {
        RdmaQueuePairConfig config = MakeConfig();
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
        // At 0.5, 50.5, ..., 950.5 us of the millisecond, at which packets come.
        NS_TEST_ASSERT_MSG_EQ(control.notifications.size(), 20, "one in 50 us");
        for (std::size_t i = 0; i < control.notifications.size(); ++i)
        {
            NS_TEST_EXPECT_MSG_EQ(control.notifications[i],
                                  NanoSeconds(500) + MicroSeconds(50) * static_cast<int64_t>(i),
                                  "notification " << i);
        }
        NS_TEST_ASSERT_MSG_EQ(control.acks.size(), (hears ? 2000U : 0U), "one for each packet");
        for (std::size_t i = 0; i < control.acks.size(); ++i)
        {
            // A packet each half microsecond, from the beginning on.
            const Time error =
                control.acks[i].now - NanoSeconds(500 * (static_cast<int64_t>(i) + 1));
            NS_TEST_EXPECT_MSG_LT(Abs(error), NanoSeconds(2), "acknowledgement " << i);
        }
        ReportSlowly();
    }

    /// A whole packet, marked, is reported at once. Round trips grow evenly from one report to the
    /// next, and marks are spread over the acknowledgements between.
    void ReportSlowly()
    {
        const RdmaQueuePairConfig config = MakeConfig();
        FluidTestControl control;
        FluidAcknowledger acknowledger(config, control, 0);
        FluidFeedback feedback;
        feedback.passed = 5000;
        feedback.now = 5000;
        feedback.arrived = 4000;
        feedback.marked = 1;
        acknowledger.Report(feedback, {10000, 0, 4000, false});
        NS_TEST_ASSERT_MSG_EQ(control.acks.size(), 1, "a packet");
        NS_TEST_EXPECT_MSG_EQ(control.acks[0].marked, true, "it is marked");
        NS_TEST_EXPECT_MSG_EQ(control.notifications.size(), 1, "a notification");
        feedback.marked = 0;
        feedback.arrived = 1000;
        acknowledger.Report(feedback, {10000, 0, 4000, false});
        NS_TEST_EXPECT_MSG_EQ(control.acks.size(), 1, "a part of a packet");
        feedback.now = 10000;
        feedback.arrived = 10 * 4000;
        feedback.marked = 0.5;
        acknowledger.Report(feedback, {20000, 0, 4000, false});
        NS_TEST_ASSERT_MSG_EQ(control.acks.size(), 11, "ten packets more");
        int marked = 0;
        for (std::size_t i = 1; i <= 10; ++i)
        {
            const Time rtt = NanoSeconds(10000 + 1000 * static_cast<int64_t>(i));
            NS_TEST_EXPECT_MSG_EQ(control.acks[i].rtt, rtt, "round trip " << i);
            marked += control.acks[i].marked ? 1 : 0;
        }
        NS_TEST_EXPECT_MSG_EQ(marked, 5, "half of ten");
    }
};

/**
 * @ingroup workload-replay-tests
 * @brief Which senders may be deferred, and until when; and that no time is a special one.
 */
class FluidSenderTestCase : public FluidTestCase
{
  public:
    FluidSenderTestCase()
        : FluidTestCase("fluid: senders know when their limits change")
    {
    }

  private:
    void DoRun() override
    {
        // Windows follow round trips, and so do rates that are found from these.
        ExpectPatience("ns3::RdmaNoCongestionControl", 0, true);
        ExpectPatience("ns3::RdmaDcqcn", 0, true);
        ExpectPatience("ns3::RdmaNoCongestionControl", 2, false);
        ExpectPatience("ns3::RdmaDcqcn", 2, false);
        ExpectPatience("ns3::RdmaHpcc", 0, false);
        ExpectPatience("ns3::RdmaSwift", 0, false);
        // A whole number of steps later all is the same, and flows are deferred at the same ones.
        const auto times = SendAt(Time(0));
        const auto later = SendAt(MicroSeconds(5) * 64);
        for (std::size_t i = 0; i < times.size(); ++i)
        {
            NS_TEST_EXPECT_MSG_EQ_TOL(later[i].GetNanoSeconds(),
                                      times[i].GetNanoSeconds(),
                                      2,
                                      "message " << i);
        }
    }

    /**
     * @param control TypeId name of the congestion control
     * @param inFlightLimit window of the NIC, in bandwidth-delay products; 0 = none
     * @param isPatient whether a sender that has nothing to send may be left alone
     */
    void ExpectPatience(const std::string& control, double inFlightLimit, bool isPatient)
    {
        Begin("ns3::FluidProtocol", control);
        m_fabric->SetNicAttribute("InFlightLimit", DoubleValue(inFlightLimit));
        InstallStar(2);
        const auto made = m_fabric->GetProtocol()->CreateSender(*m_fabric->GetNic(0), 0, 1, 1, 0);
        const auto& sender = dynamic_cast<const FluidSender&>(*made);
        NS_TEST_EXPECT_MSG_EQ(sender.IsPatient(), isPatient, control << ", " << inFlightLimit);
        NS_TEST_EXPECT_MSG_EQ(sender.GetNextChange(0),
                              (isPatient ? FluidFlow::NEVER : 0),
                              control << ", " << inFlightLimit);
    }

    /**
     * Eight hosts send to one, slowed down by DCQCN.
     *
     * @param begin when
     * @return how long each message takes
     */
    std::vector<Time> SendAt(Time begin)
    {
        Begin("ns3::FluidProtocol", "ns3::RdmaDcqcn");
        // Several steps pass before anything has come back.
        Install(MakeStar(9, "100Gbps", MicroSeconds(5)));
        m_fabric->GetNic(1)->TraceConnectWithoutContext(
            "Rate",
            MakeCallback(&FluidSenderTestCase::ChangeRate, this));
        m_nChanges = 0;
        for (uint32_t host = 1; host < 9; ++host)
        {
            Post(begin, host, 0, 1000 * MTU);
        }
        Run();
        NS_TEST_EXPECT_MSG_GT(m_nChanges, 1, "rates are reported");
        std::vector<Time> times;
        for (const auto& fate : m_fates)
        {
            times.push_back(fate.arrivedAt - begin);
        }
        return times;
    }

    /**
     * @param sender a queue pair, which has something to send
     * @param before rate that was reported last, bit/s
     * @param now rate of now, bit/s
     */
    void ChangeRate(const RdmaSender& sender, double before, double now)
    {
        ++m_nChanges;
        const auto& fluid = dynamic_cast<const FluidSender&>(sender);
        if (now < before && fluid.isActive)
        {
            // Its rate recovers by a timer, which is at most as long as that of the paper.
            const int64_t time = Simulator::Now().GetTimeStep();
            NS_TEST_EXPECT_MSG_LT(fluid.GetNextChange(time) - time,
                                  MicroSeconds(1500).GetTimeStep(),
                                  "it grows again");
        }
    }

    uint32_t m_nChanges{0}; //!< changes of rates of host 1 that were reported
};

} // namespace

std::vector<TestCase*>
MakeFluidFeedbackTestCases()
{
    return {new FluidAcknowledgerTestCase, new FluidFeedbackTestCase, new FluidSenderTestCase};
}

} // namespace ns3
