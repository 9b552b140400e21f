/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "traffic-pattern.h"

#include "ns3/assert.h"
#include "ns3/double.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace ns3
{

namespace
{

/**
 * @param count number of things, at least 1
 * @param random draws
 * @return index of any of them
 */
std::size_t
PickIndex(std::size_t count, UniformRandomVariable& random)
{
    return random.GetInteger(0, static_cast<uint32_t>(count - 1));
}

/**
 * @param items some things
 * @param random draws
 */
template <typename Item>
void
Shuffle(std::vector<Item>& items, UniformRandomVariable& random)
{
    for (auto left = items.size(); left > 1; --left)
    {
        std::swap(items[left - 1], items[PickIndex(left, random)]);
    }
}

/**
 * @param hosts the hosts
 * @param load share of their rates that they send
 * @return what all of them send together, bytes per second
 */
double
GetTotalRate(const TrafficHosts& hosts, double load)
{
    return load * static_cast<double>(hosts.rate) / 8 * static_cast<double>(hosts.hosts.size());
}

} // namespace

uint32_t
TrafficHosts::PickReceiver(std::size_t sender, UniformRandomVariable& random) const
{
    const bool isOneServer = std::all_of(servers.begin(), servers.end(), [this](uint32_t server) {
        return server == servers.front();
    });
    auto receiver = sender;
    while (receiver == sender || (!isOneServer && servers[receiver] == servers[sender]))
    {
        receiver = PickIndex(hosts.size(), random);
    }
    return hosts[receiver];
}

PoissonTraffic::PoissonTraffic(TrafficHosts hosts, FlowSizes sizes, double load)
    : m_hosts(std::move(hosts)),
      m_sizes(std::move(sizes)),
      m_gap(m_sizes.GetMean() / GetTotalRate(m_hosts, load)),
      m_gaps(CreateObject<ExponentialRandomVariable>()),
      m_hostPicker(CreateObject<UniformRandomVariable>()),
      m_sizePicker(CreateObject<UniformRandomVariable>())
{
}

std::optional<BackgroundFlow>
PoissonTraffic::Next()
{
    m_now += Seconds(m_gaps->GetValue(m_gap, 0));
    const auto sender = PickIndex(m_hosts.hosts.size(), *m_hostPicker);
    return BackgroundFlow{m_now,
                          m_hosts.hosts[sender],
                          m_hosts.PickReceiver(sender, *m_hostPicker),
                          m_sizes.Get(m_sizePicker->GetValue(0, 1))};
}

int64_t
PoissonTraffic::AssignStreams(int64_t stream)
{
    m_gaps->SetStream(stream);
    m_hostPicker->SetStream(stream + 1);
    m_sizePicker->SetStream(stream + 2);
    return 3;
}

PermutationTraffic::PermutationTraffic(TrafficHosts hosts, uint64_t bytes, double load)
    : m_hosts(std::move(hosts)),
      m_bytes(bytes),
      m_interval(Seconds(static_cast<double>(bytes) * static_cast<double>(m_hosts.hosts.size()) /
                         GetTotalRate(m_hosts, load))),
      m_random(CreateObject<UniformRandomVariable>())
{
}

void
PermutationTraffic::Draw()
{
    // In a random order of the servers and of the hosts of each, every host sends to the one that
    // stands half of the list further: in another server, unless one holds more than half of them.
    std::vector<std::size_t> order(m_hosts.hosts.size());
    std::iota(order.begin(), order.end(), 0);
    Shuffle(order, *m_random);
    std::vector<uint32_t> servers(m_hosts.servers);
    std::sort(servers.begin(), servers.end());
    servers.erase(std::unique(servers.begin(), servers.end()), servers.end());
    Shuffle(servers, *m_random);
    const auto getPlace = [&](std::size_t index) {
        return std::find(servers.begin(), servers.end(), m_hosts.servers[index]) - servers.begin();
    };
    std::stable_sort(order.begin(), order.end(), [&getPlace](std::size_t a, std::size_t b) {
        return getPlace(a) < getPlace(b);
    });
    for (std::size_t i = 0; i < order.size(); ++i)
    {
        const auto receiver = order[(i + order.size() / 2) % order.size()];
        m_senders.push_back({m_random->GetValue(0, 1) * m_interval,
                             m_hosts.hosts[order[i]],
                             m_hosts.hosts[receiver]});
    }
    std::sort(m_senders.begin(), m_senders.end(), [](const Sender& a, const Sender& b) {
        return std::make_pair(a.first, a.source) < std::make_pair(b.first, b.source);
    });
}

std::optional<BackgroundFlow>
PermutationTraffic::Next()
{
    if (m_senders.empty())
    {
        Draw();
    }
    const auto& sender = m_senders[m_next];
    const BackgroundFlow flow{sender.first + m_interval * m_round,
                              sender.source,
                              sender.destination,
                              m_bytes};
    m_next = (m_next + 1) % m_senders.size();
    m_round += m_next == 0 ? 1 : 0;
    return flow;
}

int64_t
PermutationTraffic::AssignStreams(int64_t stream)
{
    m_random->SetStream(stream);
    return 1;
}

IncastTraffic::IncastTraffic(TrafficHosts hosts, Shape shape)
    : m_hosts(std::move(hosts)),
      m_shape(shape),
      m_gaps(CreateObject<ExponentialRandomVariable>()),
      m_random(CreateObject<UniformRandomVariable>())
{
    NS_ASSERT_MSG(shape.senders < m_hosts.hosts.size(), "the receiver does not send");
}

void
IncastTraffic::Draw()
{
    const double bytes = static_cast<double>(m_shape.bytes) * m_shape.senders;
    m_now += Seconds(m_gaps->GetValue(bytes / GetTotalRate(m_hosts, m_shape.load), 0));
    auto others = m_hosts.hosts;
    const auto receiver =
        m_shape.receiver ? *m_shape.receiver : PickIndex(others.size(), *m_random);
    const auto destination = others[receiver];
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(receiver));
    Shuffle(others, *m_random);
    for (uint32_t i = 0; i < m_shape.senders; ++i)
    {
        m_flows.push_back({m_now, others[i], destination, m_shape.bytes});
    }
}

std::optional<BackgroundFlow>
IncastTraffic::Next()
{
    if (m_flows.empty())
    {
        Draw();
    }
    const auto flow = m_flows.back();
    m_flows.pop_back();
    return flow;
}

int64_t
IncastTraffic::AssignStreams(int64_t stream)
{
    m_gaps->SetStream(stream);
    m_random->SetStream(stream + 1);
    return 2;
}

ListedTraffic::ListedTraffic(std::vector<BackgroundFlow> flows)
    : m_flows(std::move(flows))
{
}

std::optional<BackgroundFlow>
ListedTraffic::Next()
{
    return m_next < m_flows.size() ? std::make_optional(m_flows[m_next++]) : std::nullopt;
}

int64_t
ListedTraffic::AssignStreams(int64_t /* stream */)
{
    return 0;
}

} // namespace ns3
