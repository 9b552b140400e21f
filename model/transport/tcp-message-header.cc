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
    os << "source=" << m_message.source << " group=" << m_message.group
       << " channel=" << m_message.channel << " bytes=" << m_message.bytes;
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
    start.WriteHtonU32(m_message.group);
    start.WriteHtonU32(m_message.channel);
    start.WriteHtonU64(m_message.bytes);
    start.WriteHtonU64(static_cast<uint64_t>(m_message.postedAt.GetTimeStep()));
    for (const auto word : m_message.attachment)
    {
        start.WriteHtonU32(word);
    }
}

uint32_t
TcpMessageHeader::Deserialize(Buffer::Iterator start)
{
    m_message.source = start.ReadNtohU32();
    m_message.group = start.ReadNtohU32();
    m_message.channel = start.ReadNtohU32();
    m_message.bytes = start.ReadNtohU64();
    m_message.postedAt = TimeStep(start.ReadNtohU64());
    for (auto& word : m_message.attachment)
    {
        word = start.ReadNtohU32();
    }
    return SIZE;
}

} // namespace ns3
