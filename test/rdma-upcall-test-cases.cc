/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-upcall-test-cases.h"

#include "rdma-test-case.h"

#include "ns3/error-model.h"
#include "ns3/string.h"

#include <array>
#include <cstdint>
#include <string>

namespace ns3
{

namespace
{

/**
 * @ingroup workload-replay-tests
 * @brief Messages that are posted from within the upcalls, under loss and each congestion control.
 */
class LossUpcallTestCase : public RdmaTestCase
{
  public:
    LossUpcallTestCase()
        : RdmaTestCase("loss: messages posted from within upcalls")
    {
    }

  private:
    void DoRun() override
    {
        for (const auto control : {"NoCongestionControl", "Dcqcn", "Hpcc", "Timely", "Swift"})
        {
            for (const bool selective : {false, true})
            {
                Check(control, selective, 0.03);
                Check(control, selective, 0.15);
            }
        }
    }

    /**
     * Keep eight messages under way from rank 0 to rank 1, and as many back.
     *
     * @param control congestion control
     * @param selective whether repeat is selective
     * @param loss share of the packets that is lost
     */
    void Check(const std::string& control, bool selective, double loss)
    {
        Reset();
        m_fabric->SetCongestionControl("ns3::Rdma" + control);
        m_fabric->SetNicAttribute("LossRecovery",
                                  StringValue(selective ? "selective-repeat" : "go-back-n"));
        m_fabric->SetNicAttribute("RetransmissionTimeout", TimeValue(MicroSeconds(50)));
        Install(MakeStar(2, "100Gbps", NanoSeconds(500)));
        m_repeats = 0;
        m_posted = {};
        m_arrived = {};
        m_acknowledged = 0;
        for (uint32_t rank = 0; rank < 2; ++rank)
        {
            auto model = CreateObject<RateErrorModel>();
            model->SetUnit(RateErrorModel::ERROR_UNIT_PACKET);
            model->SetRate(loss);
            model->AssignStreams(20 + rank);
            m_fabric->GetDevice(rank, rank)->SetReceiveErrorModel(model);
            m_fabric->GetNic(rank)->TraceConnectWithoutContext(
                "Retransmission",
                MakeCallback(&LossUpcallTestCase::Repeat, this));
            m_transports[rank]->SetCallbacks(MakeCallback(&LossUpcallTestCase::Arrive, this),
                                             MakeCallback(&LossUpcallTestCase::Sent, this));
        }
        for (uint32_t number = 0; number < 16; ++number)
        {
            PostNext(number % 2);
        }
        Simulator::Run();
        const std::string what = control + (selective ? ", selective repeat" : ", go-back-N");
        NS_TEST_EXPECT_MSG_EQ(m_arrived[0] + m_arrived[1], 2 * MESSAGES, "arrived, " << what);
        NS_TEST_EXPECT_MSG_EQ(m_acknowledged, 2 * MESSAGES, "acknowledged, " << what);
        NS_TEST_EXPECT_MSG_GT(m_repeats, 10, "something was lost, " << what);
    }

    /**
     * @param source rank to send the next message from
     */
    void PostNext(uint32_t source)
    {
        if (m_posted[source] < MESSAGES)
        {
            Message message;
            message.source = source;
            message.destination = 1 - source;
            message.envelope.tag = m_posted[source]++;
            message.bytes = GetBytes(message.envelope.tag);
            message.cookie = source;
            m_transports[source]->Send(message);
        }
    }

    /**
     * @param tag number of a message
     * @return its size
     */
    static uint64_t GetBytes(uint32_t tag)
    {
        return tag * 7919ULL % 20000;
    }

    /**
     * @param packet packet that is sent again
     */
    void Repeat(const RdmaPacket& packet [[maybe_unused]])
    {
        ++m_repeats;
    }

    /**
     * @param message what has arrived
     */
    void Arrive(const Message& message)
    {
        NS_TEST_EXPECT_MSG_EQ(message.envelope.tag, m_arrived[message.source], "order");
        NS_TEST_EXPECT_MSG_EQ(message.bytes, GetBytes(message.envelope.tag), "size");
        ++m_arrived[message.source];
    }

    /**
     * @param cookie of the message that is sent
     */
    void Sent(uint64_t cookie)
    {
        ++m_acknowledged;
        PostNext(static_cast<uint32_t>(cookie));
    }

    static constexpr uint32_t MESSAGES = 500; //!< messages of each rank
    std::array<uint32_t, 2> m_posted{};       //!< messages posted, by source
    std::array<uint32_t, 2> m_arrived{};      //!< messages that have arrived, by source
    uint32_t m_acknowledged{0};               //!< messages acknowledged
    uint32_t m_repeats{0};                    //!< packets sent again
};

} // namespace

std::vector<TestCase*>
MakeRdmaUpcallTestCases()
{
    return {new LossUpcallTestCase};
}

} // namespace ns3
