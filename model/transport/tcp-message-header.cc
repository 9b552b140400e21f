/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "tcp-message-header.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(TcpMessageHeader);

TypeId
TcpMessageHeader::GetTypeId()
{
    static TypeId tid = TypeId("ns3::TcpMessageHeader")
                            .SetParent<Header>()
                            .SetGroupName("WorkloadReplay")
                            .AddConstructor<TcpMessageHeader>();
    return tid;
}

void
TcpMessageHeader::SetMessage(const Message& message)
{
    m_message = message;
}

const Message&
TcpMessageHeader::GetMessage() const
{
    return m_message;
}

TypeId
TcpMessageHeader::GetInstanceTypeId() const
{
    return GetTypeId();
}

void
TcpMessageHeader::Print(std::ostream& os) const
{
    os << "source=" << m_message.source << " communicator=" << m_message.communicator
       << " channel=" << m_message.channel << " bytes=" << m_message.bytes
       << " context=" << m_message.envelope.context << " tag=" << m_message.envelope.tag;
}

uint32_t
TcpMessageHeader::GetSerializedSize() const
{
    return SIZE;
}

void
TcpMessageHeader::Serialize(Buffer::Iterator start) const
{
    start.WriteHtonU32(m_message.source);
    start.WriteHtonU32(m_message.communicator);
    start.WriteHtonU32(m_message.channel);
    start.WriteHtonU64(m_message.bytes);
    start.WriteHtonU64(static_cast<uint64_t>(m_message.postedAt.GetTimeStep()));
    start.WriteHtonU64(m_message.envelope.context);
    start.WriteHtonU32(m_message.envelope.tag);
    start.WriteHtonU32(m_message.envelope.kind);
    start.WriteHtonU64(m_message.envelope.total);
    start.WriteHtonU32(m_message.envelope.origin);
}

uint32_t
TcpMessageHeader::Deserialize(Buffer::Iterator start)
{
    m_message.source = start.ReadNtohU32();
    m_message.communicator = start.ReadNtohU32();
    m_message.channel = start.ReadNtohU32();
    m_message.bytes = start.ReadNtohU64();
    m_message.postedAt = TimeStep(start.ReadNtohU64());
    m_message.envelope.context = start.ReadNtohU64();
    m_message.envelope.tag = start.ReadNtohU32();
    m_message.envelope.kind = start.ReadNtohU32();
    m_message.envelope.total = start.ReadNtohU64();
    m_message.envelope.origin = start.ReadNtohU32();
    return SIZE;
}

} // namespace ns3
