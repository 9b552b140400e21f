/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-lossless-test-cases.h"
#include "rdma-test-case.h"

#include "ns3/boolean.h"
#include "ns3/rdma-link-layer.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"
#include "ns3/workload-error.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

namespace ns3
{

namespace
{

/// Payload of a full packet of InfiniBand, bytes.
constexpr uint32_t PAYLOAD = 4096;

/// Headers and checksums of a data packet of InfiniBand: local route header, base transport header,
/// invariant and variant checksum, bytes.
constexpr uint32_t HEADERS = 8 + 12 + 4 + 2;

/// Beside payload on the wire of Ethernet: Ethernet header, IPv4, UDP, base transport header,
/// invariant checksum, frame check sequence; preamble and gap, bytes.
/// @{
constexpr uint32_t ROCE_HEADERS = 14 + 20 + 8 + 12 + 4 + 4;
constexpr uint32_t ROCE_GAP = 8 + 12;

/// @}

/**
 * @ingroup workload-replay-tests
 * @brief Sizes of the packets of InfiniBand, added up from the headers of its specification.
 */
class LinkLayerSizesTestCase : public TestCase
{
  public:
    LinkLayerSizesTestCase()
        : TestCase("link layers: sizes of packets")
    {
    }

  private:
    void DoRun() override
    {
        const RdmaLinkLayer& layer = RdmaLinkLayer::INFINIBAND;
        const std::vector<std::tuple<uint32_t, bool, uint32_t>> rows{
            {0, false, HEADERS},
            {1, false, HEADERS + 4},
            {4096, false, HEADERS + 4096},
            {0, true, HEADERS + 42},
        };
        for (const auto& [payload, telemetry, bytes] : rows)
        {
            NS_TEST_EXPECT_MSG_EQ(layer.GetDataBytes(payload, telemetry), bytes, payload);
        }
        // The acknowledgement extended transport header, and what a notification reserves.
        NS_TEST_EXPECT_MSG_EQ(layer.GetAckBytes(), HEADERS + 4, "acknowledgement");
        NS_TEST_EXPECT_MSG_EQ(layer.GetCnpBytes(), HEADERS + 16, "notification");
        NS_TEST_EXPECT_MSG_EQ(layer.GetWireBytes(100), 100, "no gap");
        // RFC 4391: 4 bytes of its own, and the datagram header of 8; PadCnt fills up 41 to 44.
        NS_TEST_EXPECT_MSG_EQ(layer.GetInternetBytes(41), HEADERS + 8 + 4 + 44, "IP");
        const RdmaLinkLayer& ethernet = RdmaLinkLayer::ETHERNET;
        NS_TEST_EXPECT_MSG_EQ(ethernet.GetInternetBytes(41), 64, "least frame");
        NS_TEST_EXPECT_MSG_EQ(ethernet.GetInternetBytes(1001), 1001 + 14 + 4, "IP over Ethernet");
        NS_TEST_EXPECT_MSG_EQ(ethernet.GetWireBytes(100), 100 + ROCE_GAP, "preamble and gap");
    }
};

/**
 * @ingroup workload-replay-tests
 * @brief How long a message takes through a switch, and what ports count of it. At 8 Gb/s a byte
 * takes a nanosecond, so that times are sums of bytes and delays, to the nanosecond.
 */
class LinkLayerTimeTestCase : public RdmaTestCase
{
  public:
    LinkLayerTimeTestCase()
        : RdmaTestCase("link layers: times and counters of a message")
    {
    }

  private:
    /// Propagation delay of a link, ns.
    static constexpr int64_t DELAY = 500;

