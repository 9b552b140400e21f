/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "uec-test-case.h"
#include "uec-test-cases.h"

#include "ns3/boolean.h"
#include "ns3/config.h"
#include "ns3/double.h"
#include "ns3/rdma-pcap-helper.h"
#include "ns3/string.h"
#include "ns3/uec-protocol.h"
#include "ns3/uinteger.h"
#include "ns3/workload-error.h"

#include <algorithm>
#include <cstdint>
#include <string>

using namespace ns3;

namespace
{

/**
 * @ingroup workload-replay
 * @brief One message over four paths, each a quarter of the host's rate: the first packet arrives
 * after four hops, the last one when all are sent at the host's rate.
 */
class UecSprayTestCase : public UecTestCase
{
  public:
    /**
     * @param spraying how entropy values are chosen
     * @param tolerance how far from a perfect spread the time may be, share
     */
    UecSprayTestCase(const std::string& spraying, double tolerance)
        : UecTestCase("uec: a message over four paths at once, " + spraying),
          m_spraying(spraying),
          m_tolerance(tolerance)
    {
    }

  private:
    void DoRun() override
    {
        Config::SetDefault("ns3::UecProtocol::Spraying", StringValue(m_spraying));
        Shape shape;
        shape.nicGbps = 400;
        Build(shape);
        InstallUec("Nscc");
        Config::SetDefault("ns3::UecProtocol::Spraying", StringValue("reps"));
        const uint64_t packets = 10000;
        Post(Time(0), 0, 1, packets * PAYLOAD);
        Simulator::Run();
        ExpectAllDelivered();
        // 100 ns for each at the host, 400 ns more at each of two switches, and four delays.
        const Time ideal = NanoSeconds(100 * packets + 2 * 400 + 100) + MicroSeconds(4);
        NS_TEST_EXPECT_MSG_GT_OR_EQ(GetEnd(),
                                    NanoSeconds(100 * packets),
                                    "no faster than the wire");
        NS_TEST_EXPECT_MSG_EQ_TOL(GetEnd().GetSeconds(),
                                  ideal.GetSeconds(),
                                  m_tolerance * ideal.GetSeconds(),
                                  "all paths are used at once");
        for (const uint64_t load : GetUplinkPackets(0))
        {
            NS_TEST_EXPECT_MSG_GT(load, 1500, "whether values of a path are few or many");
        }
        NS_TEST_EXPECT_MSG_EQ(m_lost, 0, "nothing is lost");
        NS_TEST_EXPECT_MSG_GT_OR_EQ(m_retransmissions, GetTrims(), "what is trimmed is sent again");
        // Who waits at two switches is overtaken by more than 1.5 windows.
        NS_TEST_EXPECT_MSG_LT_OR_EQ(m_retransmissions, GetTrims() * 1.05, "and little else");
    }

    std::string m_spraying; //!< how entropy values are chosen
    double m_tolerance;     //!< how far from a perfect spread
};

/**
 * @ingroup workload-replay
 * @brief The smallest window, of one packet, is full when two halves of a packet are on their way:
 * a third one waits for the acknowledgement of the first.
 */
class UecWindowTestCase : public UecTestCase
{
  public:
    UecWindowTestCase()
        : UecTestCase("uec: a window takes what just fits")
    {
    }

  private:
    void DoRun() override
    {
        Config::SetDefault("ns3::RdmaNscc::MaxWindow", DoubleValue(0.01));
        Build(Shape());
        InstallUec("Nscc");
        Config::SetDefault("ns3::RdmaNscc::MaxWindow", DoubleValue(1.5));
        for (int message = 0; message < 3; ++message)
        {
            Post(Time(0), 0, 1, PAYLOAD / 2);
        }
        Simulator::Run();
        ExpectAllDelivered();
        // 2458 of payload, 64 of headers and 20 of preamble and gap take 203 ns at 100 Gb/s.
        const Time second = m_fates[1].arrivedAt - m_fates[0].arrivedAt;
        NS_TEST_EXPECT_MSG_EQ_TOL(second, NanoSeconds(203), NanoSeconds(2), "back to back");
        const Time third = m_fates[2].arrivedAt - m_fates[0].arrivedAt;
        NS_TEST_EXPECT_MSG_GT(third, MicroSeconds(8), "after a round trip of eight delays");
    }
};

/**
 * @ingroup workload-replay
 * @brief One of four paths loses everything without notice, and nobody counts what overtakes: after
 * a timeout, a sender takes paths alone that are known to be good.
 */
class UecTimeoutPathTestCase : public UecTestCase
{
  public:
    UecTimeoutPathTestCase()
        : UecTestCase("uec: known paths after a timeout")
    {
    }

