/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef CHAKRA_NODE_MAKER_H
#define CHAKRA_NODE_MAKER_H

#include "chakra-trace.pb.h"
#include "workload.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @param communicator id of a communicator
 * @return name of the group that it is in traces
 */
std::string NameChakraGroup(uint32_t communicator);

/**
 * @ingroup workload-replay
 * @brief Turns the ops of one rank into nodes of Chakra.
 */
class ChakraNodeMaker
{
  public:
    /**
     * @param workload the workload; must outlive this object
     * @param rank the rank
     */
    ChakraNodeMaker(const Workload& workload, uint32_t rank);

    /**
     * @return what the trace says of the job and of the rank
     */
    chakra::GlobalMetadata MakeMetadata() const;

    /**
     * Make the next node; to be called for all ops in their order.
     *
     * @param index the op
     * @param dependencies the ops that it waits for
     * @param [out] node the node
     */
    void Make(uint32_t index, const std::vector<uint32_t>& dependencies, chakra::Node& node);

  private:
    /**
     * @param op a computation
     * @param [in,out] node takes what it is
     */
    void SetComputation(const WorkloadOp& op, chakra::Node& node);

    /**
     * @param op a collective
     * @param [in,out] node takes what it is
     */
    void SetCollective(const WorkloadOp& op, chakra::Node& node) const;

    /**
     * @param op a send or receive
     * @param [in,out] node takes what it is
     */
    void SetPointToPoint(const WorkloadOp& op, chakra::Node& node) const;

    /**
     * @param op an op that communicates
     * @return its communicator
     */
    const Communicator& GetCommunicator(const WorkloadOp& op) const;

    const Workload& m_workload;       //!< the workload
    uint32_t m_rank;                  //!< the rank
    const WorkloadProgram& m_program; //!< what it does
    std::vector<uint64_t> m_worked;   //!< by stream: time of the computations so far, ps
};

} // namespace ns3

#endif /* CHAKRA_NODE_MAKER_H */
