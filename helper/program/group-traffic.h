/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef GROUP_TRAFFIC_H
#define GROUP_TRAFFIC_H

#include "network-options.h"

#include "ns3/collective-selection.h"
#include "ns3/replay-helper.h"
#include "ns3/topology-graph.h"
#include "ns3/workload.h"

#include <cstdint>
#include <map>
#include <memory>
#include <tuple>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief What a program calls and sends, without its order.
 */
struct ProgramCalls
{
    /// Slot of the communicator, kind, bytes, peer or root, splits.
    using CallKey = std::tuple<uint32_t, CollectiveKind, uint64_t, uint32_t, const AllToAllSplits*>;

    /// Slot of the communicator, index of the peer in it, bytes.
    using SendKey = std::tuple<uint32_t, uint32_t, uint64_t>;

    /// @param program a program
    explicit ProgramCalls(const WorkloadProgram& program);

    /**
     * @param helper has the workload, and knows how collectives are done
     * @param id a communicator of it
     * @param key what a member of it calls
     * @return the call, of the first member
     */
    static CollectiveCall MakeCall(const ReplayHelper& helper, uint32_t id, const CallKey& key);

    std::map<CallKey, double> calls; //!< number of collectives of each kind
    std::map<SendKey, double> sends; //!< number of messages of each kind
};

/**
 * @ingroup workload-replay
 * @brief Counts what the members of a group send to those of it that stand elsewhere.
 *
 * All collectives and messages of an iteration count, as their algorithms plan them. Groups whose
 * members run the same programs at places that are as far apart are counted once.
 */
class GroupTraffic
{
  public:
    /**
     * @param options what the user asks for; SetNetworkDefaults() has been called with it
     * @param graph the topology, with a host for each rank of the workload
     * @param workload the job
     * @throws WorkloadError if an algorithm that was chosen cannot do what the workload wants of it
     */
    GroupTraffic(const NetworkOptions& options,
                 const TopologyGraph& graph,
                 std::shared_ptr<const Workload> workload);

    /**
     * @param id a communicator of the workload
     * @param places place of each rank, any numbers
     * @return what its members send to members at other places in an iteration, bytes, without
     *         headers
     */
    double Count(uint32_t id, const std::vector<uint32_t>& places);

  private:
    /// Dimension of a group, its members' places, numbered as they come, and their programs.
    using Shape = std::tuple<Dimension, std::vector<uint32_t>, std::vector<const WorkloadProgram*>>;

    /**
     * @param program a program
     * @return what it calls and sends; kept
     */
    const ProgramCalls& Summarise(const WorkloadProgram& program);

    /**
     * @param id a communicator
     * @param places place of each member
     * @param index a member
     * @return what it sends to others at other places, bytes
     */
    double CountMember(uint32_t id, const std::vector<uint32_t>& places, uint32_t index);

    /**
     * @param call a collective, as one member calls it
     * @param plan how it is carried out
     * @param places place of each member
     * @return what the member sends to others at other places, bytes
     */
    static double CountCall(const CollectiveCall& call,
                            const CollectivePlan& plan,
                            const std::vector<uint32_t>& places);

    std::shared_ptr<const Workload> m_workload;             //!< the job
    ReplayHelper m_helper;                                  //!< knows where ranks stand
    Ptr<const CollectiveSelection> m_algorithms;            //!< how collectives are done
    std::map<const WorkloadProgram*, ProgramCalls> m_calls; //!< by program
    std::map<Shape, double> m_counts;                       //!< groups that were counted
};

} // namespace ns3

#endif /* GROUP_TRAFFIC_H */
