/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "port-isolation-test-cases.h"

#include "rdma-test-case.h"
#include "scheduled-call.h"

#include "ns3/port-reservations.h"
#include "ns3/rdma-port-isolation.h"
#include "ns3/replay-helper.h"
#include "ns3/topology-builder.h"
#include "ns3/uinteger.h"

#include <string>
#include <vector>

namespace ns3
{

namespace
{

/// Communicator that reservations places.
constexpr uint32_t OWN = 7;

/**
 * @param communicator a communicator
 * @param channel its channel
 * @return a message of it
 */
Message
MakeMessage(uint32_t communicator, uint32_t channel = 0)
{
    Message message;
    message.destination = 1;
    message.group = communicator;
    message.channel = channel;
    message.bytes = 1000;
    return message;
}

/**
 * @ingroup workload-replay-tests
 * @brief The books about messages at places, of which 0 and 1 are reserved together.
 */
class PortReservationsTestCase : public TestCase
{
  public:
    PortReservationsTestCase()
        : TestCase("port reservations: free, quiet, interrupted")
    {
    }

  private:
    void DoRun() override
    {
        m_reservations.Resize(3);
        NS_TEST_EXPECT_MSG_EQ(m_reservations.IsFree(0), true, "nothing is there");
        m_reservations.Begin(0, MakeMessage(OWN));
        NS_TEST_EXPECT_MSG_EQ(m_reservations.IsFree(0), false, "a message is under way");
        m_reservations.End(0);
        NS_TEST_EXPECT_MSG_EQ(m_reservations.IsFree(0), true, "none is any more");
        Reserve();
        NS_TEST_EXPECT_MSG_EQ(m_reservations.IsFree(1), false, "reserved");
        NS_TEST_EXPECT_MSG_EQ(m_reservations.IsFree(2), true, "not reserved");
        CheckQuiet();
        CheckInterrupted();
        ScheduleCall(NanoSeconds(150), [this]() { CheckCounters(); });
        Simulator::Run();
        Simulator::Destroy();
    }

    /// Have places 0 and 1.
    void Reserve()
    {
        m_reservations.Reserve({0, 1},
                               OWN,
                               MakeCallback(&PortReservationsTestCase::Interrupt, this),
                               MakeCallback(&PortReservationsTestCase::Quiet, this));
    }

    /// The places are quiet when the last of the owner's messages is over, at both ends.
    void CheckQuiet()
    {
        NS_TEST_EXPECT_MSG_EQ(m_reservations.IsQuiet(1), true, "no message yet");
        for (const uint32_t place : {0, 1, 0, 1})
        {
            m_reservations.Begin(place, MakeMessage(OWN));
        }
        for (const uint32_t place : {0, 1, 0})
        {
            m_reservations.End(place);
            NS_TEST_EXPECT_MSG_EQ(m_reservations.IsQuiet(1), false, "messages are under way");
        }
        NS_TEST_EXPECT_MSG_EQ(m_quiet, 0, "told too early");
        m_reservations.End(1);
        NS_TEST_EXPECT_MSG_EQ(m_reservations.IsQuiet(1), true, "all messages are over");
        NS_TEST_EXPECT_MSG_EQ(m_quiet, 1, "told once");
        NS_TEST_EXPECT_MSG_EQ(m_interrupted, 0, "the owner's messages interrupt nobody");
    }

    /// Messages of others, and background traffic of whatever communicator, interrupt the owner.
    void CheckInterrupted()
    {
        m_reservations.Begin(2, MakeMessage(OWN + 1));
        NS_TEST_EXPECT_MSG_EQ(m_interrupted, 0, "at another place");
        m_reservations.Begin(0, MakeMessage(OWN + 1));
        NS_TEST_EXPECT_MSG_EQ(m_interrupted, 1, "another communicator");
        m_reservations.Begin(1, MakeMessage(OWN, Message::FIRST_BACKGROUND_CHANNEL));
        NS_TEST_EXPECT_MSG_EQ(m_interrupted, 2, "background traffic");
        m_reservations.InterruptAll();
        NS_TEST_EXPECT_MSG_EQ(m_interrupted, 4, "at each place");
        m_reservations.Release({0, 1});
        m_reservations.InterruptAll();
        m_reservations.Begin(0, MakeMessage(OWN + 1));
        NS_TEST_EXPECT_MSG_EQ(m_interrupted, 4, "nobody has the places");
        NS_TEST_EXPECT_MSG_EQ(m_quiet, 1, "nothing has become quiet");
    }

