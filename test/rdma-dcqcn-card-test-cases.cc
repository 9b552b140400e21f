/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-rate-control-test-case.h"

#include "ns3/double.h"
#include "ns3/integer.h"
#include "ns3/rdma-dcqcn.h"
#include "ns3/string.h"

#include <algorithm>
#include <cmath>
#include <random>

using namespace ns3;

namespace
{

/**
 * @ingroup workload-replay
 * @brief Base of cases of DCQCN as network cards run it, on a port of 400 Gb/s.
 */
class DcqcnCardTestCase : public RdmaRateControlTestCase
{
  public:
    using RdmaRateControlTestCase::RdmaRateControlTestCase;

  protected:
    /**
     * Begin a queue pair, instead of the one before.
     *
     * @param preset the preset
     * @param attributes what is set besides
     */
    void BeginCard(const std::string& preset,
                   const std::vector<std::pair<std::string, std::string>>& attributes = {})
    {
        auto dcqcn = CreateObject<RdmaDcqcn>();
        dcqcn->SetAttribute("Preset", StringValue(preset));
        for (const auto& [name, value] : attributes)
        {
            dcqcn->SetAttribute(name, StringValue(value));
        }
        dcqcn->CheckParameters();
        Begin(dcqcn, MakePath("400Gbps", MicroSeconds(5), 4096));
    }
};

/**
 * @ingroup workload-replay
 * @brief When the rate is cut, by how much, and what becomes of the target, by hand.
 */
class DcqcnCardCutTestCase : public DcqcnCardTestCase
{
  public:
    DcqcnCardCutTestCase()
        : DcqcnCardTestCase("dcqcn of network cards: cuts, alpha, target")
    {
    }

  private:
    void DoRun() override
    {
        CheckPeriods();
        CheckAtOnce();
        CheckClamp();
        CheckBounds();
    }

    /// One cut at the end of each period in which a notification came.
    void CheckPeriods()
    {
        const Time start = MilliSeconds(3);
        BeginCard("reference");
        Cnp(start);
        ExpectRate(start, 400e9, "the first notification does not cut at once");
        Cnp(start + MicroSeconds(3));
        ExpectRate(start + MicroSeconds(4) - NanoSeconds(1), 400e9, "nor does the second");
        // Alpha: 1, no sample at 0; not noted in (0, 3], noted in (3, 4]: samples at 1, 2, 3, 4 us.
        const double kept = 255.0 / 256;
        double alpha = kept * (kept * kept * kept) + 1 - kept;
        double rate = 400e9 * (1 - alpha / 2);
        ExpectRate(start + MicroSeconds(4), rate, "one cut for both, 4 us after the first");
        ExpectRate(start + MicroSeconds(80), rate, "no notification, no cut");
        // Periods go on from the first notification: 81.5 us lies in the one that ends at 84.
        Cnp(start + NanoSeconds(81500));
        ExpectRate(start + MicroSeconds(84) - NanoSeconds(1), rate, "before the period ends");
        alpha = (alpha * std::pow(kept, 77) * kept + 1 - kept) * kept * kept;
        rate *= 1 - alpha / 2;
        ExpectRate(start + MicroSeconds(84), rate, "the end of a later period");
    }

    /// With FirstCutAtOnce the first one, and each that comes a period after the last.
    void CheckAtOnce()
    {
        BeginCard("reference", {{"FirstCutAtOnce", "1"}, {"AlphaPeriod", "1s"}});
        Cnp(MicroSeconds(10));
        ExpectRate(MicroSeconds(10), 200e9, "at once");
        Cnp(MicroSeconds(11));
        ExpectRate(MicroSeconds(14) - NanoSeconds(1), 200e9, "not twice in a period");
        ExpectRate(MicroSeconds(14), 100e9, "a period after the last cut");
        Cnp(MicroSeconds(20));
        ExpectRate(MicroSeconds(20), 50e9, "at once again");
    }

