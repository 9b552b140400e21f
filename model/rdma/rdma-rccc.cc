/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-rccc.h"

#include "ns3/double.h"
#include "ns3/log.h"
#include "ns3/strategy-registry.h"
#include "ns3/string.h"
#include "ns3/workload-error.h"

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
                          StringValue("round-robin"),
                          MakeStringAccessor(&RdmaRccc::SetGrantOrder, &RdmaRccc::GetGrantOrder),
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
    return m_isShortestFirst;
}

void
RdmaRccc::SetGrantOrder(std::string order)
{
    if (order != "round-robin" && order != "shortest-remaining")
    {
        throw WorkloadError({"ns3::RdmaRccc::GrantOrder", 0, 0, ""},
                            "round-robin or shortest-remaining",
                            "'" + order + "'");
    }
    m_isShortestFirst = order == "shortest-remaining";
}

std::string
RdmaRccc::GetGrantOrder() const
{
    return m_isShortestFirst ? "shortest-remaining" : "round-robin";
}

} // namespace ns3