    void DoRun() override
    {
        for (const std::string protocol : {"ns3::RdmaRcProtocol", "ns3::FluidProtocol"})
        {
            Check(protocol, "pfc", ROCE_HEADERS, ROCE_GAP);
            Check(protocol, "credits", HEADERS, 0);
        }
        // A switch that cuts through waits for headers: preamble and least frame, or those of
        // routing and transport.
        CheckCutThrough("pfc", PAYLOAD + ROCE_HEADERS + ROCE_GAP, 8 + 64);
        CheckCutThrough("credits", PAYLOAD + HEADERS, 8 + 12);
    }

    /**
     * Send a message of ten full packets over a switch.
     *
     * @param protocol TypeId name of the protocol
     * @param flowControl the attribute FlowControl
     * @param isCutThrough whether the switch cuts through
     */
    void Run(const std::string& protocol, const std::string& flowControl, bool isCutThrough)
    {
        Reset();
        m_fabric->SetProtocol(protocol);
        m_fabric->SetMtu(PAYLOAD);
        m_fabric->SetNicAttribute("MaxTrain", UintegerValue(1));
        m_fabric->SetSwitchAttribute("CutThrough", BooleanValue(isCutThrough));
        m_fabric->SetDeviceAttribute("FlowControl", StringValue(flowControl));
        Install(MakeStar(2, "8Gbps", NanoSeconds(DELAY)));
        Post(Time(0), 0, 1, 10 * PAYLOAD);
        Simulator::Run();
        ExpectAllDelivered();
    }

    /**
     * @param protocol TypeId name of the protocol
     * @param flowControl the attribute FlowControl
     * @param headers beside the payload of a frame, bytes
     * @param gap between frames, bytes
     */
    void Check(const std::string& protocol,
               const std::string& flowControl,
               uint32_t headers,
               uint32_t gap)
    {
        Run(protocol, flowControl, false);
        const std::string what = protocol + ", " + flowControl;
        const int64_t wire = PAYLOAD + headers + gap;
        // Ten leave the host, and the last one is sent once more by the switch.
        NS_TEST_EXPECT_MSG_EQ(m_fates.front().arrivedAt, NanoSeconds(11 * wire + 2 * DELAY), what);
        const int64_t ack = headers + 4 + gap;
        const Time back = m_fates.front().sentAt - m_fates.front().arrivedAt;
        NS_TEST_EXPECT_MSG_EQ(back, NanoSeconds(2 * (ack + DELAY)), "acknowledgement, " << what);
        const auto counters = m_fabric->GetDevice(0, 0)->GetCounters();
        NS_TEST_EXPECT_MSG_EQ(counters.packets, 10, what);
        NS_TEST_EXPECT_MSG_EQ(counters.bytes, 10 * (PAYLOAD + headers), what);
        NS_TEST_EXPECT_MSG_EQ(counters.wireBytes, static_cast<uint64_t>(10 * wire), what);
        const auto config = m_fabric->GetNic(0)->MakeQueuePairConfig();
        NS_TEST_EXPECT_MSG_EQ_TOL(RdmaFabricHelper::GetGoodputShare(config),
                                  static_cast<double>(PAYLOAD) / wire,
                                  1e-12,
                                  what);
    }

    /**
     * @param flowControl the attribute FlowControl
     * @param wire bytes of a full packet on the wire
     * @param head of which the switch waits for
     */
    void CheckCutThrough(const std::string& flowControl, int64_t wire, int64_t head)
    {
        Run("ns3::RdmaRcProtocol", flowControl, true);
        NS_TEST_EXPECT_MSG_EQ(m_fates.front().arrivedAt,
                              NanoSeconds(10 * wire + head + 2 * DELAY),
                              "cut through, " << flowControl);
    }
};

/**
 * @ingroup workload-replay-tests
 * @brief Two senders fill a link: what each may store at the switch is the receive buffer of its
 * link, in a fluid but for what a step brings, 5 us of a link of 100 Gb/s.
 */
class LinkLayerFluidBufferTestCase : public RdmaTestCase
{
  public:
    LinkLayerFluidBufferTestCase()
        : RdmaTestCase("link layers: receive buffers in a fluid")
    {
    }

