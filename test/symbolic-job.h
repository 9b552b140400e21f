/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef SYMBOLIC_JOB_H
#define SYMBOLIC_JOB_H

#include "ns3/collective-algorithm.h"

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay-tests
 * @brief What a byte of a buffer is made of: a set of contributions, as a bit each.
 *
 * For reductions bit i is the contribution of member i. For data that is only moved the set is a
 * label instead.
 */
using Contributions = uint64_t;

/**
 * @ingroup workload-replay-tests
 * @brief Runs the plans of all members on symbolic data, without a network or a clock.
 */
class SymbolicJob
{
  public:
    /// Messages from one member to another.
    struct Traffic
    {
        uint64_t messages{0}; //!< their number
        uint64_t bytes{0};    //!< their length in all
    };

    /// The buffers of a member. Only all-to-all and shift receive elsewhere than they send from.
    struct Member
    {
        std::vector<Contributions> sendBuffer;    //!< what sends read
        std::vector<Contributions> receiveBuffer; //!< what receives write, if kept apart
        std::vector<std::unique_ptr<ChunkPipeline>> pipelines; //!< its plan
        uint64_t receivedBytes{0};                             //!< bytes received
        uint64_t sentBytes{0};                                 //!< bytes sent
        uint64_t largestMessage{0};                            //!< longest message sent
        uint64_t steps{0};                                     //!< steps made by all its pipelines
        std::map<uint64_t, Contributions> scratch; //!< what it has to pass on, by offset
        std::map<uint32_t, Traffic> sentTo;        //!< what it has sent, by receiver
    };

    /**
     * @param algorithm the algorithm
     * @param kind what to do
     * @param bytes bytes of the collective
     * @param size number of members
     * @param placement where they stand; null = in one place
     * @param root index of the root, for kinds that have one
     */
    SymbolicJob(const CollectiveAlgorithm& algorithm,
                CollectiveKind kind,
                uint64_t bytes,
                uint32_t size,
                const CollectivePlacement* placement = nullptr,
                uint32_t root = 0);

    /**
     * @param algorithm an algorithm for all-to-all
     * @param splits how each member shares out its buffers
     */
    SymbolicJob(const CollectiveAlgorithm& algorithm, const std::vector<AllToAllSplits>& splits);

    /**
     * @param index index of a member
     * @return the member
     */
    Member& At(uint32_t index);

    /**
     * @param index index of a member
     * @return the buffer its receives write to
     */
    std::vector<Contributions>& Result(uint32_t index);

    /**
     * Run all pipelines of all members to their end.
     *
     * @return what went wrong; empty = nothing
     */
    std::string Run();

  private:
    /// Note which pipelines each pipeline talks to.
    void NotePeerPipelines();

    /// A message under way.
    using Data = std::vector<Contributions>;

    /// Source, destination, pipeline.
    using Route = std::tuple<uint32_t, uint32_t, uint32_t>;

    /**
     * Take a pipeline as far as it goes without waiting.
     *
     * @param i index of the member
     * @param pipeline index of the pipeline
     */
    void Advance(uint32_t i, uint32_t pipeline);

    /**
     * @param i index of the sender
     * @param pipeline index of the pipeline
     * @param transfer the transfer
     */
    void Send(uint32_t i, uint32_t pipeline, const CollectiveTransfer& transfer);

    /**
     * Do as an NVSwitch does: add up what all members of a server have sent.
     *
     * @param i index of the sender
     * @param pipeline index of the pipeline
     * @param peer index of the member that gets the sum
     * @param data what the sender contributes
     */
    void AddInSwitch(uint32_t i, uint32_t pipeline, uint32_t peer, const Data& data);

    /**
     * Do as a tree of network switches does: add up what the heads of all servers have sent, and
     * send it to all of them.
     *
     * @param i index of the sender
     * @param pipeline index of the pipeline
     * @param data what the sender contributes
     */
    void AddInNetwork(uint32_t i, uint32_t pipeline, const Data& data);

    /**
     * @param i index of the receiver
     * @param pipeline index of the pipeline
     * @param transfer the transfer
     * @return false if its message is not there yet
     */
    bool Receive(uint32_t i, uint32_t pipeline, const CollectiveTransfer& transfer);

    /**
     * @param route sender, receiver and pipeline
     * @param data a message on its way there
     */
    void Deliver(const Route& route, Data data);

    /**
     * Visit the bytes of a transfer in the order of the message.
     *
     * @param member the member whose transfer it is
     * @param buffer the buffer of that member that is meant
     * @param transfer the transfer
     * @param isSend whether it reads the bytes: those in scratch memory must have been written
     * @return each byte; empty = there are none or one stands where it must not, which is a fault
     */
    std::vector<Contributions*> Find(Member& member,
                                     std::vector<Contributions>& buffer,
                                     const CollectiveTransfer& transfer,
                                     bool isSend);

    /// Stands for the switches of the network.
    static constexpr uint32_t NETWORK = UINT32_MAX;

    bool m_apart;                          //!< receives write to a buffer of their own
    std::vector<Member> m_members;         //!< all members
    std::multimap<Route, Data> m_messages; //!< messages under way, those of a route in order
    std::map<Route, std::vector<std::deque<Data>>> m_sums; //!< contributions by rail; by server,
                                                           //!< receiver and pipeline
    std::map<uint32_t, std::set<uint32_t>> m_heads;  //!< who speaks to the network, by pipeline
    const CollectivePlacement* m_placement{nullptr}; //!< where the members stand
    std::vector<std::vector<CollectiveStep>>
        m_awaited; //!< receives of the step under way, the next one last, by member and pipeline
    std::vector<std::vector<uint32_t>>
        m_peerPipelines; //!< pipeline that each talks to, by member and pipeline
    std::deque<std::pair<uint32_t, uint32_t>> m_ready; //!< members and pipelines that may go on
    std::string m_fault;                               //!< what went wrong
};

/**
 * @ingroup workload-replay-tests
 * @brief Where the chunk of a member begins when the first bytes % size chunks are one byte longer.
 *
 * @param bytes length of the buffer
 * @param size number of members
 * @param index index of the member; size = the end of the buffer
 * @return offset of the chunk
 */
uint64_t ChunkBegin(uint64_t bytes, uint32_t size, uint32_t index);

} // namespace ns3

#endif /* SYMBOLIC_JOB_H */
