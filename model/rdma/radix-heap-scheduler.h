/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RADIX_HEAP_SCHEDULER_H
#define RADIX_HEAP_SCHEDULER_H

#include "ns3/scheduler.h"

#include <array>
#include <cstdint>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief An event list for simulations with many events in the near future.
 *
 * It makes use of the fact that no event is ever scheduled before the one that runs. Times are
 * numbers of 22 digits of 3 bits. An event is kept in the bucket of the highest digit in which its
 * time differs from that of the event taken last, and of the value that this digit has; those of
 * that very time are due. When none is, the lowest bucket is dealt out to those of lower digits,
 * seen from its earliest event. So an event is moved at most once per digit of the time that it
 * lies ahead, through memory in sequence, where a binary heap goes up and down through all of it:
 * packets on cables are a few hundred nanoseconds ahead. It is a radix heap (R. Ahuja, K. Mehlhorn,
 * J. Orlin, R. Tarjan: Faster algorithms for the shortest path problem. Journal of the ACM 37(2),
 * 1990; there in its two-level form).
 *
 * Events of equal times stay in the order in which they were inserted, as with all of ns-3's
 * schedulers, but for packets that come in at nodes of an rdma fabric: they come after all other
 * events of that time, and those at one node by ingress port, the rests of trains before what comes
 * off the wire, and then in the order of that. So what happens at a node does not depend on who has
 * sent first, nor on which process has reported it; the order among nodes is of no account, since
 * every link has a delay. Removing an event (not cancelling it) takes time in proportion to the
 * events of its bucket.
 */
class RadixHeapScheduler : public Scheduler
{
  public:
    /// Context (Simulator::ScheduleWithContext()) of events that come before all others of their
    /// time, to see what was before. No node has it.
    static constexpr uint32_t OBSERVER = UINT32_MAX - 1;

    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    RadixHeapScheduler();
    ~RadixHeapScheduler() override;

    void Insert(const Event& ev) override;
    bool IsEmpty() const override;
    Event PeekNext() const override;
    Event RemoveNext() override;
    void Remove(const Event& ev) override;

    /**
     * ns-3's MPI engine looks at the next event once before it takes it, and twice if it has to
     * hear from the other processes first.
     *
     * @return how often it had to before an event was taken, in all simulations of the process;
     *         other engines never do
     */
    static uint64_t GetNWaits();

  private:
    /// Events in the order in which they were inserted.
    using Bucket = std::vector<Event>;

    /// Bits of a digit. With one bit, events of a fat-tree are moved 5.5 times each on average.
    static constexpr std::size_t DIGIT_BITS = 3;

    /// Values of a digit.
    static constexpr std::size_t DIGITS = std::size_t{1} << DIGIT_BITS;

    /// Events whose time differs from m_last in one digit, and in none above it.
    struct Level
    {
        std::array<Bucket, DIGITS> buckets; //!< by the digit that they have
        uint32_t filled{0};                 //!< bit d is set if bucket d has events
    };

    /// Deal out the events of the lowest bucket that has any, so that some are due.
    void Refill();

    /**
     * Note that a bucket has no more events.
     *
     * @param level its level
     * @param digit its digit
     */
    void MarkEmpty(std::size_t level, std::size_t digit);

    /**
     * @param ev an event
     * @param level number of a digit of its time; 0 = the lowest
     * @return the digit
     */
    static std::size_t GetDigit(const Event& ev, std::size_t level);

    /**
     * Take in an event whose time has come.
     *
     * @param ev the event
     */
    void AddDue(const Event& ev);

    /**
     * Take in a packet whose time has come, and move it before those of its node that rank behind
     * it.
     *
     * @param ev the packet
     * @param rank place of what comes in like it among what comes in otherwise
     */
    void AddArrival(const Event& ev, uint32_t rank);

    /// Make m_due empty if all its events have been taken.
    void ForgetTaken();

    /// A packet that comes in at the time of the event taken last.
    struct Arrival
    {
        Event event;     //!< the packet
        uint32_t before; //!< place of the one before it at the same node; NONE = there is none
        uint32_t rank;   //!< see AddArrival()
    };

    /// Place of the last packet that comes in at a node.
    struct Latest
    {
        uint64_t time;  //!< when; of other times there is nothing left
        uint32_t place; //!< among m_arrivals
    };

    /// No place.
    static constexpr uint32_t NONE = UINT32_MAX;

    std::array<Level, (64 + DIGIT_BITS - 1) / DIGIT_BITS>
        m_levels;                    //!< events to come, by digit, the lowest first
    uint32_t m_filled{0};            //!< bit l is set if level l has events
    Bucket m_due;                    //!< events at m_last, but for packets that come in
    std::size_t m_taken{0};          //!< events at the front of m_due that have been taken
    std::vector<Arrival> m_arrivals; //!< packets that come in at m_last
    std::size_t m_served{0};         //!< of these that have been taken
    std::vector<Latest> m_latest;    //!< by node
    uint32_t m_lastUid{0};           //!< highest number of an event of this time taken so far
    mutable uint64_t m_looks{0};     //!< times that the next event was looked at
    uint64_t m_last{0};              //!< time of the event taken last, time steps
};

} // namespace ns3

#endif // RADIX_HEAP_SCHEDULER_H
