/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "transport-kind.h"

#include "ns3/input-values.h"
#include "ns3/log.h"
#include "ns3/object-factory.h"
#include "ns3/rdma-congestion-control.h"
#include "ns3/rdma-protocol.h"
#include "ns3/rdma-routing.h"
#include "ns3/strategy-registry.h"

#include <algorithm>
#include <utility>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("TransportKind");

NS_OBJECT_ENSURE_REGISTERED(TransportKind);

namespace
{

/**
 * @return other kinds whose strategies are transports, with what makes these; made on first use, as
 *         they register before main()
 */
std::vector<std::pair<TypeId, TransportKind::Family::Maker>>&
GetFamilies()
{
    static std::vector<std::pair<TypeId, TransportKind::Family::Maker>> families;
    return families;
}

/**
 * @return all transports: the strategies of families, and what registers as a TransportKind
 */
std::vector<StrategyRegistry::Entry>
ListAll()
{
    std::vector<StrategyRegistry::Entry> entries;
    const auto add = [&entries](TypeId kind) {
        const auto more = StrategyRegistry::List(kind);
        entries.insert(entries.end(), more.begin(), more.end());
    };
    for (const auto& [kind, make] : GetFamilies())
    {
        add(kind);
    }
    add(TransportKind::GetTypeId());
    return entries;
}

} // namespace

TransportKind::Family::Family(TypeId kind, Maker maker)
{
    GetFamilies().emplace_back(kind, maker);
}

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
        return "; only rdma and fluid have a choice";
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
        return ", which does not report paths";
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
TransportKind::GetAllPathsOption(const NetworkOptions& options [[maybe_unused]]) const
{
    return "";
}

std::string
TransportKind::GetDetoursOption(const NetworkOptions& options [[maybe_unused]]) const
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
    // A strategy of a family, such as a protocol of queue pairs, is a transport by itself.
    for (const auto& [kind, make] : GetFamilies())
    {
        if (found->type.IsChildOf(kind))
        {
            return make(found->type);
        }
    }
    return ObjectFactory(found->type.GetName()).Create<TransportKind>();
}

Ptr<const TransportKind>
TransportKind::Get(const NetworkOptions& options)
{
    return Find({options.transport, options.Locate("transport")});
}

std::function<std::string(const NetworkOptions&)>
Unsupported(TransportKind::Use use)
{
    return [use](const NetworkOptions& options) {
        const auto reason = TransportKind::Get(options)->FindUnsupportedReason(use);
        return reason.empty() ? "" : " with the transport " + options.transport + reason;
    };
}

bool
HasLogGopsNetwork(const NetworkOptions& options)
{
    return options.logGops && TransportKind::Get(options)->Supports(TransportKind::Use::LOG_GOPS);
}

} // namespace ns3
