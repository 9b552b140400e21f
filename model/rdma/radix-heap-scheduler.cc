/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "radix-heap-scheduler.h"

#include "rdma-packet.h"

#include "ns3/assert.h"
#include "ns3/event-impl.h"
#include "ns3/log.h"

#include <algorithm>
#include <typeinfo>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("RadixHeapScheduler");

NS_OBJECT_ENSURE_REGISTERED(RadixHeapScheduler);

namespace
{

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
 * @return whether it is a packet that comes in at a node
 */
bool
IsArrival(const Scheduler::Event& ev)
{
    const EventImpl* const event = ev.impl;
    return event && typeid(*event) == typeid(RdmaPacket);
}

/**
 * @param ev a packet that comes in
 * @return when it is served among those of its time: by node, then by ingress port
 */
uint64_t
GetTurn(const Scheduler::Event& ev)
{
    const auto packet = static_cast<const RdmaPacket*>(ev.impl);
    return static_cast<uint64_t>(ev.key.m_context) << 16 | packet->ingress;
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
RadixHeapScheduler::FindBucket(const Event& ev) const
{
    const uint64_t difference = ev.key.m_ts ^ m_last;
    return difference == 0 ? 0 : GetHighest(difference) + 1;
}

void
RadixHeapScheduler::Insert(const Event& ev)
{
    NS_ASSERT_MSG(ev.key.m_ts >= m_last, "an event before the one that runs");
    const std::size_t bucket = FindBucket(ev);
    if (bucket == 0 && IsArrival(ev))
    {
        // Most come in the order in which they are served.
        const uint64_t turn = GetTurn(ev);
        m_isSorted = m_isSorted && (m_order.empty() || m_order.back().first <= turn);
        m_order.emplace_back(turn, static_cast<uint32_t>(m_arrivals.size()));
        m_arrivals.push_back(ev);
        return;
    }
    m_buckets[bucket].push_back(ev);
    if (bucket > 0)
    {
        const uint64_t bit = uint64_t{1} << (bucket - 1);
        m_earliest[bucket] =
            m_filled & bit ? std::min(m_earliest[bucket], ev.key.m_ts) : ev.key.m_ts;
        m_filled |= bit;
    }
}

bool
RadixHeapScheduler::IsEmpty() const
{
    return m_filled == 0 && m_buckets[0].empty() && m_arrivals.empty();
}

Scheduler::Event
RadixHeapScheduler::PeekNext() const
{
    NS_ASSERT_MSG(!IsEmpty(), "there is no event");
    if (!m_buckets[0].empty())
    {
        return m_buckets[0][m_taken];
    }
    return m_arrivals.empty() ? *FindEarliest(m_buckets[GetLowest(m_filled) + 1]) : PeekArrival();
}

Scheduler::Event
RadixHeapScheduler::RemoveNext()
{
    NS_ASSERT_MSG(!IsEmpty(), "there is no event");
    if (m_buckets[0].empty() && m_arrivals.empty())
    {
        Refill();
    }
    Event next;
    if (m_buckets[0].empty())
    {
        next = PeekArrival();
        if (++m_served == m_order.size())
        {
            m_arrivals.clear();
            m_order.clear();
            m_served = 0;
        }
    }
    else
    {
        next = m_buckets[0][m_taken++];
        ForgetTaken();
    }
    // The simulator takes an event for past if its number is not above that of the one that runs.
    // Nobody asks that of packets, so that they may bear any number.
    m_lastUid = std::max(m_lastUid, next.key.m_uid);
    next.key.m_uid = m_lastUid;
    return next;
}

const Scheduler::Event&
RadixHeapScheduler::PeekArrival() const
{
    if (!m_isSorted)
    {
        // Packets with the same turn keep the order in which they came.
        std::sort(m_order.begin() + static_cast<int64_t>(m_served), m_order.end());
        m_isSorted = true;
    }
    return m_arrivals[m_order[m_served].second];
}

void
RadixHeapScheduler::Remove(const Event& ev)
{
    const std::size_t number = FindBucket(ev);
    Bucket& bucket = m_buckets[number];
    const auto begin = bucket.begin() + static_cast<int64_t>(number == 0 ? m_taken : 0);
    const auto found = std::find_if(begin, bucket.end(), [&ev](const Event& other) {
        return other.key.m_uid == ev.key.m_uid;
    });
    NS_ASSERT_MSG(found != bucket.end(), "no such event");
    bucket.erase(found);
    if (number == 0)
    {
        ForgetTaken();
    }
    else if (bucket.empty())
    {
        m_filled &= ~(uint64_t{1} << (number - 1));
    }
    else
    {
        m_earliest[number] = FindEarliest(bucket)->key.m_ts;
    }
}

void
RadixHeapScheduler::Refill()
{
    const std::size_t lowest = GetLowest(m_filled);
    Bucket& bucket = m_buckets[lowest + 1];
    m_filled &= ~(uint64_t{1} << lowest);
    m_last = m_earliest[lowest + 1];
    m_lastUid = 0;
    // All go to buckets below this one, since they agree with the earliest in this bit. They are
    // due soon: by then what they will touch first is in the cache.
    for (const Event& ev : bucket)
    {
        __builtin_prefetch(ev.impl);
        __builtin_prefetch(reinterpret_cast<const char*>(ev.impl) + 64);
        Insert(ev);
    }
    bucket.clear();
}

RadixHeapScheduler::Bucket::const_iterator
RadixHeapScheduler::FindEarliest(const Bucket& bucket)
{
    return std::min_element(bucket.begin(), bucket.end(), [](const Event& a, const Event& b) {
        return a.key.m_ts < b.key.m_ts;
    });
}

void
RadixHeapScheduler::ForgetTaken()
{
    if (m_taken == m_buckets[0].size())
    {
        m_buckets[0].clear();
        m_taken = 0;
    }
}

} // namespace ns3
