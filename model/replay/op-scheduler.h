/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef OP_SCHEDULER_H
#define OP_SCHEDULER_H

#include "ns3/workload-program.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief Says which ops of a rank's program can start: each stream as its StreamOrder says, and
 *        each op when all its edges are satisfied.
 *
 * An op that runs has a track, the number that its owner knows it by. A stream's op has the number
 * of the stream; where ops of a stream run in parallel, all but the first have tracks of their own
 * beyond those, which serve again when they have finished.
 *
 * It knows nothing of time: its owner starts the ops and says when they have finished.
 */
class OpScheduler
{
  public:
    /**
     * @param program the program; it must outlive this object
     */
    void Setup(const WorkloadProgram& program);

    /// Begin an iteration: all ops wait again.
    void Begin();

    /**
     * Take the next op that can start, and satisfy the edges that lead from its start. Its track is
     * busy from then on.
     *
     * @return the track; none if nothing can start
     */
    std::optional<std::size_t> TakeReady();

    /**
     * The op of a busy track has finished: satisfy the edges that lead from its finish, and let its
     * stream go on.
     *
     * @param track the track
     * @return true if an op of a compute stream now waits for nothing more, or if it was the last
     *         op of the iteration
     */
    bool Finish(std::size_t track);

    /**
     * @return true if all ops of the iteration have finished
     */
    bool IsDone() const;

    /**
     * @param track a track
     * @return true if an op runs on it
     */
    bool IsBusy(std::size_t track) const;

    /**
     * @param track a busy track
     * @return index of the op that runs on it
     */
    WorkloadProgram::OpIndex GetCurrent(std::size_t track) const;

  private:
    using OpIndex = WorkloadProgram::OpIndex; //!< index of an op

    /// Stands where no op runs.
    static constexpr OpIndex NONE = UINT32_MAX;

    /// Where a stream stands.
    struct Stream
    {
        std::size_t next{0};         //!< in order: position of its next op among the stream's ops
        std::vector<OpIndex> heap{}; //!< not in order: ops that wait for nothing but their turn
    };

    /**
     * @param stream a stream
     * @return the op that it can start now; NONE = it cannot start any
     */
    OpIndex TakeFrom(std::size_t stream);

    /**
     * @param stream a stream that starts an op
     * @return a track that is not busy
     */
    std::size_t FindTrack(std::size_t stream);

    /**
     * An op waits for nothing but its turn.
     *
     * @param op the op
     */
    void MakeReady(OpIndex op);

    /**
     * Satisfy an edge of each op given.
     *
     * @param ops the ops that waited
     * @return true if an op of a compute stream now waits for nothing more
     */
    bool Release(WorkloadProgram::Successors ops);

    const WorkloadProgram* m_program{nullptr}; //!< the program
    std::vector<Stream> m_streams;             //!< by stream index
    std::vector<OpIndex> m_current;            //!< by track: the op that runs on it
    std::vector<std::size_t> m_free;           //!< tracks beyond the streams' that are not busy
    std::vector<uint32_t> m_waiting;           //!< by op: edges not yet satisfied
    std::vector<std::size_t> m_ready;          //!< streams that may be able to start an op
    std::size_t m_unfinished{0};               //!< ops of the iteration not finished
};

} // namespace ns3

#endif /* OP_SCHEDULER_H */
