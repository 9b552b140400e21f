/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "max-min-share.h"

#include "ns3/assert.h"

#include <algorithm>

namespace ns3
{

uint32_t
MaxMinShare::AddResource(uint64_t capacity)
{
    NS_ASSERT_MSG(capacity > 0, "a resource has something to give");
    Resource resource;
    resource.capacity = capacity;
    m_resources.push_back(std::move(resource));
    return static_cast<uint32_t>(m_resources.size() - 1);
}

void
MaxMinShare::Join(User& user)
{
    Enlist(user);
    // Only resources that touched ones are connected to are worked out anew.
    Touch(user.resource[0]);
    Touch(user.resource[1]);
}

bool
MaxMinShare::JoinAlone(User& user)
{
    const uint64_t share = GetShareAlone(user);
    if (share == 0)
    {
        return false;
    }
    Enlist(user);
    // Nobody else's share changes, so nothing has to be resolved.
    user.share = share;
    return true;
}

uint64_t
MaxMinShare::GetShareAlone(const User& user) const
{
    const Resource& a = m_resources[user.resource[0]];
    const Resource& b = m_resources[user.resource[1]];
    const std::size_t own = user.share > 0 ? 1 : 0;
    const bool isAlone = a.users.size() == own && b.users.size() == own;
    return isAlone ? std::min(a.capacity, b.capacity) : 0;
}

void
MaxMinShare::Leave(User& user)
{
    user.share = 0;
    for (int end = 0; end < 2; end++)
    {
        auto& users = m_resources[user.resource[end]].users;
        // The last user takes the free place, so that nothing is searched.
        User* last = users.back();
        users[user.position[end]] = last;
        last->position[end] = user.position[end];
        users.pop_back();
        if (!users.empty())
        {
            Touch(user.resource[end]);
        }
    }
}

const std::vector<MaxMinShare::Change>&
MaxMinShare::Resolve()
{
    m_round++;
    m_changes.clear();
    ReachConnected();
    for (uint32_t index : m_reached)
    {
        const Resource& resource = m_resources[index];
        if (resource.waiting > 0)
        {
            m_offers.emplace(resource.left / resource.waiting, index);
        }
    }
    while (!m_offers.empty())
    {
        const auto [bound, index] = m_offers.top();
        m_offers.pop();
        const Resource& resource = m_resources[index];
        // All of its users have got their share elsewhere.
        if (resource.waiting == 0)
        {
            continue;
        }
        // Freezing users elsewhere never lowers what a resource can offer to the rest.
        const uint64_t offer = resource.left / resource.waiting;
        if (offer > bound)
        {
            m_offers.emplace(offer, index);
        }
        else
        {
            Freeze(index, offer);
        }
    }
    return m_changes;
}

void
MaxMinShare::Enlist(User& user)
{
    for (int end = 0; end < 2; end++)
    {
        auto& users = m_resources[user.resource[end]].users;
        user.position[end] = static_cast<uint32_t>(users.size());
        users.push_back(&user);
    }
}

void
MaxMinShare::Touch(uint32_t index)
{
    if (!m_resources[index].touched)
    {
        m_resources[index].touched = true;
        m_touched.push_back(index);
    }
}

void
MaxMinShare::Reach(uint32_t index)
{
    Resource& resource = m_resources[index];
    // Reset once a round, at the first visit.
    if (resource.round != m_round)
    {
        resource.round = m_round;
        resource.left = resource.capacity;
        resource.waiting = static_cast<uint32_t>(resource.users.size());
        m_reached.push_back(index);
    }
}

void
MaxMinShare::ReachConnected()
{
    m_reached.clear();
    for (uint32_t index : m_touched)
    {
        m_resources[index].touched = false;
        Reach(index);
    }
    m_touched.clear();
    // The list grows as it is walked, until all that is connected through users is in it.
    for (std::size_t i = 0; i < m_reached.size(); i++)
    {
        for (const User* user : m_resources[m_reached[i]].users)
        {
            Reach(user->resource[0]);
            Reach(user->resource[1]);
        }
    }
}

void
MaxMinShare::Freeze(uint32_t index, uint64_t share)
{
    for (User* user : m_resources[index].users)
    {
        // Its other resource was the tighter one.
        if (user->frozenIn == m_round)
        {
            continue;
        }
        user->frozenIn = m_round;
        for (uint32_t used : user->resource)
        {
            // Never below 0: no resource offers more for each than what it has left.
            m_resources[used].left -= share;
            m_resources[used].waiting--;
        }
        // Users whose share stays need no update.
        if (user->share != share)
        {
            m_changes.push_back({user, share});
        }
    }
}

} // namespace ns3
