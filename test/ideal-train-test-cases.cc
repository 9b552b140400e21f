/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ideal-test-cases.h"

#include "ns3/ideal-message-transport.h"
#include "ns3/ideal-network.h"
#include "ns3/message-envelope.h"
#include "ns3/point-to-point-flow.h"
#include "ns3/simulator.h"
#include "ns3/uinteger.h"

#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

namespace
{

/// Parts that a long message is copied in, see PointToPointFlow.
constexpr uint64_t PARTS = 64;

/**
 * @ingroup workload-replay-tests
 * @brief Ranks that send each other messages in parts, over an ideal network; their times.
 */
class PacedRun
{
  public:
    /// Delay of all paths.
    static constexpr int64_t DELAY = 700;

    /**
     * @param rates rate of each rank's port
     * @param isTraced whether somebody listens to each arrival, so that parts go one by one
     */
    PacedRun(const std::vector<std::string>& rates, bool isTraced)
        : m_network(CreateObject<IdealNetwork>())
    {
        m_network->SetPathFinder(MakeCallback(&PacedRun::FindPath));
        for (uint32_t rank = 0; rank < rates.size(); ++rank)
        {
            m_network->AddPort(DataRate(rates[rank]));
            const auto transport = CreateObject<IdealMessageTransport>();
            transport->SetNetwork(m_network, rank);
            transport->SetCallbacks(MakeCallback(&PacedRun::Arrive, this),
                                    MakeCallback(&PacedRun::Sent, this));
            transport->TraceConnectWithoutContext("Delivered",
                                                  MakeCallback(&PacedRun::Count, this));
            if (isTraced)
            {
                transport->TraceConnectWithoutContext("Arrived",
                                                      MakeCallback(&PacedRun::Ignore, this));
            }
            const auto flow = CreateObject<PointToPointFlow>();
            flow->SetAttribute("Slots", UintegerValue(0));
            flow->SetTransport(transport);
            m_transports.push_back(transport);
            m_flows.push_back(flow);
        }
    }

    /**
     * Have a message sent.
     *
     * @param at when
     * @param source from which rank
     * @param destination to which rank
     * @param bytes its size
     * @param rate rate at which it is copied, bytes per ns; 0 = it is not
     */
    void Post(int64_t at, uint32_t source, uint32_t destination, uint64_t bytes, double rate)
    {
        Message message;
        message.source = source;
        message.destination = destination;
        message.bytes = bytes;
        message.cookie = m_posted;
        MessageEnvelope{0, m_posted++, 0, bytes}.AttachTo(message);
        Simulator::Schedule(NanoSeconds(at),
                            &PointToPointFlow::Send,
                            m_flows[source],
                            message,
                            rate * 1e9);
    }

    /// Run to the end.
    void Run()
    {
        Simulator::Run();
        m_events = Simulator::GetEventCount();
        for (uint32_t rank = 0; rank < m_flows.size(); ++rank)
        {
            m_flows[rank]->Dispose();
            m_transports[rank]->Dispose();
        }
        Simulator::Destroy();
    }

    std::map<uint32_t, int64_t> m_arrived;  //!< when each message has arrived, ns
    std::map<uint32_t, int64_t> m_handedAt; //!< when the first part of each was, ns
    std::map<uint64_t, int64_t> m_sent;     //!< when each one was sent, ns
    std::pair<uint64_t, uint64_t> m_totals; //!< messages delivered, and their bytes
    uint64_t m_events{0};                   //!< events of the run

  private:
    /**
     * @param source a rank
     * @param destination a rank
     * @return the path between their ports
     */
    static IdealPath FindPath(uint32_t source, uint32_t destination)
    {
        return {source, destination, NanoSeconds(DELAY)};
    }

    /**
     * @param message what has arrived, of which the flow makes messages
     */
    void Arrive(const Message& message)
    {
        if (const auto whole = m_flows[message.destination]->Arrive(message))
        {
            m_arrived[MessageEnvelope::Of(*whole).tag] = Simulator::Now().GetNanoSeconds();
            m_handedAt[MessageEnvelope::Of(*whole).tag] = whole->postedAt.GetNanoSeconds();
        }
    }

    /**
     * @param cookie of a message that is sent
     */
    void Sent(uint64_t cookie)
    {
        if (cookie != PointToPointFlow::NO_COOKIE)
        {
            m_sent[cookie] = Simulator::Now().GetNanoSeconds();
        }
    }

    /**
     * @param messages messages delivered
     * @param count how many
     */
    void Count(const Message& messages, uint64_t count)
    {
        m_totals.first += count;
        m_totals.second += messages.bytes;
    }

    /**
     * @param message a message
     */
    void Ignore(const Message& message [[maybe_unused]])
    {
    }

