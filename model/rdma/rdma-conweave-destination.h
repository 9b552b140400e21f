/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_CONWEAVE_DESTINATION_H
#define RDMA_CONWEAVE_DESTINATION_H

#include "rdma-conweave.h"
#include "rdma-routing.h"

#include "ns3/event-id.h"

#include <cstdint>
#include <unordered_map>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief The last switch of flows in RdmaConweaveRouting: puts their packets in order.
 *
 * What has come by the new path of an epoch waits in a queue of its flow until the last packet by
 * the old path has come, or should long have come: when that is follows from when it was sent, and
 * from the delay of the packet that has come by the old path last.
 */
class RdmaConweaveDestination
{
  public:
    /// What it has done so far.
    struct Counters
    {
        uint64_t held{0};           //!< packets that have waited
        uint64_t resumedByTail{0};  //!< queues that were emptied when the last packet had come
        uint64_t resumedByTimer{0}; //!< queues that were emptied because it did not come in time
        uint64_t withoutQueue{0};   //!< packets that should have waited, but all queues were taken
    };

    /**
     * @param parameters the parameters
     * @param leaves leaf of each host
     * @param node number of the switch
     */
    RdmaConweaveDestination(const RdmaConweave::Parameters& parameters,
                            RdmaRouting::Leaves leaves,
                            uint32_t node);

    /**
     * A data packet has come from another leaf, and is to go on to its host, now or later.
     *
     * @param keeper the switch
     * @param from port that it has come in by
     * @param to port that it is to leave by
     * @param packet the packet
     */
    void Take(RdmaPacketKeeper& keeper,
              RdmaNetDevice& from,
              RdmaNetDevice& to,
              RdmaPacketPtr packet);

    /**
     * @return what it has done so far
     */
    const Counters& GetCounters() const
    {
        return m_counters;
    }

    /**
     * @return queues in use
     */
    uint32_t GetNQueues() const;

  private:
    /// A flow.
    struct Flow
    {
        std::vector<RdmaPacketPtr> held; //!< packets that wait, in order
        RdmaNetDevice* to{nullptr};      //!< port that they are to leave by
        EventId timer;                   //!< when they go on at the latest
        int64_t lastAt{0};               //!< time step of the last packet
        int64_t oldAt{0};                //!< time step of the last one by the old path
        uint32_t oldSentAt{0};           //!< when it was at the first switch, the lower bits
        uint32_t tailSentAt{0};          //!< when the last one of all was, likewise
        uint8_t epoch{0};                //!< number of the epoch
        bool isKnown{false};             //!< has had a packet
        bool hasOld{false};              //!< one has come by the old path
        bool isInOrder{false};           //!< the last one by the old path has come, or is given up
    };

    /// Where to report to about a flow.
    struct Origin
    {
        uint64_t flow;       //!< the flow
        uint32_t leaf;       //!< its first switch
        uint32_t path;       //!< uplink there
        RdmaNetDevice* from; //!< port that it comes in by here
    };

    /**
     * Find the state of a packet's flow, as of its epoch.
     *
     * @param flow state of its flow
     * @param packet the packet
     * @return whether it is of the epoch; else it is late
     */
    bool Follow(Flow& flow, const RdmaPacket& packet);

    /**
     * A packet has come by the new path.
     *
     * @param flow state of its flow
     * @param origin where it is from
     * @param to port that it is to leave by
     * @param packet the packet
     */
    void TakeRerouted(Flow& flow, const Origin& origin, RdmaNetDevice& to, RdmaPacketPtr packet);

    /**
     * A packet has come by the old path, or the only one.
     *
     * @param flow state of its flow
     * @param origin where it is from
     * @param to port that it is to leave by
     * @param packet the packet
     */
    void TakeOld(Flow& flow, const Origin& origin, RdmaNetDevice& to, RdmaPacketPtr packet);

    /**
     * Set the timer of a flow of which packets wait.
     *
     * @param flow its state
     * @param origin where it is from
     */
    void Await(Flow& flow, const Origin& origin);

    /**
     * The last packet by the old path has not come in time.
     *
     * @param origin flow and where it is from
     */
    void GiveUp(Origin origin);

    /**
     * Let go on what waits.
     *
     * @param flow state of the flow
     */
    void Resume(Flow& flow);

    /**
     * Report to the first switch.
     *
     * @param origin flow and where it is from
     * @param what an RdmaConweave::Flag, and the epoch
     */
    void Report(const Origin& origin, uint8_t what);

    /**
     * @param to port that a packet is to leave by
     * @return whether there is a queue for one more flow
     */
    bool HasQueue(const RdmaNetDevice& to);

    /**
     * Forget flows that have had no packet for long, unless it was done just now.
     *
     * @param now time step
     */
    void ForgetOld(int64_t now);

    /**
     * @return for how long a flow without packets is remembered, time steps
     */
    int64_t GetMemory() const
    {
        return 2 * m_parameters.inactiveSteps;
    }

    RdmaConweave::Parameters m_parameters;      //!< the parameters
    RdmaRouting::Leaves m_leaves;               //!< leaf of each host
    uint32_t m_node;                            //!< number of the switch
    RdmaPacketKeeper* m_keeper{nullptr};        //!< the switch
    std::unordered_map<uint64_t, Flow> m_flows; //!< by RdmaConweave::GetFlow()
    std::vector<uint32_t> m_queues;             //!< queues in use, by number of the port
    int64_t m_nextForgetAt{0};                  //!< time step of the next ForgetOld()
    Counters m_counters;                        //!< what it has done so far
};

} // namespace ns3

#endif /* RDMA_CONWEAVE_DESTINATION_H */
