/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-rate-control-test-case.h"

#include "ns3/double.h"
#include "ns3/rdma-dcqcn.h"
#include "ns3/string.h"

#include <algorithm>
#include <cmath>
#include <random>

using namespace ns3;

namespace
{

/// K and T of the paper on DCQCN.
const Time DCQCN_PERIOD = MicroSeconds(55);

/// 1 - g of the paper on DCQCN.
constexpr double DCQCN_KEPT = 255.0 / 256;

/**
 * @return DCQCN as the paper has it
 */
Ptr<RdmaDcqcn>
MakePaperDcqcn()
{
    auto dcqcn = CreateObject<RdmaDcqcn>();
    dcqcn->SetAttribute("Preset", StringValue("paper"));
    return dcqcn;
}

/**
 * @ingroup workload-replay
 * @brief Cuts of the rate, from which alpha can be told: the rate loses alpha / 2.
 *
 * The timer is set so high that the rate recovers only where a case says so.
 */
class DcqcnCutTestCase : public RdmaRateControlTestCase
{
  public:
    DcqcnCutTestCase()
        : RdmaRateControlTestCase("dcqcn: cuts by notifications, decay of alpha")
    {
    }

  private:
    void DoRun() override
    {
        m_dcqcn->SetAttribute("Timer", TimeValue(Seconds(1000)));
        BeginAnew();
        ExpectRate(Time(0), 40e9, "line rate at the start");
        // Alpha is 1 however long the queue pair has been there, and 255/256 * 1 + 1/256 = 1 is
        // what the second notification finds.
        const Time start = MilliSeconds(7);
        Cnp(start);
        ExpectRate(start, 20e9, "half after the first notification");
        Cnp(start + MicroSeconds(10));
        ExpectRate(start + MicroSeconds(10), 10e9, "a quarter after the second within K");

        // After n periods alpha is (255/256)^n.
        for (const int periods : {0, 1, 2, 10, 1000})
        {
            BeginAnew();
            Cnp(start);
            Cnp(start + DCQCN_PERIOD * (periods + 1) - NanoSeconds(1));
            ExpectRate(start + DCQCN_PERIOD * (periods + 1),
                       20e9 * (1 - std::pow(DCQCN_KEPT, periods) / 2),
                       "cut just before period " + std::to_string(periods + 1) + " ends");
        }
        BeginAnew();
        Cnp(start);
        Cnp(start + DCQCN_PERIOD);
        ExpectRate(start + DCQCN_PERIOD, 20e9 * (1 - DCQCN_KEPT / 2), "the period ends first");
        // The second notification has made alpha a = k^2 + 1 - k, k = 255/256, and has begun a new
        // period: 54 us later no decay, 55 us later one.
        const double alpha = DCQCN_KEPT * DCQCN_KEPT + 1 - DCQCN_KEPT;
        const double rate = 20e9 * (1 - DCQCN_KEPT / 2);
        Cnp(start + DCQCN_PERIOD + MicroSeconds(54));
        ExpectRate(start + DCQCN_PERIOD * 2, rate * (1 - alpha / 2), "K begins anew");

        ExpectFloor(start);
    }

    /// Begin a queue pair at 40 Gb/s.
    void BeginAnew()
    {
        Begin(m_dcqcn, MakePath("40Gbps", MicroSeconds(10), 4000));
    }

    /**
     * Check that notifications cut down to MinRate.
     *
     * @param now the time
     */
    void ExpectFloor(Time now)
    {
        BeginAnew();
        for (int count = 0; count < 20; ++count)
        {
            Cnp(now);
        }
        ExpectRate(now, 40e6, "floor of 0.001 of the line rate; 40e9 / 2^20 is below");
    }

    Ptr<RdmaDcqcn> m_dcqcn{MakePaperDcqcn()}; //!< the congestion control
};

/**
 * @ingroup workload-replay
 * @brief Recovery of the rate, step by step, in shares of a line rate of 40 and of 400 Gb/s.
 */
class DcqcnRecoveryTestCase : public RdmaRateControlTestCase
{
  public:
    DcqcnRecoveryTestCase()
        : RdmaRateControlTestCase("dcqcn: fast recovery, additive and hyper increase")
    {
    }

  private:
    void DoRun() override
    {
        for (const std::string rate : {"40Gbps", "400Gbps"})
        {
            m_unit = static_cast<double>(DataRate(rate).GetBitRate()) / 40;
            m_path = MakePath(rate, MicroSeconds(10), 4000);
            CheckTimer();
            CheckCounters();
        }
    }

    /// Begin, and cut twice at time 0: target 20, rate 10.
    void BeginCut()
    {
        Begin(MakePaperDcqcn(), m_path);
        Cnp(Time(0));
        Cnp(Time(0));
        Expect(Time(0), 10, "two cuts");
    }

    /**
     * @param now the time
     * @param rate rate, 1/40 of the line rate
     * @param what what is being looked at
     */
    void Expect(Time now, double rate, const std::string& what)
    {
        ExpectRate(now, rate * m_unit, what);
    }