    Ptr<IdealNetwork> m_network;                     //!< the network
    std::vector<Ptr<MessageTransport>> m_transports; //!< by rank
    std::vector<Ptr<PointToPointFlow>> m_flows;      //!< by rank
    uint32_t m_posted{0};                            //!< messages posted
};

/**
 * @ingroup workload-replay-tests
 * @brief A message by itself: its last part is sent when it has been copied, after few events.
 */
class LoneTrainTestCase : public TestCase
{
  public:
    LoneTrainTestCase()
        : TestCase("ideal: parts of a message by itself")
    {
    }

  private:
    void DoRun() override
    {
        constexpr uint64_t part = 200000;
        constexpr uint64_t bytes = PARTS * part;
        PacedRun slowCopy({"8Gbps", "8Gbps"}, false);
        slowCopy.Post(1000, 0, 1, bytes, 0.5);
        slowCopy.Run();
        // Copied at 2 ns a byte; then the last part leaves at 1 ns a byte.
        const int64_t sent = 1000 + 2 * bytes + part;
        NS_TEST_EXPECT_MSG_EQ(slowCopy.m_sent[0], sent, "the copy takes longest");
        NS_TEST_EXPECT_MSG_EQ(slowCopy.m_arrived[0], sent + PacedRun::DELAY, "and the delay");
        NS_TEST_EXPECT_MSG_EQ(slowCopy.m_handedAt[0], 1000 + 2 * part, "the first part");
        NS_TEST_EXPECT_MSG_EQ(slowCopy.m_totals.first, PARTS, "all parts are told of");
        NS_TEST_EXPECT_MSG_EQ(slowCopy.m_totals.second, bytes, "with their bytes");
        NS_TEST_EXPECT_MSG_LT(slowCopy.m_events, 10, "not three for each of 64");

        PacedRun slowPort({"8Gbps", "8Gbps"}, false);
        slowPort.Post(1000, 0, 1, bytes, 2);
        slowPort.Run();
        NS_TEST_EXPECT_MSG_EQ(slowPort.m_sent[0],
                              static_cast<int64_t>(1000 + part / 2 + bytes),
                              "the port takes longest");
        NS_TEST_EXPECT_MSG_EQ(slowPort.m_totals.first, PARTS, "all parts");
    }
};

/**
 * @ingroup workload-replay-tests
 * @brief Messages that meet others, one by one or together: the same times, parts and bytes.
 */
class TrainsMeetTestCase : public TestCase
{
  public:
    TrainsMeetTestCase()
        : TestCase("ideal: parts that meet other messages, together as one by one")
    {
    }

  private:
    void DoRun() override
    {
        uint64_t eventsTogether = 0;
        uint64_t eventsOneByOne = 0;
        for (uint32_t seed = 1; seed <= 300; ++seed)
        {
            const auto together = Run(seed, false);
            const auto oneByOne = Run(seed, true);
            const std::string where = "seed " + std::to_string(seed);
            NS_TEST_ASSERT_MSG_EQ(together.m_arrived.size(), MESSAGES, where);
            NS_TEST_EXPECT_MSG_EQ((together.m_arrived == oneByOne.m_arrived), true, where);
            NS_TEST_EXPECT_MSG_EQ((together.m_handedAt == oneByOne.m_handedAt), true, where);
            NS_TEST_EXPECT_MSG_EQ((together.m_sent == oneByOne.m_sent), true, where);
            NS_TEST_EXPECT_MSG_EQ((together.m_totals == oneByOne.m_totals), true, where);
            eventsTogether += together.m_events;
            eventsOneByOne += oneByOne.m_events;
        }
        NS_TEST_EXPECT_MSG_LT(3 * eventsTogether, 2 * eventsOneByOne, "some do go together");
    }

    /**
     * @param seed what the messages are drawn from
     * @param isTraced see PacedRun
     * @return the run
     */
    static PacedRun Run(uint32_t seed, bool isTraced)
    {
        std::mt19937 random(seed);
        const auto draw = [&random](uint32_t below) {
            return static_cast<uint32_t>(random() % below);
        };
        // Rates of which a byte takes whole time steps, and others.
        PacedRun run({"8Gbps", "8Gbps", "3Gbps", "7Gbps", "100Gbps"}, isTraced);
        const std::vector<double> rates{0, 0.25, 0.5, 0.77, 1, 1.9, 3};
        const std::vector<uint64_t> sizes{0, 1, 131072, 131073, 262144, 1000000, 9000001};
        for (uint32_t i = 0; i < MESSAGES; ++i)
        {
            const uint32_t source = draw(5);
            const uint32_t destination = (source + 1 + draw(4)) % 5;
            // Often several in a time step, also in one where a part is handed over.
            run.Post(131072 * static_cast<int64_t>(draw(1500)) + draw(2) * draw(131072),
                     source,
                     destination,
                     sizes[draw(sizes.size())],
                     rates[draw(rates.size())]);
        }
        run.Run();
        return run;
    }

    /// Messages of a run.
    static constexpr std::size_t MESSAGES = 30;
};

} // namespace

std::vector<TestCase*>
MakeIdealTrainTestCases()
{
    return {new LoneTrainTestCase, new TrainsMeetTestCase};
}

} // namespace ns3
