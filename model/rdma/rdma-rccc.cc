/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-rccc.h"

#include "rdma-enum-attribute.h"

#include "ns3/double.h"
#include "ns3/log.h"
#include "ns3/strategy-registry.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"
#include "ns3/workload-error.h"

#include <algorithm>
#include <vector>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("RdmaRccc");

NS_STRATEGY_ENSURE_REGISTERED(RdmaRccc, "rccc", "receivers grant credit", 5);

TypeId
RdmaRccc::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::RdmaRccc")
            .SetParent<RdmaCongestionControl>()
            .SetGroupName("WorkloadReplay")
            .AddConstructor<RdmaRccc>()
            .AddAttribute("Window",
                          "Most that is on its way, and what a queue pair that begins to send may "
                          "send without leave, in bandwidth-delay products of the path. The "
                          "default is that of htsim (uec.cpp, initRccc).",
                          DoubleValue(1.5),
                          MakeDoubleAccessor(&RdmaRccc::m_window),
                          MakeDoubleChecker<double>(0.01))
            .AddAttribute("GrantOrder",
                          "Who is granted credit first: round-robin = all who ask in turn (EQDS, "
                          "section 4), shortest-remaining = the message of which the least is "
                          "missing, then the next (Homa, SIGCOMM 2018, section 3.4).",
                          EnumValue(ROUND_ROBIN),
                          MakeRdmaEnumAccessor(&RdmaRccc::m_grantOrder),
                          MakeEnumChecker(ROUND_ROBIN,
                                          "round-robin",
                                          SHORTEST_REMAINING,
                                          "shortest-remaining"))
            .AddAttribute("Overcommitment",
                          "Messages that a receiver grants at once, those of which the least is "
                          "missing: all that they ask for, each by a priority of its own, the "
                          "lowest that there are (Homa, section 3.5). It needs GrantOrder = "
                          "shortest-remaining. 0 = grants come at the rate of the port, and "
                          "packets have the priority of their connection.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&RdmaRccc::m_overcommitment),
                          MakeUintegerChecker<uint32_t>(0, RdmaMessagePriorities::MOST - 1))
            .AddAttribute("UnscheduledCutoffs",
                          "With Overcommitment: sizes of messages, bytes, ascending and separated "
                          "by commas. What is sent without leave of messages up to the first has "
                          "the highest priority, of those up to the second the next, and so on "
                          "(Homa, section 3.4, has such sizes that each priority carries as many "
                          "bytes). Empty = one priority for all.",
                          StringValue(""),
                          MakeStringAccessor(&RdmaRccc::m_cutoffs),
                          MakeStringChecker());
    return tid;
}

RdmaRccc::RdmaRccc()
{
    NS_LOG_FUNCTION(this);
}

RdmaRccc::~RdmaRccc()
{
    NS_LOG_FUNCTION(this);
}

std::unique_ptr<RdmaRateControl>
RdmaRccc::Create(const RdmaPath& path) const
{
    const auto rate = static_cast<double>(path.lineRate.GetBitRate());
    // bytes
    const double window = m_window * rate / 8 * path.baseRtt.GetSeconds();
    return std::make_unique<RdmaFixedRateControl>(
        rate,
        std::max<uint64_t>(path.mtu, static_cast<uint64_t>(window)));
}

void
RdmaRccc::CheckParameters() const
{
    std::vector<uint64_t> cutoffs;
    const SourceLocation where{"ns3::RdmaRccc::UnscheduledCutoffs", 0, 0, ""};
    if (!RdmaMessagePriorities::ParseCutoffs(m_cutoffs, cutoffs))
    {
        throw WorkloadError(where,
                            "whole numbers above 0 separated by commas, ascending",
                            "'" + m_cutoffs + "'");
    }
    if (!cutoffs.empty() && m_overcommitment == 0)
    {
        throw WorkloadError(where,
                            "none without ns3::RdmaRccc::Overcommitment, as all packets have the "
                            "priority of their connection",
                            "'" + m_cutoffs + "'");
    }
    if (m_overcommitment + cutoffs.size() >= RdmaMessagePriorities::MOST)
    {
        throw WorkloadError(where,
                            "at most " +
                                std::to_string(RdmaMessagePriorities::MOST - 1 - m_overcommitment) +
                                " sizes, for the priorities that Overcommitment leaves",
                            "'" + m_cutoffs + "'");
    }
    if (m_overcommitment > 0 && m_grantOrder == ROUND_ROBIN)
    {
        throw WorkloadError({"ns3::RdmaRccc::Overcommitment", 0, 0, ""},
                            "0 unless ns3::RdmaRccc::GrantOrder is shortest-remaining, by which "
                            "messages are chosen",
                            std::to_string(m_overcommitment));
    }
}

const RdmaMessagePriorities*
RdmaRccc::GetMessagePriorities() const
{
    if (m_overcommitment > 0 && !m_priorities)
    {
        std::vector<uint64_t> cutoffs;
        RdmaMessagePriorities::ParseCutoffs(m_cutoffs, cutoffs);
        m_priorities = std::make_unique<RdmaMessagePriorities>(m_overcommitment, cutoffs);
    }
    return m_priorities.get();
}

bool
RdmaRccc::UsesCredits() const
{
    return true;
}

bool
RdmaRccc::GrantsShortestFirst() const
{
    return m_grantOrder == SHORTEST_REMAINING;
}

} // namespace ns3
