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
 * @brief Says which ops of a rank's program can start: each stream in order, and each op when all
 *        its edges are satisfied.
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
     * Take the next stream whose op can start. The stream is busy with it from then on.
     *
     * @return the stream; none if nothing can start
     */
    std::optional<std::size_t> TakeReady();

    /**
     * The op of a busy stream has finished: satisfy the edges that lead from its finish, and go on
     * to the next op.
     *
     * @param stream the stream
     * @return true if an op of the compute stream now waits for nothing more, or if it was the last
     *         op of the iteration
     */
    bool Finish(std::size_t stream);

    /**
     * @return true if all ops of the iteration have finished
     */
    bool IsDone() const;

    /**
     * @param stream a stream
     * @return true if one of its ops has started and not finished
     */
    bool IsBusy(std::size_t stream) const;

    /**
     * @param stream a stream that is not at its end
     * @return index of the op it runs or waits to run
     */
    WorkloadProgram::OpIndex GetCurrent(std::size_t stream) const;

  private:
    /// Where a stream stands.
    struct Stream
    {
        std::size_t next{0}; //!< position of its next op among the stream's ops
        bool busy{false};    //!< true while that op runs
    };

    /**
     * Satisfy an edge of each op given.
     *
     * @param ops the ops that waited
     * @return true if an op of the compute stream now waits for nothing more
     */
    bool Release(WorkloadProgram::Successors ops);

    const WorkloadProgram* m_program{nullptr}; //!< the program
    std::vector<Stream> m_streams;             //!< by stream index
    std::vector<uint32_t> m_waiting;           //!< by op: edges not yet satisfied
    std::vector<std::size_t> m_ready;          //!< streams whose op may be able to start
    std::size_t m_unfinished{0};               //!< ops of the iteration not finished
};

} // namespace ns3

#endif /* OP_SCHEDULER_H */