    /// Messages that have come are told with the time they took, and whether they would again.
    void CheckCounters()
    {
        Reserve();
        Message message = MakeMessage(OWN);
        message.postedAt = NanoSeconds(50);
        m_reservations.Count(0, message);
        m_reservations.Count(1, message);
        m_reservations.Count(2, message);
        m_reservations.Count(0, MakeMessage(OWN, Message::CONTROL_CHANNEL));
        PortIsolation::Counters counters;
        m_reservations.AddTo(1, counters);
        NS_TEST_ASSERT_MSG_EQ(counters.messages.size(), 1, "messages that are alike");
        NS_TEST_EXPECT_MSG_EQ(counters.messages[0].count, 2, "how many");
        NS_TEST_EXPECT_MSG_EQ(counters.messages[0].duration,
                              NanoSeconds(100),
                              "since it was posted");
        NS_TEST_EXPECT_MSG_EQ(counters.messages[0].destination, 1, "receiver");
        NS_TEST_EXPECT_MSG_EQ(counters.messages[0].bytes, 1000, "payload");
        NS_TEST_EXPECT_MSG_EQ(counters.isSteady, true, "as nobody says otherwise");
        m_reservations.NoteUnsteady(2);
        m_reservations.AddTo(1, counters);
        NS_TEST_EXPECT_MSG_EQ(counters.isSteady, true, "something at another place");
        m_reservations.NoteUnsteady(0);
        m_reservations.AddTo(1, counters);
        NS_TEST_EXPECT_MSG_EQ(counters.isSteady, false, "something at one of the places");
    }

    /// Somebody is interrupted.
    void Interrupt()
    {
        ++m_interrupted;
    }

    /// Nothing of the owner's is under way.
    void Quiet()
    {
        ++m_quiet;
    }

    PortReservations m_reservations; //!< the books
    uint32_t m_interrupted{0};       //!< calls of Interrupt()
    uint32_t m_quiet{0};             //!< calls of Quiet()
};

/**
 * @ingroup workload-replay-tests
 * @brief What the ports of ranks in servers of two are like, and what is counted there.
 */
class PortIsolationTestCase : public RdmaTestCase
{
  public:
    PortIsolationTestCase()
        : RdmaTestCase("port isolation: descriptions and messages of switches")
    {
    }

  private:
    void DoRun() override
    {
        Reset();
        FabricParameters parameters;
        parameters.gpusPerServer = 2;
        Install(TopologyBuilder::Build(TopologySpec("rail"), 6, parameters));
        CheckDescriptions();
        CheckSwitch();
    }

    /// Equal ports have equal descriptions, which differ if a host's attributes do.
    void CheckDescriptions()
    {
        const auto network = ReplayHelper::IsolatePorts(*m_fabric, false);
        NS_TEST_EXPECT_MSG_EQ(network->Describe({0, 1}).empty(),
                              true,
                              "NVLink that does not count");
        NS_TEST_EXPECT_MSG_EQ(network->Describe({0, 2}).empty(), false, "the network does");
        const auto all = ReplayHelper::IsolatePorts(*m_fabric, true);
        NS_TEST_EXPECT_MSG_EQ(all->Describe({0, 1}).empty(), false, "NVLink that counts");
        NS_TEST_EXPECT_MSG_EQ(all->Describe({0, 2}).empty(), false, "the network does, too");
        NS_TEST_EXPECT_MSG_EQ(all->Describe({0, 3}).empty(),
                              true,
                              "no one switch joins different rails");
        NS_TEST_EXPECT_MSG_EQ(all->Describe({0, 1}), all->Describe({2, 3}), "equal servers");
        m_fabric->GetNic(3)->SetAttribute("MaxTrain", UintegerValue(16));
        NS_TEST_EXPECT_MSG_NE(all->Describe({0, 1}), all->Describe({2, 3}), "another attribute");
        NS_TEST_EXPECT_MSG_EQ(all->Describe({0, 1}), all->Describe({4, 5}), "the others are equal");
    }

    /// A message counts at the host that it comes from or goes to, the other end being a switch.
    void CheckSwitch()
    {
        const auto network = m_fabric->GetNetwork();
        const auto& graph = network->GetGraph();
        const auto host = graph.GetHosts()[0];
        const auto joint = graph.GetPeer(graph.GetFirstLink(host, true), host);
        const auto isolation =
            DynamicCast<RdmaPortIsolation>(ReplayHelper::IsolatePorts(*m_fabric, true));
        const PortIsolation::Ranks ranks{0, 1};
        isolation->Describe(ranks);
        const auto ignore = MakeCallback(&PortIsolationTestCase::Ignore, this);
        NS_TEST_ASSERT_MSG_EQ(isolation->Reserve(ranks, OWN, ignore, ignore),
                              true,
                              "nothing moves");
        isolation->StartCounting(ranks);
        isolation->Count(host, joint, MakeMessage(OWN));
        isolation->Count(joint, host, MakeMessage(OWN));
        const auto counters = isolation->TakeCounters(ranks, OWN, Time(0));
        NS_TEST_ASSERT_MSG_EQ(counters->messages.size(), 1, "they are alike");
        NS_TEST_EXPECT_MSG_EQ(counters->messages[0].count, 2, "in either direction");
        NS_TEST_EXPECT_MSG_EQ(counters->isSteady, true, "nothing has happened");
    }

    /// Nothing depends on it.
    void Ignore()
    {
    }
};

} // namespace

std::vector<TestCase*>
MakePortIsolationTestCases()
{
    return {new PortReservationsTestCase, new PortIsolationTestCase};
}

} // namespace ns3
