/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-rate-control-test-case.h"

#include "ns3/double.h"
#include "ns3/rdma-hpcc.h"

using namespace ns3;

namespace
{

/**
 * @ingroup workload-replay
 * @brief Tells HPCC of a path of two ports of 100 Gb/s; the first never has a queue.
 *
 * The base round trip T is 8 us, so that the path holds W_init = 100 Gb/s * 8 us = 100,000 bytes,
 * W_AI = 100,000 * 0.05 / 100 = 50 bytes, and a port sends 12,500 bytes in a microsecond.
 */
class HpccTestCase : public RdmaRateControlTestCase
{
  public:
    using RdmaRateControlTestCase::RdmaRateControlTestCase;

  protected:
    /// Begin a queue pair, and bring it the first telemetry.
    void BeginHpcc()
    {
        auto hpcc = CreateObject<RdmaHpcc>();
        hpcc->SetAttribute("MinStep", DoubleValue(m_minStep));
        Begin(hpcc, MakePath("100Gbps", MicroSeconds(8), 4000));
        m_telemetry = RdmaTelemetry();
        m_telemetry.count = 2;
        for (uint32_t index = 0; index < 2; ++index)
        {
            m_telemetry.hops[index] = {NanoSeconds(1000).GetTimeStep(), 0, 0, 100000000000};
        }
        m_acknowledged = 0;
        m_sent = 0;
        Expect(100000, "the whole path at the start");
        Tell(0);
        Expect(100000, "the first telemetry is only remembered");
    }

    /**
     * Have an acknowledgement arrive.
     *
     * @param bytes payload newly acknowledged
     */
    void Tell(uint64_t bytes)
    {
        m_acknowledged += bytes;
        RdmaAck ack;
        ack.bytes = bytes;
        ack.acknowledged = m_acknowledged;
        ack.sent = m_sent;
        ack.telemetry = &m_telemetry;
        GetControl().AckReceived(ack);
    }

    /**
     * Let the ports work.
     *
     * @param elapsed for how long
     * @param load share of the time in which the second port sends; the first sends half as much
     * @param queue bytes that wait at the second port then
     */
    void Work(Time elapsed, double load, uint64_t queue)
    {
        const double bytes = static_cast<double>(elapsed.GetNanoSeconds()) * 12.5;
        for (uint32_t index = 0; index < 2; ++index)
        {
            m_telemetry.hops[index].at += elapsed.GetTimeStep();
            const double share = index == 0 ? load / 2 : load;
            m_telemetry.hops[index].sentBytes += static_cast<uint64_t>(share * bytes);
        }
        m_telemetry.hops[1].queue = queue;
    }

    /**
     * Let the ports work for a round trip, and a packet sent after the last one be acknowledged.
     *
     * @param load share of the time in which the second port sends
     * @param queue bytes that wait at the second port then
     */
    void Round(double load, uint64_t queue)
    {
        Work(MicroSeconds(8), load, queue);
        const uint64_t bytes = m_sent - m_acknowledged + 1000;
        m_sent += 100000;
        Tell(bytes);
    }

    /**
     * @param window what the window is to be, bytes, 4000 at least; W / T = window * 1 Mb/s
     * @param what what is being looked at
     */
    void Expect(double window, const std::string& what)
    {
        ExpectRate(Time(0), window * 1e6, what);
        ExpectWindow(static_cast<uint64_t>(window), what);
    }

    double m_minStep{0};        //!< least additive step, share of a packet
    RdmaTelemetry m_telemetry;  //!< of the next acknowledgement
    uint64_t m_acknowledged{0}; //!< payload acknowledged, bytes
    uint64_t m_sent{0};         //!< payload sent, bytes
};

/**
 * @ingroup workload-replay
 * @brief Algorithm 1 by hand.
 */
class HpccWindowTestCase : public HpccTestCase
{
  public:
    HpccWindowTestCase()
        : HpccTestCase("hpcc: window by the load of the path")
    {
    }

  private:
    void DoRun() override
    {
        CheckReference();
        CheckStages();
        CheckQueue();
        CheckMinStep();
    }

    /// The step is at least a share of a packet: 0.08 * 4000 = 320 bytes.
    void CheckMinStep()
    {
        m_minStep = 0.08;
        BeginHpcc();
        Round(1, 100000);
        Expect(95320, "W = 100000 * 0.95 + 320");
        m_minStep = 0.01;
        BeginHpcc();
        Round(1, 100000);
        Expect(95050, "40 bytes are less than 50");
    }

