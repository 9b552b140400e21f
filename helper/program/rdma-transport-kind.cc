/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-replay-fabric.h"
#include "transport-kind.h"

#include "ns3/input-values.h"
#include "ns3/object-factory.h"
#include "ns3/rdma-congestion-control.h"
#include "ns3/rdma-detour-routing.h"
#include "ns3/rdma-nic.h"
#include "ns3/rdma-protocol.h"
#include "ns3/rdma-routing.h"
#include "ns3/rdma-switch.h"
#include "ns3/strategy-registry.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <memory>
#include <string>

namespace ns3
{

namespace
{

/**
 * @param tid a class
 * @param family what it may belong to
 * @param chosen TypeId name of the member of the family that is in use
 * @return whether it is another member, and no base of that one
 */
bool
IsOtherOf(TypeId tid, TypeId family, const std::string& chosen)
{
    return tid != family && tid.IsChildOf(family) && tid.GetName() != chosen &&
           !TypeId::LookupByName(chosen).IsChildOf(tid);
}

/**
 * @param control congestion control
 * @return what to ask for instead of RdmaNic::MaxQueuedTrain, as it does nothing; empty = it does
 * something
 */
std::string
FindQueuedTrainRemedy(const RdmaCongestionControl& control)
{
    const auto nic = CreateObject<RdmaNic>();
    UintegerValue most;
    nic->GetAttribute("MaxQueuedTrain", most);
    UintegerValue acknowledged;
    nic->GetAttribute("AckInterval", acknowledged);
    TimeValue interval;
    nic->GetAttribute("CnpInterval", interval);
    // A negative interval leaves it to the congestion control.
    if (interval.Get().IsStrictlyNegative())
    {
        interval.Set(control.GetCnpInterval());
    }
    if (control.UsesCnp() && interval.Get().IsZero())
    {
        return "no MaxQueuedTrain, as with CnpInterval=0 each packet is notified of";
    }
    const uint64_t bound = control.NeedsEveryAck() ? 1 : acknowledged.Get();
    if (most.Get() > bound)
    {
        return "no MaxQueuedTrain above " + std::to_string(bound) +
               ", the packets that an acknowledgement covers (AckInterval)";
    }
    return "";
}

/**
 * @param kind the transport
 * @param options what the user asks for, over rdma
 * @param name name of an attribute of RdmaNic that is about trains
 * @param control congestion control
 * @return what to ask for instead, as the attribute does nothing; empty = it does something
 */
std::string
FindTrainRemedy(const TransportKind& kind,
                const NetworkOptions& options,
                const std::string& name,
                const RdmaCongestionControl& control)
{
    if (!kind.Supports(TransportKind::Use::TRAINS))
    {
        return "no " + name + ", as the transport " + options.transport +
               " has every packet sent by itself";
    }
    if (control.UsesTelemetry())
    {
        return "no " + name + ", as " + control.GetInstanceTypeId().GetName() +
               " has every packet sent by itself";
    }
    if (options.flowControl == "credits")
    {
        return "no " + name + ", as credits are for single packets";
    }
    if (options.exact == "on")
    {
        return "no " + name + ", as exact has every packet by itself";
    }
    // The option wins over the attribute.
    UintegerValue most(options.maxTrain);
    UintegerValue mostShared;
    const auto nic = CreateObject<RdmaNic>();
    nic->GetAttribute("MaxSharedTrain", mostShared);
    if (!options.IsGiven("maxTrain"))
    {
        nic->GetAttribute("MaxTrain", most);
    }
    if (most.Get() == 1 && name != "MaxTrain")
    {
        return "no " + name + ", as with MaxTrain=1 every packet goes by itself";
    }
    if (mostShared.Get() > most.Get() && name == "MaxSharedTrain")
    {
        return "no " + name + " above MaxTrain, which is " + std::to_string(most.Get());
    }
    return name == "MaxQueuedTrain" ? FindQueuedTrainRemedy(control) : "";
}

/**
 * @param kind the transport
 * @param options what the user asks for, over rdma
 * @param attribute full name of an attribute of RdmaNic
 * @return what to ask for instead, as the attribute does nothing; empty = it does something
 */
std::string
FindNicRemedy(const TransportKind& kind,
              const NetworkOptions& options,
              const std::string& attribute)
{
    const auto type = RdmaReplayFabric::GetCongestionControlType(options);
    const auto control = ObjectFactory(type).Create<RdmaCongestionControl>();
    const auto routing =
        ObjectFactory(RdmaReplayFabric::GetRoutingType(options)).Create<RdmaRouting>();
    const auto name = attribute.substr(attribute.rfind(':') + 1);
    if (name == "MaxTrain" || name == "MaxSharedTrain" || name == "MaxQueuedTrain" ||
        name == "SharingMemory" || BeginsWith(name, "Trains"))
    {
        return FindTrainRemedy(kind, options, name, *control);
    }
    if (name == "AckInterval" && control->NeedsEveryAck())
    {
        return "no " + name + ", as " + type + " has every packet acknowledged";
    }
    if (BeginsWith(name, "Cnp") && !control->UsesCnp())
    {
        return "no " + name + ", as " + type + " asks for no congestion notifications";
    }
    StringValue recovery;
    CreateObject<RdmaNic>()->GetAttribute("LossRecovery", recovery);
    // "auto" is selective repeat where the routing lets packets overtake each other.
    const bool isSelective =
        recovery.Get() == "selective-repeat" || (recovery.Get() == "auto" && routing->Reorders());
    if (BeginsWith(name, "Reorder") && !isSelective)
    {
        return "ns3::RdmaNic::LossRecovery=selective-repeat, without which " + name +
               " does nothing";
    }
    return "";
}

/**
 * @param options what the user asks for, over rdma
 * @param attribute full name of an attribute of ports or switches
 * @return what to ask for instead, as the attribute does nothing; empty = it does something
 */
std::string
FindPortRemedy(const NetworkOptions& options, const std::string& attribute)
{
    const auto name = attribute.substr(attribute.rfind(':') + 1);
    if (name == "LaneBuffer" && options.flowControl != "credits")
    {
        return "--flowControl=credits, without which LaneBuffer does nothing";
    }
    StringValue watchdog;
    CreateObject<RdmaSwitch>()->GetAttribute("Watchdog", watchdog);
    if (BeginsWith(name, "Watchdog") && name != "Watchdog" && watchdog.Get() == "off")
    {
        return "ns3::RdmaSwitch::Watchdog=drop, or forward, without which " + name +
               " does nothing";
    }
    return "";
}

/**
 * @ingroup workload-replay
 * @brief Queue pairs of a protocol, over ports and switches of the module.
 */
class RdmaTransportKind : public TransportKind
{
  public:
    /**
     * @param protocol TypeId of the RdmaProtocol that queue pairs go by
     */
    explicit RdmaTransportKind(TypeId protocol);

