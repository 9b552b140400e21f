/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_MESSAGE_TRANSPORT_H
#define RDMA_MESSAGE_TRANSPORT_H

#include "rdma-nic.h"

#include "ns3/flat-table.h"
#include "ns3/message-transport.h"
#include "ns3/ptr.h"

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief Messages of one rank over queue pairs of its host's NIC.
 *
 * A connection, that is a (destination, group, channel), gets its queue pairs with its first
 * message, and keeps them. By default it has one; over NVLink to NVSwitches of several planes, one
 * for each plane. Messages of a connection with several either alternate on them, or, as always
 * over such planes, each goes in as many parts; they are handed over in the order in which they
 * were posted, each when all its parts have come.
 */
class RdmaMessageTransport : public MessageTransport
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    /**
     * @return value of the attribute Priority that transports begin with: it is asked for before
     *         one is made, as that would choose the simulator
     */
    static uint8_t GetInitialPriority();

    /// Number in the network of each rank's host.
    using Hosts = std::shared_ptr<const std::vector<uint32_t>>;

    RdmaMessageTransport();
    ~RdmaMessageTransport() override;

    /**
     * @param nic NIC of the rank's host, which serves no other rank
     * @param hosts hosts of all ranks; shared by all transports
     */
    void SetNic(Ptr<RdmaNic> nic, Hosts hosts);

    /**
     * @param message a message to another rank
     * @return path of each queue pair of its connection, see RdmaNetwork::GetPath()
     */
    std::vector<std::vector<uint32_t>> GetPaths(const Message& message) const;

    /// @return NIC of the rank's host
    Ptr<RdmaNic> GetNic() const
    {
        return m_nic;
    }

    /**
     * @param group a group
     * @return priority of its packets
     */
    uint8_t GetPriority(uint32_t group) const;

    /// A connection that there is.
    struct OpenConnection
    {
        uint32_t peer{0};      //!< address at the other end
        uint32_t channel{0};   //!< its channel
        uint32_t firstPair{0}; //!< number of its first queue pair at the NIC
        uint32_t pairs{1};     //!< its queue pairs
        uint32_t turn{0};      //!< queue pair whose turn it is, counted from the first one
    };

    /**
     * @param group a group
     * @return its connections, by peer and channel
     */
    std::vector<OpenConnection> GetConnections(uint32_t group) const;

    /**
     * Make a connection, unless there is one, and let its messages go on with one of its queue
     * pairs. Nothing of it may be under way.
     *
     * @param connection the connection
     * @param turn queue pair whose turn it is, counted from the first one
     * @return number of its first queue pair at the NIC
     */
    uint32_t Open(const MessageConnection& connection, uint32_t turn);

    std::string GetKind() const override;
    bool Serves(uint32_t rank) const override;
    uint64_t GetAcknowledgedBytes() const override;
    void SetTrafficClasses(TrafficClasses classes) override;

  protected:
    void DoDispose() override;
    void DoSend(const Message& message) override;

  private:
    /// What this rank sends over.
    struct Connection
    {
        uint32_t firstPair{0}; //!< number of its first queue pair at the NIC
        uint32_t pairs{1};     //!< its queue pairs
        uint32_t parts{1};     //!< most parts of a message, each by another queue pair
        uint32_t unit{0};      //!< of parts, bytes
        bool isNvlink{false};  //!< a queue pair for each NVLink, and messages take as few as do
        std::vector<double> rates{}; //!< what the path of each queue pair carries, bit/s; empty =
                                     //!< parts are equal
        uint32_t messages{0};        //!< messages posted, where there are several queue pairs
        uint32_t turns{0};           //!< turns that were taken without messages
        uint32_t offset{0};          //!< place of the queue pair that takes the first port

        /**
         * What a message does must not depend on how many queue pairs the host had before.
         *
         * @param index number of a queue pair, in the order of the ports that they take in turn
         * @return its number at the NIC
         */
        uint32_t GetPair(uint32_t index) const
        {
            return firstPair + (index + offset) % pairs;
        }

        /// @return queue pair whose turn it is, counted from the first one
        uint32_t GetTurn() const
        {
            return (messages + turns) % pairs;
        }
    };

    /// A message that has not come whole, or not in its turn.
    struct Incoming
    {
        Message message;   //!< the message; its bytes are those that have come
        uint32_t parts{0}; //!< parts that have come
    };

    /// The receiving end of a connection with several queue pairs.
    struct Assembly
    {
        uint32_t delivered{0};                 //!< messages handed over
        std::map<uint32_t, Incoming> incoming; //!< others, by their number
    };

    /// A message that goes over one of several queue pairs, or over all of them.
    struct Outgoing
    {
        uint64_t cookie{0}; //!< cookie of the message
        uint32_t parts{0};  //!< parts that are not acknowledged
    };

    /**
     * @param key a connection
     * @return the connection, made if need be
     */
    Connection& GetConnection(const MessageConnection& key);

    /**
     * @param peer number of another host in the network
     * @param firstPair number of the first queue pair of a connection there
     * @return place among those of the connection of the one that takes the first port
     */
    uint32_t GetOffset(uint32_t peer, uint32_t firstPair) const;

    /**
     * @param peer number of another host in the network
     * @return a connection there, without queue pairs
     */
    Connection PlanConnection(uint32_t peer) const;

    /**
     * @param connection a connection
     * @param index which of its queue pairs
     * @return UDP source port of the queue pair
     */
    uint16_t GetUdpSourcePort(const MessageConnection& connection, uint32_t index) const;

    /**
     * @param connection a connection
     * @param bytes size of a message
     * @param first queue pair of the first part, counted from the first one
     * @return where each of its parts ends, bytes
     */
    static std::vector<uint64_t> CutMessage(const Connection& connection,
                                            uint64_t bytes,
                                            uint32_t first);

    /**
     * Send a message over one of several queue pairs, or over all of them.
     *
     * @param connection its connection
     * @param message the message
     */
    void SendParts(Connection& connection, Message message);

    /**
     * A message, or a part of one, has come.
     *
     * @param message the message, or the part
     */
    void HandleArrival(const Message& message);

    /**
     * A message has come whole and in its turn.
     *
     * @param message the message
     */
    void HandOver(const Message& message);

    /**
     * A message, or a part of one, is acknowledged.
     *
     * @param cookie cookie of the message, or key in m_outgoing
     */
    void HandleSent(uint64_t cookie);

    /// Order in which connections of a group stand together, by peer and channel.
    struct Order
    {
        /**
         * @param a a connection
         * @param b another one
         * @return whether a comes first
         */
        bool operator()(const MessageConnection& a, const MessageConnection& b) const
        {
            return std::tie(a.group, a.peer, a.channel) < std::tie(b.group, b.peer, b.channel);
        }
    };

    /// Table by connection; never walked.
    template <typename T>
    using ByConnection = std::unordered_map<MessageConnection, T, MessageConnection::Hash>;

    uint8_t m_priority;     //!< priority of the messages of groups without a class
    uint32_t m_pairs;       //!< queue pairs of a connection, on each port that it uses
    uint32_t m_udpPorts;    //!< different UDP source ports
    bool m_hasParts{false}; //!< connections may have several queue pairs
    bool m_isSplit;         //!< a message is split over all of them
    Ptr<RdmaNic> m_nic;     //!< NIC of the rank's host
    Hosts m_hosts;          //!< hosts of all ranks
    uint64_t m_posted{0};   //!< messages ever put into m_outgoing

    TrafficClasses m_classes; //!< priority of the messages by group; null = none has one

    std::map<MessageConnection, Connection, Order> m_connections; //!< what this rank sends over
    /// The same to look up for each message, which in a tree takes a cache line for every level.
    FlatTable<MessageConnection, Connection, MessageConnection::Hash> m_found;
    ByConnection<Assembly> m_assemblies; //!< receiving ends of several queue pairs, by source
    std::unordered_map<uint64_t, Outgoing> m_outgoing; //!< messages under way over several
};

} // namespace ns3

#endif /* RDMA_MESSAGE_TRANSPORT_H */