    /// Loads of several acknowledgements of one round trip all apply to the same W_c.
    void CheckReference()
    {
        BeginHpcc();
        // Queues 0, 100000: the lesser counts, so U = 1 and W = 100000 * 0.95 + 50.
        Round(1, 100000);
        Expect(95050, "a port that is just full");
        // Queues 100000, 200000: U = 100000 / 100000 + 1 = 2, W = 95050 * 0.475 + 50.
        Round(1, 200000);
        Expect(45198.75, "a queue as large as the path");
        // Half a round trip, queue 0, half load: u = 0.5, U = 0.5 * 2 + 0.5 * 0.5 = 1.25.
        Work(MicroSeconds(4), 0.5, 0);
        Tell(1000);
        Expect(45198.75 * 0.95 / 1.25 + 50, "half a round trip counts by half");
        // U = 1: the window follows from the reference, not from the last window.
        Work(MicroSeconds(8), 1, 0);
        Tell(1000);
        Expect(45198.75 * 0.95 + 50, "the reference stays within a round trip");
        // Nothing measured can be longer than a round trip: U = u.
        Work(MicroSeconds(80), 0.96, 0);
        Tell(1000);
        Expect(45198.75 * 0.95 / 0.96 + 50, "more than a round trip counts as one");
    }

    /// Below eta the window grows by W_AI five times, then in proportion.
    void CheckStages()
    {
        BeginHpcc();
        Round(1, 300000);
        Round(1, 300000);                    // queue 300000: U = 4
        double window = 95050 * 0.2375 + 50; // 22624.375
        Expect(window, "a queue of three paths");
        for (int stage = 1; stage <= 5; ++stage)
        {
            Round(0.5, 0);
            window += 50;
            Expect(window, "additive increase " + std::to_string(stage));
        }
        Round(0.5, 0);
        window = window * 1.9 + 50;
        Expect(window, "multiplicative increase: U = 0.5, 0.95 / 0.5 = 1.9");
        Round(0.5, 0);
        Expect(window + 50, "additive again");
        for (int round = 0; round < 20; ++round)
        {
            Round(0.5, 0);
        }
        Expect(100000, "never above the whole path");
    }

    /// A standing queue drives the window down to W_AI and a bit, the window told to a packet.
    void CheckQueue()
    {
        BeginHpcc();
        double before = 100e9;
        for (int round = 0; round < 10; ++round)
        {
            Round(1, 1900000);
            NS_TEST_EXPECT_MSG_LT(GetControl().GetRate(Time(0)), before, "the rate sinks");
            before = GetControl().GetRate(Time(0));
        }
        // U = 20: W = W 0.0475 + 50 comes to rest at 50 / 0.9525.
        NS_TEST_EXPECT_MSG_EQ_TOL(before, 50 / 0.9525 * 1e6, 1, "rate of the smallest window");
        ExpectWindow(4000, "a full packet may always be sent");
    }
};

/**
 * @ingroup workload-replay
 * @brief Telemetry that has nothing to do with the one before changes nothing.
 */
class HpccPathTestCase : public HpccTestCase
{
  public:
    HpccPathTestCase()
        : HpccTestCase("hpcc: changes of the path")
    {
    }

  private:
    void DoRun() override
    {
        BeginHpcc();
        Round(1, 0);
        Expect(95050, "before the changes");
        m_telemetry.count = 1;
        ExpectRestart("fewer hops");
        m_telemetry.count = 2;
        ExpectRestart("more hops");
        m_telemetry.hops[1].rate = 400000000000;
        ExpectRestart("a port of another rate");
        m_telemetry.hops[1].sentBytes += 1000000;
        ExpectRestart("a port that has sent more than one can");
        m_telemetry.hops[0].sentBytes -= 200000;
        ExpectRestart("a port that has sent less than before");
        m_telemetry.hops[0].at -= MicroSeconds(30).GetTimeStep();
        ExpectRestart("an earlier packet");

        RdmaAck ack;
        ack.acknowledged = 1000000000;
        GetControl().AckReceived(ack);
        const RdmaTelemetry empty;
        ack.telemetry = &empty;
        GetControl().AckReceived(ack);
        Expect(95050, "no telemetry");
        m_telemetry.hops[1].rate = 100000000000;
        ExpectRestart("back at 100 Gb/s");
        Round(1, 0);
        Expect(90347.5, "the new path is compared to itself: 95050 * 0.95 + 50");
        Round(1, 500000);
        Expect(85880.125, "full, the lesser queue is 0: 90347.5 * 0.95 + 50");
        Round(1, 500000);
        const double window = 85880.125 * 0.95 / 6 + 50;
        Expect(window, "a queue of five paths: U = 6");
        m_telemetry.hops[1].rate = 400000000000;
        Round(1, 500000);
        Expect(window, "another path");
        // The first port sends for a quarter of half a round trip, the second one for an eighth:
        // U = 0.5 * 1 + 0.5 * 0.25 is below eta. With the U of the path before it would be above.
        Work(MicroSeconds(4), 0.5, 0);
        Tell(1000);
        Expect(window + 50, "the load begins anew");
    }

    /**
     * Let the ports work, after the test has changed something, for a round trip.
     *
     * @param what what has changed
     */
    void ExpectRestart(const std::string& what)
    {
        Round(1, 500000);
        Expect(95050, what);
    }
};

} // namespace

std::vector<TestCase*>
ns3::MakeHpccTestCases()
{
    return {new HpccWindowTestCase, new HpccPathTestCase};
}
