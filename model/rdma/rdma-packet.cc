/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-packet.h"

#include "ns3/assert.h"

#include <new>
#include <vector>

namespace ns3
{

namespace
{

/// Lines of the cache of common processors, bytes. A packet begins at one.
constexpr std::size_t CACHE_LINE = 64;

/**
 * @ingroup workload-replay
 * @brief Memory of packets: gets it by the slab, and keeps that of packets that are no more.
 */
class PacketMemory
{
  public:
    /**
     * @return memory of the size of a packet
     */
    void* Take()
    {
        if (m_free.empty())
        {
            AddSlab();
        }
        ++m_taken;
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
    /// Get memory for some more packets.
    void AddSlab()
    {
        constexpr std::size_t packet =
            (sizeof(RdmaPacket) + CACHE_LINE - 1) / CACHE_LINE * CACHE_LINE;
        constexpr std::size_t packets = 64;
        auto slab =
            static_cast<char*>(::operator new(packet* packets, std::align_val_t(CACHE_LINE)));
        for (std::size_t i = packets; i-- > 0;)
        {
            m_free.push_back(slab + i * packet);
        }
    }

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

RdmaPacket::RdmaPacket(Type packetType, uint32_t frameSize, const RdmaLinkLayer& layer)
    : gap(layer.gap),
      size(frameSize),
      type(packetType)
{
}

RdmaPacketPtr
RdmaPacket::Split(uint16_t packets)
{
    NS_ASSERT_MSG(packets > 0 && packets < train.count,
                  packets << " of " << train.count << " packets");
    const uint32_t frame = size / train.count;
    const uint32_t part = payload / train.count;
    const uint16_t behind = train.count - packets;
    RdmaPacketPtr front(new RdmaPacket(type, frame * packets));
    front->gap = gap;
    front->train = train.Split(packets);
    front->destination = destination;
    front->ingress = ingress;
    front->source = source;
    front->flowHash = flowHash;
    front->priority = priority;
    front->arrivalPriority = arrivalPriority;
    front->isFirst = isFirst;
    front->delayed = delayed;
    front->isTrainRest = isTrainRest;
    front->isInTrain = isInTrain;
    front->udpSourcePort = udpSourcePort;
    front->payload = part * packets;
    front->senderQp = senderQp;
    front->receiverQp = receiverQp;
    front->msn = msn;
    front->sequence = sequence;
    front->ackedSequence = ackedSequence;
    front->ackedCount = ackedCount;
    front->sack = sack;
    front->pathTag = pathTag;
    front->marked = marked;
    // A train has the time of sending of its last packet, so the front was sent earlier.
    front->sentAt = sentAt - behind * train.interval;
    size -= front->size;
    payload -= front->payload;
    isFirst = false;
    // Only data is numbered packet by packet: acknowledgements of a train are equal.
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
RdmaPacket::Trim()
{
    size = TRIMMED_BYTES;
    payload = 0;
    priority = TRIMMED_PRIORITY;
    arrivalPriority = TRIMMED_PRIORITY;
    isTrimmable = false;
    isTrimmed = true;
}

} // namespace ns3
