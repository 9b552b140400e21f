/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "tcp-message-transport.h"

#include "ns3/abort.h"
#include "ns3/boolean.h"
#include "ns3/ipv4.h"
#include "ns3/log.h"
#include "ns3/object-factory.h"
#include "ns3/string.h"
#include "ns3/tcp-congestion-ops.h"
#include "ns3/tcp-cubic.h"
#include "ns3/tcp-l4-protocol.h"
#include "ns3/uinteger.h"

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("TcpMessageTransport");

NS_OBJECT_ENSURE_REGISTERED(TcpMessageTransport);

TypeId
TcpMessageTransport::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::TcpMessageTransport")
            .SetParent<MessageTransport>()
            .SetGroupName("WorkloadReplay")
            .AddConstructor<TcpMessageTransport>()
            .AddAttribute("CongestionControl",
                          "Kind of congestion control, any TcpCongestionOps. The default is that "
                          "of Linux.",
                          TypeIdValue(TcpCubic::GetTypeId()),
                          MakeTypeIdAccessor(&TcpMessageTransport::m_congestionControl),
                          MakeTypeIdChecker())
            .AddAttribute("SegmentSize",
                          "Data per segment, bytes. 0: the MTU of the device with the rank's "
                          "address, less 40 bytes for the IPv4 and TCP headers (data segments "
                          "carry no options).",
                          UintegerValue(0),
                          MakeUintegerAccessor(&TcpMessageTransport::m_segmentSize),
                          MakeUintegerChecker<uint32_t>(0, 65495))
            .AddAttribute("SndBuf",
                          "Send buffer of a connection, bytes; bounds what is in flight. The "
                          "default keeps 400 Gbit/s busy over a round trip of 40 us. ns-3 walks "
                          "the segments in flight for every segment it sends, so more costs time.",
                          UintegerValue(2 << 20),
                          MakeUintegerAccessor(&TcpMessageTransport::m_sendBuffer),
                          MakeUintegerChecker<uint32_t>(1024))
            .AddAttribute("RcvBuf",
                          "Receive buffer of a connection, bytes; bounds what is in flight. Data "
                          "is read as soon as it is in order. The default is that of SndBuf.",
                          UintegerValue(2 << 20),
                          MakeUintegerAccessor(&TcpMessageTransport::m_receiveBuffer),
                          MakeUintegerChecker<uint32_t>(1024))
            .AddAttribute("InitialCwnd",
                          "Initial congestion window, segments. The default is that of RFC 6928.",
                          UintegerValue(10),
                          MakeUintegerAccessor(&TcpMessageTransport::m_initialCwnd),
                          MakeUintegerChecker<uint32_t>(1))
            .AddAttribute("MinRto",
                          "Least retransmission timeout. The default is a hundred round trips of "
                          "a data centre, and longer than its queues, where RFC 6298's 1 s would "
                          "make one loss cost more than an iteration.",
                          TimeValue(MilliSeconds(5)),
                          MakeTimeAccessor(&TcpMessageTransport::m_minRto),
                          MakeTimeChecker(TimeStep(1)))
            .AddAttribute("ClockGranularity",
                          "Least margin of the retransmission timeout above the smoothed round "
                          "trip (G of RFC 6298). The default, that of MinRto, lets a queue that "
                          "stood still for long grow by this much without a spurious timeout.",
                          TimeValue(MilliSeconds(5)),
                          MakeTimeAccessor(&TcpMessageTransport::m_clockGranularity),
                          MakeTimeChecker(TimeStep(1)))
            .AddAttribute("DelAckCount",
                          "Segments per acknowledgement. The default acknowledges each, so that "
                          "the last of a message, and so its completion, never waits.",
                          UintegerValue(1),
                          MakeUintegerAccessor(&TcpMessageTransport::m_delAckCount),
                          MakeUintegerChecker<uint32_t>(1))
            .AddAttribute("DelAckTimeout",
                          "Longest time an acknowledgement is held back when DelAckCount is above "
                          "1. The default stays well below MinRto.",
                          TimeValue(MilliSeconds(1)),
                          MakeTimeAccessor(&TcpMessageTransport::m_delAckTimeout),
                          MakeTimeChecker(TimeStep(1)))
            .AddAttribute("ConnTimeout",
                          "Timeout of the first SYN, doubled with each of six in all. With the "
                          "default a connection fails after 6.3 s; jobs open their connections "
                          "before they train, so a lost SYN is to cost little.",
                          TimeValue(MilliSeconds(100)),
                          MakeTimeAccessor(&TcpMessageTransport::m_connTimeout),
                          MakeTimeChecker(TimeStep(1)))
            .AddAttribute("DataRetries",
                          "Retransmission timeouts in a row after which a connection fails; the "
                          "timeout doubles with each, up to 60 s. The default is tcp_retries2 of "
                          "Linux.",
                          UintegerValue(15),
                          MakeUintegerAccessor(&TcpMessageTransport::m_dataRetries),
                          MakeUintegerChecker<uint32_t>())
            .AddAttribute("UseEcn",
                          "Whether connections ask for ECN (RFC 3168); congestion controls that "
                          "need it, as TcpDctcp, turn it on by themselves. Queue discs have to "
                          "mark for it to have an effect.",
                          BooleanValue(false),
                          MakeBooleanAccessor(&TcpMessageTransport::m_useEcn),
                          MakeBooleanChecker())
            .AddTraceSource("ConnectionFailed",
                            "A connection to another rank could not be opened or has broken.",
                            MakeTraceSourceAccessor(&TcpMessageTransport::m_failureTrace),
                            "ns3::TcpMessageTransport::FailureTracedCallback")
            .AddTraceSource("Retransmission",
                            "A segment goes out again.",
                            MakeTraceSourceAccessor(&TcpMessageTransport::m_retransmissionTrace),
                            "ns3::TcpMessageTransport::RetransmissionTracedCallback")
            .AddTraceSource("TimedOut",
                            "A connection has waited for an acknowledgement in vain, for so long.",
                            MakeTraceSourceAccessor(&TcpMessageTransport::m_timeoutTrace),
                            "ns3::TcpMessageTransport::TimeoutTracedCallback");
    return tid;
}

