/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_PACKET_H
#define RDMA_PACKET_H

#include "rdma-link-layer.h"
#include "rdma-telemetry.h"
#include "rdma-train.h"

#include "ns3/event-impl.h"
#include "ns3/message-transport.h"
#include "ns3/packet.h"
#include "ns3/ptr.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

namespace ns3
{

class RdmaNetDevice;
struct RdmaPacketDeleter;

/**
 * @ingroup workload-replay
 * @brief What switches write into packets for each other, see RdmaRouting::WritesPackets(). Its
 * bytes are not counted in a packet's size. RdmaConweave has meanings of its own.
 */
struct RdmaPathTag
{
    /// None, or nothing to report.
    static constexpr uint32_t NONE = UINT32_MAX;

    uint32_t path{NONE};   //!< uplink that the packet has taken at its first switch
    uint32_t about{NONE};  //!< what is reported about: an uplink of the destination's first switch,
                           //!< or a leaf that the last switch leads to
    uint32_t reported{0};  //!< its metric, or time steps that wait there
    uint8_t congestion{0}; //!< largest metric of the links taken so far

    /**
     * @param record what is visited, const or not
     * @param visit is given each member
     */
    template <typename R, typename V>
    static void Visit(R& record, const V& visit)
    {
        visit(record.path);
        visit(record.about);
        visit(record.reported);
        visit(record.congestion);
    }
};

/**
 * @ingroup workload-replay
 * @brief A packet of the rdma fabric, and the event of its own arrival at the next port.
 *
 * Being its own event, a packet costs no allocation and no copy from hop to hop. It has one owner
 * at a time: a queue, a switch or NIC that is handling it, or the simulator while it is on a wire.
 * Its headers are fields; RdmaFrame makes bytes of them for those who sniff.
 *
 * It may stand for a train of packets, see RdmaTrain; size and payload are then those of all.
 */
class RdmaPacket final : public EventImpl
{
  public:
    /// What it is.
    enum Type : uint8_t
    {
        DATA,   //!< payload
        ACK,    //!< acknowledges all before sequence, and the packet that it responds to
        NACK,   //!< as ACK, and says that the packet with that sequence is missing
        CNP,    //!< congestion notification
        CREDIT, //!< leave to send: sequence is the payload granted so far
        IP,     //!< a packet of the host's internet stack, see RdmaIpInterface
        PATH,   //!< the last switch of a flow reports to the first one about its path, see
                //!< RdmaConweave
        PAUSE,  //!< priority flow control: stop sending the packet's priority
        RESUME, //!< priority flow control: go on sending it
        ROOM    //!< flow control by credits: how much of the packet's priority may be sent
    };

    /// Frame of priority flow control, bytes: the least that Ethernet has (IEEE 802.1Qbb).
    static constexpr uint32_t PFC_BYTES = 64;

    /// Frame of a packet that was trimmed, bytes: the least that Ethernet has (htsim, uecpacket.h).
    static constexpr uint32_t TRIMMED_BYTES = 64;

    /// Priority of a packet that was trimmed: the highest, as a separate queue of its own.
    static constexpr uint8_t TRIMMED_PRIORITY = 7;

    /// Flow control packet of a virtual lane, bytes (InfiniBand specification, volume 1, 7.9.4).
    static constexpr uint32_t ROOM_BYTES = 6;

    /// Queue pair whose number is not known yet.
    static constexpr uint32_t UNKNOWN = UINT32_MAX;

    /**
     * @param packetType what it is
     * @param frameSize bytes of the frame, preamble and gap left out
     * @param layer links that it goes by
     */
    RdmaPacket(Type packetType,
               uint32_t frameSize,
               const RdmaLinkLayer& layer = RdmaLinkLayer::ETHERNET);

    /**
     * Packets come and go by the million; their memory is kept for the next ones.
     *
     * @param size bytes
     * @return memory
     */
    static void* operator new(std::size_t size);

    /**
     * @return how many packets there are in the process
     */
    static uint64_t GetNPackets();

    /**
     * @param memory memory of a packet
     */
    static void operator delete(void* memory);

    /**
     * @return bytes that all its packets take on a wire, preambles and gaps included
     */
    uint32_t GetWireBytes() const
    {
        return size + train.count * gap;
    }

    /**
     * @return bytes that one of its packets takes on a wire, preamble and gap included
     */
    uint32_t GetSingleWireBytes() const
    {
        return (train.count == 1 ? size : size / train.count) + gap;
    }

    /**
     * Take packets off the front of a train.
     *
     * @param packets how many, at least 1 and fewer than all
     * @return the packets taken off; this keeps the rest, and what ends a message
     */
    std::unique_ptr<RdmaPacket, RdmaPacketDeleter> Split(uint16_t packets);

    /**
     * Cut off the payload: what is left goes before all else, as responses do.
     */
    void Trim();

