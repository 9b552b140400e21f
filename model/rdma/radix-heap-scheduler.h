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
 * It makes use of the fact that no event is ever scheduled before the one that runs. Bucket b holds
 * the events whose time differs from that of the event taken last in bit b - 1 and in none above
 * it; bucket 0 those at that very time. When bucket 0 is empty, the lowest bucket with events is
 * dealt out to those below it, seen from its earliest event. An event is moved at most once per bit
 * of the time that it lies ahead, through memory in sequence, where a binary heap goes up and down
 * through all of it: packets on cables are a few hundred nanoseconds ahead (R. Ahuja, K. Mehlhorn,
 * J. Orlin, R. Tarjan: Faster algorithms for the shortest path problem. Journal of the ACM 37(2),
 * 1990).
 *
 * Events of equal times stay in the order in which they were inserted, as with all of ns-3's
 * schedulers, but for packets that come in at nodes of an rdma fabric: they come after all other
 * events of that time, and those at one node by ingress port, then in the order of the wire. So
 * what happens at a node does not depend on who has sent first, nor on which process has told of
 * it; the order among nodes is of no account, since every link has a delay. Removing an event (not
 * cancelling it) takes time in proportion to the events of its bucket.
 */
class RadixHeapScheduler : public Scheduler
{
  public:
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

  private:
    /// Events in the order in which they were inserted.
    using Bucket = std::vector<Event>;

    /**
     * @param ev an event
     * @return number of the bucket that it belongs to
     */
    std::size_t FindBucket(const Event& ev) const;

    /// Deal out the events of the lowest bucket that has any, so that bucket 0 has the next one.
    void Refill();

    /**
     * @param bucket a bucket that has events
     * @return the one that comes first
     */
    static Bucket::const_iterator FindEarliest(const Bucket& bucket);

    /**
     * Take in an event whose time has come.
     *
     * @param ev the event
     */
    void AddDue(const Event& ev);

    /**
     * Take in a packet whose time has come, and move it before those of its node that came in by
     * higher ports.
     *
     * @param ev the packet
     * @param ingress port that it comes in by
     */
    void AddArrival(const Event& ev, uint16_t ingress);

    /// Make bucket 0 empty if all its events have been taken.
    void ForgetTaken();

    /// A packet that comes in at the time of bucket 0.
    struct Arrival
    {
        Event event;      //!< the packet
        uint32_t before;  //!< place of the one before it at the same node; NONE = there is none
        uint16_t ingress; //!< port that it comes in by
    };

    /// Place of the last packet that comes in at a node.
    struct Latest
    {
        uint64_t time;  //!< when; of other times there is nothing left
        uint32_t place; //!< among m_arrivals
    };

    /// No place.
    static constexpr uint32_t NONE = UINT32_MAX;

    std::array<Bucket, 65> m_buckets; //!< events by the highest bit in which their time differs
    std::array<uint64_t, 65> m_earliest{}; //!< earliest time of each bucket that has events, but 0
    uint64_t m_filled{0};                  //!< bit b is set if bucket b + 1 has events
    std::size_t m_taken{0};                //!< events at the front of bucket 0 that have been taken
    Bucket m_due;                          //!< what Refill() has found for bucket 0
    std::vector<Arrival> m_arrivals;       //!< packets that come in at the time of bucket 0
    std::size_t m_served{0};               //!< of these that have been taken
    std::vector<Latest> m_latest;          //!< by node
    uint32_t m_lastUid{0};                 //!< highest number of an event of this time taken so far
    uint64_t m_last{0};                    //!< time of the event taken last, time steps
};

} // namespace ns3

#endif // RADIX_HEAP_SCHEDULER_H
