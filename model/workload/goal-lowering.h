/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef GOAL_LOWERING_H
#define GOAL_LOWERING_H

#include "workload-program.h"

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief A node of a GOAL schedule.
 */
struct GoalNode
{
    OpKind kind{OpKind::COMPUTE}; //!< SEND, RECV or COMPUTE
    uint64_t amount{0};           //!< bytes, or nanoseconds
    uint64_t peer{0};             //!< SEND, RECV: the other rank, or WorkloadOp::ANY_PEER
    uint64_t tag{0};              //!< SEND, RECV: its tag, or WorkloadOp::ANY_TAG
    uint64_t cpu{0};              //!< its CPU
    uint64_t nic{0};              //!< SEND, RECV: its NIC
};

/**
 * @ingroup workload-replay
 * @brief Makes the program of one rank of a GOAL schedule, whose nodes become ops one by one.
 *
 * Communicator slot 0 holds all ranks in their order, so that peers are ranks.
 */
class GoalLowering
{
  public:
    /// Index of an op in the program.
    using OpIndex = WorkloadProgram::OpIndex;

    static constexpr uint64_t MAX_NANOSECONDS = INT64_MAX / 1000; //!< longest computation
    static constexpr uint64_t MAX_BYTES = 1ULL << 50;             //!< longest message
    static constexpr uint64_t MAX_LANE = UINT16_MAX;              //!< highest CPU and NIC

    /**
     * @param file what origins are lines of, or nodes if it has nodes
     * @param hasNodes origins are nodes
     * @param rank the rank
     * @param world number of ranks
     */
    GoalLowering(const std::string& file, bool hasNodes, uint32_t rank, uint32_t world);

    /**
     * Look for a value that a node cannot have. CPU and NIC are not looked at: the binary form has
     * a byte for each, and the text form is read no higher than MAX_LANE.
     *
     * @param node a node
     * @return what would be right; empty = all values are
     */
    std::string FindFault(const GoalNode& node) const;

    /**
     * Make room.
     *
     * @param nodes number of nodes to come
     * @param edges number of edges to come
     */
    void Reserve(uint64_t nodes, uint64_t edges);

    /**
     * @param node a node without a fault
     * @param origin line or number of the node
     * @param name its label; empty = it has none
     * @return the op
     */
    OpIndex Add(const GoalNode& node, uint32_t origin, std::string_view name = "");

    /**
     * @param before the op that the other one waits for
     * @param after the op that waits
     * @param isStart it waits for the start of the first one (irequires), not its end (requires)
     */
    void AddEdge(OpIndex before, OpIndex after, bool isStart);

    /**
     * @return number of ops so far
     */
    uint64_t GetNOps() const;

    /**
     * @return the program
     * @throws WorkloadError naming an op on a cycle
     */
    std::shared_ptr<const WorkloadProgram> Build();

  private:
    /**
     * @param isCpu a CPU, not a NIC
     * @param number its number
     * @return the stream of its ops
     */
    uint16_t FindStream(bool isCpu, uint16_t number);

    WorkloadProgramBuilder m_builder;       //!< makes the program
    uint32_t m_rank;                        //!< the rank
    uint32_t m_world;                       //!< number of ranks
    std::map<uint32_t, uint16_t> m_streams; //!< streams by number, those of NICs after all CPUs
};

} // namespace ns3

#endif /* GOAL_LOWERING_H */
