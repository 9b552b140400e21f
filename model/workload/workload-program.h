/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef WORKLOAD_PROGRAM_H
#define WORKLOAD_PROGRAM_H

#include "workload-types.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
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
    uint64_t amount{0};          //!< picoseconds (COMPUTE) or bytes (all other kinds)
    uint32_t communicator{0};    //!< slot in the rank's communicators; unused by COMPUTE
    uint32_t peer{0};            //!< SEND, RECV: index of the other rank in the communicator;
                                 //!< COLLECTIVE: index of the root, see HasRoot()
    uint32_t tag{0};             //!< SEND, RECV: tells messages of one pair apart
    uint32_t name{0};            //!< index of the op's name, see WorkloadProgram::GetName()
    uint32_t splits{UINT32_MAX}; //!< ALL_TO_ALL: see WorkloadProgram::GetSplits()
    uint32_t origin{0};     //!< line of the file (or node id) it was read from; 0 = synthesised
    int32_t layer{-1};      //!< layer; -1 = belongs to none
    int32_t microbatch{-1}; //!< microbatch; -1 = belongs to none
    uint16_t stream{0};     //!< index of the stream it runs in
    OpKind kind{OpKind::COMPUTE};                          //!< what it does
    OpPhase phase{OpPhase::FORWARD};                       //!< part of the iteration
    CollectiveKind collective{CollectiveKind::ALL_REDUCE}; //!< COLLECTIVE: which one
};

/**
 * @ingroup workload-replay
 * @brief A queue of ops that run one after another; different streams overlap.
 */
struct WorkloadStream
{
    std::string name;                      //!< name in reports: compute, dp, pp-send-forward, ...
    bool compute{false};                   //!< true: the stream of the accelerator's own work
    Dimension dimension{Dimension::WORLD}; //!< dimension of its traffic; unused if compute
};

/**
 * @ingroup workload-replay
 * @brief What one rank does in an iteration: ops, the streams they queue in, and edges.
 *
 * An op starts when the op before it in its stream has finished and all its edges are satisfied.
 * Immutable once built, and shared by all ranks that do the same. Made by WorkloadProgramBuilder.
 */
class WorkloadProgram
{
  public:
    /// Index of an op in the program.
    using OpIndex = uint32_t;

    /**
     * @return the file the program was read from; origins are lines of it
     */
    const std::string& GetFile() const;

    /**
     * @return all ops; within a stream in the order of their execution
     */
    const std::vector<WorkloadOp>& GetOps() const;

    /**
     * @return all streams
     */
    const std::vector<WorkloadStream>& GetStreams() const;

    /**
     * @param stream index of a stream
     * @return its ops in the order of their execution
     */
    const std::vector<OpIndex>& GetStreamOps(std::size_t stream) const;

    /**
     * @param op an op
     * @return the name it has in its file
     */
    const std::string& GetName(const WorkloadOp& op) const;

    /**
     * @param op an all-to-all
     * @return how its buffers are shared out; null = in equal parts
     */
    const AllToAllSplits* GetSplits(const WorkloadOp& op) const;

    /**
     * @param op an op
     * @return FILE:LINE it was read from
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

  private:
    friend class WorkloadProgramBuilder;

    std::string m_file;                            //!< the file read
    std::vector<WorkloadOp> m_ops;                 //!< all ops
    std::vector<WorkloadStream> m_streams;         //!< all streams
    std::vector<std::vector<OpIndex>> m_streamOps; //!< ops by stream
    std::vector<std::string> m_names;              //!< names of ops, each once
    std::vector<AllToAllSplits> m_splits;          //!< uneven all-to-alls, each once
    std::vector<uint32_t> m_predecessorCounts;     //!< edges into each op
    std::vector<uint32_t> m_edgeOffsets;           //!< per op, where its successors begin; one more
    std::vector<OpIndex> m_edgeTargets;            //!< successors of the ops, one op after another
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
    OpIndex AddOp(WorkloadOp op, const std::string& name);

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

    /// Sort the edges by their first op, those of one op in the order they were added.
    void SortEdges();

    /**
     * @throws WorkloadError if edges and stream order form a cycle
     */
    void CheckAcyclic() const;

    std::shared_ptr<WorkloadProgram> m_program;              //!< the program being built
    std::vector<Edge> m_edges;                               //!< edges in any order
    std::unordered_map<std::string, uint32_t> m_nameIndices; //!< where a name is in m_names
    /// Where splits are in m_splits, by their bytes to and from each member.
    std::map<std::pair<std::vector<uint64_t>, std::vector<uint64_t>>, uint32_t> m_splitsIndices;
};

} // namespace ns3

#endif /* WORKLOAD_PROGRAM_H */
