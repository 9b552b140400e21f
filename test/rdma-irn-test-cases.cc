/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-reliability-test-cases.h"
#include "rdma-test-case.h"

#include "ns3/double.h"
#include "ns3/error-model.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <list>

namespace ns3
{

namespace
{

/// A full packet on a link of 100 Gb/s, ns.
constexpr int64_t PACKET = 324;

/// From the beginning of a packet to its arrival over two links of 500 ns.
constexpr int64_t THERE = 2 * (PACKET + 500);

/// From then to the arrival of the acknowledgement: 86 bytes take 6.88 ns.
constexpr double BACK = 2 * (6.88 + 500);

/// The two timeouts of IRN.
/// @{
const Time LONG = MicroSeconds(320);
const Time SHORT = MicroSeconds(100);

/// @}

/**
 * @ingroup workload-replay-tests
 * @brief Selective repeat as IRN has it: two timeouts, and no more on its way than a
 * bandwidth-delay product.
 */
class IrnTestCase : public RdmaTestCase
{
  public:
    IrnTestCase()
        : RdmaTestCase("loss: two timeouts and a limit of what is on its way, as in IRN")
    {
    }

  private:
    void DoRun() override
    {
        // The last of ten is lost, and is alone when all others are acknowledged.
        Expect(10, {9}, 0, NanoSeconds(8 * PACKET + THERE + BACK) + SHORT + NanoSeconds(THERE));
        // Of three none is acknowledged; they are sent again together.
        Expect(3, {0, 1, 2}, 0, SHORT + NanoSeconds(2 * PACKET + THERE));
        // Of ten none is acknowledged, which are more than three.
        Expect(10, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9}, 0, LONG + NanoSeconds(9 * PACKET + THERE));
        // The product is 33271 bytes: nine packets begin before it is reached, which last longer
        // than a round trip. Half of it are five, and the sixth waits for the first one's return.
        Expect(1000, {}, 1, NanoSeconds(999 * PACKET + THERE));
        Expect(50, {}, 0.5, NanoSeconds(9 * (THERE + BACK) + 4 * PACKET + THERE));
    }

    /**
     * Send a message between two hosts at a switch.
     *
     * @param packets packets of the message
     * @param lost which ones are lost
     * @param limit most that is on its way, in bandwidth-delay products
     * @param arrival when the message is to have come in whole
     */
    void Expect(uint32_t packets, const std::list<uint32_t>& lost, double limit, Time arrival)
    {
        Reset();
        m_fabric->SetNicAttribute("LossRecovery", StringValue("selective-repeat"));
        m_fabric->SetNicAttribute("RetransmissionTimeout", TimeValue(LONG));
        m_fabric->SetNicAttribute("ShortTimeout", TimeValue(SHORT));
        m_fabric->SetNicAttribute("InFlightLimit", DoubleValue(limit));
        m_fabric->SetNicAttribute("AckInterval", UintegerValue(1));
        m_fabric->SetNicAttribute("MaxTrain", UintegerValue(1));
        Install(MakeStar(2, "100Gbps", NanoSeconds(500)));
        auto model = CreateObject<ReceiveListErrorModel>();
        model->SetList(lost);
        m_fabric->GetDevice(1, 1)->SetReceiveErrorModel(model);
        Post(Time(0), 0, 1, packets * MTU);
        Simulator::Run();
        ExpectAllDelivered();
        // A clock of picoseconds, or of nanoseconds, rounds each of up to ten round trips.
        NS_TEST_EXPECT_MSG_EQ_TOL(m_fates[0].arrivedAt,
                                  arrival,
                                  NanoSeconds(10),
                                  packets << " packets, " << lost.size() << " lost");
    }
};

} // namespace

std::vector<TestCase*>
MakeRdmaIrnTestCases()
{
    return {new IrnTestCase};
}

} // namespace ns3
