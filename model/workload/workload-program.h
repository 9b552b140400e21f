/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef WORKLOAD_PROGRAM_H
#define WORKLOAD_PROGRAM_H

#include "name-table.h"
#include "workload-types.h"

#include "ns3/workload-error.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief One op of a rank's program.
 *
 * Peers are written relative to the rank (a slot of its communicators and an index in it), so that
 * ranks which do the same share one program.
 */
struct WorkloadOp
{
    /// With RESOURCES: peer of a RECV from any rank.
    static constexpr uint32_t ANY_PEER = UINT32_MAX;

    /// With RESOURCES: tag that matches every tag.
    static constexpr uint64_t ANY_TAG = UINT64_MAX;

    uint64_t amount{0};           //!< picoseconds (COMPUTE) or bytes (all other kinds)
    uint32_t communicator{0};     //!< slot in the rank's communicators; unused by COMPUTE
    uint32_t peer{0};             //!< SEND, RECV: index of the other rank in the communicator;
                                  //!< COLLECTIVE: index of the root, see HasRoot()
    uint64_t tag{0};              //!< SEND, RECV: distinguishes messages of one pair
    uint32_t name{0};             //!< index of the op's name, see WorkloadProgram::GetName()
    uint32_t splits{UINT32_MAX};  //!< ALL_TO_ALL: see WorkloadProgram::GetSplits()
    uint32_t origin{0};           //!< where it was read, see WorkloadProgram::Locate()
    int32_t layer{-1};            //!< layer; -1 = belongs to none
    int32_t microbatch{-1};       //!< microbatch; -1 = belongs to none
    uint16_t stream{0};           //!< index of the stream it runs in
    uint16_t cpu{0};              //!< with RESOURCES: number of the CPU that it needs
    uint16_t nic{0};              //!< with RESOURCES: SEND, RECV: number of the NIC that it needs
    uint16_t multiprocessors{0};  //!< COLLECTIVE: those that its kernels occupy; 0 = as NCCL's
    OpKind kind{OpKind::COMPUTE}; //!< what it does
    OpPhase phase{OpPhase::FORWARD};                       //!< part of the iteration
    CollectiveKind collective{CollectiveKind::ALL_REDUCE}; //!< COLLECTIVE: which one
};

/**
 * @ingroup workload-replay
 * @brief In which order the ops of a stream run, and how many at a time.
 */
enum class StreamOrder : uint8_t
{
    IN_ORDER, //!< one at a time, as they were added: the next one holds up those after it
    AS_READY, //!< one at a time, of those whose edges are satisfied the one added first
    PARALLEL, //!< each as soon as its edges are satisfied, whatever else runs
    RESOURCES //!< each as soon as the CPU and the NIC that it names are free, first come, first
              //!< served; all streams of a program or none
};

/**
 * @ingroup workload-replay
 * @brief Ops that share a resource; different streams overlap.
 */
struct WorkloadStream
{
    std::string name;                      //!< name in reports: compute, dp, pp-send-forward, ...
    bool compute{false};                   //!< true: the stream of the accelerator's own work
    Dimension dimension{Dimension::WORLD}; //!< dimension of its traffic; unused if compute or host
    StreamOrder order{StreamOrder::IN_ORDER}; //!< which of its ops run when
    bool host{false}; //!< true: work of the host, neither the accelerator's nor communication
};

/**
 * @ingroup workload-replay
 * @brief What one rank does in an iteration: ops, the streams they queue in, and edges.
 *
 * An op starts when its stream lets it (StreamOrder) and all its edges are satisfied: edges from
 * ops that must have finished, and edges from ops that must have started.
 * Immutable once built, and shared by all ranks that do the same. Made by WorkloadProgramBuilder.
 */
class WorkloadProgram
{
  public:
    /// Index of an op in the program.
    using OpIndex = uint32_t;

    /**
     * @return the file the program was read from
     */
    const std::string& GetFile() const;

    /**
     * @return all ops; within a stream that runs in order, in that order
     */
    const std::vector<WorkloadOp>& GetOps() const;

    /**
     * @return all streams
     */
    const std::vector<WorkloadStream>& GetStreams() const;

    /**
     * @return true if ops need CPUs and NICs (RESOURCES)
     */
    bool UsesResources() const;

    /**
     * @param stream index of a stream that runs in order
     * @return its ops in the order of their execution
     */
    const std::vector<OpIndex>& GetStreamOps(std::size_t stream) const;

    /**
     * @param op an op
     * @return the name it has in its file
     */
    std::string GetName(const WorkloadOp& op) const;

    /**
     * @param op an all-to-all
     * @return how its buffers are shared out; null = in equal parts
     */
    const AllToAllSplits* GetSplits(const WorkloadOp& op) const;

    /**
     * @param origin origin of an op: a line of the file, 0 = synthesised; or a node of its graph
     * @return the place
     */
    SourceLocation Locate(uint32_t origin) const;

    /**
     * @param op an op
     * @return FILE:LINE it was read from, or FILE, node ID
     */
    std::string GetOrigin(const WorkloadOp& op) const;

    /**
     * @param op index of an op
     * @return number of edges that must be satisfied before it starts (the order within its stream
     *         not counted)
     */
    uint32_t GetPredecessorCount(OpIndex op) const;

