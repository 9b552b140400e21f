/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef REPLAY_TRACKS_H
#define REPLAY_TRACKS_H

#include "collective-run.h"
#include "op-scheduler.h"
#include "rank-accelerator.h"

#include "ns3/nstime.h"
#include "ns3/workload-program.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief What runs on the tracks of a rank: the ops that OpScheduler lets start, with their state,
 *        and collectives whose op has ended before they were simulated.
 */
class ReplayTracks
{
  public:
    /// What a track is doing, see OpScheduler.
    struct State
    {
        Time start;           //!< busy: when it started
        Time sentAt;          //!< done with a RECV: when the sender posted the message
        uint32_t sequence{0}; //!< busy with a COLLECTIVE: its number in the communicator
        std::unique_ptr<CollectiveRun> run; //!< busy with a COLLECTIVE: its progress
        RankAccelerator::Taken taken; //!< busy with an op that slows computations: what it takes
    };

    /**
     * @param program the program; it must outlive this object
     */
    void Setup(const WorkloadProgram& program);

    /// @return says which ops can start
    OpScheduler& GetScheduler()
    {
        return m_scheduler;
    }

    /**
     * @return the track of an op that starts now; none if nothing can start
     */
    std::optional<std::size_t> TakeReady();

    /**
     * @param track track of an op
     * @return what it is doing
     */
    State& Get(std::size_t track)
    {
        return m_states[track];
    }

    /// @return tracks that are busy, in their order
    std::vector<std::size_t> GetBusy() const;

    /**
     * @param track a busy track
     * @return the op that runs on it
     */
    const WorkloadOp& GetOp(std::size_t track) const
    {
        return m_program->GetOps()[m_scheduler.GetCurrent(track)];
    }

    /**
     * @param track a busy track
     * @return number of the collective that runs on it in its communicator
     */
    uint32_t GetSequence(std::size_t track) const
    {
        return m_states[track].sequence;
    }

    /**
     * @param track a track
     * @return the collective that it runs, or ran; null = it runs another op
     */
    CollectiveRun* FindRun(std::size_t track) const
    {
        return track < FIRST_PAST ? m_states[track].run.get() : m_past.at(track).get();
    }

    /**
     * Give a track of its own to a collective whose op has ended without its messages, which go
     * after all.
     *
     * @param run the rank's part of it
     */
    void AddPast(std::unique_ptr<CollectiveRun> run);

    /**
     * A collective has come to its end.
     *
     * @param track its track
     * @return whether its op had ended before, so that nobody is to be notified again; it is
     * forgotten
     */
    bool ErasePast(std::size_t track);

    /**
     * Forget all collectives.
     *
     * @param close is given each one whose op has not ended, first
     */
    template <typename F>
    void Close(const F& close)
    {
        for (auto& state : m_states)
        {
            if (state.run)
            {
                close(*state.run);
            }
            state.run.reset();
        }
        m_past.clear();
    }

  private:
    /// First track beyond those of ops.
    static constexpr std::size_t FIRST_PAST = std::size_t{1} << 32;

    const WorkloadProgram* m_program{nullptr}; //!< the program
    OpScheduler m_scheduler;                   //!< says which ops can start
    std::vector<State> m_states;               //!< by track
    /// By track from FIRST_PAST on: what has ended without messages and has them after all.
    std::map<std::size_t, std::unique_ptr<CollectiveRun>> m_past;
    std::size_t m_nextPast{FIRST_PAST}; //!< first track that was never taken there
};

} // namespace ns3

#endif /* REPLAY_TRACKS_H */
