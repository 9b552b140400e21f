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
#include <optional>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief Says when the computations of a rank end, which communication of the rank slows down.
 *
 * Kernels of NCCL occupy streaming multiprocessors and memory bandwidth from their start to their
 * end, also while they wait for other ranks (src/device: each channel is a block of threads that
 * polls; the same kernels serve collectives, ncclSend and ncclRecv). Two of these blocks do not fit
 * on one multiprocessor, so that those of all communication under way count together: meanwhile
 * computations go on at the rate of the multiprocessors that are left.
 *
 * Where nobody knows how many these are, a communication within a server takes one share of the
 * accelerator, one that uses the network another, as in Calculon (M. Isaev et al., SC'23;
 * "processor_usage" of a network), whatever the number of them: the larger share of those under way
 * counts. Either slows all that computations do; Calculon (calculon/llm/layers.py) slows arithmetic
 * so, and memory not at all.
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

    /// What a communication takes of the accelerator while it is under way.
    struct Kernel
    {
        Reach reach{SERVER}; //!< what it uses
        /// Multiprocessors that it occupies; none = not known, the share of its reach counts.
        std::optional<uint32_t> multiprocessors;
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
     * @param multiprocessors multiprocessors of the accelerator; 0 = not known, communication takes
     *                        the share of its reach
     */
    void SetMultiprocessors(uint32_t multiprocessors);

    /**
     * @return multiprocessors of the accelerator; 0 = not known
     */
    uint32_t GetMultiprocessors() const;

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
     * @param kernel what it takes
     */
    void StartCommunication(const Kernel& kernel);

    /**
     * A communication ends, now.
     *
     * @param kernel what it takes, as when it started
     */
    void StopCommunication(const Kernel& kernel);

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

    /**
     * @return parts of UNIT that the communication under way takes
     */
    uint64_t GetTaken() const;

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
    std::array<uint32_t, N_REACHES> m_underWay{}; //!< communications under way that take shares
    uint32_t m_multiprocessors{0};                //!< those of the accelerator; 0 = not known
    uint64_t m_occupied{0};                       //!< those that communication occupies
    uint64_t m_rate{UNIT};                        //!< rate that they leave, parts of UNIT
    std::vector<Computation> m_computations;      //!< by track
};

} // namespace ns3

#endif /* COMPUTE_CLOCK_H */
