/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-packet.h"

#include "rdma-net-device.h"

#include "ns3/assert.h"

#include <new>
#include <utility>
#include <vector>

namespace ns3
{

namespace
{

/**
 * @ingroup workload-replay
 * @brief Memory of packets that are no more.
 */
class PacketMemory
{
  public:
    /**
     * @return memory of the size of a packet
     */
    void* Take()
    {
        ++m_taken;
        if (m_free.empty())
        {
            return ::operator new(sizeof(RdmaPacket));
        }
        void* memory = m_free.back();
        m_free.pop_back();
        return memory;
    }

    /**
     * @param memory memory to keep
     */
    void Give(void* memory)
    {
        --m_taken;
        m_free.push_back(memory);
    }

    /**
     * @return packets whose memory was taken and not given back
     */
    uint64_t GetTaken() const
    {
        return m_taken;
    }

  private:
    std::vector<void*> m_free; //!< memory to be had
    uint64_t m_taken{0};       //!< packets that there are
};

/**
 * @return the memory of packets; never destroyed, since the simulator may hold packets until the
 *         very end of the program
 */
PacketMemory&
GetMemory()
{
    static auto memory = new PacketMemory;
    return *memory;
}

} // namespace

RdmaPacket::RdmaPacket(Type packetType, uint32_t frameSize)
    : size(frameSize),
      type(packetType)
{
}

RdmaPacketPtr
RdmaPacket::TakeFront(uint16_t packets, int64_t now, int64_t& rest)
{
    NS_ASSERT_MSG(packets > 0 && packets < count, packets << " of " << count << " packets");
    const int64_t spacing = (tail - now) / (count - 1);
    const uint32_t frame = size / count;
    const uint32_t part = payload / count;
    RdmaPacketPtr front(new RdmaPacket(type, frame * packets));
    front->destination = destination;
    front->source = source;
    front->flowHash = flowHash;
    front->priority = priority;
    front->isFirst = isFirst;
    front->waited = waited;
    front->unfolded = unfolded;
    front->count = packets;
    front->entropy = entropy;
    front->payload = part * packets;
    front->sourcePair = sourcePair;
    front->destinationPair = destinationPair;
    front->messages = messages;
    front->sequence = sequence;
    front->answered = answered;
    front->answeredCount = answeredCount;
    front->received = received;
    front->marked = marked;
    front->sentAt = sentAt - (count - packets) * interval;
    front->interval = interval;
    front->tail = now + spacing * (packets - 1);
    rest = now + spacing * packets;
    size -= front->size;
    payload -= front->payload;
    count -= packets;
    isFirst = false;
    sequence += type == DATA ? packets : 0;
    return front;
}

uint64_t
RdmaPacket::GetNPackets()
{
    return GetMemory().GetTaken();
}

void*
RdmaPacket::operator new(std::size_t size [[maybe_unused]])
{
    return GetMemory().Take();
}

void
RdmaPacket::operator delete(void* memory)
{
    GetMemory().Give(memory);
}

// Not in the header, where compilers that guess which kind of event is deleted warn of a mismatch
// of new and delete.
void
RdmaPacketDeleter::operator()(RdmaPacket* packet) const
{
    packet->Unref();
}

void
RdmaPacket::Notify()
{
    // The simulator lets go of its event when this returns.
    Ref();
    receiver->Receive(RdmaPacketPtr(this));
}

} // namespace ns3
