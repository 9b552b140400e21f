/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "uec-test-case.h"
#include "uec-test-cases.h"

#include "ns3/config.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <cstdint>
#include <string>

namespace ns3
{

namespace
{

/**
 * @ingroup workload-replay-tests
 * @brief A host with a port in each of two planes sends over both at once.
 */
class UecPlanesTestCase : public UecTestCase
{
  public:
    using UecTestCase::UecTestCase;

  protected:
    /// Build two hosts with a port at either of two switches.
    void BuildPlanes()
    {
        for (uint32_t host = 0; host < 2; ++host)
        {
            m_graph.AddHost("host" + std::to_string(host));
        }
        for (uint32_t plane = 0; plane < 2; ++plane)
        {
            m_graph.AddSwitch("plane" + std::to_string(plane));
        }
        for (uint32_t host = 0; host < 2; ++host)
        {
            for (uint32_t plane = 2; plane < 4; ++plane)
            {
                m_graph.AddLink(host, plane, DataRate("100Gbps"), MicroSeconds(1));
            }
        }
    }

    /// Send messages of 10,000 packets in all, and expect them to take as long as by both ports.
    void ExpectBothPorts()
    {
        const uint64_t packets = 10000;
        for (uint32_t message = 0; message < 10; ++message)
        {
            Post(Time(0), 0, 1, packets / 10 * PAYLOAD);
        }
        Simulator::Run();
        ExpectAllDelivered();
        const Time wire = NanoSeconds(400 * packets / 2);
        NS_TEST_EXPECT_MSG_GT_OR_EQ(GetEnd(), wire, "no faster than both ports");
        NS_TEST_EXPECT_MSG_LT(GetEnd(), wire + MicroSeconds(10), "as fast as both ports");
        NS_TEST_EXPECT_MSG_EQ(GetPackets(0, 0), packets / 2, "half by one");
        NS_TEST_EXPECT_MSG_EQ(GetPackets(1, 0), packets / 2, "half by the other");
    }
};

/**
 * @ingroup workload-replay-tests
 * @brief By the Ultra Ethernet like transport.
 */
class UecEntropyPlanesTestCase : public UecPlanesTestCase
{
  public:
    /**
     * @param spraying how entropy values are chosen
     */
    explicit UecEntropyPlanesTestCase(const std::string& spraying)
        : UecPlanesTestCase("uec: two planes at once, " + spraying),
          m_spraying(spraying)
    {
    }

  private:
    void DoRun() override
    {
        BuildPlanes();
        Config::SetDefault("ns3::UecProtocol::Spraying", StringValue(m_spraying));
        InstallUec("Nscc");
        Config::SetDefault("ns3::UecProtocol::Spraying", StringValue("reps"));
        ExpectBothPorts();
    }

    std::string m_spraying; //!< how entropy values are chosen
};

/**
 * @ingroup workload-replay-tests
 * @brief By a reliable connection: packet by packet it takes both ports, message by message one
 * after the other, by queue pair one.
 */
class RcPlanesTestCase : public UecPlanesTestCase
{
  public:
    /**
     * @param spraying how it shares the ports
     */
    explicit RcPlanesTestCase(const std::string& spraying)
        : UecPlanesTestCase("uec: two planes and a reliable connection, by " + spraying),
          m_spraying(spraying)
    {
    }

  private:
    void DoRun() override
    {
        BuildPlanes();
        Config::SetDefault("ns3::RdmaRcProtocol::PortSpraying", StringValue(m_spraying));
        // Two bytes more of payload than with the headers of the other transport.
        InstallProtocol("ns3::RdmaRcProtocol", "ns3::RdmaNoCongestionControl", PAYLOAD + 2);
        Config::SetDefault("ns3::RdmaRcProtocol::PortSpraying", StringValue("split"));
        if (m_spraying == "packet")
        {
            ExpectBothPorts();
            return;
        }
        for (uint32_t message = 0; message < 10; ++message)
        {
            Post(Time(0), 0, 1, 1000 * (PAYLOAD + 2));
        }
        Simulator::Run();
        ExpectAllDelivered();
        const uint64_t first = GetPackets(0, 0);
        const bool isAlternate = m_spraying == "message" && first == 5000;
        const bool isOne = m_spraying == "queue-pair" && (first == 0 || first == 10000);
        NS_TEST_EXPECT_MSG_EQ((isAlternate || isOne), true, "packets by the first port: " << first);
    }

