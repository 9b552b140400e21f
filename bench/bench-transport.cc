/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

/**
 * @file
 * @ingroup workload-replay
 * Speed of the message transports, by CPU time of the event loop: messages per second over the
 * ideal network in a ring and in an all-to-all, packet-hops per second over TCP.
 */

#include "ns3/core-module.h"
#include "ns3/ideal-message-transport.h"
#include "ns3/internet-module.h"
#include "ns3/network-module.h"
#include "ns3/point-to-point-module.h"
#include "ns3/tcp-message-transport.h"

#include <ctime>
#include <iostream>
#include <memory>
#include <random>
#include <vector>

using namespace ns3;

namespace
{

/// A rank that passes messages on round a ring.
class RingRank
{
  public:
    /**
     * @param transport the rank's transport
     * @param rank the rank
     * @param ranks number of ranks
     * @param messages how many messages to send
     * @param bytes size of each
     */
    RingRank(Ptr<MessageTransport> transport,
             uint32_t rank,
             uint32_t ranks,
             uint32_t messages,
             uint64_t bytes)
        : m_transport(transport),
          m_left(messages)
    {
        m_message.source = rank;
        m_message.destination = (rank + 1) % ranks;
        m_message.bytes = bytes;
        m_transport->SetCallbacks(MakeCallback(&RingRank::Receive, this),
                                  MakeCallback(&RingRank::Sent, this));
    }

    /// Send a message, unless all are sent.
    void Send()
    {
        if (m_left > 0)
        {
            m_left--;
            m_transport->Send(m_message);
        }
    }

  private:
    /**
     * @param message what has arrived
     */
    void Receive(const Message& message [[maybe_unused]])
    {
        Send();
    }

    /**
     * @param cookie of the message
     */
    void Sent(uint64_t cookie [[maybe_unused]])
    {
    }

    Ptr<MessageTransport> m_transport; //!< the rank's transport
    Message m_message;                 //!< what is sent
    uint32_t m_left;                   //!< messages still to send
};

/// Counts what arrives.
class Counter
{
  public:
    /**
     * @param transport transport to listen to
     */
    void Watch(Ptr<MessageTransport> transport)
    {
        transport->SetCallbacks(MakeCallback(&Counter::Receive, this),
                                MakeCallback(&Counter::Sent, this));
    }

    /// @return messages arrived
    uint64_t GetMessages() const
    {
        return m_messages;
    }

    /**
     * Trace sink of a device.
     *
     * @param packet a packet that leaves it
     */
    void Packet(Ptr<const ns3::Packet> packet [[maybe_unused]])
    {
        m_packets++;
    }

    /// @return packets that have left a device
    uint64_t GetPackets() const
    {
        return m_packets;
    }

  private:
    /**
     * @param message what has arrived
     */
    void Receive(const Message& message [[maybe_unused]])
    {
        m_messages++;
    }

    /**
     * @param cookie of the message
     */
    void Sent(uint64_t cookie [[maybe_unused]])
    {
    }