    /// Steps by the timer alone; F = 5, R_AI = 0.04.
    void CheckTimer()
    {
        BeginCut();
        Expect(DCQCN_PERIOD - NanoSeconds(1), 10, "before the timer expires");
        Expect(DCQCN_PERIOD, 15, "step 1: half way to 20");
        Expect(DCQCN_PERIOD * 2, 17.5, "step 2");
        Expect(DCQCN_PERIOD * 3, 18.75, "step 3");
        Expect(DCQCN_PERIOD * 4, 19.375, "step 4");
        Expect(DCQCN_PERIOD * 5, 19.6875, "step 5, the last of fast recovery");
        Expect(DCQCN_PERIOD * 6, 19.86375, "step 6: (20.04 + 19.6875) / 2");
        Expect(DCQCN_PERIOD * 7, 19.971875, "step 7: (20.08 + 19.86375) / 2");
        // The target reaches 40 with step 5 + 500, and the gap is below 1 bit/s 40 steps later.
        Expect(DCQCN_PERIOD * 550, 40, "line rate in the end");
        ExpectExactLineRate(DCQCN_PERIOD * 551);

        // A notification begins everything anew, the timer included. Alpha has decayed 7 times.
        BeginCut();
        const Time cut = DCQCN_PERIOD * 7 + MicroSeconds(20);
        Cnp(cut);
        const double rate = 19.971875 * (1 - std::pow(DCQCN_KEPT, 7) / 2);
        Expect(cut + DCQCN_PERIOD - NanoSeconds(1), rate, "before the new timer expires");
        Expect(cut + DCQCN_PERIOD, (19.971875 + rate) / 2, "step 1 of fast recovery again");
    }

    /// Steps by the byte counter, then by both; B = 10 MB, R_HAI = 0.4.
    void CheckCounters()
    {
        BeginCut();
        const Time now = MicroSeconds(1);
        Sent(now, 9999999);
        Expect(now, 10, "a byte before the counter is full");
        Sent(now, 1);
        Expect(now, 15, "byte step 1");
        Sent(now, 40000000);
        Expect(now, 19.6875, "byte step 5, the last of fast recovery");
        Sent(now, 10000000);
        Expect(now, 19.86375, "byte step 6: additive");
        // Timer steps 1 to 5 are additive as well, as the byte counter is past F:
        // targets 20.08, 20.12, 20.16, 20.20, 20.24 give 19.971875, 20.0459375, 20.10296875,
        // 20.151484375, 20.1957421875.
        Expect(DCQCN_PERIOD * 5, 20.1957421875, "timer step 5: additive");
        // Both past F: target 20.64, rate (20.64 + 20.1957421875) / 2.
        Expect(DCQCN_PERIOD * 6, 20.41787109375, "timer step 6: hyper");
        // Byte step 7 as well: target 21.04, rate (21.04 + 20.41787109375) / 2.
        Sent(DCQCN_PERIOD * 6, 10000000);
        Expect(DCQCN_PERIOD * 6, 20.728935546875, "byte step 7: hyper");
    }

    /**
     * @param now the time
     */
    void ExpectExactLineRate(Time now)
    {
        NS_TEST_EXPECT_MSG_EQ((GetControl().GetRate(now) == 40 * m_unit), true, "exact line rate");
    }

    double m_unit{1}; //!< 1/40 of the line rate, bit/s
    RdmaPath m_path;  //!< the path
};

/**
 * @ingroup workload-replay
 * @brief DCQCN with real timers: every expiry is taken one at a time, in the order of time.
 */
class DcqcnWithTimers
{
  public:
    /**
     * @param lineRate line rate, bit/s
     */
    DcqcnWithTimers(double lineRate)
        : m_lineRate(lineRate),
          m_rate(lineRate),
          m_target(lineRate)
    {
    }

    /**
     * @param now the time up to which timers run
     * @return rate, bit/s
     */
    double RunUntil(Time now)
    {
        while (m_running && std::min(m_alphaDue, m_rateDue) <= now)
        {
            if (m_alphaDue <= m_rateDue)
            {
                m_alpha = (1 - 1.0 / 256) * m_alpha;
                m_alphaDue += DCQCN_PERIOD;
            }
            else
            {
                ++m_byTimer;
                Step();
                m_rateDue += TIMER;
            }
        }
        return m_rate;
    }

    /**
     * @param now when a packet leaves
     * @param bytes its size
     */
    void Sent(Time now, uint32_t bytes)
    {
        RunUntil(now);
        m_unsteppedBytes += bytes;
        for (; m_unsteppedBytes >= 10000000; m_unsteppedBytes -= 10000000)
        {
            ++m_byBytes;
            Step();
        }
    }

    /**
     * @param now when a notification arrives
     */
    void Cnp(Time now)
    {
        RunUntil(now);
        m_target = m_rate;
        m_rate = std::max(RATE_AI, m_rate * (1 - m_alpha / 2));
        m_alpha = (1 - 1.0 / 256) * m_alpha + 1.0 / 256;
        m_running = true;
        m_alphaDue = now + DCQCN_PERIOD;
        m_rateDue = now + TIMER;
        m_byTimer = m_byBytes = m_unsteppedBytes = 0;
    }