    std::string m_spraying; //!< how it shares the ports
};

/**
 * @ingroup workload-replay-tests
 * @brief One of a host's two ports loses its carrier for a while in the middle of messages, and so
 * does, later, one of its peer's: all goes by the other plane, and nothing is lost for good.
 */
class PlaneFailureTestCase : public UecPlanesTestCase
{
  public:
    /**
     * @param protocol how messages are brought to the peer
     */
    explicit PlaneFailureTestCase(const std::string& protocol)
        : UecPlanesTestCase("uec: a plane fails and comes back, " + protocol),
          m_protocol(protocol)
    {
    }

  private:
    void DoRun() override
    {
        BuildPlanes();
        Config::SetDefault("ns3::RdmaRcProtocol::PortSpraying", StringValue("packet"));
        InstallProtocol("ns3::" + m_protocol, "ns3::RdmaNoCongestionControl", PAYLOAD);
        Config::SetDefault("ns3::RdmaRcProtocol::PortSpraying", StringValue("split"));
        for (uint32_t message = 0; message < 100; ++message)
        {
            Post(Time(0), 0, 1, 100 * PAYLOAD);
        }
        const auto network = m_fabric->GetNetwork();
        // Links 0 and 1 are the first host's, 2 and 3 the other one's.
        RunUntil(MicroSeconds(300));
        network->SetLinkUp(0, false);
        RunUntil(MicroSeconds(450));
        const uint64_t before = GetPackets(1, 0);
        RunUntil(MicroSeconds(550));
        NS_TEST_EXPECT_MSG_EQ_TOL(GetPackets(1, 0) - before, 250, 2, "the other port is full");
        network->SetLinkUp(0, true);
        RunUntil(MicroSeconds(1000));
        network->SetLinkUp(3, false);
        RunUntil(MicroSeconds(1600));
        network->SetLinkUp(3, true);
        Simulator::Run();
        ExpectAllDelivered();
        NS_TEST_EXPECT_MSG_GT(m_lost, 0, "what was on its way is lost");
        NS_TEST_EXPECT_MSG_GT_OR_EQ(m_retransmissions, m_lost, "and sent again");
    }

    std::string m_protocol; //!< how messages are brought to the peer
};

/**
 * @ingroup workload-replay-tests
 * @brief A queue pair whose plane pauses it and no longer leads to its peer goes on in the other
 * one after a timeout, in the midst of a message.
 */
class PlaneChangeTestCase : public UecPlanesTestCase
{
  public:
    PlaneChangeTestCase()
        : UecPlanesTestCase("uec: a reliable connection changes its plane")
    {
    }

  private:
    void DoRun() override
    {
        BuildPlanes();
        Config::SetDefault("ns3::RdmaNic::MaxTrain", UintegerValue(1));
        InstallProtocol("ns3::RdmaRcProtocol", "ns3::RdmaNoCongestionControl", PAYLOAD + 2);
        Config::Reset();
        Post(Time(0), 0, 1, 10000 * (PAYLOAD + 2));
        RunUntil(MicroSeconds(100));
        const uint32_t plane = GetPackets(0, 0) > 0 ? 0 : 1;
        NS_TEST_EXPECT_MSG_EQ_TOL(GetPackets(plane, 0), 250, 2, "packets of 400 ns");
        // The peer's link to the plane; the sender's own one stays up.
        m_fabric->GetNetwork()->SetLinkUp(2 + plane, false);
        // What waits for its turn there does not stay either: the plane pauses the sender.
        const auto port = m_fabric->GetDevice(plane, 2 + plane);
        port->SendPause(3, true);
        // The timeout is 500 us.
        RunUntil(MicroSeconds(610));
        const uint64_t before = GetPackets(plane, 0);
        const uint64_t other = GetPackets(1 - plane, 0);
        RunUntil(MicroSeconds(710));
        NS_TEST_EXPECT_MSG_EQ(GetPackets(plane, 0), before, "nothing more by the first plane");
        NS_TEST_EXPECT_MSG_EQ_TOL(GetPackets(1 - plane, 0) - other, 250, 2, "all by the other");
        port->SendPause(3, false);
        Simulator::Run();
        ExpectAllDelivered();
    }
};

} // namespace

std::vector<TestCase*>
MakeUecPlaneTestCases()
{
    return {new UecEntropyPlanesTestCase("round-robin"),
            new UecEntropyPlanesTestCase("reps"),
            new RcPlanesTestCase("queue-pair"),
            new RcPlanesTestCase("message"),
            new RcPlanesTestCase("packet"),
            new PlaneFailureTestCase("RdmaRcProtocol"),
            new PlaneFailureTestCase("UecProtocol"),
            new PlaneChangeTestCase};
}

} // namespace ns3
