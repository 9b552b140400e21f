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
#include <utility>
#include <vector>

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
            message.attachment[0] = m_posted[source]++;
            message.bytes = GetBytes(message.attachment[0]);
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
        NS_TEST_EXPECT_MSG_EQ(message.attachment[0], m_arrived[message.source], "order");
        NS_TEST_EXPECT_MSG_EQ(message.bytes, GetBytes(message.attachment[0]), "size");
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

/**
 * @ingroup workload-replay-tests
 * @brief What is told of a switch's queue to a host, to which two others send a packet each at a
 * time: one of them waits, 324 ns at 100 Gb/s.
 */
class QueueUpcallTestCase : public RdmaTestCase
{
  public:
    QueueUpcallTestCase()
        : RdmaTestCase("upcalls: packets that wait, leave and are lost")
    {
    }

  private:
    /// Frame of a full packet, bytes.
    static constexpr uint64_t FRAME = MTU + 62;

    /// When the packets have come to the switch, ns.
    static constexpr int64_t COME = 324 + 500;

    void DoRun() override
    {
        const Change comes{COME, FRAME};
        Check(Time::Max(), {comes, {COME + 324, 0}}, 1, 0);
        // The packet that is being sent does not arrive either.
        Check(NanoSeconds(COME + 100), {comes, {COME + 100, 0}}, 0, 1);
        NS_TEST_EXPECT_MSG_EQ(m_fabric->GetDevice(2, 2)->GetCounters().drops, 1, "far end");
        // Nothing can wait where there is no link.
        RdmaPacketPtr packet(new RdmaPacket(RdmaPacket::DATA, FRAME));
        packet->source = 2;
        const auto host = m_fabric->GetDevice(2, 2);
        host->Enqueue(std::move(packet));
        NS_TEST_EXPECT_MSG_EQ(host->GetCounters().drops, 2, "no link");
    }

    /// Time, ns, and bytes that wait from then on.
    using Change = std::pair<int64_t, uint64_t>;

    /**
     * @param cut when the link to the receiver is cut
     * @param changes changes of the queue's length
     * @param left packets that leave the queue
     * @param drops packets that the port loses
     */
    void Check(Time cut, const std::vector<Change>& changes, uint32_t left, uint64_t drops)
    {
        Reset();
        Install(MakeStar(3, "100Gbps", NanoSeconds(500)));
        m_changes.clear();
        m_left = 0;
        const auto port = m_fabric->GetDevice(2, 3);
        port->TraceConnectWithoutContext("QueueLength",
                                         MakeCallback(&QueueUpcallTestCase::Note, this));
        port->TraceConnectWithoutContext("Dequeue",
                                         MakeCallback(&QueueUpcallTestCase::Leave, this));
        if (cut != Time::Max())
        {
            const auto network = m_fabric->GetNetwork();
            Simulator::Schedule(cut, &RdmaNetwork::SetLinkUp, network, 2, false);
        }
        Post(Time(0), 0, 2, MTU);
        Post(Time(0), 1, 2, MTU);
        Simulator::Stop(MicroSeconds(10));
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ((m_changes == changes), true, "lengths, cut at " << cut);
        NS_TEST_EXPECT_MSG_EQ(m_left, left, "packets that leave, cut at " << cut);
        NS_TEST_EXPECT_MSG_EQ(port->GetCounters().drops, drops, "drops, cut at " << cut);
    }

    /**
     * @param priority priority whose queue has changed
     * @param bytes its length
     */
    void Note(uint8_t priority [[maybe_unused]], uint64_t bytes)
    {
        m_changes.emplace_back(Simulator::Now().GetNanoSeconds(), bytes);
    }

    /**
     * @param packet packet that leaves the queue
     */
    void Leave(const RdmaPacket& packet [[maybe_unused]])
    {
        ++m_left;
    }

    std::vector<Change> m_changes; //!< changes of the queue's length
    uint32_t m_left{0};            //!< packets that have left it
};

} // namespace

std::vector<TestCase*>
MakeRdmaUpcallTestCases()
{
    return {new LossUpcallTestCase, new QueueUpcallTestCase};
}

} // namespace ns3
