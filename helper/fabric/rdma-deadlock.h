/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_DEADLOCK_H
#define RDMA_DEADLOCK_H

#include "rdma-fabric-helper.h"

#include "ns3/topology-graph.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief A port that waits for another: what the port has sent is stored behind its link, and waits
 * there for a port that flow control holds back.
 *
 * A port is named by the direction of its link: twice the number of the link, and one more if it
 * sends from the link's node b.
 */
struct RdmaPortWait
{
    uint32_t waiting{0}; //!< the port that waits, if its far end has paused it
    uint32_t awaited{0}; //!< the port at its far end that is held back
    uint8_t priority{0}; //!< the priority, or virtual lane, of what waits there
    uint8_t before{0};   //!< that with which it has come, the same but on virtual channels

    /**
     * @param record what is visited, const or not
     * @param visit is given each member
     */
    template <typename R, typename V>
    static void Visit(R& record, const V& visit)
    {
        visit(record.waiting);
        visit(record.awaited);
        visit(record.priority);
        visit(record.before);
    }
};

/**
 * @ingroup workload-replay
 * @brief Ports that wait for each other in a circle, so that none of them ever sends again
 * (cyclic buffer dependency: S. Hu et al., Deadlocks in datacenter networks: why do they form, and
 * how to avoid them, HotNets 2016).
 */
struct RdmaDeadlock
{
    std::vector<uint32_t> ports; //!< each waits for the next one, the last for the first
    uint8_t priority{0};         //!< the priority, or virtual lane, of the first port
};

/**
 * @param fabric a fabric
 * @return which ports of this process's nodes hold others up now, ordered
 */
std::vector<RdmaPortWait> ListPortWaits(const RdmaFabricHelper& fabric);

/**
 * @param waits what ports wait for, of all processes
 * @return one deadlock of each priority that has any, that of the lowest port, which comes first
 */
std::vector<RdmaDeadlock> FindDeadlocks(const std::vector<RdmaPortWait>& waits);

/**
 * @param deadlock a deadlock
 * @param graph the fabric
 * @return one line that names its nodes and links
 */
std::string DescribeDeadlock(const RdmaDeadlock& deadlock, const TopologyGraph& graph);

} // namespace ns3

#endif /* RDMA_DEADLOCK_H */
