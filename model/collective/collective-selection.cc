/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "collective-selection.h"

#include "ns3/abort.h"
#include "ns3/log.h"

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("CollectiveSelection");

NS_OBJECT_ENSURE_REGISTERED(CollectiveSelection);

TypeId
CollectiveSelection::GetTypeId()
{
    static TypeId tid = TypeId("ns3::CollectiveSelection")
                            .SetParent<Object>()
                            .SetGroupName("WorkloadReplay")
                            .AddConstructor<CollectiveSelection>();
    return tid;
}

CollectiveSelection::CollectiveSelection()
{
    NS_LOG_FUNCTION(this);
}

CollectiveSelection::~CollectiveSelection()
{
    NS_LOG_FUNCTION(this);
}

void
CollectiveSelection::Add(Ptr<const CollectiveAlgorithm> algorithm)
{
    NS_LOG_FUNCTION(this << algorithm);
    m_algorithms.push_back(algorithm);
}

const CollectiveAlgorithm&
CollectiveSelection::Select(CollectiveKind kind) const
{
    for (const auto& algorithm : m_algorithms)
    {
        if (algorithm->Supports(kind))
        {
            return *algorithm;
        }
    }
    NS_ABORT_MSG("no collective algorithm was added that does "
                 << ToString(kind) << "; see CollectiveSelection::Add");
}

} // namespace ns3