    /**
     * The successors of an op as a range for a for loop.
     */
    struct Successors
    {
        const OpIndex* first; //!< the first one
        const OpIndex* last;  //!< past the last one

        /// @return the first one
        const OpIndex* begin() const
        {
            return first;
        }

        /// @return past the last one
        const OpIndex* end() const
        {
            return last;
        }
    };

    /**
     * @param op index of an op
     * @return the ops of which it satisfies an edge when it finishes
     */
    Successors GetFinishSuccessors(OpIndex op) const;

    /**
     * @param op index of an op
     * @return the ops of which it satisfies an edge when it starts
     */
    Successors GetStartSuccessors(OpIndex op) const;

  private:
    friend class WorkloadProgramBuilder;

    /// Edges of one sort by their first op, those of one op in the order they were added.
    struct Edges
    {
        /**
         * @param op index of an op
         * @return the ops that wait for it
         */
        Successors Get(OpIndex op) const
        {
            if (offsets.empty())
            {
                return {nullptr, nullptr};
            }
            return {targets.data() + offsets[op], targets.data() + offsets[op + 1]};
        }

        /// Per op, where its successors begin; one more. Empty if there are no edges at all.
        std::vector<uint32_t> offsets;
        std::vector<OpIndex> targets; //!< successors of the ops, one op after another
    };

    std::string m_file;                            //!< the file read
    bool m_hasNodes{false};                        //!< origins are nodes, not lines
    std::vector<uint64_t> m_nodeIds;               //!< id of the node by origin; empty = the origin
    std::vector<WorkloadOp> m_ops;                 //!< all ops
    std::vector<WorkloadStream> m_streams;         //!< all streams
    std::vector<std::vector<OpIndex>> m_streamOps; //!< ops by stream, of those that run in order
    NameTable m_names;                             //!< names of ops
    std::vector<AllToAllSplits> m_splits;          //!< uneven all-to-alls, each once
    std::vector<uint32_t> m_predecessorCounts;     //!< edges into each op
    Edges m_finishEdges;                           //!< edges from the finish of ops
    Edges m_startEdges;                            //!< edges from the start of ops
};

/**
 * @ingroup workload-replay
 * @brief Puts a WorkloadProgram together.
 */
class WorkloadProgramBuilder
{
  public:
    /// Index of an op in the program.
    using OpIndex = WorkloadProgram::OpIndex;

    /**
     * @param file the file that the origins of the ops are lines of
     */
    explicit WorkloadProgramBuilder(std::string file);

    /**
     * Say that the origins of the ops are nodes of a graph, not lines.
     *
     * @param ids ids of the nodes by origin; empty = an origin is an id
     */
    void SetNodes(std::vector<uint64_t> ids);

    /**
     * Make room at once, so that large programs do not take twice what they need.
     *
     * @param ops number of ops to come
     * @param edges number of edges to come
     */
    void Reserve(std::size_t ops, std::size_t edges);

    /**
     * @param stream the stream to add
     * @return its index
     */
    uint16_t AddStream(WorkloadStream stream);

    /**
     * Append an op to its stream.
     *
     * @param op the op; its name index is set here
     * @param name its name
     * @return its index
     */
    OpIndex AddOp(WorkloadOp op, std::string_view name);

    /**
     * @return the program as it is so far, with the edges that FindOrder() has met
     */
    const WorkloadProgram& GetDraft() const;

    /**
     * @param splits how an all-to-all shares out its buffers
     * @return the value of WorkloadOp::splits that stands for it
     */
    uint32_t AddSplits(const AllToAllSplits& splits);

    /**
     * @param before the op that must have finished
     * @param after the op that then may start
     */
    void AddFinishEdge(OpIndex before, OpIndex after);

    /**
     * @param before the op that must have started
     * @param after the op that then may start
     */
    void AddStartEdge(OpIndex before, OpIndex after);

    /**
     * Put the ops in an order that the edges allow, the order of streams aside: of those that can
     * come next, the one added first.
     *
     * @return the ops in that order
     * @throws WorkloadError naming an op on a cycle
     */
    std::vector<OpIndex> FindOrder();

    /**
     * Close the program. Edges and stream order together must form no cycle.
     *
     * @return the program; the builder is empty afterwards
     * @throws WorkloadError naming the origin of an op on a cycle
     */
    std::shared_ptr<const WorkloadProgram> Build();

  private:
    /// An edge between two ops.
    struct Edge
    {
        OpIndex before; //!< the first op
        OpIndex after;  //!< the op that waits for it
    };

    /// Sort all edges.
    void SortEdges();

    /**
     * Sort the edges of one sort, and count them in m_predecessorCounts.
     *
     * @param edges the edges in any order
     * @param [out] sorted the same
     */
    void Sort(const std::vector<Edge>& edges, WorkloadProgram::Edges& sorted);

    std::shared_ptr<WorkloadProgram> m_program; //!< the program being built
    std::vector<Edge> m_finishEdges;            //!< edges from finishes in any order
    std::vector<Edge> m_startEdges;             //!< edges from starts in any order
    /// Where splits are in m_splits, by their bytes to and from each member.
    std::map<std::pair<std::vector<uint64_t>, std::vector<uint64_t>>, uint32_t> m_splitsIndices;
};

} // namespace ns3

#endif /* WORKLOAD_PROGRAM_H */
