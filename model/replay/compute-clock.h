/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef COMPUTE_CLOCK_H
#define COMPUTE_CLOCK_H

#include "ns3/callback.h"
#include "ns3/event-id.h"
#include "ns3/nstime.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief Says when the computations of a rank end, which communication of the rank slows down.
 *
 * Kernels of NCCL occupy streaming multiprocessors and memory bandwidth from their start to their
 * end, also while they wait for other ranks (src/device: each channel is a block of threads that
 * polls; the same kernels serve collectives, ncclSend and ncclRecv). A communication within a
 * server takes one share of the accelerator, one that uses the network another, as in Calculon
 * (M. Isaev et al., SC'23; "processor_usage" of a network), whatever the number of them: the larger
 * share of those under way counts. Meanwhile computations go on at a rate of 1 minus that share,
 * all that they do; Calculon (calculon/llm/layers.py) slows arithmetic so, and memory not at all.
 *
 * Whole numbers count the work done, so that no time is lost or made however often the rate
 * changes.
 */
class ComputeClock
{
  public:
    /// A computation has ended: the track that it ran on, see OpScheduler.
    using EndedCallback = Callback<void, std::size_t>;

    /// What a communication uses.
    enum Reach : uint8_t
    {
        SERVER,  //!< all members stand in one server
        NETWORK, //!< it goes beyond the server
        N_REACHES
    };

    /// Largest share, the nearest to 1 that differs from it.
    static constexpr double MAX_SHARE = 0.999999999;

    /**
     * @param ended called for each computation that ends
     */
    void SetCallback(EndedCallback ended);

    /**
     * @param reach a kind of communication
     * @param share the share of the accelerator that it takes, from 0 to MAX_SHARE, rounded to
     *              10^-9; 0 = none
     */
    void SetShare(Reach reach, double share);

    /**
     * @param reach a kind of communication
     * @return the share of the accelerator that it takes
     */
    double GetShare(Reach reach) const;

    /**
     * A computation starts, now.
     *
     * @param track its track; none runs there
     * @param picoseconds how long it takes alone
     * @param isSlowed whether it runs on the accelerator, so that communication slows it down
     */
    void Start(std::size_t track, uint64_t picoseconds, bool isSlowed);

    /**
     * A communication starts, now.
     *
     * @param reach what it uses
     */
    void StartCommunication(Reach reach);

    /**
     * A communication ends, now.
     *
     * @param reach what it uses
     */
    void StopCommunication(Reach reach);

    /**
     * @return whether communication slows anything down, so that it must be notified
     */
    bool IsShared() const;

    /// No computation ends any more.
    void Close();

  private:
    /// Parts that a picosecond has here, and a rate of 1.
    static constexpr uint64_t UNIT = 1000000000;

    /// Work, in time that it takes alone.
    struct Work
    {
        uint64_t picoseconds{0}; //!< whole ones
        uint64_t parts{0};       //!< parts of another one, below UNIT
    };

    /// What a track computes.
    struct Computation
    {
        Work work;           //!< what was left to do at the time since; of one that has ended, what
                             //!< the resolution of the clock has cut off, for the next one
        Time since;          //!< when that was
        uint64_t rate{UNIT}; //!< parts of a picosecond that are done in a picosecond since then
        bool isSlowed{false}; //!< whether communication slows it down
        EventId end;          //!< its end
    };

    /**
     * Do a computation's work up to now.
     *
     * @param computation the computation
     */
    static void Advance(Computation& computation);

    /**
     * Find when a computation ends at its rate.
     *
     * @param track its track
     */
    void Schedule(std::size_t track);

    /// Go on at the rate that the communication under way leaves.
    void ChangeRate();

    /**
     * A computation ends.
     *
     * @param track its track
     */
    void End(std::size_t track);

    EndedCallback m_ended;                        //!< called for computations that end
    std::array<uint64_t, N_REACHES> m_shares{};   //!< shares, parts of UNIT
    std::array<uint32_t, N_REACHES> m_underWay{}; //!< communications under way
    uint64_t m_rate{UNIT};                        //!< rate that they leave, parts of UNIT
    std::vector<Computation> m_computations;      //!< by track
};

} // namespace ns3

#endif /* COMPUTE_CLOCK_H */
