/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-train-test-case.h"
#include "rdma-train-test-cases.h"

#include "ns3/boolean.h"

#include <string>
#include <vector>

namespace ns3
{

namespace
{

/// A preamble and 64 bytes on a link of 100 Gb/s, ns: 5.76.
constexpr int64_t HEAD = 6;

/**
 * @ingroup workload-replay-tests
 * @brief Switches that send packets on when their headers have come: closed forms, and paths on
 * which they store.
 */
class CutThroughTestCase : public RdmaTrainTestCase
{
  public:
    CutThroughTestCase()
        : RdmaTrainTestCase("cut-through switches")
    {
    }

  private:
    void DoRun() override
    {
        for (const uint32_t train : {1, 64, 1024})
        {
            // Each of the first links takes a header's time, and the last one all packets'.
            Check(train, {"100Gbps", "100Gbps"}, 1, HEAD + PACKET);
            Check(train, {"100Gbps", "100Gbps", "100Gbps"}, 1, 2 * HEAD + PACKET);
            Check(train, {"100Gbps", "100Gbps", "100Gbps"}, 3000, 2 * HEAD + 3000 * PACKET);
            // From a fast port to a slow one; the header takes 1.44 ns.
            Check(train, {"400Gbps", "100Gbps"}, 3000, 1 + 3000 * PACKET);
            // A slow port stores, since it would run out of bits amid a packet.
            Check(train, {"100Gbps", "400Gbps"}, 3000, 3000 * PACKET + FAST);
        }
        CheckQueue();
        CheckLink();
    }

    /**
     * @param train most packets of a train
     * @param rates rates of the links of a chain
     * @param packets packets of the message
     * @param expected what the message takes besides the delays, ns
     */
    void Check(uint32_t train,
               const std::vector<std::string>& rates,
               uint32_t packets,
               int64_t expected)
    {
        Begin(train);
        m_fabric->SetSwitchAttribute("CutThrough", BooleanValue(true));
        InstallAndWatch(MakeChain(rates));
        Post(Time(0), 0, 1, packets * MTU);
        Simulator::Run();
        ExpectAllDelivered();
        const auto delays = static_cast<int64_t>(rates.size()) * DELAY;
        NS_TEST_EXPECT_MSG_EQ(m_fates[0].arrivedAt,
                              NanoSeconds(expected + delays),
                              rates.size() << " links, " << rates[0] << " to " << rates.back()
                                           << ", " << packets << " packets, trains of " << train);
    }

    /// Of two packets that come at once, the second one waits for the first one.
    void CheckQueue()
    {
        Begin(1);
        m_fabric->SetSwitchAttribute("CutThrough", BooleanValue(true));
        InstallAndWatch(MakeStar(3, "100Gbps", NanoSeconds(DELAY)));
        Post(Time(0), 0, 2, MTU);
        Post(Time(0), 1, 2, MTU);
        Simulator::Run();
        ExpectAllDelivered();
        for (uint32_t number = 0; number < 2; ++number)
        {
            NS_TEST_EXPECT_MSG_EQ(m_fates[number].arrivedAt,
                                  NanoSeconds(2 * DELAY + HEAD + (1 + number) * PACKET),
                                  "number " << number);
        }
    }

    /// What has begun after a link was mended comes in, though its header does at once.
    void CheckLink()
    {
        Begin(1);
        m_fabric->SetSwitchAttribute("CutThrough", BooleanValue(true));
        InstallAndWatch(MakeStar(2, "100Gbps", NanoSeconds(DELAY)));
        const auto network = m_fabric->GetNetwork();
        network->SetAttribute("ConvergenceTime", TimeValue(Time(0)));
        Simulator::Schedule(NanoSeconds(10), &RdmaNetwork::SetLinkUp, network, 0, false);
        Simulator::Schedule(NanoSeconds(20), &RdmaNetwork::SetLinkUp, network, 0, true);
        Post(NanoSeconds(21), 0, 1, MTU);
        Simulator::Run();
        ExpectAllDelivered();
        NS_TEST_EXPECT_MSG_EQ(m_fates[0].arrivedAt,
                              NanoSeconds(21 + 2 * DELAY + HEAD + PACKET),
                              "at once");
    }
};

} // namespace

std::vector<TestCase*>
MakeRdmaCutThroughTestCases()
{
    return {new CutThroughTestCase};
}

} // namespace ns3