  private:
    void DoRun() override
    {
        Config::SetDefault("ns3::UecProtocol::LossThreshold", DoubleValue(0));
        Build(Shape());
        m_graph.SetLossRate(GetUplink(0, 3), 1);
        InstallUec("Nscc");
        Config::Reset();
        Post(Time(0), 0, 1, 32 * PAYLOAD);
        for (int message = 0; message < 10; ++message)
        {
            Post(MilliSeconds(2) + MicroSeconds(100 * message), 0, 1, 32 * PAYLOAD);
        }
        RunUntil(MilliSeconds(2));
        const uint64_t lost = m_lost;
        NS_TEST_EXPECT_MSG_GT(lost, 0, "a quarter of the paths is bad");
        RunUntil(MilliSeconds(4));
        NS_TEST_EXPECT_MSG_EQ(m_lost, lost, "only good paths are taken");
        Simulator::Run();
        ExpectAllDelivered();
    }
};

/**
 * @ingroup workload-replay
 * @brief All hosts but one send to that one: its link is never idle, the queue before it never
 * longer than what is trimmed, and every trimmed packet is sent again once.
 */
class UecIncastTestCase : public UecTestCase
{
  public:
    /**
     * @param control congestion control
     * @param tolerance how much longer than its link's share it may take
     */
    UecIncastTestCase(const std::string& control, double tolerance)
        : UecTestCase("uec: incast of seven, " + control),
          m_control(control),
          m_tolerance(tolerance)
    {
    }

  private:
    void DoRun() override
    {
        Shape shape;
        shape.hostsPerLeaf = 4;
        Build(shape);
        InstallUec(m_control);
        const uint64_t packets = 2000;
        for (uint32_t host = 1; host < 8; ++host)
        {
            Post(Time(0), host, 0, packets * PAYLOAD);
        }
        Simulator::Run();
        ExpectAllDelivered();
        const Time wire = NanoSeconds(7 * packets * 400);
        NS_TEST_EXPECT_MSG_GT(GetEnd(), wire, "no faster than its link");
        NS_TEST_EXPECT_MSG_LT(GetEnd().GetSeconds(),
                              wire.GetSeconds() * (1 + m_tolerance),
                              "which is hardly ever idle");
        // Ten shares: four packets and as many short ones over four links and back.
        const uint64_t rtt = 8 * 1000 + 4 * 400 + 4 * 7;
        NS_TEST_EXPECT_MSG_LT_OR_EQ(GetLastQueue(0),
                                    (rtt + 400) * 100 / 8,
                                    "the queue before it is at most a round trip long");
        NS_TEST_EXPECT_MSG_EQ(m_lost, 0, "no packet is lost");
        NS_TEST_EXPECT_MSG_GT(GetTrims(), 0, "the first windows are too much");
        NS_TEST_EXPECT_MSG_EQ(m_retransmissions, GetTrims(), "each is sent again, once");
        std::vector<Time> ends;
        for (const auto& fate : m_fates)
        {
            ends.push_back(fate.arrivedAt);
        }
        NS_TEST_EXPECT_MSG_GT(*std::min_element(ends.begin(), ends.end()),
                              wire * 0.6,
                              "shares are alike to the end");
    }

    std::string m_control; //!< congestion control
    double m_tolerance;    //!< how much longer it may take
};

/**
 * @ingroup workload-replay
 * @brief One of two uplinks fails in the middle of messages, and comes back: all arrives, and all
 * goes by the other one in the meantime.
 */
class UecFailureTestCase : public UecTestCase
{
  public:
    UecFailureTestCase()
        : UecTestCase("uec: an uplink fails and comes back")
    {
    }

  private:
    void DoRun() override
    {
        Shape shape;
        shape.nicGbps = 200;
        shape.spines = 2;
        Build(shape);
        InstallUec("Nscc");
        for (uint32_t message = 0; message < 100; ++message)
        {
            Post(Time(0), 0, 1, 100 * PAYLOAD);
        }
        for (uint32_t message = 0; message < 20; ++message)
        {
            // When what a loss has frozen has thawed.
            Post(MilliSeconds(15), 0, 1, 100 * PAYLOAD);
        }
        RunUntil(MicroSeconds(200));
        const auto before = GetUplinkPackets(0);
        m_fabric->GetNetwork()->SetLinkUp(GetUplink(0, 0), false);
        RunUntil(MicroSeconds(600));
        const auto during = GetUplinkPackets(0);
        NS_TEST_EXPECT_MSG_EQ(during[0], before[0], "nothing by the uplink that is down");
        NS_TEST_EXPECT_MSG_GT(during[1] - before[1], 500, "at least half of what the other takes");
        m_fabric->GetNetwork()->SetLinkUp(GetUplink(0, 0), true);
        Simulator::Run();
        ExpectAllDelivered();
        NS_TEST_EXPECT_MSG_GT(GetUplinkPackets(0)[0], during[0] + 800, "it is used again");
        NS_TEST_EXPECT_MSG_GT(m_lost, 0, "some packets were on their way");
        NS_TEST_EXPECT_MSG_GT_OR_EQ(m_retransmissions, m_lost, "which are sent again");
    }
};

/**
 * @ingroup workload-replay
 * @brief With flow control instead of trimming an incast loses and trims nothing.
 */
class UecLosslessTestCase : public UecTestCase
{
  public:
    UecLosslessTestCase()
        : UecTestCase("uec: lossless, nothing is trimmed and nothing lost")
    {
    }