    /// The target after two cuts, seen by a step of fast recovery, which goes half way to it.
    void CheckClamp()
    {
        const std::pair<std::string, std::string> still{"AlphaPeriod", "1s"};
        // Cuts at 4 and 8 us: 200, 100. The timer is at 308 us.
        for (const auto& [clamp, rate] : {std::pair("0", 250e9), std::pair("1", 150e9)})
        {
            BeginCard("reference", {still, {"ClampTarget", clamp}});
            Cnp(Time(0));
            Cnp(MicroSeconds(5));
            ExpectRate(MicroSeconds(308) - NanoSeconds(1), 100e9, "before the step");
            ExpectRate(MicroSeconds(308), rate, std::string("clamp ") + clamp);
        }
        // Cut at 4 us: 200; step at 304: 300; cut at 312: 150; step at 612.
        for (const auto& [clamp, rate] : {std::pair("0", 275e9), std::pair("1", 225e9)})
        {
            BeginCard("reference", {still, {"ClampAfterTimer", clamp}});
            Cnp(Time(0));
            Cnp(MicroSeconds(308));
            ExpectRate(MicroSeconds(312), 150e9, "after a step and a cut");
            ExpectRate(MicroSeconds(612), rate, std::string("clamp after a step ") + clamp);
        }
        // A step by bytes clamps in any case.
        BeginCard("reference", {still, {"ClampAfterTimer", "0"}, {"ByteCounter", "10000"}});
        Cnp(Time(0));
        Sent(MicroSeconds(5), 10000);
        ExpectRate(MicroSeconds(5), 300e9, "step by bytes");
        Cnp(MicroSeconds(6));
        ExpectRate(MicroSeconds(308), 225e9, "clamp after a step by bytes");
    }

    /// The largest cut, the lowest rate, alpha at first, release at line rate.
    void CheckBounds()
    {
        BeginCard("reference", {{"MinDecreaseFactor", "0.9"}});
        Cnp(Time(0));
        ExpectRate(MicroSeconds(4), 360e9, "a cut of a tenth at most");
        BeginCard("reference", {{"MinRate", "300Gbps"}});
        Cnp(Time(0));
        ExpectRate(MicroSeconds(4), 300e9, "the lowest rate");
        for (const auto& [release, cut] : {std::pair("0", 0.0), std::pair("1", 0.25)})
        {
            BeginCard("reference",
                      {{"Release", release}, {"InitialAlpha", "0.5"}, {"AlphaPeriod", "100us"}});
            Cnp(Time(0));
            ExpectRate(MicroSeconds(4), 300e9, "a cut by half of alpha at first");
            // One second is 10,000 samples: nothing is left of alpha.
            ExpectRate(Seconds(2), 400e9, "line rate");
            Cnp(Seconds(2));
            ExpectRate(Seconds(2) + MicroSeconds(4), 400e9 * (1 - cut), "alpha at first again");
        }
    }
};

/**
 * @ingroup workload-replay
 * @brief Steps of increase of network cards, and what presets say.
 */
class DcqcnCardIncreaseTestCase : public DcqcnCardTestCase
{
  public:
    DcqcnCardIncreaseTestCase()
        : DcqcnCardTestCase("dcqcn of network cards: increase, presets")
    {
    }

  private:
    void DoRun() override
    {
        // Three cuts to 50 Gb/s, the target stays at 400: then 225 (fast recovery), and steps that
        // raise the target show when it is below the line rate.
        BeginCard("reference", {{"AlphaPeriod", "1s"}, {"ClampTarget", "1"}});
        Cnp(Time(0));
        Cnp(MicroSeconds(5));
        ExpectRate(MicroSeconds(8), 100e9, "two cuts, target 200");
        ExpectRate(MicroSeconds(308), 150e9, "fast recovery");
        ExpectRate(MicroSeconds(608), 175.08e9, "one additive step: target 200.16");
        ExpectRate(MicroSeconds(908), 187.82e9, "then hyper steps: target 200.56");
        ExpectRate(MicroSeconds(1208), 194.39e9, "target 200.96");

        ExpectPreset("nic", 400e9, {5e6, 50e6, 1e6, 5.0 / 1024, 4, 2097088});
        ExpectPreset("nic", 25e9, {5e6, 50e6, 1e6, 5.0 / 1024, 4, 2097088});
        ExpectPreset("paper", 400e9, {400e6, 4000e6, 400e6, 1.0 / 256, 0, 10000000});
        ExpectPreset("paper", 10e9, {10e6, 100e6, 10e6, 1.0 / 256, 0, 10000000});
        ExpectPreset("reference", 400e9, {160e6, 400e6, 400e6, 1.0 / 256, 4, 0});
        CheckOwn();
    }