TcpMessageTransport::TcpMessageTransport()
{
    NS_LOG_FUNCTION(this);
}

TcpMessageTransport::~TcpMessageTransport()
{
    NS_LOG_FUNCTION(this);
}

void
TcpMessageTransport::Install(Ptr<Node> node, uint32_t rank, Addresses addresses)
{
    NS_LOG_FUNCTION(this << node << rank);
    m_node = node;
    m_rank = rank;
    m_addresses = addresses;
    if (m_segmentSize == 0)
    {
        m_segmentSize = FindSegmentSize();
    }
    // Made to be looked at: TypeId::IsChildOf() does not do, as TcpCubic names a wrong parent.
    ObjectFactory congestionControl(m_congestionControl.GetName());
    NS_ABORT_MSG_UNLESS(DynamicCast<TcpCongestionOps>(congestionControl.Create()),
                        m_congestionControl.GetName() << " is no TCP congestion control");
    m_listener = MakeSocket();
    const uint16_t port = m_addresses->at(rank).GetPort();
    NS_ABORT_MSG_IF(m_listener->Bind(InetSocketAddress(Ipv4Address::GetAny(), port)) != 0,
                    "port " << port << " of rank " << rank << " is in use on node " << node->GetId()
                            << ": give each rank of a node a port of its own");
    m_listener->Listen();
    m_listener->SetAcceptCallback(MakeNullCallback<bool, Ptr<Socket>, const Address&>(),
                                  MakeCallback(&TcpMessageTransport::Accept, this));
}

bool
TcpMessageTransport::Serves(uint32_t rank) const
{
    return rank == m_rank;
}

std::string
TcpMessageTransport::GetKind() const
{
    return "tcp";
}

void
TcpMessageTransport::DoDispose()
{
    NS_LOG_FUNCTION(this);
    m_senders.clear();
    m_receivers.clear();
    if (m_listener)
    {
        m_listener->SetAcceptCallback(MakeNullCallback<bool, Ptr<Socket>, const Address&>(),
                                      MakeNullCallback<void, Ptr<Socket>, const Address&>());
        m_listener->Close();
        m_listener = nullptr;
    }
    m_node = nullptr;
    MessageTransport::DoDispose();
}

void
TcpMessageTransport::DoSend(const Message& message)
{
    NS_LOG_FUNCTION(this << message.source << message.destination << message.bytes);
    NS_ASSERT_MSG(m_node, "Install() comes before Send()");
    NS_ASSERT_MSG(message.source == m_rank, "a rank sends its own messages only");
    auto& sender = m_senders[{message.destination, message.group, message.channel}];
    if (!sender)
    {
        sender = OpenConnection(message.destination);
    }
    sender->Send(message);
}