    uint64_t m_messages{0}; //!< messages arrived
    uint64_t m_packets{0};  //!< packets sent by devices
};

/**
 * Run the simulation.
 *
 * @return CPU seconds that it took
 */
double
RunTimed()
{
    const std::clock_t start = std::clock();
    Simulator::Run();
    return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
}

/**
 * @param source a rank
 * @param destination a rank
 * @return the path between the ranks' own ports
 */
IdealPath
OwnPorts(uint32_t source, uint32_t destination)
{
    return {source, destination, MicroSeconds(1)};
}

/**
 * @param ranks number of ranks
 * @return one transport for each rank, with a 400 Gbit/s port each
 */
std::vector<Ptr<MessageTransport>>
MakeIdeal(uint32_t ranks)
{
    auto network = CreateObject<IdealNetwork>();
    network->SetPathFinder(MakeCallback(&OwnPorts));
    std::vector<Ptr<MessageTransport>> transports;
    for (uint32_t rank = 0; rank < ranks; rank++)
    {
        network->AddPort(DataRate("400Gbps"));
        auto transport = CreateObject<IdealMessageTransport>();
        transport->SetNetwork(network, rank);
        transports.emplace_back(transport);
    }
    return transports;
}

/**
 * Print a line of the result.
 *
 * @param name what was measured
 * @param count how many things were done
 * @param unit their name
 * @param seconds CPU time that it took
 */
void
Print(const std::string& name, uint64_t count, const std::string& unit, double seconds)
{
    std::cout << name << ": " << count << " " << unit << " in " << seconds << " CPU s, "
              << count / seconds << " " << unit << "/s, "
              << Simulator::GetEventCount() / static_cast<double>(count) << " events/" << unit
              << "\n";
}

/**
 * Ring: every rank answers an arrival by the next message.
 *
 * @param ranks number of ranks
 * @param messages number of messages of each rank
 * @param spread time within which the ranks begin; 0 = in lockstep
 */
void
BenchRing(uint32_t ranks, uint32_t messages, Time spread)
{
    auto transports = MakeIdeal(ranks);
    std::vector<std::unique_ptr<RingRank>> ring;
    for (uint32_t rank = 0; rank < ranks; rank++)
    {
        ring.push_back(
            std::make_unique<RingRank>(transports[rank], rank, ranks, messages, 1000000));
        Simulator::Schedule(spread * rank / ranks, &RingRank::Send, ring.back().get());
    }
    const double seconds = RunTimed();
    Print(spread.IsZero() ? "ideal ring, in lockstep" : "ideal ring, staggered",
          static_cast<uint64_t>(ranks) * messages,
          "messages",
          seconds);
    Simulator::Destroy();
}

/**
 * All-to-all: every rank posts its messages to all others at once.
 *
 * @param ranks number of ranks
 * @param rounds how often
 * @param even whether all messages have the same size
 */
void
BenchAllToAll(uint32_t ranks, uint32_t rounds, bool even)
{
    auto transports = MakeIdeal(ranks);
    Counter counter;
    std::mt19937 random(1);
    for (auto& transport : transports)
    {
        counter.Watch(transport);
    }
    for (uint32_t round = 0; round < rounds; round++)
    {
        for (uint32_t source = 0; source < ranks; source++)
        {
            for (uint32_t destination = 0; destination < ranks; destination++)
            {
                Message message;
                message.source = source;
                message.destination = destination;
                message.bytes = even ? 100000 : random() % 200000;
                if (source != destination)
                {
                    Simulator::Schedule(MilliSeconds(round),
                                        &MessageTransport::Send,
                                        transports[source],
                                        message);
                }
            }
        }
    }
    const double seconds = RunTimed();
    Print(even ? "ideal all-to-all, even" : "ideal all-to-all, uneven",
          counter.GetMessages(),
          "messages",
          seconds);
    Simulator::Destroy();
}

/**
 * TCP: one large message between two hosts with a router between them.
 *
 * @param bytes size of the message
 */
void
BenchTcp(uint64_t bytes)
{
    NodeContainer nodes(3);
    InternetStackHelper().Install(nodes);
    PointToPointHelper link;
    link.SetDeviceAttribute("DataRate", StringValue("100Gbps"));
    link.SetDeviceAttribute("Mtu", UintegerValue(9000));
    link.SetChannelAttribute("Delay", StringValue("1us"));
    Ipv4AddressHelper left("10.0.1.0", "255.255.255.0");
    Ipv4AddressHelper right("10.0.2.0", "255.255.255.0");
    NetDeviceContainer devices = link.Install(nodes.Get(0), nodes.Get(1));
    Ipv4InterfaceContainer leftHosts = left.Assign(devices);
    NetDeviceContainer more = link.Install(nodes.Get(1), nodes.Get(2));
    Ipv4InterfaceContainer rightHosts = right.Assign(more);
    devices.Add(more);
    Ipv4GlobalRoutingHelper::PopulateRoutingTables();

    auto addresses = std::make_shared<std::vector<InetSocketAddress>>();
    addresses->emplace_back(leftHosts.GetAddress(0), 5000);
    addresses->emplace_back(rightHosts.GetAddress(1), 5000);
    auto sender = CreateObject<TcpMessageTransport>();
    auto receiver = CreateObject<TcpMessageTransport>();
    sender->Install(nodes.Get(0), 0, addresses);
    receiver->Install(nodes.Get(2), 1, addresses);
    Counter counter;
    counter.Watch(sender);
    counter.Watch(receiver);
    for (uint32_t i = 0; i < devices.GetN(); i++)
    {
        devices.Get(i)->TraceConnectWithoutContext("PhyTxEnd",
                                                   MakeCallback(&Counter::Packet, &counter));
    }
    Message message;
    message.destination = 1;
    message.bytes = bytes;
    Simulator::Schedule(Seconds(0), &MessageTransport::Send, sender, message);
    const double seconds = RunTimed();
    Print("tcp", counter.GetPackets(), "packet-hops", seconds);
    NS_ABORT_MSG_IF(counter.GetMessages() != 1, "the message has not arrived");
    Simulator::Destroy();
}

} // namespace

int
main(int argc, char* argv[])
{
    uint32_t ringRanks = 1024;
    uint32_t ringMessages = 1000;
    uint32_t allToAllRanks = 256;
    uint32_t allToAllRounds = 10;
    uint64_t tcpBytes = 1000000000;
    CommandLine cmd(__FILE__);
    cmd.AddValue("ringRanks", "Ranks of the ring", ringRanks);
    cmd.AddValue("ringMessages", "Messages of each rank of the ring; 0 = skip", ringMessages);
    cmd.AddValue("allToAllRanks", "Ranks of the all-to-all", allToAllRanks);
    cmd.AddValue("allToAllRounds", "All-to-alls, one per ms; 0 = skip", allToAllRounds);
    cmd.AddValue("tcpBytes", "Bytes of the TCP message; 0 = skip", tcpBytes);
    cmd.Parse(argc, argv);

    Time::SetResolution(Time::PS);
    if (ringMessages > 0)
    {
        BenchRing(ringRanks, ringMessages, Seconds(0));
        BenchRing(ringRanks, ringMessages, MicroSeconds(20));
    }
    if (allToAllRounds > 0)
    {
        BenchAllToAll(allToAllRanks, allToAllRounds, true);
        BenchAllToAll(allToAllRanks, 1, false);
    }
    if (tcpBytes > 0)
    {
        BenchTcp(tcpBytes);
    }
    return 0;
}
