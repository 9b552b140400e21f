/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef CHAKRA_OPS_H
#define CHAKRA_OPS_H

#include "chakra-attributes.h"
#include "chakra-groups.h"
#include "chakra-index.h"
#include "chakra-options.h"
#include "chakra-trace.pb.h"
#include "workload.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief Where a node of a Chakra trace runs.
 */
enum class ChakraUnit : uint8_t
{
    METADATA,   //!< nowhere: it takes no time
    HOST,       //!< on the CPU
    DEVICE,     //!< on the accelerator
    COLLECTIVE, //!< in the network
    SEND,       //!< in the network
    RECV        //!< in the network
};

/**
 * @ingroup workload-replay
 * @brief What a node of a Chakra trace is lowered to.
 */
struct ChakraOp
{
    WorkloadOp op;                         //!< the op; its stream is not set
    ChakraUnit unit{ChakraUnit::METADATA}; //!< where it runs
    int64_t number{0};                     //!< HOST: thread; else stream of the accelerator
    std::optional<AllToAllSplits> splits;  //!< ALL_TO_ALL: its parts; nullopt = equal ones
};

/**
 * @ingroup workload-replay
 * @brief What is to be reported of all traces of a job when they have been lowered.
 */
struct ChakraNotes
{
    uint64_t untimed{0};        //!< computations with operations or bytes, but without a time
    uint64_t rootless{0};       //!< collectives with a root that is not named
    uint64_t symbolic{0};       //!< sizes that were elements
    uint64_t strayEdges{0};     //!< dependencies on nodes that are not there, or on the node itself
    uint64_t leaves{0};         //!< ops of accelerators that nothing waits for
    uint64_t unusedControls{0}; //!< control dependencies that were not used
};

/**
 * @ingroup workload-replay
 * @brief Turns the nodes of one rank into ops.
 */
class ChakraOpMaker
{
  public:
    /**
     * @param options what the traces do not say
     * @param index the first pass through the trace
     * @param groups the groups of the job
     * @param rank the rank
     * @param world number of ranks
     * @param [in,out] notes takes in what is to be reported
     */
    ChakraOpMaker(const ChakraOptions& options,
                  const ChakraIndex& index,
                  const ChakraGroups& groups,
                  uint32_t rank,
                  uint32_t world,
                  ChakraNotes& notes);

    /**
     * @param node a node
     * @return what it becomes; origin and stream are not set
     * @throws WorkloadError naming the node if it cannot be replayed
     */
    ChakraOp Make(const chakra::Node& node);

    /**
     * @return by communicator slot: the group, see ChakraGroups::GetRanks(); nullopt = that of
     *         sends and receives, which has all ranks
     */
    const std::vector<std::optional<std::string>>& GetSlots() const;

    /**
     * @param slot slot of a group
     * @return what is known of the group
     */
    ChakraGroupFact GetGroupFact(uint32_t slot) const;

  private:
    /**
     * @param node a computation, or an access to memory
     * @param result takes its time
     */
    void SetTime(const chakra::Node& node, ChakraOp& result);

    /**
     * @param node a computation of the accelerator without a time
     * @return the time that its operations and its bytes need, picoseconds
     */
    uint64_t FindRooflineTime(const chakra::Node& node);

    /**
     * @param node a collective
     * @param result takes what it is
     */
    void SetCollective(const chakra::Node& node, ChakraOp& result);

    /**
     * @param node a send or receive
     * @param result takes what it is
     */
    void SetPointToPoint(const chakra::Node& node, ChakraOp& result);

    /**
     * @param node an all-to-all
     * @param result takes its parts, if they are listed
     */
    void SetSplits(const chakra::Node& node, ChakraOp& result) const;

    /**
     * @param node a collective
     * @param result takes its root, if it has one; the first rank of the group if it is not named
     */
    void SetRoot(const chakra::Node& node, ChakraOp& result);

    /**
     * @param node a send or receive
     * @param op takes its communicator; its peer is a rank before and a member afterwards
     */
    void SetPeerSlot(const chakra::Node& node, WorkloadOp& op);

    /**
     * @param node a send or receive
     * @param own attribute that names the own rank, if it is there
     * @param other attribute that names the other one
     * @return the other rank
     */
    uint32_t FindPeer(const chakra::Node& node, const char* own, const char* other) const;

    /**
     * @param node a node that communicates
     * @param list attribute in which STAGE writes its bytes
     * @return its size, bytes
     */
    uint64_t FindBytes(const chakra::Node& node, const char* list);

    /**
     * @param node a collective
     * @return slot of its group
     */
    uint32_t FindSlot(const chakra::Node& node);

    /**
     * @param node a node
     * @param name name of an attribute
     * @return its value, at least 0; 0 if it is not there
     */
    uint64_t GetCount(const chakra::Node& node, const char* name) const;

    /**
     * @param node a node
     * @return the place of an error in it
     */
    SourceLocation Locate(const chakra::Node& node) const;

    /**
     * @return bytes of an element where sizes count elements, else 1
     */
    uint64_t GetElementBytes() const;

    const ChakraOptions& m_options;                  //!< what the traces do not say
    const ChakraIndex& m_index;                      //!< the first pass
    const ChakraGroups& m_groups;                    //!< the groups
    uint32_t m_rank;                                 //!< the rank
    uint32_t m_world;                                //!< number of ranks
    ChakraNotes& m_notes;                            //!< what is to be reported
    std::vector<std::optional<std::string>> m_slots; //!< groups by slot
    /// By slot: ranks of the group; empty for that of sends and receives.
    std::vector<std::vector<uint32_t>> m_members;
    std::map<std::string, uint32_t> m_slotOf; //!< slots by the names that traces write
    std::optional<uint32_t> m_peerSlot;       //!< slot of sends and receives
};

} // namespace ns3

#endif /* CHAKRA_OPS_H */
