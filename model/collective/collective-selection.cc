/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "collective-selection.h"

#include "ns3/abort.h"
#include "ns3/log.h"
#include "ns3/uinteger.h"

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("CollectiveSelection");

NS_OBJECT_ENSURE_REGISTERED(CollectiveSelection);

TypeId
CollectiveSelection::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::CollectiveSelection")
            .SetParent<Object>()
            .SetGroupName("WorkloadReplay")
            .AddConstructor<CollectiveSelection>()
            .AddAttribute("ChainBytes",
                          "Size from which on broadcast and reduce use the chain instead of the "
                          "tree, bytes. The default is about what a 400 Gb/s link carries in 3 us, "
                          "the cost of a step: below it steps count, above it bytes. 0 = always "
                          "the chain.",
                          UintegerValue(128 * 1024),
                          MakeUintegerAccessor(&CollectiveSelection::m_chainBytes),
                          MakeUintegerChecker<uint64_t>());
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
    for (const auto& other : m_algorithms)
    {
        NS_ABORT_MSG_IF(other->GetName() == algorithm->GetName(),
                        "there is a collective algorithm " << other->GetName() << " already");
    }
    m_algorithms.push_back(algorithm);
}

std::vector<std::string>
CollectiveSelection::GetNames() const
{
    std::vector<std::string> names;
    for (const auto& algorithm : m_algorithms)
    {
        names.push_back(algorithm->GetName());
    }
    return names;
}

std::vector<std::string>
CollectiveSelection::GetNames(CollectiveKind kind) const
{
    std::vector<std::string> names;
    for (const auto& algorithm : m_algorithms)
    {
        if (algorithm->Supports(kind))
        {
            names.push_back(algorithm->GetName());
        }
    }
    return names;
}

void
CollectiveSelection::Choose(CollectiveKind kind,
                            std::optional<Dimension> dimension,
                            const std::string& name)
{
    NS_LOG_FUNCTION(this << ToString(kind) << name);
    const auto* algorithm = Find(kind, name);
    NS_ABORT_MSG_UNLESS(algorithm,
                        "no collective algorithm " << name << " was added that does "
                                                   << ToString(kind));
    m_choices[{kind, dimension}] = algorithm;
}

const CollectiveAlgorithm&
CollectiveSelection::Select(const CollectiveCall& call, Dimension dimension) const
{
    for (const auto& scope : {Scope(call.kind, dimension), Scope(call.kind, std::nullopt)})
    {
        const auto choice = m_choices.find(scope);
        if (choice != m_choices.end())
        {
            return *choice->second;
        }
    }
    if (const auto* suited = Find(call.kind, GetAutomaticName(call)))
    {
        return *suited;
    }
    for (const auto& algorithm : m_algorithms)
    {
        if (algorithm->Supports(call.kind))
        {
            return *algorithm;
        }
    }
    NS_ABORT_MSG("no collective algorithm was added that does "
                 << ToString(call.kind) << "; see CollectiveSelection::Add");
}

const CollectiveAlgorithm*
CollectiveSelection::Find(CollectiveKind kind, const std::string& name) const
{
    for (const auto& algorithm : m_algorithms)
    {
        if (algorithm->GetName() == name && algorithm->Supports(kind))
        {
            return PeekPointer(algorithm);
        }
    }
    return nullptr;
}

std::string
CollectiveSelection::GetAutomaticName(const CollectiveCall& call) const
{
    switch (call.kind)
    {
    case CollectiveKind::ALL_REDUCE:
    case CollectiveKind::ALL_GATHER:
    case CollectiveKind::REDUCE_SCATTER:
        return "ring";
    case CollectiveKind::BROADCAST:
    case CollectiveKind::REDUCE:
        return call.bytes < m_chainBytes ? "tree" : "chain";
    case CollectiveKind::BARRIER:
        return "halving-doubling";
    case CollectiveKind::ALL_TO_ALL:
    case CollectiveKind::SHIFT:
    case CollectiveKind::GATHER:
    case CollectiveKind::SCATTER:
        break;
    }
    return "direct";
}

} // namespace ns3
