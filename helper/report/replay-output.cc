/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "replay-output.h"

#include "ns3/log.h"

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("ReplayOutput");

NS_OBJECT_ENSURE_REGISTERED(ReplayOutput);

TypeId
ReplayOutput::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::ReplayOutput").SetParent<Object>().SetGroupName("WorkloadReplay");
    return tid;
}

ReplayOutput::ReplayOutput()
{
    NS_LOG_FUNCTION(this);
}

ReplayOutput::~ReplayOutput()
{
    NS_LOG_FUNCTION(this);
}

bool
ReplayOutput::WantsOps() const
{
    return false;
}

bool
ReplayOutput::WantsCollectives() const
{
    return false;
}

bool
ReplayOutput::WantsMessages() const
{
    return false;
}

void
ReplayOutput::AddOp(const OpRecord& record [[maybe_unused]])
{
}

void
ReplayOutput::AddCollective(const CollectiveRecord& record [[maybe_unused]])
{
}

void
ReplayOutput::AddMessage(const Message& message [[maybe_unused]], Time arrival [[maybe_unused]])
{
}

void
ReplayOutput::End(const ReplayResult& result [[maybe_unused]])
{
}

} // namespace ns3