Ptr<Socket>
TcpMessageTransport::MakeSocket() const
{
    auto tcp = m_node->GetObject<TcpL4Protocol>();
    NS_ABORT_MSG_UNLESS(tcp, "node " << m_node->GetId() << " has no internet stack");
    Ptr<Socket> socket = tcp->CreateSocket(m_congestionControl);
    // FindSegmentSize() counts headers without options.
    socket->SetAttribute("Timestamp", BooleanValue(false));
    socket->SetAttribute("SegmentSize", UintegerValue(m_segmentSize));
    socket->SetAttribute("SndBufSize", UintegerValue(m_sendBuffer));
    socket->SetAttribute("RcvBufSize", UintegerValue(m_receiveBuffer));
    socket->SetAttribute("InitialCwnd", UintegerValue(m_initialCwnd));
    socket->SetAttribute("MinRto", TimeValue(m_minRto));
    socket->SetAttribute("ClockGranularity", TimeValue(m_clockGranularity));
    socket->SetAttribute("DelAckCount", UintegerValue(m_delAckCount));
    socket->SetAttribute("DelAckTimeout", TimeValue(m_delAckTimeout));
    socket->SetAttribute("ConnTimeout", TimeValue(m_connTimeout));
    socket->SetAttribute("DataRetries", UintegerValue(m_dataRetries));
    if (m_useEcn)
    {
        socket->SetAttribute("UseEcn", StringValue("On"));
    }
    return socket;
}

uint32_t
TcpMessageTransport::FindSegmentSize() const
{
    constexpr uint16_t headers = 40; // IPv4 and TCP, both without options
    auto ipv4 = m_node->GetObject<Ipv4>();
    const Ipv4Address address = m_addresses->at(m_rank).GetIpv4();
    const int32_t interface = ipv4 ? ipv4->GetInterfaceForAddress(address) : -1;
    NS_ABORT_MSG_IF(interface < 0,
                    "node " << m_node->GetId() << " does not have the address " << address
                            << " of rank " << m_rank);
    return ipv4->GetMtu(interface) - headers;
}

std::unique_ptr<TcpMessageSender>
TcpMessageTransport::OpenConnection(uint32_t destination)
{
    TcpMessageSender::Callbacks callbacks;
    callbacks.sent = MakeCallback(&TcpMessageTransport::NotifySent, this);
    callbacks.failed = MakeCallback(&TcpMessageTransport::HandleFailure, this);
    callbacks.retransmitted = MakeCallback(&TcpMessageTransport::HandleRetransmission, this);
    callbacks.timedOut = MakeCallback(&TcpMessageTransport::HandleTimeout, this);
    auto sender = std::make_unique<TcpMessageSender>(MakeSocket(), destination, callbacks);

    InetSocketAddress address = m_addresses->at(destination);
    // Two ranks of one node: no route leads to an address of its own.
    if (m_node->GetObject<Ipv4>()->GetInterfaceForAddress(address.GetIpv4()) >= 0)
    {
        address.SetIpv4(Ipv4Address::GetLoopback());
    }
    sender->Connect(address);
    return sender;
}

void
TcpMessageTransport::Accept(Ptr<Socket> socket, const Address& from)
{
    NS_LOG_FUNCTION(this << socket << from);
    m_receivers.push_back(std::make_unique<TcpMessageReceiver>(
        socket,
        MakeCallback(&TcpMessageTransport::HandleMessage, this)));
}

void
TcpMessageTransport::HandleMessage(const Message& message)
{
    Message arrived = message;
    arrived.destination = m_rank;
    NotifyArrival(arrived);
}

void
TcpMessageTransport::HandleFailure(uint32_t peer, const std::string& reason)
{
    NS_LOG_WARN("connection from rank " << m_rank << " to rank " << peer
                                        << " has failed: " << reason);
    m_failureTrace(m_rank, peer, reason);
}

void
TcpMessageTransport::HandleRetransmission(uint32_t peer, uint32_t bytes)
{
    m_retransmissionTrace(m_rank, peer, bytes);
}

void
TcpMessageTransport::HandleTimeout(uint32_t peer, Time waited)
{
    m_timeoutTrace(m_rank, peer, waited);
}

} // namespace ns3
