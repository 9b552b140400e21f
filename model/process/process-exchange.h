/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef PROCESS_EXCHANGE_H
#define PROCESS_EXCHANGE_H

#include "ns3/callback.h"
#include "ns3/nstime.h"
#include "ns3/packet.h"
#include "ns3/ptr.h"

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief Carries bytes between the processes of a simulation, to be there at a simulated time.
 *
 * It goes by ns-3's own MPI engine: MpiInterface::SendPacket() to a node that each process has for
 * this, so that the engine counts the messages and no process goes on before they are there. The
 * engine's messages have at most 2000 bytes (MAX_MPI_MSG_SIZE of its MPI interfaces); what is
 * longer goes in pieces.
 *
 * There is one in each simulation, `SimulationSingleton<ProcessExchange>::Get()`, to be asked for
 * in all processes after the same nodes. A simulation of one process has none.
 */
class ProcessExchange
{
  public:
    /// Who bytes are for.
    enum Kind : uint8_t
    {
        PACKETS, //!< ports of an rdma fabric
        NOTICES, //!< whoever needs to know what all processes have come to
        N_KINDS
    };

    /// Called at the time at which bytes are to be there, before the packets of that time: the
    /// process that has sent them, and the bytes.
    using Handler = Callback<void, uint32_t, const std::string&>;

    /// Makes the node of each process; the engine must be enabled.
    ProcessExchange();

    /**
     * @return processes of the simulation; 1 if the engine is not enabled, or there is none
     */
    static uint32_t GetSize();

    /**
     * @return number of this process, 0 to GetSize() - 1
     */
    static uint32_t GetRank();

    /**
     * @param kind a kind
     * @param handler gets what is sent to this process; null = it is aborted upon
     */
    void SetHandler(Kind kind, Handler handler);

    /**
     * @param heartbeat called whenever something is sent or comes in; null = nothing is
     */
    void SetHeartbeat(Callback<void> heartbeat);

    /**
     * Send bytes to another process.
     *
     * @param process the process
     * @param kind who they are for
     * @param at when they are there: later than what that process may have been granted by then,
     * which is its look-ahead from now on
     * @param bytes the bytes
     */
    void Send(uint32_t process, Kind kind, Time at, const std::string& bytes);

    /**
     * @param process a process
     * @return id of the node that stands for it
     */
    uint32_t GetNodeId(uint32_t process) const;

    /**
     * @return messages of the engine that this process has sent
     */
    uint64_t GetNMessages() const;

    /**
     * @return bytes in these, what the engine adds left out
     */
    uint64_t GetNBytes() const;

  private:
    /**
     * The engine hands over a message.
     *
     * @param packet what this class of another process has sent
     */
    void Receive(Ptr<Packet> packet);

    /// Call the heartbeat.
    void CallHeartbeat();

    /// Bytes of which pieces have come.
    struct Assembly
    {
        std::string bytes;  //!< with room for all
        std::size_t got{0}; //!< how many are there
    };

    std::array<Handler, N_KINDS> m_handlers; //!< by kind
    Callback<void> m_heartbeat;              //!< called for all that is sent or comes in
    std::vector<uint32_t> m_nodes;           //!< ids of the nodes, by process
    [[maybe_unused]] uint32_t m_sent{0}; //!< number of what is sent next; without MPI nothing is
    uint64_t m_messages{0};              //!< messages sent
    uint64_t m_bytes{0};                 //!< bytes in them
    std::map<std::pair<uint32_t, uint32_t>, Assembly> m_assemblies; //!< by process and number
};

} // namespace ns3

#endif /* PROCESS_EXCHANGE_H */
