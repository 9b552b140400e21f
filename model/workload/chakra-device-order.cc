/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "chakra-device-order.h"

#include <algorithm>
#include <optional>

namespace ns3
{

namespace
{

/**
 * @param name name of an op of the host
 * @return whether it is a call of the runtime of CUDA or HIP that waits for the device
 */
bool
IsSynchronize(const std::string& name)
{
    const bool isRuntime = name.compare(0, 4, "cuda") == 0 || name.compare(0, 3, "hip") == 0;
    return isRuntime && name.find("Synchronize") != std::string::npos;
}

} // namespace

void
ChakraDeviceOrder::Add(OpIndex op, uint16_t role)
{
    // Ops come by their index; those left out are of the host, and wait for no stream.
    m_roles.resize(op, HOST);
    m_roles.push_back(role);
}

void
ChakraDeviceOrder::AddDeviceOp(OpIndex op, int64_t stream, bool computes)
{
    const auto next = static_cast<uint16_t>(m_numbers.size());
    if (next == DEVICE_WAIT && m_numbers.count(stream) == 0)
    {
        throw WorkloadError({"", 0, 0, ""}, "fewer streams", "more than 65,533");
    }
    const auto number = m_numbers.emplace(stream, next).first->second;
    m_computes.resize(m_numbers.size());
    m_computes[number] = m_computes[number] || computes;
    Add(op, number);
}

void
ChakraDeviceOrder::AddHostOp(OpIndex op, const std::string& name)
{
    if (IsSynchronize(name))
    {
        Add(op, name.find("DeviceSynchronize") != std::string::npos ? DEVICE_WAIT : STREAM_WAIT);
    }
}

bool
ChakraDeviceOrder::IsWait(const std::string& name)
{
    return IsSynchronize(name);
}

std::vector<ChakraDeviceOrder::OpIndex>
ChakraDeviceOrder::SortByLaunch(const WorkloadProgram& program,
                                const std::vector<OpIndex>& order) const
{
    // By op: place in the order of the last op of the host that it waits for, directly or through
    // other ops of the accelerator. Of ops of the host, their own.
    std::vector<uint32_t> launched(order.size());
    const auto isDevice = [this](OpIndex op) {
        return op < m_roles.size() && m_roles[op] < DEVICE_WAIT;
    };
    // All that an op waits for comes before it in this order, so that one pass is enough.
    for (uint32_t place = 0; place < order.size(); ++place)
    {
        const auto op = order[place];
        launched[op] = isDevice(op) ? launched[op] : place;
        for (const auto successor : program.GetFinishSuccessors(op))
        {
            launched[successor] = std::max(launched[successor], launched[op]);
        }
    }
    auto sorted = order;
    std::stable_sort(sorted.begin(), sorted.end(), [&launched](OpIndex a, OpIndex b) {
        return launched[a] < launched[b];
    });
    return sorted;
}

void
ChakraDeviceOrder::AddEdges(const std::vector<OpIndex>& order,
                            WorkloadProgramBuilder& builder) const
{
    std::vector<std::optional<OpIndex>> last(m_numbers.size());
    for (const auto op : order)
    {
        const auto role = op < m_roles.size() ? m_roles[op] : static_cast<uint16_t>(HOST);
        if (role < DEVICE_WAIT)
        {
            if (last[role])
            {
                builder.AddFinishEdge(*last[role], op);
            }
            last[role] = op;
        }
        for (std::size_t stream = 0; role != HOST && role >= DEVICE_WAIT && stream < last.size();
             ++stream)
        {
            // Which stream is waited for is not recorded: it is not one of collectives alone.
            if (last[stream] && (role == DEVICE_WAIT || m_computes[stream]))
            {
                builder.AddFinishEdge(*last[stream], op);
            }
        }
    }
}

} // namespace ns3
