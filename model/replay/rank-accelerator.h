/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RANK_ACCELERATOR_H
#define RANK_ACCELERATOR_H

#include "compute-clock.h"

#include "ns3/collective-selection.h"
#include "ns3/workload-program.h"

#include <cstdint>
#include <optional>

namespace ns3
{

class RankMessenger;

/**
 * @ingroup workload-replay
 * @brief The accelerator of a rank: runs its computations, which slow down for what the kernels of
 *        its communication take.
 *
 * A kernel of NCCL occupies a multiprocessor for each of its channels, from its start to its end:
 * those of a collective are what its algorithm has
 * (CollectiveAlgorithm::CountMultiprocessors()), those of a message what NCCL spreads so many bytes
 * over (PeerChannels). An op may say that its kernels are not NCCL's (WorkloadOp::multiprocessors).
 * Copy engines take nothing, and host streams run no kernels.
 */
class RankAccelerator
{
  public:
    /// What a kernel that runs takes; none = nothing.
    using Taken = std::optional<ComputeClock::Kernel>;

    /**
     * @param messenger speaks for the rank; must outlive this
     */
    explicit RankAccelerator(const RankMessenger& messenger);

    /// @return runs its computations
    ComputeClock& GetClock()
    {
        return m_clock;
    }

    /// @return the same
    const ComputeClock& GetClock() const
    {
        return m_clock;
    }

    /**
     * The kernel of a message between two ranks starts.
     *
     * @param program the rank's program
     * @param op a SEND or RECV of it
     * @return what it takes
     */
    Taken StartMessage(const WorkloadProgram& program, const WorkloadOp& op);

    /**
     * The kernel of a collective starts.
     *
     * @param program the rank's program
     * @param op a COLLECTIVE of it
     * @param plan how it is carried out
     * @param call the call
     * @return what it takes
     */
    Taken StartCollective(const WorkloadProgram& program,
                          const WorkloadOp& op,
                          const CollectivePlan& plan,
                          const CollectiveCall& call);

    /**
     * A kernel ends.
     *
     * @param [in,out] taken what it takes; afterwards nothing
     */
    void Stop(Taken& taken);

  private:
    /**
     * @param program the rank's program
     * @param op an op that communicates
     * @return whether it may slow computations
     */
    bool IsSlowing(const WorkloadProgram& program, const WorkloadOp& op) const;

    /**
     * @param op an op that communicates
     * @param multiprocessors those that its kernel occupies; none = not known
     * @return what it takes from now on
     */
    Taken Start(const WorkloadOp& op, std::optional<uint32_t> multiprocessors);

    const RankMessenger& m_messenger; //!< speaks for the rank
    ComputeClock m_clock;             //!< runs its computations
};

} // namespace ns3

#endif /* RANK_ACCELERATOR_H */
