/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "symbolic-job.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace ns3
{

SymbolicJob::SymbolicJob(const CollectiveAlgorithm& algorithm,
                         CollectiveKind kind,
                         uint64_t bytes,
                         uint32_t size,
                         const CollectivePlacement* placement,
                         uint32_t root)
    : m_apart(kind == CollectiveKind::ALL_TO_ALL || kind == CollectiveKind::SHIFT),
      m_members(size),
      m_placement(placement)
{
    for (uint32_t i = 0; i < size; ++i)
    {
        m_members[i].sendBuffer.assign(bytes, 0);
        m_members[i].receiveBuffer.assign(m_apart ? bytes + size : 0, 0);
        m_members[i].pipelines = algorithm.Plan({kind, bytes, i, size, nullptr, placement, root});
        m_awaited.emplace_back(m_members[i].pipelines.size());
    }
    NotePeerPipelines();
}

SymbolicJob::SymbolicJob(const CollectiveAlgorithm& algorithm,
                         const std::vector<AllToAllSplits>& splits)
    : m_apart(true),
      m_members(splits.size())
{
    const auto size = static_cast<uint32_t>(splits.size());
    auto sum = [](const auto& parts) {
        return std::accumulate(parts.begin(), parts.end(), uint64_t{0});
    };
    for (uint32_t i = 0; i < size; ++i)
    {
        const auto bytes = sum(splits[i].send);
        m_members[i].sendBuffer.assign(bytes, 0);
        m_members[i].receiveBuffer.assign(sum(splits[i].receive), 0);
        m_members[i].pipelines =
            algorithm.Plan({CollectiveKind::ALL_TO_ALL, bytes, i, size, &splits[i]});
        m_awaited.emplace_back(m_members[i].pipelines.size());
    }
    NotePeerPipelines();
}

void
SymbolicJob::NotePeerPipelines()
{
    for (const auto& member : m_members)
    {
        m_peerPipelines.emplace_back();
        for (uint32_t pipeline = 0; pipeline < member.pipelines.size(); ++pipeline)
        {
            m_peerPipelines.back().push_back(member.pipelines[pipeline]->GetPeerPipeline(pipeline));
        }
    }
}

SymbolicJob::Member&
SymbolicJob::At(uint32_t index)
{
    return m_members[index];
}

std::vector<Contributions>&
SymbolicJob::Result(uint32_t index)
{
    return m_apart ? m_members[index].receiveBuffer : m_members[index].sendBuffer;
}

std::string
SymbolicJob::Run()
{
    for (uint32_t i = 0; i < m_members.size(); ++i)
    {
        for (uint32_t pipeline = 0; pipeline < m_members[i].pipelines.size(); ++pipeline)
        {
            m_ready.emplace_back(i, pipeline);
        }
    }
    while (!m_ready.empty())
    {
        const auto [i, pipeline] = m_ready.front();
        m_ready.pop_front();
        Advance(i, pipeline);
    }
    for (const auto& member : m_members)
    {
        auto isOpen = [](const auto& pipeline) { return pipeline != nullptr; };
        if (std::any_of(member.pipelines.begin(), member.pipelines.end(), isOpen))
        {
            return "the members wait for each other";
        }
    }
    return m_messages.empty() && m_sums.empty() ? m_fault : "a message was never received";
}

void
SymbolicJob::Advance(uint32_t i, uint32_t pipeline)
{
    auto& awaited = m_awaited[i][pipeline];
    auto& steps = m_members[i].pipelines[pipeline];
    CollectiveStep step;
    while (steps)
    {
        for (; !awaited.empty(); awaited.pop_back())
        {
            if (!Receive(i, pipeline, awaited.back()))
            {
                return;
            }
        }
        if (!steps->Next(step))
        {
            steps.reset();
            break;
        }
        ++m_members[i].steps;
        for (const auto& transfer : step)
        {
            if (transfer.IsSend())
            {
                Send(i, pipeline, transfer);
            }
            else
            {
                awaited.push_back(transfer);
            }
        }
        // Messages of the same sender are received in the order of their receives.
        std::reverse(awaited.begin(), awaited.end());
    }
}

std::vector<Contributions*>
SymbolicJob::Find(Member& member,
                  std::vector<Contributions>& buffer,
                  const CollectiveTransfer& transfer,
                  bool isSend)
{
    std::vector<Contributions*> found;
    auto parts = transfer.parts;
    if (parts.empty())
    {
        parts.push_back({transfer.offset, transfer.bytes});
    }
    for (const auto& part : parts)
    {
        for (auto offset = part.offset; offset < part.offset + part.bytes; ++offset)
        {
            const bool isScratch = offset >= CollectiveTransfer::SCRATCH;
            if (isScratch ? isSend && member.scratch.count(offset) == 0 : offset >= buffer.size())
            {
                m_fault = "a transfer beyond the buffer, or from scratch memory never written";
                return {};
            }
            found.push_back(isScratch ? &member.scratch[offset] : &buffer[offset]);
        }
    }
    if (found.empty() || found.size() != transfer.bytes)
    {
        m_fault = "a transfer of no bytes, or of others than its parts";
        return {};
    }
    return found;
}

void
SymbolicJob::Send(uint32_t i, uint32_t pipeline, const CollectiveTransfer& transfer)
{
    auto& member = m_members[i];
    Data data;
    for (const auto* byte : Find(member, member.sendBuffer, transfer, true))
    {
        data.push_back(*byte);
    }
    member.sentBytes += data.size();
    member.largestMessage = std::max<uint64_t>(member.largestMessage, data.size());
    switch (transfer.action)
    {
    case CollectiveTransfer::SWITCH_REDUCE:
        AddInSwitch(i, pipeline, transfer.peer, data);
        break;
    case CollectiveTransfer::NETWORK_REDUCE:
        AddInNetwork(i, pipeline, data);
        break;
    case CollectiveTransfer::SWITCH_MULTICAST:
        for (const auto other : m_placement->GetServers()[m_placement->GetPlace(i).server])
        {
            Deliver({i, other, pipeline}, data);
        }
        break;
    default: {
        auto& traffic = member.sentTo[transfer.peer];
        ++traffic.messages;
        traffic.bytes += data.size();
        Deliver({i, transfer.peer, m_peerPipelines[i][pipeline]}, std::move(data));
    }
    }
}

void
SymbolicJob::Deliver(const Route& route, Data data)
{
    m_messages.emplace(route, std::move(data));
    const auto& [source, receiver, peerPipeline] = route;
    for (uint32_t pipeline = 0; pipeline < m_peerPipelines[receiver].size(); ++pipeline)
    {
        if (m_peerPipelines[receiver][pipeline] == peerPipeline)
        {
            m_ready.emplace_back(receiver, pipeline);
        }
    }
}

void
SymbolicJob::AddInSwitch(uint32_t i, uint32_t pipeline, uint32_t peer, const Data& data)
{
    const auto& place = m_placement->GetPlace(i);
    const auto sum = m_sums.try_emplace({place.server, peer, pipeline}).first;
    auto& given = sum->second;
    given.resize(m_placement->GetServers()[place.server].size());
    given[place.rail].push_back(data);
    const auto isEmpty = [](const auto& queue) { return queue.empty(); };
    if (std::any_of(given.begin(), given.end(), isEmpty))
    {
        return;
    }
    Data total(data.size(), 0);
    for (auto& queue : given)
    {
        for (std::size_t k = 0; k < total.size(); ++k)
        {
            if (queue.front().size() != total.size() || (total[k] & queue.front()[k]) != 0)
            {
                m_fault = "contributions of different lengths, or one that was added twice";
                return;
            }
            total[k] |= queue.front()[k];
        }
        queue.pop_front();
    }
    Deliver({peer, peer, pipeline}, std::move(total));
    if (std::all_of(given.begin(), given.end(), isEmpty))
    {
        m_sums.erase(sum);
    }
}

void
SymbolicJob::AddInNetwork(uint32_t i, uint32_t pipeline, const Data& data)
{
    const auto server = m_placement->GetPlace(i).server;
    auto& given = m_sums[{NETWORK, NETWORK, pipeline}];
    given.resize(m_placement->GetServers().size());
    m_heads[pipeline].insert(i);
    if (m_heads[pipeline].size() > given.size() || !given[server].empty())
    {
        m_fault = "two members of a server that speak to the network, or one that does not wait";
        return;
    }
    given[server].push_back(data);
    Data total(data.size(), 0);
    for (const auto& queue : given)
    {
        if (queue.empty())
        {
            return;
        }
        for (std::size_t k = 0; k < total.size(); ++k)
        {
            if (queue.front().size() != total.size() || (total[k] & queue.front()[k]) != 0)
            {
                m_fault = "contributions of different lengths, or one that was added twice";
                return;
            }
            total[k] |= queue.front()[k];
        }
    }
    m_sums.erase({NETWORK, NETWORK, pipeline});
    for (const auto head : m_heads[pipeline])
    {
        Deliver({NETWORK, head, pipeline}, total);
    }
}

bool
SymbolicJob::Receive(uint32_t i, uint32_t pipeline, const CollectiveTransfer& transfer)
{
    const bool isNetwork = transfer.action == CollectiveTransfer::NETWORK_RECV;
    const Route route{isNetwork ? NETWORK : transfer.peer, i, m_peerPipelines[i][pipeline]};
    const auto found = m_messages.lower_bound(route);
    if (found == m_messages.end() || found->first != route)
    {
        return false;
    }
    const Data data = std::move(found->second);
    m_messages.erase(found);
    const auto bytes = Find(m_members[i], Result(i), transfer, false);
    if (data.size() != bytes.size())
    {
        m_fault = "a receive of another length than the message";
        return true;
    }
    m_members[i].receivedBytes += data.size();
    for (std::size_t k = 0; k < data.size(); ++k)
    {
        const bool reduce = transfer.action == CollectiveTransfer::RECV_REDUCE;
        if (reduce && (*bytes[k] & data[k]) != 0)
        {
            m_fault = "a contribution was added twice";
        }
        *bytes[k] = reduce ? *bytes[k] | data[k] : data[k];
    }
    return true;
}

uint64_t
ChunkBegin(uint64_t bytes, uint32_t size, uint32_t index)
{
    return bytes / size * index + std::min<uint64_t>(index, bytes % size);
}

} // namespace ns3
