/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef CHAKRA_LOWERING_H
#define CHAKRA_LOWERING_H

#include "chakra-device-order.h"
#include "chakra-ops.h"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief Makes the program of one rank from its Chakra trace, in a second pass through it.
 *
 * - Computations of the accelerator run one at a time, of those that can the first in the file;
 *   with a trace of PyTorch, in each of its streams. Those of the host, likewise in each thread.
 * - Collectives of a group run one at a time, in one order; different groups overlap.
 * - Sends and receives start as soon as their dependencies allow, in the order of the file if
 *   several do at once.
 * - What was exported by this module runs in the streams that it names, see ChakraFacts.
 */
class ChakraLowering
{
  public:
    /**
     * @param options what the trace does not say
     * @param index the first pass; must outlive this object
     * @param maker turns nodes into ops
     * @param [in,out] notes takes in what is to be reported
     */
    ChakraLowering(const ChakraOptions& options,
                   const ChakraIndex& index,
                   ChakraOpMaker& maker,
                   ChakraNotes& notes);

    /**
     * @return the program
     * @throws WorkloadError naming the node if one cannot be replayed
     */
    std::shared_ptr<const WorkloadProgram> Lower();

  private:
    using OpIndex = WorkloadProgram::OpIndex; //!< index of an op

    /// Read the trace: ops, and edges for dependencies.
    void ReadNodes();

    /**
     * Add the op of a node, and what is known of its order beside its dependencies.
     *
     * @param node the node
     * @param place its place in the file
     */
    void AddOp(const chakra::Node& node, uint32_t place);

    /**
     * Add the edges of a node.
     *
     * @param node the node
     * @param place its place in the file
     * @param dependencies ids of the nodes that it waits for
     */
    template <typename Dependencies>
    void AddEdges(const chakra::Node& node, uint32_t place, const Dependencies& dependencies);

    /**
     * @param before an op
     * @param after the op added last
     * @return whether the order of its stream has it wait for the other one anyway
     */
    bool IsStreamOrder(OpIndex before, OpIndex after) const;

    /**
     * @param node a node
     * @param op what it becomes
     * @return its stream
     */
    uint16_t FindStream(const chakra::Node& node, const ChakraOp& op);

    /**
     * @param op what a node becomes
     * @return a new stream for it and those like it
     */
    WorkloadStream MakeStream(const ChakraOp& op) const;

    /// Add the edges of the order of streams, and of the collectives of each group.
    void AddOrder();

    /**
     * Keep the collectives of each group in an order, so that it is the same on all its ranks.
     *
     * @param order all ops in an order that the edges allow
     */
    void ChainCollectives(const std::vector<OpIndex>& order);

    /// Count ops of accelerators, and those that nothing waits for.
    void CountLeaves();

    const ChakraIndex& m_index;       //!< the first pass
    ChakraOpMaker& m_maker;           //!< turns nodes into ops
    ChakraNotes& m_notes;             //!< what is to be reported
    bool m_isRecorded;                //!< a trace of PyTorch
    bool m_usesControl;               //!< control dependencies count
    bool m_hasShortIds;               //!< ids fit into origins
    WorkloadProgramBuilder m_builder; //!< the program being built
    ChakraDeviceOrder m_deviceOrder;  //!< order of the accelerator's streams
    std::map<std::pair<ChakraUnit, int64_t>, uint16_t> m_streams; //!< streams by what they are for
};

} // namespace ns3

#endif /* CHAKRA_LOWERING_H */
