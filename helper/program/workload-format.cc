/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "workload-format.h"

#include "ns3/log.h"

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("WorkloadFormat");

NS_OBJECT_ENSURE_REGISTERED(WorkloadFormat);

TypeId
WorkloadFormat::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::WorkloadFormat").SetParent<Object>().SetGroupName("WorkloadReplay");
    return tid;
}

WorkloadFormat::WorkloadFormat()
{
    NS_LOG_FUNCTION(this);
}

WorkloadFormat::~WorkloadFormat()
{
    NS_LOG_FUNCTION(this);
}

std::vector<std::string>
WorkloadFormat::GetOptions() const
{
    return {};
}

bool
WorkloadFormat::RecognizesPath(const std::string& path [[maybe_unused]]) const
{
    return false;
}

bool
WorkloadFormat::RecognizesText(const WorkloadText& text [[maybe_unused]]) const
{
    return false;
}

} // namespace ns3
