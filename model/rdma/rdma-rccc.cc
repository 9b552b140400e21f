/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-rccc.h"

#include "rdma-enum-attribute.h"

#include "ns3/double.h"
#include "ns3/log.h"
#include "ns3/strategy-registry.h"

#include <algorithm>

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
                                          "shortest-remaining"));
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
