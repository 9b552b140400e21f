/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-convergence-test-cases.h"
#include "rdma-rate-control-test-case.h"

#include "ns3/double.h"
#include "ns3/integer.h"
#include "ns3/rdma-dcqcn.h"
#include "ns3/rdma-hpcc.h"
#include "ns3/rdma-no-congestion-control.h"
#include "ns3/rdma-swift.h"
#include "ns3/rdma-timely.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"
#include "ns3/workload-error.h"

#include <cmath>
#include <random>
#include <string>

using namespace ns3;

namespace
{

/**
 * @ingroup workload-replay
 * @brief Names, demands on the network, ranges of attributes and messages.
 */
class CongestionControlAttributesTestCase : public RdmaRateControlTestCase
{
  public:
    CongestionControlAttributesTestCase()
        : RdmaRateControlTestCase("congestion control: names, demands, attributes")
    {
    }

  private:
    void DoRun() override
    {
        ExpectDemands(CreateObject<RdmaNoCongestionControl>(), "none", false, false, false);
        ExpectDemands(CreateObject<RdmaDcqcn>(), "dcqcn", true, false, false);
        ExpectDemands(CreateObject<RdmaHpcc>(), "hpcc", false, true, true);
        ExpectDemands(CreateObject<RdmaTimely>(), "timely", false, false, false);
        ExpectDemands(CreateObject<RdmaSwift>(), "swift", false, false, true);

        ExpectRejected(CreateObject<RdmaDcqcn>(), "Gain", DoubleValue(1.1));
        ExpectRejected(CreateObject<RdmaDcqcn>(), "MinDecreaseFactor", DoubleValue(1.1));
        ExpectRejected(CreateObject<RdmaDcqcn>(), "Release", IntegerValue(2));
        ExpectRejected(CreateObject<RdmaHpcc>(), "TargetUtilization", DoubleValue(1));
        ExpectRejected(CreateObject<RdmaHpcc>(), "Flows", UintegerValue(0));
        ExpectRejected(CreateObject<RdmaTimely>(), "Alpha", DoubleValue(1.1));
        ExpectRejected(CreateObject<RdmaTimely>(), "LowDelay", TimeValue(NanoSeconds(-1)));
        ExpectRejected(CreateObject<RdmaSwift>(), "MinWindow", DoubleValue(0));
        ExpectRejected(CreateObject<RdmaSwift>(), "ResetTimeouts", UintegerValue(0));

        ExpectWrong("Gain", DoubleValue(0), "1/1024 to 1, or below 0 for the preset's, found 0");
        ExpectWrong("AlphaPeriod",
                    TimeValue(Time(0)),
                    "more than 0 s, or less for the preset's, found +0us");
        ExpectWrong("Timer",
                    TimeValue(Time(0)),
                    "more than 0 s, or less for the preset's, found +0us");
        ExpectWrong("ByteCounter",
                    IntegerValue(999),
                    "at least 1000 bytes, 0 for none, or below 0 for the preset's, found 999");
        ExpectWrong("RateHai", StringValue("4Mbps"), "at least RateAi, found 4000000bps");
        auto timely = CreateObject<RdmaTimely>();
        timely->SetAttribute("HighDelay", TimeValue(MicroSeconds(10)));
        ExpectError(timely,
                    "ns3::RdmaTimely::HighDelay: error: expected at least LowDelay, +30us, "
                    "found +10us");
        auto swift = CreateObject<RdmaSwift>();
        swift->SetAttribute("FlowScalingMaxWindow", DoubleValue(0.1));
        ExpectError(swift,
                    "ns3::RdmaSwift::FlowScalingMaxWindow: error: expected more than "
                    "FlowScalingMinWindow, 0.1 packets, found 0.1 packets");
    }

    /**
     * @param control the congestion control
     * @param name its name
     * @param cnp whether it wants notifications
     * @param telemetry whether it wants telemetry
     * @param everyAck whether it wants every packet acknowledged
     */
    void ExpectDemands(Ptr<RdmaCongestionControl> control,
                       const std::string& name,
                       bool cnp,
                       bool telemetry,
                       bool everyAck)
    {
        NS_TEST_EXPECT_MSG_EQ(control->GetName(), name, "name");
        NS_TEST_EXPECT_MSG_EQ(control->UsesCnp(), cnp, name << " and notifications");
        NS_TEST_EXPECT_MSG_EQ(control->UsesTelemetry(), telemetry, name << " and telemetry");
        NS_TEST_EXPECT_MSG_EQ(control->NeedsEveryAck(), everyAck, name << " and every ack");
        NS_TEST_EXPECT_MSG_EQ(control->GetInstanceTypeId().GetGroupName(),
                              "WorkloadReplay",
                              "group of " << name);
    }

    /**
     * @param control the congestion control
     * @param name an attribute
     * @param value a value out of its range
     */
    void ExpectRejected(Ptr<RdmaCongestionControl> control,
                        const std::string& name,
                        const AttributeValue& value)
    {
        NS_TEST_EXPECT_MSG_EQ(control->SetAttributeFailSafe(name, value),
                              false,
                              control->GetName() << " takes a wrong " << name);
    }

    /**
     * @param name an attribute of DCQCN
     * @param value a value that it cannot have
     * @param message what it is to say of it
     */
    void ExpectWrong(const std::string& name,
                     const AttributeValue& value,
                     const std::string& message)
    {
        auto dcqcn = CreateObject<RdmaDcqcn>();
        dcqcn->SetAttribute(name, value);
        ExpectError(dcqcn, "ns3::RdmaDcqcn::" + name + ": error: expected " + message);
    }

