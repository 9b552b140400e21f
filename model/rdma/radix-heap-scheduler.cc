/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "radix-heap-scheduler.h"

#include "rdma-packet.h"

#include "ns3/assert.h"
#include "ns3/event-impl.h"
#include "ns3/log.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <typeinfo>
#include <utility>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("RadixHeapScheduler");

NS_OBJECT_ENSURE_REGISTERED(RadixHeapScheduler);

namespace
{

uint64_t g_waits{0}; //!< see RadixHeapScheduler::GetNWaits()

/**
 * @param bits a number, not 0
 * @return index of its highest bit that is set
 */
std::size_t
GetHighest(uint64_t bits)
{
    return 63U - static_cast<std::size_t>(__builtin_clzll(bits));
}

/**
 * @param bits a number, not 0
 * @return index of its lowest bit that is set
 */
std::size_t
GetLowest(uint64_t bits)
{
    return static_cast<std::size_t>(__builtin_ctzll(bits));
}

/**
 * @param ev an event
 * @return the packet that comes in at a node; null = it is another kind of event
 */
const RdmaPacket*
GetArrival(const Scheduler::Event& ev)
{
    // There is one type_info of a class that has a key function; comparing its names takes long.
    const EventImpl* const event = ev.impl;
    const bool isArrival = event && &typeid(*event) == &typeid(RdmaPacket);
    return isArrival ? static_cast<const RdmaPacket*>(event) : nullptr;
}

} // namespace

TypeId
RadixHeapScheduler::GetTypeId()
{
    static TypeId tid = TypeId("ns3::RadixHeapScheduler")
                            .SetParent<Scheduler>()
                            .SetGroupName("WorkloadReplay")
                            .AddConstructor<RadixHeapScheduler>();
    return tid;
}

RadixHeapScheduler::RadixHeapScheduler()
{
    NS_LOG_FUNCTION(this);
}

RadixHeapScheduler::~RadixHeapScheduler()
{
    NS_LOG_FUNCTION(this);
}

std::size_t
RadixHeapScheduler::GetDigit(const Event& ev, std::size_t level)
{
    return ev.key.m_ts >> (level * DIGIT_BITS) & (DIGITS - 1);
}

void
RadixHeapScheduler::Insert(const Event& ev)
{
    NS_ASSERT_MSG(ev.key.m_ts >= m_last, "an event before the one that runs");
    const uint64_t difference = ev.key.m_ts ^ m_last;
    if (difference == 0)
    {
        AddDue(ev);
        return;
    }
    const std::size_t level = GetHighest(difference) / DIGIT_BITS;
    const std::size_t digit = GetDigit(ev, level);
    m_levels[level].buckets[digit].push_back(ev);
    m_levels[level].filled |= 1U << digit;
    m_filled |= 1U << level;
}

void
RadixHeapScheduler::AddDue(const Event& ev)
{
    const RdmaPacket* const packet = GetArrival(ev);
    if (packet && ev.key.m_context != Simulator::NO_CONTEXT)
    {
        // The rest of a train was there before what comes off the wire.
        AddArrival(ev, 2U * packet->ingress + (packet->isTrainRest ? 0 : 1));
    }
    else if (ev.key.m_context == OBSERVER)
    {
        m_due.insert(m_due.begin() + static_cast<int64_t>(m_taken), ev);
    }
    else
    {
        m_due.push_back(ev);
    }
}

void
RadixHeapScheduler::AddArrival(const Event& ev, uint32_t rank)
{
    const uint32_t node = ev.key.m_context;
    if (node >= m_latest.size())
    {
        m_latest.resize(node + std::size_t{1}, {UINT64_MAX, NONE});
    }
    Latest& latest = m_latest[node];
    uint32_t before = latest.time == m_last ? latest.place : NONE;
    auto place = static_cast<uint32_t>(m_arrivals.size());
    // Field by field: a copy of a whole one that was just written has to wait for the writes.
    Arrival& arrival = m_arrivals.emplace_back();
    arrival.event = ev;
    arrival.before = before;
    arrival.rank = rank;
    latest = {m_last, place};
    // Most come in the order in which they are served.
    // Insertion sort along the arrivals of the node that have not been served.
    while (before != NONE && before >= m_served && m_arrivals[before].rank > rank)
    {
        std::swap(m_arrivals[before].event, m_arrivals[place].event);
        std::swap(m_arrivals[before].rank, m_arrivals[place].rank);
        place = before;
        before = m_arrivals[place].before;
    }
}

