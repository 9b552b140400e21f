/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef TRANSPORT_TEST_CASE_H
#define TRANSPORT_TEST_CASE_H

#include "ns3/message-transport.h"
#include "ns3/nstime.h"
#include "ns3/simulator.h"
#include "ns3/test.h"

#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief Sends messages and notes what becomes of them; base of all cases.
 *
 * A message is known by its number, which it has as cookie and as tag.
 */
class TransportTestCase : public TestCase
{
  public:
    /**
     * @param name name of the case
     */
    TransportTestCase(const std::string& name)
        : TestCase(name)
    {
    }

  protected:
    /// What has become of a message.
    struct Fate
    {
        Message message;      //!< as posted, with postedAt set
        uint32_t arrivals{0}; //!< how often it has arrived
        uint32_t sents{0};    //!< how often it was reported as sent
        Time arrivedAt;       //!< when it has arrived
        Time sentAt;          //!< when it was sent
    };

    void DoTeardown() override
    {
        Simulator::Destroy();
        m_transports.clear();
        m_fates.clear();
        m_order.clear();
    }

    /**
     * Add the transport of the next rank.
     *
     * @param transport the transport
     */
    void AddRank(Ptr<MessageTransport> transport)
    {
        transport->SetCallbacks(MakeCallback(&TransportTestCase::Arrive, this),
                                MakeCallback(&TransportTestCase::Sent, this));
        m_transports.push_back(transport);
    }

    /**
     * Have a message sent.
     *
     * @param at when
     * @param source from which rank
     * @param destination to which rank
     * @param bytes its size
     * @param channel its channel
     * @param communicator its communicator
     * @return its number
     */
    uint32_t Post(Time at,
                  uint32_t source,
                  uint32_t destination,
                  uint64_t bytes,
                  uint32_t channel = 0,
                  uint32_t communicator = 0)
    {
        const auto number = static_cast<uint32_t>(m_fates.size());
        Fate fate;
        fate.message.source = source;
        fate.message.destination = destination;
        fate.message.group = communicator;
        fate.message.channel = channel;
        fate.message.bytes = bytes;
        fate.message.cookie = number;
        fate.message
            .attachment = {number, 0x01234567, ~number, 0x89abcdef, UINT32_MAX, 0, 1000 + number};
        fate.message.postedAt = at;
        m_fates.push_back(fate);
        Simulator::Schedule(at, &TransportTestCase::Send, this, number);
        return number;
    }

    /**
     * Check the times of a message.
     *
     * @param number the message
     * @param sent when it was to be sent
     * @param arrived when it was to arrive
     */
    void ExpectTimes(uint32_t number, Time sent, Time arrived)
    {
        NS_TEST_EXPECT_MSG_EQ(m_fates.at(number).sentAt, sent, "message " << number << " sent");
        NS_TEST_EXPECT_MSG_EQ(m_fates.at(number).arrivedAt,
                              arrived,
                              "message " << number << " arrived");
    }

    /// Check that every message has arrived once, in order, and was then reported as sent once.
    void ExpectAllDelivered()
    {
        std::map<Connection, std::vector<uint32_t>> posted;
        std::map<Connection, std::vector<uint32_t>> arrived;
        for (uint32_t number = 0; number < m_fates.size(); number++)
        {
            const Fate& fate = m_fates[number];
            NS_TEST_EXPECT_MSG_EQ(fate.arrivals, 1, "arrivals of message " << number);
            NS_TEST_EXPECT_MSG_EQ(fate.sents, 1, "reports that message " << number << " is sent");
            posted[GetConnection(number)].push_back(number);
        }
        for (uint32_t number : m_order)
        {
            arrived[GetConnection(number)].push_back(number);
        }
        NS_TEST_EXPECT_MSG_EQ((posted == arrived), true, "order within connections");
    }

    std::vector<Ptr<MessageTransport>> m_transports; //!< by rank
    std::vector<Fate> m_fates;                       //!< by number; posting order is time order
    std::vector<uint32_t> m_order;                   //!< numbers in order of arrival

  private:
    /// Source, destination, communicator and channel.
    using Connection = std::tuple<uint32_t, uint32_t, uint32_t, uint32_t>;

    /**
     * @param number a message
     * @return its connection
     */
    Connection GetConnection(uint32_t number) const
    {
        const Message& message = m_fates.at(number).message;
        return {message.source, message.destination, message.group, message.channel};
    }

    /**
     * @param number message to send now
     */
    void Send(uint32_t number)
    {
        m_isSending = true;
        m_transports.at(m_fates[number].message.source)->Send(m_fates[number].message);
        m_isSending = false;
    }

    /**
     * @param message what has arrived
     */
    void Arrive(const Message& message)
    {
        NS_TEST_ASSERT_MSG_LT(message.attachment[0], m_fates.size(), "number");
        Fate& fate = m_fates[message.attachment[0]];
        NS_TEST_EXPECT_MSG_EQ(m_isSending, false, "arrival within Send()");
        NS_TEST_EXPECT_MSG_EQ(message.source, fate.message.source, "source");
        NS_TEST_EXPECT_MSG_EQ(message.destination, fate.message.destination, "destination");
        NS_TEST_EXPECT_MSG_EQ(message.group, fate.message.group, "group");
        NS_TEST_EXPECT_MSG_EQ(message.channel, fate.message.channel, "channel");
        NS_TEST_EXPECT_MSG_EQ(message.bytes, fate.message.bytes, "bytes");
        NS_TEST_EXPECT_MSG_EQ(message.postedAt, fate.message.postedAt, "time of posting");
        NS_TEST_EXPECT_MSG_EQ((message.attachment == fate.message.attachment), true, "attachment");
        fate.arrivals++;
        fate.arrivedAt = Simulator::Now();
        m_order.push_back(message.attachment[0]);
    }

    /**
     * @param cookie of the message that is sent
     */
    void Sent(uint64_t cookie)
    {
        NS_TEST_ASSERT_MSG_LT(cookie, m_fates.size(), "cookie");
        NS_TEST_EXPECT_MSG_EQ(m_isSending, false, "completion within Send()");
        m_fates[cookie].sents++;
        m_fates[cookie].sentAt = Simulator::Now();
    }

    bool m_isSending{false}; //!< whether Send() is under way
};

} // namespace ns3

#endif /* TRANSPORT_TEST_CASE_H */
