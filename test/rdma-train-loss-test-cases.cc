/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-train-test-case.h"
#include "rdma-train-test-cases.h"

#include "ns3/error-model.h"
#include "ns3/string.h"

#include <algorithm>
#include <cmath>
#include <list>
#include <string>
#include <vector>

namespace ns3
{

namespace
{

/**
 * @ingroup workload-replay-tests
 * @brief One packet inside a train is lost: that one and no other; repeats and times by hand.
 */
class TrainLossOneTestCase : public RdmaTrainTestCase
{
  public:
    TrainLossOneTestCase()
        : RdmaTrainTestCase("trains: one packet of a train is lost")
    {
    }

  private:
    /// Packets of the message.
    static constexpr int64_t PACKETS = 4000;

    void DoRun() override
    {
        for (const bool selective : {false, true})
        {
            for (const uint32_t lost : {1500, 1501, 1550})
            {
                Check(selective, lost, false);
                Check(selective, lost, true);
            }
        }
    }

    /**
     * @param selective whether repeat is selective
     * @param lost number of the packet that is lost
     * @param isAtSwitch whether it is lost on the first link rather than on the second
     */
    void Check(bool selective, uint32_t lost, bool isAtSwitch)
    {
        const std::string what = std::to_string(lost) + (selective ? " selective" : "") +
                                 (isAtSwitch ? " at the switch" : "");
        Begin(64);
        m_fabric->SetNicAttribute("LossRecovery",
                                  StringValue(selective ? "selective-repeat" : "go-back-n"));
        InstallAndWatch(MakeStar(2, "100Gbps", NanoSeconds(DELAY)));
        auto model = CreateObject<ReceiveListErrorModel>();
        model->SetList({lost});
        const auto port = m_fabric->GetDevice(isAtSwitch ? 0 : 1, isAtSwitch ? 2 : 1);
        port->SetReceiveErrorModel(model);
        Post(Time(0), 0, 1, PACKETS * MTU);
        Simulator::Run();
        ExpectAllDelivered();
        NS_TEST_EXPECT_MSG_EQ(GetDrops(), 1, "drops, " << what);
        NS_TEST_EXPECT_MSG_EQ(port->GetCounters().drops, 1, "drops there, " << what);
        const Unit train = FindUnit(lost);
        NS_TEST_EXPECT_MSG_EQ(train.count, 64, "length of its train, " << what);

        // The next packet tells. At the host packets of a train come in with its last one; at the
        // switch they come by themselves, and the first loss ends the train.
        const uint64_t end = train.sequence + train.count;
        const uint64_t teller = isAtSwitch || lost + 1 == end ? lost + 1 : end - 1;
        const Time told = NanoSeconds(static_cast<int64_t>(teller + 2) * PACKET + 2 * DELAY) +
                          NanoSeconds(2 * (ANSWER + DELAY));
        // All that was begun until then.
        uint64_t sent = 0;
        for (const Unit& unit : m_units)
        {
            sent = unit.at < told ? std::max(sent, unit.sequence + unit.count) : sent;
        }
        const uint64_t repeats = selective ? 1 : sent - lost;
        NS_TEST_ASSERT_MSG_EQ(m_repeated.size(), repeats, "repeats, " << what);
        for (uint64_t i = 0; i < repeats; ++i)
        {
            NS_TEST_EXPECT_MSG_EQ(m_repeated[i], lost + i, "in order, " << what);
        }
        // The link was never idle, but carried the repeats.
        NS_TEST_EXPECT_MSG_EQ(
            m_fates[0].arrivedAt,
            NanoSeconds((PACKETS + static_cast<int64_t>(repeats) + 1) * PACKET + 2 * DELAY),
            "arrival, " << what);
        const auto repeat = std::find_if(m_units.begin(), m_units.end(), [told](const Unit& unit) {
            return unit.at >= told;
        });
        NS_TEST_EXPECT_MSG_EQ(repeat->sequence, lost, "the next one sent, " << what);
        // A round trip of 6 packets without trains follows.
        for (uint32_t i = 0; i < 6; ++i)
        {
            NS_TEST_EXPECT_MSG_EQ((repeat + i)->count, 1, "anew, " << what);
        }
        NS_TEST_EXPECT_MSG_EQ(GetLongest(told + MicroSeconds(100), Time::Max()),
                              64,
                              "long again, " << what);
    }
};

/**
 * @ingroup workload-replay-tests
 * @brief Packets are lost at random: all is delivered once, and as many are lost as ought to be.
 */
class TrainLossRandomTestCase : public RdmaTrainTestCase
{
  public:
    TrainLossRandomTestCase()
        : RdmaTrainTestCase("trains: packets are lost at random")
    {
    }