  private:
    void DoRun() override
    {
        for (const uint32_t buffer : {131072, 65536})
        {
            const auto fluid = static_cast<double>(GetMaxQueue("ns3::FluidProtocol", buffer));
            const auto packets = static_cast<double>(GetMaxQueue("ns3::RdmaRcProtocol", buffer));
            // A lane stops where a whole frame more would not fit.
            NS_TEST_EXPECT_MSG_EQ_TOL(packets / (2.0 * buffer), 0.9, 0.1, buffer);
            NS_TEST_EXPECT_MSG_GT(fluid, 2.0 * buffer * 0.9, buffer);
            NS_TEST_EXPECT_MSG_LT(fluid, 2.0 * buffer + 5e-6 * 100e9 / 8, buffer);
        }
        // A link carries no more than the buffer, 32 packets, in a round trip: that of a packet of
        // 3994 bytes, of a flow control packet of 6, and of the delay.
        const double packet = (MTU + HEADERS) * 8 / 100e9;
        const double roundTrip = packet + 6 * 8 / 100e9 + 2 * 20e-6;
        for (const std::string protocol : {"ns3::RdmaRcProtocol", "ns3::FluidProtocol"})
        {
            Reset();
            m_fabric->SetProtocol(protocol);
            m_fabric->SetDeviceAttribute("FlowControl", StringValue("credits"));
            Install(MakeStar(2, "100Gbps", MicroSeconds(20)));
            Post(Time(0), 0, 1, 3200 * MTU);
            Simulator::Run();
            NS_TEST_EXPECT_MSG_EQ_TOL(m_fates.front().arrivedAt.GetSeconds(),
                                      3200 * roundTrip / 32 + 2 * 20e-6,
                                      3200 * roundTrip / 32 * 0.02,
                                      protocol << ", a far link");
        }
    }

    /**
     * @param protocol TypeId name of the protocol
     * @param buffer the attribute LaneBuffer
     * @return most that has waited at the switch, bytes
     */
    uint64_t GetMaxQueue(const std::string& protocol, uint32_t buffer)
    {
        Reset();
        m_fabric->SetProtocol(protocol);
        m_fabric->SetDeviceAttribute("FlowControl", StringValue("credits"));
        m_fabric->SetDeviceAttribute("LaneBuffer", UintegerValue(buffer));
        Install(MakeStar(3, "100Gbps", NanoSeconds(500)));
        Post(Time(0), 0, 2, 1000 * MTU);
        Post(Time(0), 1, 2, 1000 * MTU);
        Simulator::Run();
        ExpectAllDelivered();
        return m_fabric->GetDevice(2, 3)->GetCounters().maxQueue;
    }
};

/**
 * @ingroup workload-replay-tests
 * @brief InfiniBand has no packets above 4096 bytes of payload.
 */
class LinkLayerErrorTestCase : public RdmaTestCase
{
  public:
    LinkLayerErrorTestCase()
        : RdmaTestCase("link layers: payload that is too long")
    {
    }

  private:
    void DoRun() override
    {
        Reset();
        m_fabric->SetMtu(PAYLOAD + 1);
        m_fabric->SetDeviceAttribute("FlowControl", StringValue("credits"));
        std::string message;
        try
        {
            Install(MakeStar(2, "100Gbps", NanoSeconds(500)));
        }
        catch (const WorkloadError& error)
        {
            message = error.what();
        }
        const std::string expected = "ns3::RdmaNic::Mtu: error: expected at most 4096 bytes";
        NS_TEST_EXPECT_MSG_EQ(message.find(expected), 0, message);
    }
};

} // namespace

std::vector<TestCase*>
MakeRdmaLinkLayerTestCases()
{
    return {new LinkLayerSizesTestCase,
            new LinkLayerTimeTestCase,
            new LinkLayerFluidBufferTestCase,
            new LinkLayerErrorTestCase};
}

} // namespace ns3