    /**
     * Have ports write into the packet.
     *
     * @param written what they have written so far
     */
    void AddTelemetry(std::unique_ptr<RdmaTelemetry> written)
    {
        telemetry = std::move(written);
        hasTelemetry = true;
    }

    // The order is that of the hot path: what a switch touches stands in the first 64 bytes, which
    // are one line of the cache.
    uint8_t gap;                //!< RdmaLinkLayer::gap of the links that it goes by
    uint8_t arrivalPriority{0}; //!< priority that it has come in with, at a switch that may have
                                //!< given it another one: whose buffer it takes up
    uint32_t size;              //!< bytes of all its frames, preambles and gaps left out
    uint32_t destination{0};    //!< node that it goes to
    uint16_t ingress{0};        //!< port that it comes in by, at the node that it is at or goes to
    Type type;                  //!< what it is
    uint8_t priority{0};        //!< priority, 0 to 7; 7 goes first
    bool marked{false};      //!< DATA: ECN, has met congestion; ACK: so has one of the data packets
                             //!< that it responds to
    bool delayed{false};     //!< DATA: has met a queue or a full buffer; ACK: likewise
    bool isTrainRest{false}; //!< was behind the front of a train at this port
    bool isInTrain{false};   //!< went on the wire between two packets of a train
    bool hasTelemetry{false};  //!< there is telemetry
    bool isFirst{false};       //!< begins a message
    bool isLast{false};        //!< ends a message
    bool asksForAck{false};    //!< DATA: is to be acknowledged at once
    bool isTrimmable{false};   //!< DATA: switches may cut the payload off
    bool isTrimmed{false};     //!< DATA: a switch has cut the payload off; NACK: so it was of the
                               //!< packet that it responds to
    uint16_t udpSourcePort{0}; //!< UDP source port
    uint64_t flowHash{0};      //!< what distinguishes its flow from others
    RdmaPacket* next{nullptr}; //!< next packet of the queue that it is in
    RdmaNetDevice* receiver{nullptr}; //!< port at the far end of the wire that it is on
    RdmaTrain train;                  //!< the train that it stands for; count 1 = a single packet
    uint32_t source{0};               //!< node that it comes from
    uint32_t payload{0};              //!< payload of all its packets, bytes
    uint32_t senderQp{UNKNOWN};       //!< queue pair of the sender of the data
    uint32_t receiverQp{UNKNOWN};     //!< queue pair of the receiver of the data
    uint64_t sequence{0};             //!< DATA: its number; ACK, NACK: the next one expected;
                                      //!< PAUSE: for how long, quanta, 0 = until the RESUME;
                                      //!< ROOM: up to which block, see RdmaCredits
    int64_t sentAt{0}; //!< DATA: time step of sending, of a train's last packet; ACK:
                       //!< that of the packet that it responds to
    std::unique_ptr<const Message> message;   //!< what the last packet of a message brings; else
                                              //!< null
    std::unique_ptr<RdmaTelemetry> telemetry; //!< what ports have written; null = they
                                              //!< do not, see AddTelemetry()
    Ptr<const Packet> ip;                     //!< IP: the packet; else null
    uint16_t ackedCount{1}; //!< ACK, NACK: packets of the train that it responds to
    uint32_t msn{0};        //!< ACK, NACK: messages that have come in whole so far (message
                            //!< sequence number)

    /// What only data has, or only what responds to it: all in three lines of the cache.
    union {
        uint64_t ackedSequence{0}; //!< ACK, NACK: number of the data packet that it responds to, of
                                   //!< a train the last one
        uint64_t demand;           //!< DATA: payload that the sender asks leave for, those granted
                                   //!< included; 0 = it needs none
        uint64_t grantedPriority;  //!< CREDIT: priority of what is granted
    };

    /// Likewise. Its bytes are not counted in size.
    union {
        uint64_t sack{0};    //!< ACK, NACK, selective repeat: which of the 64 packets after
                             //!< sequence have come; bit 0 = the next one. UEC: which of the
                             //!< 64 up to ackedSequence have; bit 0 = that one
        uint64_t messageEnd; //!< DATA: payload of the queue pair up to the end of the message
                             //!< that is sent next, bytes; 0 = it needs no leave
    };

    RdmaPathTag pathTag; //!< what switches have written

  private:
    ~RdmaPacket() override = default;

    /// The packet comes in at its receiver; defined there, as RdmaNetDevice takes it.
    void Notify() override;
};

/**
 * @ingroup workload-replay
 * @brief Gives up a packet.
 */
struct RdmaPacketDeleter
{
    /**
     * @param packet the packet
     */
    void operator()(RdmaPacket* packet) const;
};

/// The owner of a packet.
using RdmaPacketPtr = std::unique_ptr<RdmaPacket, RdmaPacketDeleter>;

} // namespace ns3

#endif /* RDMA_PACKET_H */