bool
RadixHeapScheduler::IsEmpty() const
{
    return m_filled == 0 && m_due.empty() && m_served == m_arrivals.size();
}

Scheduler::Event
RadixHeapScheduler::PeekNext() const
{
    NS_ASSERT_MSG(!IsEmpty(), "there is no event");
    ++m_looks;
    if (!m_due.empty())
    {
        return m_due[m_taken];
    }
    if (m_served < m_arrivals.size())
    {
        return m_arrivals[m_served].event;
    }
    const Level& level = m_levels[GetLowest(m_filled)];
    const Bucket& bucket = level.buckets[GetLowest(level.filled)];
    return *std::min_element(bucket.begin(), bucket.end(), [](const Event& a, const Event& b) {
        return a.key.m_ts < b.key.m_ts;
    });
}

Scheduler::Event
RadixHeapScheduler::RemoveNext()
{
    NS_ASSERT_MSG(!IsEmpty(), "there is no event");
    g_waits += m_looks / 2;
    m_looks = 0;
    if (m_due.empty() && m_served == m_arrivals.size())
    {
        Refill();
    }
    Event next;
    if (m_due.empty())
    {
        next = m_arrivals[m_served++].event;
    }
    else
    {
        next = m_due[m_taken++];
        ForgetTaken();
    }
    // The simulator takes an event for past if its number is not above that of the one that runs.
    // Nobody asks that of packets, so that they may bear any number.
    m_lastUid = std::max(m_lastUid, next.key.m_uid);
    next.key.m_uid = m_lastUid;
    return next;
}

void
RadixHeapScheduler::Remove(const Event& ev)
{
    const auto remove = [&ev](Bucket& bucket, std::size_t from) {
        const auto begin = bucket.begin() + static_cast<int64_t>(from);
        const auto found = std::find_if(begin, bucket.end(), [&ev](const Event& other) {
            return other.key.m_uid == ev.key.m_uid;
        });
        NS_ASSERT_MSG(found != bucket.end(), "no such event");
        bucket.erase(found);
    };
    const uint64_t difference = ev.key.m_ts ^ m_last;
    if (difference == 0)
    {
        remove(m_due, m_taken);
        ForgetTaken();
        return;
    }
    const std::size_t number = GetHighest(difference) / DIGIT_BITS;
    const std::size_t digit = GetDigit(ev, number);
    Level& level = m_levels[number];
    remove(level.buckets[digit], 0);
    if (level.buckets[digit].empty())
    {
        MarkEmpty(number, digit);
    }
}

uint64_t
RadixHeapScheduler::GetNWaits()
{
    return g_waits;
}

void
RadixHeapScheduler::MarkEmpty(std::size_t level, std::size_t digit)
{
    m_levels[level].filled &= ~(1U << digit);
    if (m_levels[level].filled == 0)
    {
        m_filled &= ~(1U << level);
    }
}

void
RadixHeapScheduler::Refill()
{
    const std::size_t level = GetLowest(m_filled);
    const std::size_t digit = GetLowest(m_levels[level].filled);
    Bucket& bucket = m_levels[level].buckets[digit];
    MarkEmpty(level, digit);
    m_last = UINT64_MAX;
    std::size_t due = 0;
    for (const Event& ev : bucket)
    {
        due = ev.key.m_ts < m_last ? 1 : due + (ev.key.m_ts == m_last ? 1 : 0);
        m_last = std::min(m_last, ev.key.m_ts);
    }
    m_lastUid = 0;
    m_arrivals.clear();
    m_served = 0;
    // All go to levels below this one, since they agree with the earliest in this digit. They are
    // due soon: by then what they will touch first is in the cache.
    for (const Event& ev : bucket)
    {
        __builtin_prefetch(ev.impl);
        __builtin_prefetch(reinterpret_cast<const char*>(ev.impl) + 64);
        if (due == 1 && ev.key.m_ts == m_last)
        {
            // One alone comes first whatever it is, and need not be looked at.
            m_due.push_back(ev);
        }
        else
        {
            Insert(ev);
        }
    }
    bucket.clear();
}

void
RadixHeapScheduler::ForgetTaken()
{
    if (m_taken == m_due.size())
    {
        m_due.clear();
        m_taken = 0;
    }
}

} // namespace ns3
