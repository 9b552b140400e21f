/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "radix-heap-scheduler.h"

#include "ns3/assert.h"
#include "ns3/event-impl.h"
#include "ns3/log.h"

#include <algorithm>

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
    m_buckets[bucket].push_back(ev);
    if (bucket > 0)
    {
        m_filled |= uint64_t{1} << (bucket - 1);
    }
}

bool
RadixHeapScheduler::IsEmpty() const
{
    return m_filled == 0 && m_buckets[0].empty();
}

Scheduler::Event
RadixHeapScheduler::PeekNext() const
{
    NS_ASSERT_MSG(!IsEmpty(), "there is no event");
    return m_buckets[0].empty() ? *FindEarliest(m_buckets[GetLowest(m_filled) + 1])
                                : m_buckets[0][m_taken];
}

Scheduler::Event
RadixHeapScheduler::RemoveNext()
{
    NS_ASSERT_MSG(!IsEmpty(), "there is no event");
    if (m_buckets[0].empty())
    {
        Refill();
    }
    const Event next = m_buckets[0][m_taken++];
    ForgetTaken();
    return next;
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
}

void
RadixHeapScheduler::Refill()
{
    const std::size_t lowest = GetLowest(m_filled);
    Bucket& bucket = m_buckets[lowest + 1];
    m_filled &= ~(uint64_t{1} << lowest);
    m_last = FindEarliest(bucket)->key.m_ts;
    // All go to buckets below this one, since they agree with the earliest in this bit.
    for (const Event& ev : bucket)
    {
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