    /// What is expected of a preset.
    struct Expected
    {
        double rateAi;       //!< R_AI, bit/s
        double rateHai;      //!< R_HAI, bit/s
        double minRate;      //!< lowest rate, bit/s
        double gain;         //!< g
        int64_t cutPeriodUs; //!< time between cuts, us
        int64_t byteCounter; //!< B, bytes; 0 = there is none
    };

    /**
     * @param preset name of the preset
     * @param lineRate rate of a port, bit/s
     * @param expected what is expected
     */
    void ExpectPreset(const std::string& preset, double lineRate, const Expected& expected)
    {
        auto dcqcn = CreateObject<RdmaDcqcn>();
        dcqcn->SetAttribute("Preset", StringValue(preset));
        const auto found = dcqcn->GetParameters(DataRate(static_cast<uint64_t>(lineRate)));
        NS_TEST_EXPECT_MSG_EQ(found.rateAi.GetBitRate(), expected.rateAi, preset << " R_AI");
        NS_TEST_EXPECT_MSG_EQ(found.rateHai.GetBitRate(), expected.rateHai, preset << " R_HAI");
        NS_TEST_EXPECT_MSG_EQ(found.minRate.GetBitRate(), expected.minRate, preset << " least");
        NS_TEST_EXPECT_MSG_EQ(found.gain, expected.gain, preset << " g");
        NS_TEST_EXPECT_MSG_EQ(found.cutPeriod, MicroSeconds(expected.cutPeriodUs), preset);
        NS_TEST_EXPECT_MSG_EQ(found.byteCounter, expected.byteCounter, preset << " B");
    }