  private:
    void DoRun() override
    {
        for (const bool selective : {false, true})
        {
            for (const double rate : {0.0002, 0.001, 0.01})
            {
                Check(selective, rate);
            }
        }
    }

    /**
     * @param selective whether repeat is selective
     * @param rate share of the packets that is lost, at either host and at the switch
     */
    void Check(bool selective, double rate)
    {
        Begin(64);
        m_fabric->SetNicAttribute("LossRecovery",
                                  StringValue(selective ? "selective-repeat" : "go-back-n"));
        m_fabric->SetNicAttribute("RetransmissionTimeout", TimeValue(MicroSeconds(200)));
        InstallAndWatch(MakeStar(3, "100Gbps", NanoSeconds(DELAY)));
        std::vector<Ptr<RdmaNetDevice>> ports;
        for (uint32_t host = 0; host < 3; ++host)
        {
            ports.push_back(m_fabric->GetDevice(host, host));
            ports.push_back(m_fabric->GetDevice(host, 3));
        }
        int64_t stream = 10;
        for (const auto& port : ports)
        {
            auto model = CreateObject<RateErrorModel>();
            model->SetUnit(RateErrorModel::ERROR_UNIT_PACKET);
            model->SetRate(rate);
            model->AssignStreams(stream++);
            port->SetReceiveErrorModel(model);
        }
        for (uint32_t number = 0; number < 30; ++number)
        {
            Post(MicroSeconds(50 * number), number % 3, (number + 1) % 3, 1000ULL * MTU + number);
        }
        Simulator::Run();
        ExpectAllDelivered();
        ExpectEmpty();
        double sent = 0;
        for (const auto& port : ports)
        {
            sent += static_cast<double>(port->GetPeer()->GetCounters().packets);
        }
        const double expected = sent * rate;
        NS_TEST_EXPECT_MSG_EQ_TOL(static_cast<double>(GetDrops()),
                                  expected,
                                  4 * std::sqrt(expected),
                                  "lost of " << sent << ", selective " << selective);
        if (rate < 0.01)
        {
            NS_TEST_EXPECT_MSG_GT(GetLongest(Time(0), Time::Max()), 8, "trains are sent");
        }
    }
};

/**
 * @ingroup workload-replay-tests
 * @brief A link is cut in the middle of a train, and mended.
 */
class TrainCutTestCase : public RdmaTrainTestCase
{
  public:
    TrainCutTestCase()
        : RdmaTrainTestCase("trains: a link is cut and mended")
    {
    }

  private:
    void DoRun() override
    {
        for (const bool selective : {false, true})
        {
            for (const uint32_t link : {0, 1, 2})
            {
                // For longer than the timeout, and for less than a train of 20.7 us takes, which
                // then gets through.
                Check(selective, link, MilliSeconds(5));
                Check(selective, link, MicroSeconds(5));
            }
        }
    }

    /**
     * @param selective whether repeat is selective
     * @param link link that is cut
     * @param duration for how long
     */
    void Check(bool selective, uint32_t link, Time duration)
    {
        const std::string what = "link " + std::to_string(link) +
                                 (selective ? " selective " : " ") +
                                 std::to_string(duration.GetMicroSeconds()) + " us";
        Begin(64);
        m_fabric->SetNicAttribute("LossRecovery",
                                  StringValue(selective ? "selective-repeat" : "go-back-n"));
        m_fabric->SetNicAttribute("RetransmissionTimeout", TimeValue(MicroSeconds(4195)));
        InstallAndWatch(MakeChain({"100Gbps", "100Gbps", "100Gbps"}));
        Post(Time(0), 0, 1, 4000 * MTU);
        const Time cut = MicroSeconds(500);
        for (const bool up : {false, true})
        {
            Simulator::Schedule(up ? cut + duration : cut,
                                &RdmaNetwork::SetLinkUp,
                                m_fabric->GetNetwork(),
                                link,
                                up);
        }
        Simulator::Run();
        ExpectAllDelivered();
        ExpectEmpty();
        NS_TEST_EXPECT_MSG_EQ(GetLongest(Time(0), cut), 64, "trains, " << what);
        if (duration > MilliSeconds(1))
        {
            NS_TEST_EXPECT_MSG_GT(GetDrops(), 0, "something is lost, " << what);
        }
        // A message of 1.3 ms, the cut, a timeout, and what was sent in vain.
        NS_TEST_EXPECT_MSG_LT(m_fates[0].arrivedAt, MicroSeconds(2600 + 2 * 4195) + duration, what);
    }
};

} // namespace

std::vector<TestCase*>
MakeRdmaTrainLossTestCases()
{
    return {new TrainLossOneTestCase, new TrainLossRandomTestCase, new TrainCutTestCase};
}

} // namespace ns3