    /// T: not K, so that the timers expire in ever new orders.
    static const Time TIMER;

    /// R_AI, and the lowest rate: 40 Mb/s at 40 Gb/s make as much at 100 Gb/s, bit/s.
    static constexpr double RATE_AI = 100e6;

    /// R_HAI, bit/s.
    static constexpr double RATE_HAI = 1e9;

  private:
    /// One step of increase.
    void Step()
    {
        const bool timerIsPast = m_byTimer > 5;
        const bool bytesArePast = m_byBytes > 5;
        if (timerIsPast || bytesArePast)
        {
            m_target += timerIsPast && bytesArePast ? RATE_HAI : RATE_AI;
        }
        m_target = std::min(m_target, m_lineRate);
        m_rate = (m_target - m_rate < 1) ? m_target : (m_target + m_rate) / 2;
    }

    double m_lineRate;            //!< line rate, bit/s
    double m_rate;                //!< rate, bit/s
    double m_target;              //!< target, bit/s
    double m_alpha{1};            //!< alpha
    bool m_running{false};        //!< whether the timers run
    Time m_alphaDue;              //!< when the timer of alpha expires
    Time m_rateDue;               //!< when the timer of the rate expires
    uint64_t m_byTimer{0};        //!< steps by the timer
    uint64_t m_byBytes{0};        //!< steps by the byte counter
    uint64_t m_unsteppedBytes{0}; //!< bytes since the last step by them
};

const Time DcqcnWithTimers::TIMER = NanoSeconds(70001);

/**
 * @ingroup workload-replay
 * @brief The same rate as with real timers.
 */
class DcqcnTimersTestCase : public RdmaRateControlTestCase
{
  public:
    /// What compilers may round otherwise here than there, bit/s: far less than any step.
    static constexpr double ROUNDING = 0.01;

    DcqcnTimersTestCase()
        : RdmaRateControlTestCase("dcqcn: catching up equals real timers")
    {
    }

  private:
    void DoRun() override
    {
        auto dcqcn = MakePaperDcqcn();
        dcqcn->SetAttribute("Timer", TimeValue(DcqcnWithTimers::TIMER));
        std::mt19937 random(7);
        uint32_t different = 0;
        uint32_t recovering = 0;
        for (uint32_t run = 0; run < 50; ++run)
        {
            Begin(dcqcn, MakePath("100Gbps", MicroSeconds(10), 4000));
            DcqcnWithTimers reference(100e9);
            Time now;
            for (uint32_t step = 0; step < 1000; ++step)
            {
                now += DrawGap(random);
                const uint32_t what = random() % 16;
                if (what == 0)
                {
                    Cnp(now);
                    reference.Cnp(now);
                }
                else if (what < 12)
                {
                    const uint32_t bytes = random() % (what == 1 ? 30000000 : 100000);
                    Sent(now, bytes);
                    reference.Sent(now, bytes);
                }
                const double rate = reference.RunUntil(now);
                different += std::abs(GetControl().GetRate(now) - rate) < ROUNDING ? 0 : 1;
                recovering += rate < 100e9 ? 1 : 0;
            }
        }
        NS_TEST_EXPECT_MSG_EQ(different, 0, "rates that differ from those with timers");
        NS_TEST_EXPECT_MSG_GT(recovering, 10000, "most of the run is below line rate");
    }

    /**
     * @param random source
     * @return time to the next event: mostly short, at times a multiple of K, seldom a second
     */
    static Time DrawGap(std::mt19937& random)
    {
        const uint32_t kind = random() % 1000;
        if (kind == 0)
        {
            return MilliSeconds(random() % 1500);
        }
        return kind < 100 ? DCQCN_PERIOD * static_cast<int64_t>(random() % 20)
                          : NanoSeconds(random() % 30000);
    }
};

/**
 * @ingroup workload-replay
 * @brief Idle times of any length cost nothing.
 *
 * Were every period taken, the last case alone would take 5.7e12 steps.
 */
class DcqcnIdleTestCase : public RdmaRateControlTestCase
{
  public:
    DcqcnIdleTestCase()
        : RdmaRateControlTestCase("dcqcn: long idle times")
    {
    }

  private:
    void DoRun() override
    {
        Begin(MakePaperDcqcn(), MakePath("40Gbps", MicroSeconds(10), 4000));
        const Time years = Seconds(10 * 365 * 86400.0);
        Cnp(MicroSeconds(1));
        ExpectRate(years, 40e9, "recovered in ten years");
        for (int second = 0; second < 1000000; second += 10)
        {
            GetControl().PacketSent(years + Seconds(second), 4000);
        }
        const Time late = years * 2;
        Cnp(late);
        ExpectRate(late, 40e9, "nothing left of alpha, so no cut");
        Cnp(late);
        ExpectRate(late, 40e9 * (1 - 1.0 / 512), "alpha = g after one notification");
    }
};

} // namespace

std::vector<TestCase*>
ns3::MakeDcqcnTestCases()
{
    return {new DcqcnCutTestCase,
            new DcqcnRecoveryTestCase,
            new DcqcnTimersTestCase,
            new DcqcnIdleTestCase};
}