    /// What is set by itself wins, in whatever order, and getters tell what is in force.
    void CheckOwn()
    {
        auto dcqcn = CreateObject<RdmaDcqcn>();
        DoubleValue gain;
        dcqcn->GetAttribute("Gain", gain);
        NS_TEST_EXPECT_MSG_EQ(gain.Get(), 5.0 / 1024, "the preset's");
        dcqcn->SetAttribute("Gain", DoubleValue(0.5));
        dcqcn->SetAttribute("Preset", StringValue("paper"));
        dcqcn->SetAttribute("RateAi", StringValue("7Mbps"));
        dcqcn->GetAttribute("Gain", gain);
        NS_TEST_EXPECT_MSG_EQ(gain.Get(), 0.5, "what was set before the preset");
        const auto found = dcqcn->GetParameters(DataRate("400Gbps"));
        NS_TEST_EXPECT_MSG_EQ(found.rateAi, DataRate("7Mbps"), "what is set is not scaled");
        NS_TEST_EXPECT_MSG_EQ(found.fastRecovery, 5, "the rest is the preset's");
        IntegerValue steps;
        dcqcn->GetAttribute("FastRecovery", steps);
        NS_TEST_EXPECT_MSG_EQ(steps.Get(), 5, "what is in force");
        dcqcn->SetAttribute("Gain", DoubleValue(-1));
        dcqcn->GetAttribute("Gain", gain);
        NS_TEST_EXPECT_MSG_EQ(gain.Get(), 1.0 / 256, "the preset's again");
    }
};

/**
 * @ingroup workload-replay
 * @brief The reaction point of a network card with real timers, each expiry taken in its turn.
 */
class DcqcnCardWithTimers
{
  public:
    /**
     * @param now the time up to which timers run
     * @return rate, bit/s
     */
    double RunUntil(Time now)
    {
        while (m_running && std::min({m_stepDue, m_alphaDue, m_cutDue}) <= now)
        {
            // At one time the step comes before alpha, and alpha before the cut.
            if (m_stepDue <= std::min(m_alphaDue, m_cutDue))
            {
                m_stepDue += MicroSeconds(300);
                ++m_byTimer;
                Step();
            }
            else if (m_alphaDue <= m_cutDue)
            {
                m_alphaDue += MicroSeconds(1);
                m_alpha = (1 - GAIN) * m_alpha + (m_noted ? GAIN : 0);
                m_noted = false;
            }
            else
            {
                ExpireCut();
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
        m_unsteppedBytes += m_rate < LINE ? bytes : 0;
        for (; m_unsteppedBytes >= BYTES && m_rate < LINE; m_unsteppedBytes -= BYTES)
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
        m_noted = m_running;
        m_wanted = true;
        if (!m_running)
        {
            m_running = true;
            m_alphaDue = now + MicroSeconds(1);
            m_cutDue = now + MicroSeconds(4);
            m_stepDue = Time::Max();
        }
    }

    static constexpr double LINE = 400e9;     //!< line rate, bit/s
    static constexpr double GAIN = 1.0 / 128; //!< g
    static constexpr uint64_t BYTES = 200000; //!< B

  private:
    /// The timer between cuts expires.
    void ExpireCut()
    {
        m_cutDue += MicroSeconds(4);
        if (m_wanted)
        {
            m_wanted = false;
            m_target = m_byTimer + m_byBytes > 0 ? m_rate : m_target;
            m_rate = std::max(1e6, m_rate * (1 - m_alpha / 2));
            m_byTimer = m_byBytes = m_unsteppedBytes = 0;
            m_stepDue = m_alphaDue - MicroSeconds(1) + MicroSeconds(300);
        }
    }

    /// One step of increase.
    void Step()
    {
        const bool isPast = m_byTimer > 1 || m_byBytes > 1;
        const bool areBothPast = m_byTimer > 1 && m_byBytes > 1;
        m_target += isPast ? (areBothPast ? 50e6 : 5e6) : 0;
        m_target = std::min(m_target, LINE);
        m_rate = (m_target - m_rate < 1) ? m_target : (m_target + m_rate) / 2;
    }

    double m_rate{LINE};          //!< rate, bit/s
    double m_target{LINE};        //!< target, bit/s
    double m_alpha{1};            //!< alpha
    bool m_running{false};        //!< whether the timers run
    bool m_noted{false};          //!< whether alpha is to grow
    bool m_wanted{false};         //!< whether the rate is to be cut
    Time m_alphaDue;              //!< when the timer of alpha expires
    Time m_cutDue;                //!< when the timer between cuts expires
    Time m_stepDue;               //!< when the timer of the rate expires
    uint64_t m_byTimer{0};        //!< steps by the timer
    uint64_t m_byBytes{0};        //!< steps by the byte counter
    uint64_t m_unsteppedBytes{0}; //!< bytes since the last step by them
};

/**
 * @ingroup workload-replay
 * @brief The same rate as with real timers, but for what rounding makes of a gap that closes below
 * 1 bit/s: compilers may fuse a multiplication and an addition in one place and not in another.
 */
class DcqcnCardTimersTestCase : public DcqcnCardTestCase
{
  public:
    DcqcnCardTimersTestCase()
        : DcqcnCardTestCase("dcqcn of network cards: catching up equals real timers")
    {
    }

  private:
    void DoRun() override
    {
        std::mt19937 random(5);
        uint32_t different = 0;
        uint32_t recovering = 0;
        for (uint32_t run = 0; run < 50; ++run)
        {
            BeginCard("nic",
                      {{"Gain", "0.0078125"},
                       {"InitialAlpha", "1"},
                       {"Release", "0"},
                       {"ByteCounter", "200000"}});
            DcqcnCardWithTimers reference;
            Time now;
            for (uint32_t step = 0; step < 1000; ++step)
            {
                // Often a multiple of all periods, so that timers and notifications meet.
                now +=
                    random() % 4 == 0 ? MicroSeconds(random() % 400) : NanoSeconds(random() % 999);
                now = random() % 8 == 0 ? MicroSeconds(now.GetMicroSeconds() + 1) : now;
                if (random() % 8 == 0)
                {
                    Cnp(now);
                    reference.Cnp(now);
                }
                else
                {
                    const uint32_t bytes = random() % 100000;
                    Sent(now, bytes);
                    reference.Sent(now, bytes);
                }
                const double rate = reference.RunUntil(now);
                different += std::abs(GetControl().GetRate(now) - rate) < 2 ? 0 : 1;
                recovering += rate < 400e9 ? 1 : 0;
            }
        }
        NS_TEST_EXPECT_MSG_EQ(different, 0, "rates that differ from those with timers");
        NS_TEST_EXPECT_MSG_GT(recovering, 10000, "most of the run is below line rate");
    }
};

} // namespace

std::vector<TestCase*>
ns3::MakeDcqcnCardTestCases()
{
    return {new DcqcnCardCutTestCase, new DcqcnCardIncreaseTestCase, new DcqcnCardTimersTestCase};
}