  private:
    void DoRun() override
    {
        Config::SetDefault("ns3::UecProtocol::Lossless", BooleanValue(true));
        Shape shape;
        shape.hostsPerLeaf = 4;
        shape.bufferSize = 1000000;
        Build(shape);
        InstallUec("Nscc");
        Config::SetDefault("ns3::UecProtocol::Lossless", BooleanValue(false));
        for (uint32_t host = 1; host < 8; ++host)
        {
            Post(Time(0), host, 0, 1000 * PAYLOAD);
        }
        Simulator::Run();
        ExpectAllDelivered();
        NS_TEST_EXPECT_MSG_EQ(GetTrims(), 0, "nothing is trimmed");
        NS_TEST_EXPECT_MSG_EQ(m_lost, 0, "nothing is lost");
        uint64_t pauses = 0;
        for (uint32_t link = 0; link < m_graph.GetNLinks(); ++link)
        {
            pauses += m_fabric->GetDevice(link, m_graph.GetLink(link).b)->GetCounters().pauses;
            pauses += m_fabric->GetDevice(link, m_graph.GetLink(link).a)->GetCounters().pauses;
        }
        NS_TEST_EXPECT_MSG_GT(pauses, 0, "senders are paused");
    }
};

/**
 * @ingroup workload-replay
 * @brief What is no way to spray, and what does not go together, is refused.
 */
class UecErrorTestCase : public UecTestCase
{
  public:
    UecErrorTestCase()
        : UecTestCase("uec: wrong parameters are refused")
    {
    }

  private:
    void DoRun() override
    {
        std::string message;
        Build(Shape());
        Config::SetDefault("ns3::RdmaNic::MaxTrain", UintegerValue(1));
        InstallUec("Nscc");
        Config::SetDefault("ns3::RdmaNic::MaxTrain", UintegerValue(64));
        try
        {
            RdmaPcapHelper().EnablePcap(CreateTempDirFilename("uec"), m_fabric->GetNodes());
        }
        catch (const WorkloadError& error)
        {
            message = error.what();
        }
        NS_TEST_EXPECT_MSG_EQ(
            message,
            "pcap file: error: expected the protocol rdma, whose frames are those "
            "of RoCEv2, found uec",
            "frames that are not made");
        message.clear();
        try
        {
            InstallProtocol("ns3::RdmaRcProtocol", "ns3::RdmaRccc", PAYLOAD);
        }
        catch (const WorkloadError& error)
        {
            message = error.what();
        }
        NS_TEST_EXPECT_MSG_EQ(message,
                              "congestion control rccc: error: expected another one with the "
                              "transport rdma (receivers of reliable connections grant no credit), "
                              "found rccc",
                              "credits without receivers that grant them");
    }
};

/**
 * @ingroup workload-replay
 * @brief Suite of the Ultra Ethernet like transport.
 */
class UecTestSuite : public TestSuite
{
  public:
    UecTestSuite()
        : TestSuite("workload-replay-uec", TestSuite::Type::UNIT)
    {
        for (auto* testCase : MakeUecUnitTestCases())
        {
            AddTestCase(testCase);
        }
        AddTestCase(new UecSprayTestCase("round-robin", 0.15));
        AddTestCase(new UecSprayTestCase("reps", 0.03));
        AddTestCase(new UecSprayTestCase("oblivious", 0.15));
        AddTestCase(new UecWindowTestCase);
        AddTestCase(new UecTimeoutPathTestCase);
        AddTestCase(new UecIncastTestCase("Nscc", 0.05));
        AddTestCase(new UecIncastTestCase("Rccc", 0.05));
        AddTestCase(new UecFailureTestCase);
        AddTestCase(new UecLosslessTestCase);
        for (auto* testCase : MakeUecPlaneTestCases())
        {
            AddTestCase(testCase);
        }
        for (auto* testCase : MakeUecCreditTestCases())
        {
            AddTestCase(testCase);
        }
        for (auto* testCase : MakeUecPriorityTestCases())
        {
            AddTestCase(testCase);
        }
        AddTestCase(new UecErrorTestCase);
    }
};

UecTestSuite g_uecTestSuite; //!< the suite

} // namespace