    std::string FindUnsupportedReason(Use use) const override;
    std::unique_ptr<ReplayFabric> Create(const NetworkOptions& options,
                                         const TopologyGraph& graph) const override;
    void Check(const NetworkOptions& options) const override;
    std::string ParseCongestionControl(const TextField& cc) const override;
    std::string FindAttributeRemedy(const NetworkOptions& options,
                                    TypeId type,
                                    const std::string& attribute) const override;
    std::string GetAllPortsOption() const override;
    std::string GetAllPathsOption(const NetworkOptions& options) const override;
    std::string GetDetoursOption(const NetworkOptions& options) const override;
    std::string GetName() const override;

  private:
    Ptr<const RdmaProtocol> m_protocol; //!< what queue pairs go by
};

RdmaTransportKind::RdmaTransportKind(TypeId protocol)
    : m_protocol(ObjectFactory(protocol.GetName()).Create<RdmaProtocol>())
{
}

std::string
RdmaTransportKind::FindUnsupportedReason(Use use) const
{
    using Feature = RdmaProtocol::Feature;
    switch (use)
    {
    case Use::TRAINS:
        return m_protocol->FindUnsupportedReason(Feature::TRAINS);
    case Use::FLOW_CONTROL:
        return m_protocol->FindUnsupportedReason(Feature::FLOW_CONTROL);
    case Use::FLOW_PATHS:
        return m_protocol->FindUnsupportedReason(Feature::FLOW_PATHS);
    case Use::TIME_SLOTS:
        return m_protocol->FindUnsupportedReason(Feature::TIME_SLOTS);
    case Use::TCP_BESIDE:
        return m_protocol->FindUnsupportedReason(Feature::OTHER_TRAFFIC);
    case Use::EXACT:
        return m_protocol->FindUnsupportedReason(Feature::EXACT);
    case Use::LINK_CHANGES:
        return m_protocol->FindUnsupportedReason(Feature::LINK_CHANGES);
    case Use::REUSE:
        return m_protocol->FindUnsupportedReason(Feature::REUSE);
    case Use::PROCESSES:
        return m_protocol->FindUnsupportedReason(Feature::PROCESSES);
    case Use::TRAFFIC_CLASSES:
        return m_protocol->FindUnsupportedReason(Feature::PRIORITIES);
    case Use::LOG_GOPS:
        return TransportKind::FindUnsupportedReason(use);
    default:
        return "";
    }
}

std::unique_ptr<ReplayFabric>
RdmaTransportKind::Create(const NetworkOptions& options, const TopologyGraph& graph) const
{
    const auto reason = m_protocol->FindUnsupportedReason(RdmaProtocol::Feature::LOSSES);
    for (uint32_t link = 0; link < graph.GetNLinks() && !reason.empty(); ++link)
    {
        const auto& ends = graph.GetLink(link);
        if (ends.lossRate > 0)
        {
            throw WorkloadError(options.Locate("topology"),
                                "no links that lose packets with the transport " + GetName() +
                                    reason,
                                graph.GetNode(ends.a).name + "-" + graph.GetNode(ends.b).name);
        }
    }
    return std::make_unique<RdmaReplayFabric>(options, graph);
}

void
RdmaTransportKind::Check(const NetworkOptions& options) const
{
    const bool usesCredits = options.flowControl == "credits";
    const uint32_t most = usesCredits ? RdmaLinkLayer::INFINIBAND.mtu : RdmaNic::MAX_MTU;
    if (options.IsSet("mtu") && options.fabric.mtu > most)
    {
        throw WorkloadError(options.Locate("mtu"),
                            "at most " + std::to_string(most) +
                                " bytes of payload with the transport " + GetName() +
                                (usesCredits ? " and credits, those of InfiniBand" : ""),
                            std::to_string(options.fabric.mtu));
    }
    RdmaReplayFabric::Check(options);
}

std::string
RdmaTransportKind::ParseCongestionControl(const TextField& cc) const
{
    StrategyRegistry::Find(RdmaCongestionControl::GetTypeId(), cc);
    return cc.text;
}

std::string
RdmaTransportKind::FindAttributeRemedy(const NetworkOptions& options,
                                       TypeId type,
                                       const std::string& attribute) const
{
    const auto name = type.GetName();
    const auto control = RdmaReplayFabric::GetCongestionControlType(options);
    const auto routing = RdmaReplayFabric::GetRoutingType(options);
    if (BeginsWith(name, "ns3::Tcp") || BeginsWith(name, "ns3::Ipv4") ||
        IsOtherOf(type, RdmaProtocol::GetTypeId(), m_protocol->GetInstanceTypeId().GetName()))
    {
        return "no attribute of " + name + " with the transport " + options.transport;
    }
    if (IsOtherOf(type, RdmaCongestionControl::GetTypeId(), control))
    {
        return "no attribute of " + name + ", as --cc has chosen " + control;
    }
    if (IsOtherOf(type, RdmaRouting::GetTypeId(), routing))
    {
        return "no attribute of " + name + ", as --routing has chosen " + routing;
    }
    const auto unused = m_protocol->FindUnusedReason(attribute);
    if (!unused.empty())
    {
        return "no " + attribute + " with the transport " + options.transport + unused;
    }
    const auto instead = m_protocol->FindReplacement(attribute);
    if (!instead.empty())
    {
        return instead + " to say it, as the transport is " + options.transport;
    }
    if (name == "ns3::RdmaNic")
    {
        return FindNicRemedy(*this, options, attribute);
    }
    return name == "ns3::RdmaNetDevice" || name == "ns3::RdmaSwitch"
               ? FindPortRemedy(options, attribute)
               : "";
}

std::string
RdmaTransportKind::GetAllPortsOption() const
{
    return m_protocol->GetAllPortsOption();
}

std::string
RdmaTransportKind::GetAllPathsOption(const NetworkOptions& options) const
{
    const auto routing =
        ObjectFactory(RdmaReplayFabric::GetRoutingType(options)).Create<RdmaRouting>();
    return routing->KeepsPaths() && !m_protocol->Reorders() ? "--routing=spray" : "";
}

std::string
RdmaTransportKind::GetDetoursOption(const NetworkOptions& options) const
{
    const auto routing =
        ObjectFactory(RdmaReplayFabric::GetRoutingType(options)).Create<RdmaRouting>();
    if (routing->TakesDetours())
    {
        return "";
    }
    const auto ugal = CreateObject<RdmaUgalRouting>();
    const std::string option = "--routing=" + ugal->GetName();
    const bool isRefused = !m_protocol->GetRoutingUnsupportedReason(*ugal).empty();
    return isRefused ? "--transport=rdma " + option : option;
}

std::string
RdmaTransportKind::GetName() const
{
    return m_protocol->GetName();
}

/// Makes each protocol of queue pairs a transport.
const TransportKind::Family PROTOCOLS(RdmaProtocol::GetTypeId(), [](TypeId protocol) {
    return Ptr<const TransportKind>(CreateObject<RdmaTransportKind>(protocol));
});

} // namespace

} // namespace ns3
