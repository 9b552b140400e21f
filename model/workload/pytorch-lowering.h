/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef PYTORCH_LOWERING_H
#define PYTORCH_LOWERING_H

#include "operator-times.h"
#include "pytorch-costs.h"
#include "pytorch-trace.h"
#include "recorded-groups.h"
#include "workload.h"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief What is to be reported of the execution traces of a job.
 */
struct PytorchNotes
{
    uint64_t products{0};       //!< products, convolutions and attention, by their FLOP
    uint64_t measured{0};       //!< operators of the table of times
    uint64_t others{0};         //!< operators by their bytes
    uint64_t wide{0};           //!< products in formats that no matrix units compute in
    uint64_t copies{0};         //!< copies between accelerators and the host
    uint64_t host{0};           //!< operators of the host
    uint64_t unknown{0};        //!< communications of a kind that is not known, or without a peer
    std::set<std::string> used; //!< rows of the table of times that were of use
};

/**
 * @ingroup workload-replay
 * @brief Makes the program of one rank from its execution trace.
 *
 * - Operators run in the order of their numbers, in one stream, for as long as they take on the
 *   accelerator: of those that are parts of others the innermost ones that have kernels.
 * - A communication waits for the operators before it, as NCCL's stream does
 *   (ProcessGroupNCCL::syncStream).
 * - What follows the wait for a communication, or touches memory that it writes, waits for it.
 */
class PytorchLowering
{
  public:
    /// Finds the ranks of the group of a communication; throws if they are not known.
    using FindRanks = std::function<std::vector<uint32_t>(const PytorchNode&)>;

    /// Says how many bytes a collective has: by slot, number in it and what the trace says.
    using EvenBytes = std::function<uint64_t(std::size_t, std::size_t, uint64_t)>;

    /**
     * @param trace the trace; must outlive this object, as all below
     * @param rank its rank
     * @param accelerator how long operators take
     * @param times how long others take; null = none
     * @param [in,out] notes takes in what is to be reported
     */
    PytorchLowering(const PytorchTrace& trace,
                    uint32_t rank,
                    const Accelerator& accelerator,
                    const OperatorTimes* times,
                    PytorchNotes& notes);

    /**
     * @param findRanks ranks of the group of a communication
     * @param evenBytes says how many bytes collectives have; null = what the trace says
     * @return the program
     * @throws WorkloadError if a group is not known
     */
    std::shared_ptr<const WorkloadProgram> Lower(const FindRanks& findRanks,
                                                 const EvenBytes& evenBytes);

    /**
     * @return the group of each slot of communicators
     */
    const std::vector<RecordedGroups::Group>& GetSlots() const;

    /**
     * @return the collectives of each slot
     */
    const std::vector<RecordedGroups::Calls>& GetCollectives() const;

  private:
    using OpIndex = WorkloadProgram::OpIndex; //!< index of an op

    /**
     * @return numbers of the nodes that launch kernels themselves
     */
    std::set<uint64_t> FindRunning() const;

    /**
     * @param node an operator with a kernel
     */
    void AddOperator(const PytorchNode& node);

    /**
     * @param node an operator with a kernel
     * @return how long it takes, ps
     */
    uint64_t FindTime(const PytorchNode& node);

    /**
     * @param node a communication, or a wait for one
     */
    void AddCommunication(const PytorchNode& node);

    /**
     * Have a communication wait for what it needs, and what needs it wait for it.
     *
     * @param node the communication
     * @param index its op
     */
    void Connect(const PytorchNode& node, OpIndex index);

    /**
     * @param node a collective
     * @param kind its kind
     * @param [in,out] op the op, with its slot; takes kind and bytes
     */
    void SetCollective(const PytorchNode& node, CollectiveKind kind, WorkloadOp& op);

    /**
     * @param op an op, without stream and origin
     * @param node where it was read
     * @param stream its stream
     * @return its index
     */
    OpIndex AddOp(WorkloadOp op, const PytorchNode& node, const WorkloadStream& stream);

    /**
     * @param op an op, which waits for the communications that the host has waited for
     */
    void AddWaits(OpIndex op);

    /**
     * @param name name of a group
     * @param ranks its ranks
     * @return its slot
     */
    uint32_t FindSlot(const std::string& name, const std::vector<uint32_t>& ranks);

    const PytorchTrace& m_trace;                //!< the trace
    uint32_t m_rank;                            //!< its rank
    const Accelerator& m_accelerator;           //!< how long operators take
    PytorchCosts m_costs;                       //!< what they want
    const OperatorTimes* m_times;               //!< how long others take; null = none
    PytorchNotes& m_notes;                      //!< what is to be reported
    FindRanks m_findRanks;                      //!< ranks of groups
    EvenBytes m_evenBytes;                      //!< bytes of collectives; null = those of the trace
    WorkloadProgramBuilder m_builder;           //!< the program being built
    std::map<std::string, uint16_t> m_streams;  //!< of the program, by name
    std::vector<OpIndex> m_computed;            //!< the last operator, if there is one
    std::multimap<uint64_t, OpIndex> m_numbers; //!< communications by their numbers
    std::map<uint64_t, OpIndex> m_written;      //!< communications by what they write
    std::set<OpIndex> m_waits;                  //!< what the next op waits for
    std::vector<RecordedGroups::Group> m_slots; //!< groups
    std::vector<RecordedGroups::Calls> m_collectives; //!< by slot
};

} // namespace ns3

#endif /* PYTORCH_LOWERING_H */
