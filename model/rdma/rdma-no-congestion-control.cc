/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-no-congestion-control.h"

#include "ns3/assert.h"
#include "ns3/log.h"
#include "ns3/strategy-registry.h"
#include "ns3/uinteger.h"

#include <algorithm>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("RdmaNoCongestionControl");

NS_STRATEGY_ENSURE_REGISTERED(RdmaNoCongestionControl, "none", "line rate", 6);

TypeId
RdmaNoCongestionControl::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::RdmaNoCongestionControl")
            .SetParent<RdmaCongestionControl>()
            .SetGroupName("WorkloadReplay")
            .AddConstructor<RdmaNoCongestionControl>()
            .AddAttribute("Window",
                          "Payload of a queue pair that may be sent and not acknowledged, bytes, "
                          "but at least one full packet. 0 = any amount.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&RdmaNoCongestionControl::m_window),
                          MakeUintegerChecker<uint64_t>());
    return tid;
}

RdmaNoCongestionControl::RdmaNoCongestionControl()
{
    NS_LOG_FUNCTION(this);
}

RdmaNoCongestionControl::~RdmaNoCongestionControl()
{
    NS_LOG_FUNCTION(this);
}

std::unique_ptr<RdmaRateControl>
RdmaNoCongestionControl::Create(const RdmaPath& path) const
{
    NS_ASSERT_MSG(path.lineRate.GetBitRate() > 0, "a queue pair needs a port with a rate");
    const uint64_t window =
        m_window == 0 ? RdmaRateControl::NO_WINDOW : std::max<uint64_t>(m_window, path.mtu);
    return std::make_unique<RdmaFixedRateControl>(static_cast<double>(path.lineRate.GetBitRate()),
                                                  window);
}

bool
RdmaNoCongestionControl::NeedsEveryAck() const
{
    // A window that is smaller than the interval of acknowledgements would stall.
    return m_window > 0;
}

} // namespace ns3