    /**
     * @param control the congestion control, attributes of which contradict each other
     * @param message what it is to say
     */
    void ExpectError(Ptr<RdmaCongestionControl> control, const std::string& message)
    {
        std::string found = "no error";
        try
        {
            control->CheckParameters();
        }
        catch (const WorkloadError& error)
        {
            found = error.what();
        }
        NS_TEST_EXPECT_MSG_EQ(found, message, "message of " << control->GetName());
    }
};

/**
 * @ingroup workload-replay
 * @brief Line rate always; the window is the attribute, but at least a full packet.
 */
class NoCongestionControlTestCase : public RdmaRateControlTestCase
{
  public:
    NoCongestionControlTestCase()
        : RdmaRateControlTestCase("none: line rate and fixed window")
    {
    }

  private:
    void DoRun() override
    {
        auto none = CreateObject<RdmaNoCongestionControl>();
        const auto path = MakePath("100Gbps", MicroSeconds(10), 4000);
        Begin(none, path);
        Cnp(NanoSeconds(1));
        Ack(Seconds(1));
        GetControl().TimedOut(Seconds(2));
        ExpectRate(Seconds(3), 100e9, "whatever happens");
        ExpectWindow(RdmaRateControl::NO_WINDOW, "without the attribute");
        none->SetAttribute("Window", UintegerValue(50000));
        Begin(none, path);
        ExpectWindow(50000, "the attribute");
        none->SetAttribute("Window", UintegerValue(1));
        Begin(none, path);
        ExpectWindow(4000, "a full packet");
    }
};

/**
 * @ingroup workload-replay
 * @brief Every strategy keeps the rate above 0 and within the line rate, whatever it hears.
 */
class CongestionControlBoundsTestCase : public RdmaRateControlTestCase
{
  public:
    CongestionControlBoundsTestCase()
        : RdmaRateControlTestCase("congestion control: bounds under random input")
    {
    }

  private:
    void DoRun() override
    {
        Check(CreateObject<RdmaNoCongestionControl>());
        Check(CreateObject<RdmaDcqcn>());
        Check(CreateObject<RdmaHpcc>());
        Check(CreateObject<RdmaTimely>());
        Check(CreateObject<RdmaSwift>());
    }

    /**
     * @param most a number
     * @return a number from 0 to that, small ones as likely as large ones
     */
    uint64_t Draw(uint64_t most)
    {
        const double exponent = std::uniform_real_distribution<double>(0, 1)(m_random);
        return static_cast<uint64_t>(std::pow(static_cast<double>(most) + 1, exponent)) - 1;
    }

    /// @return telemetry of some path; nothing in it need make sense
    RdmaTelemetry DrawTelemetry()
    {
        RdmaTelemetry telemetry;
        telemetry.count = static_cast<uint32_t>(Draw(2));
        for (uint32_t index = 0; index < telemetry.count; ++index)
        {
            m_hopTime += static_cast<int64_t>(Draw(100000));
            m_hopBytes += Draw(1000000);
            telemetry.hops[index] = {m_hopTime, m_hopBytes, Draw(1ULL << 40), 100000000000};
        }
        return telemetry;
    }

    /**
     * @param strategy the congestion control
     */
    void Check(Ptr<RdmaCongestionControl> strategy)
    {
        Begin(strategy, MakePath("100Gbps", MicroSeconds(10), 4000));
        Time now;
        uint32_t wrong = 0;
        for (uint32_t step = 0; step < 100000; ++step)
        {
            now += NanoSeconds(static_cast<int64_t>(Draw(10000000)));
            switch (m_random() % 8)
            {
            case 0:
                Cnp(now);
                break;
            case 1:
                GetControl().TimedOut(now);
                break;
            case 2:
                Sent(now, static_cast<uint32_t>(Draw(20000000)));
                break;
            default:
                RdmaAck ack;
                ack.now = now;
                ack.rtt = NanoSeconds(static_cast<int64_t>(Draw(1000000000)) + 1);
                ack.bytes = Draw(1000000) + 1;
                m_acknowledged += ack.bytes;
                ack.acknowledged = m_acknowledged;
                ack.sent = ack.acknowledged + Draw(1000000);
                const auto telemetry = DrawTelemetry();
                ack.telemetry = &telemetry;
                GetControl().AckReceived(ack);
                break;
            }
            const double rate = GetControl().GetRate(now);
            // Written so that a rate that is not a number is wrong as well.
            wrong += rate > 0 && rate <= 100e9 && GetControl().GetWindow() >= 4000 ? 0 : 1;
        }
        NS_TEST_EXPECT_MSG_EQ(wrong, 0, "rates and windows of " << strategy->GetName());
    }

    std::mt19937_64 m_random{1}; //!< source of input
    uint64_t m_acknowledged{0};  //!< payload acknowledged
    int64_t m_hopTime{0};        //!< time in the last telemetry
    uint64_t m_hopBytes{0};      //!< bytes sent in the last telemetry
};

/**
 * @ingroup workload-replay
 * @brief The test suite of congestion control.
 */
class CongestionControlTestSuite : public TestSuite
{
  public:
    CongestionControlTestSuite()
        : TestSuite("workload-replay-congestion-control", TestSuite::Type::UNIT)
    {
        AddTestCase(new CongestionControlAttributesTestCase);
        AddTestCase(new NoCongestionControlTestCase);
        AddTestCase(new CongestionControlBoundsTestCase);
        for (const auto& make : {MakeDcqcnTestCases,
                                 MakeDcqcnCardTestCases,
                                 MakeHpccTestCases,
                                 MakeDelayTestCases,
                                 MakeRdmaConvergenceTestCases})
        {
            for (TestCase* testCase : make())
            {
                AddTestCase(testCase);
            }
        }
    }
};

/// The instance that registers the suite.
CongestionControlTestSuite g_congestionControlTestSuite;

} // namespace
