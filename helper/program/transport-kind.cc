/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "transport-kind.h"

#include "network-options.h"
#include "rdma-transport-kind.h"

#include "ns3/input-values.h"
#include "ns3/log.h"
#include "ns3/object-factory.h"
#include "ns3/rdma-congestion-control.h"
#include "ns3/rdma-protocol.h"
#include "ns3/rdma-routing.h"
#include "ns3/strategy-registry.h"

#include <algorithm>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("TransportKind");

NS_OBJECT_ENSURE_REGISTERED(TransportKind);

namespace
{

/**
 * @return all transports: the protocols of queue pairs, and what registers as a TransportKind
 */
std::vector<StrategyRegistry::Entry>
ListAll()
{
    auto entries = StrategyRegistry::List(RdmaProtocol::GetTypeId());
    const auto others = StrategyRegistry::List(TransportKind::GetTypeId());
    entries.insert(entries.end(), others.begin(), others.end());
    return entries;
}

} // namespace

TypeId
TransportKind::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::TransportKind").SetParent<Object>().SetGroupName("WorkloadReplay");
    return tid;
}

TransportKind::TransportKind()
{
    NS_LOG_FUNCTION(this);
}

TransportKind::~TransportKind()
{
    NS_LOG_FUNCTION(this);
}

std::string
TransportKind::FindUnsupportedReason(Use use) const
{
    switch (use)
    {
    case Use::PACKETS:
    case Use::LINK_CHANGES:
        return ", which has no packets";
    case Use::PORTS:
        return ", which has no ports";
    case Use::QUEUE_PAIRS:
        return ", which has no queue pairs";
    case Use::ROUTING:
        return "; only rdma and uec have a choice";
    case Use::FLOW_CONTROL:
        return "; only rdma has a choice";
    case Use::TRAINS:
        return "; only rdma has packet trains";
    case Use::EXACT:
        return "; only rdma and uec save packets";
    case Use::IDEAL_NVLINK:
        return "; only rdma sends packets over NVLink";
    case Use::TRAFFIC_CLASSES:
        return "; only rdma has priorities";
    case Use::REUSE:
        return "; only rdma, uec and ideal know which ports are used";
    case Use::FLOW_PATHS:
        return ", which does not tell paths";
    case Use::TIME_SLOTS:
        return "; only ports of rdma wait for time slots";
    case Use::PROCESSES:
        return ", of which there is nothing to share out";
    case Use::TCP_BESIDE:
        return "; only rdma has room for TCP beside it";
    case Use::PARALLEL_LINKS:
        return ", which sends a connection over one link";
    case Use::LOG_GOPS:
        return ", which is a network itself";
    }
    return "";
}

bool
TransportKind::Supports(Use use) const
{
    return FindUnsupportedReason(use).empty();
}

void
TransportKind::Check(const NetworkOptions& options [[maybe_unused]]) const
{
}

void
TransportKind::SetDefaults(const NetworkOptions& options [[maybe_unused]]) const
{
}

std::string
TransportKind::ParseCongestionControl(const TextField& cc) const
{
    throw WorkloadError(cc.where,
                        "no cc with the transport " + GetName() +
                            ", which has no congestion control",
                        Quoted(cc.text));
}

std::string
TransportKind::FindAttributeRemedy(const NetworkOptions& options,
                                   TypeId type,
                                   const std::string& attribute [[maybe_unused]]) const
{
    const auto name = type.GetName();
    const bool isStrategy = type.IsChildOf(RdmaCongestionControl::GetTypeId()) ||
                            type.IsChildOf(RdmaRouting::GetTypeId()) ||
                            type.IsChildOf(RdmaProtocol::GetTypeId());
    const std::vector<std::string> families{"ns3::Rdma", "ns3::Uec", "ns3::Tcp", "ns3::Ipv4"};
    const bool isOfFamily =
        std::any_of(families.begin(), families.end(), [&name](const std::string& family) {
            return BeginsWith(name, family);
        });
    return isStrategy || isOfFamily
               ? "no attribute of " + name + " with the transport " + options.transport
               : "";
}

std::string
TransportKind::GetAllPortsOption() const
{
    return "";
}

std::string
TransportKind::GetName() const
{
    return StrategyRegistry::GetName(GetInstanceTypeId());
}

std::vector<std::string>
TransportKind::GetNames()
{
    std::vector<std::string> names;
    for (const auto& entry : ListAll())
    {
        names.push_back(entry.name);
    }
    return names;
}

std::string
TransportKind::GetHelp()
{
    std::string help;
    for (const auto& entry : ListAll())
    {
        help +=
            (help.empty() ? "" : "; ") + entry.name + (entry.help.empty() ? "" : ": " + entry.help);
    }
    return help;
}

Ptr<const TransportKind>
TransportKind::Find(const TextField& name)
{
    const auto entries = ListAll();
    const auto* found = StrategyRegistry::FindEntry(entries, name.text);
    if (!found)
    {
        throw WorkloadError(name.where,
                            JoinWords(GetNames()) +
                                ", or another ns3::TransportKind or ns3::RdmaProtocol by its "
                                "TypeId",
                            Quoted(name.text),
                            StrategyRegistry::FindNearest(entries, name.text));
    }
    // A protocol of queue pairs is a transport by itself.
    if (found->type.IsChildOf(RdmaProtocol::GetTypeId()))
    {
        return CreateObject<RdmaTransportKind>(found->type);
    }
    return ObjectFactory(found->type.GetName()).Create<TransportKind>();
}

} // namespace ns3
