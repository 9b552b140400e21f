/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "process-exchange.h"

#include "byte-buffer.h"

#include "ns3/abort.h"
#include "ns3/assert.h"

#include <algorithm>
#include <cstring>

#ifdef NS3_MPI
#include "ns3/mpi-interface.h"
#include "ns3/mpi-receiver.h"
#include "ns3/node.h"
#include "ns3/simple-net-device.h"
#endif

namespace ns3
{

#ifdef NS3_MPI

namespace
{

/// Before the bytes of a piece.
struct PieceHead
{
    uint32_t from;              //!< the process that sends
    uint32_t number;            //!< which of its bytes these belong to
    uint32_t offset;            //!< where among them
    uint32_t total;             //!< how many there are
    ProcessExchange::Kind kind; //!< who they are for
};

/// Bytes of an MPI message of the engine (MAX_MPI_MSG_SIZE), less its prefix of time, node and
/// device.
constexpr uint32_t MESSAGE_BYTES = 2000 - 16;

/// Bytes of a piece: what the serialisation of an ns-3 packet adds takes at most 96.
constexpr uint32_t PIECE_BYTES = MESSAGE_BYTES - 96 - sizeof(PieceHead);

} // namespace

ProcessExchange::ProcessExchange()
{
    for (uint32_t process = 0; process < GetSize(); ++process)
    {
        // The engine hands a message to the MpiReceiver of a device of the node; nothing else uses
        // it.
        auto node = CreateObject<Node>(process);
        auto device = CreateObject<SimpleNetDevice>();
        auto receiver = CreateObject<MpiReceiver>();
        receiver->SetReceiveCallback(MakeCallback(&ProcessExchange::Receive, this));
        device->AggregateObject(receiver);
        node->AddDevice(device);
        // The same number in every process, since all of them make these nodes in the same order.
        m_nodes.push_back(node->GetId());
    }
}

uint32_t
ProcessExchange::GetSize()
{
    return MpiInterface::IsEnabled() ? MpiInterface::GetSize() : 1;
}

uint32_t
ProcessExchange::GetRank()
{
    return MpiInterface::IsEnabled() ? MpiInterface::GetSystemId() : 0;
}

void
ProcessExchange::Send(uint32_t process, Kind kind, Time at, const std::string& bytes)
{
    CallHeartbeat();
    PieceHead head{GetRank(), m_sent++, 0, static_cast<uint32_t>(bytes.size()), kind};
    // At least one piece, also of no bytes.
    do
    {
        const uint32_t size = std::min(PIECE_BYTES, head.total - head.offset);
        uint8_t piece[sizeof(head) + PIECE_BYTES];
        std::memcpy(piece, &head, sizeof(head));
        std::memcpy(piece + sizeof(head), bytes.data() + head.offset, size);
        auto packet = Create<Packet>(piece, static_cast<uint32_t>(sizeof(head)) + size);
        NS_ABORT_MSG_IF(packet->GetSerializedSize() > MESSAGE_BYTES,
                        "a message of more bytes than ns-3's MPI engine takes");
        MpiInterface::SendPacket(packet, at, m_nodes.at(process), 0);
        ++m_messages;
        m_bytes += sizeof(head) + size;
        head.offset += size;
    } while (head.offset < head.total);
}

void
ProcessExchange::Receive(Ptr<Packet> packet)
{
    CallHeartbeat();
    PieceHead head;
    std::string bytes(packet->GetSize(), '\0');
    packet->CopyData(reinterpret_cast<uint8_t*>(bytes.data()), packet->GetSize());
    // Copied: the bytes of a packet need not be aligned as those of a struct.
    std::memcpy(&head, bytes.data(), sizeof(head));
    bytes.erase(0, sizeof(head));
    if (bytes.size() < head.total)
    {
        auto& assembly = m_assemblies[{head.from, head.number}];
        assembly.bytes.resize(head.total);
        // Pieces are put where they belong, in whatever order they come.
        std::copy(bytes.begin(), bytes.end(), assembly.bytes.begin() + head.offset);
        assembly.got += bytes.size();
        if (assembly.got < head.total)
        {
            return;
        }
        bytes = std::move(assembly.bytes);
        m_assemblies.erase({head.from, head.number});
    }
    NS_ABORT_MSG_IF(m_handlers[head.kind].IsNull(),
                    "process " << head.from << " has sent what nobody waits for here");
    m_handlers[head.kind](head.from, bytes);
}

#else

ProcessExchange::ProcessExchange()
{
    NS_ABORT_MSG("this ns-3 is built without MPI: ./ns3 configure --enable-mpi");
}

uint32_t
ProcessExchange::GetSize()
{
    return 1;
}

uint32_t
ProcessExchange::GetRank()
{
    return 0;
}

void
ProcessExchange::Send(uint32_t /* process */, Kind /* kind */, Time /* at */, const std::string&)
{
    NS_ASSERT_MSG(false, "there are no other processes");
}

void
ProcessExchange::Receive(Ptr<Packet> /* packet */)
{
    NS_ASSERT_MSG(false, "there are no other processes");
}

#endif

void
ProcessExchange::SetHandler(Kind kind, Handler handler)
{
    m_handlers.at(kind) = handler;
}

void
ProcessExchange::SetHeartbeat(Callback<void> heartbeat)
{
    m_heartbeat = heartbeat;
}

void
ProcessExchange::CallHeartbeat()
{
    if (!m_heartbeat.IsNull())
    {
        m_heartbeat();
    }
}

uint32_t
ProcessExchange::GetNodeId(uint32_t process) const
{
    return m_nodes.at(process);
}

uint64_t
ProcessExchange::GetNMessages() const
{
    return m_messages;
}

uint64_t
ProcessExchange::GetNBytes() const
{
    return m_bytes;
}

} // namespace ns3
