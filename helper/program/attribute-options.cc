/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "attribute-options.h"

#include "process-group.h"
#include "rdma-replay-fabric.h"

#include "ns3/global-value.h"
#include "ns3/object-factory.h"
#include "ns3/rdma-congestion-control.h"
#include "ns3/rdma-routing.h"
#include "ns3/simulator-impl.h"
#include "ns3/string.h"
#include "ns3/type-id.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>

namespace ns3
{

namespace
{

/// An argument for ns-3, and an option.
struct Namesake
{
    const char* argument; //!< the argument
    const char* option;   //!< the option, or several for people to read
};

/// Arguments, and options that say the same.
constexpr Namesake SAME_THING[] = {
    {"RngSeed", "seed"},
    {"RngRun", "run"},
    {"ns3::RdmaNic::Mtu", "mtu"},
    {"ns3::RdmaNic::MaxTrain", "maxTrain"},
    {"ns3::RdmaNic::CongestionControl", "cc"},
    {"ns3::TcpMessageTransport::CongestionControl", "cc"},
    {"ns3::CollectiveAlgorithm::StepLatency", "stepLatency"},
    {"ns3::CollectiveAlgorithm::LaunchLatency", "launchLatency"},
    {"ns3::CollectiveCosts::StepLatency", "stepLatency"},
    {"ns3::CollectiveCosts::CallLatency", "launchLatency"},
    {"ns3::ReplayApplication::ComputeScale", "computeScale"},
    {"ns3::ReplayApplication::ComputeJitter", "jitter"},
    {"ns3::ReplayApplication::ServerShare", "communicationShare"},
    {"ns3::ReplayApplication::NetworkShare", "communicationShare"},
};

/// Attributes that the program sets itself, from options.
constexpr Namesake OF_OPTIONS[] = {
    {"ns3::ReplayApplication::Iterations", "--iterations"},
    {"ns3::LaneHost::MatchSizes", "--sizes"},
    {"ns3::LogGopsCosts::Latency", "--logGops"},
    {"ns3::LogGopsCosts::Overhead", "--logGops"},
    {"ns3::LogGopsCosts::Gap", "--logGops"},
    {"ns3::LogGopsCosts::ByteGap", "--logGops"},
    {"ns3::LogGopsCosts::ByteOverhead", "--logGops"},
    {"ns3::LogGopsCosts::EagerLimit", "--logGops"},
    {"ns3::RdmaNetDevice::FlowControl", "--flowControl"},
    {"ns3::RdmaNetDevice::DataRate", "--nicRate and --nvlinkRate, or a topology file,"},
    {"ns3::RdmaChannel::Delay", "--linkDelay and --nvlinkDelay, or a topology file,"},
};

/// Attributes that the transport uec sets, and what says them there.
const std::map<std::string, std::string> OF_UEC{
    {"ns3::RdmaEcnMarker::Kmin", "ns3::UecProtocol::MarkFrom"},
    {"ns3::RdmaEcnMarker::Kmax", "ns3::UecProtocol::MarkAll"},
    {"ns3::RdmaEcnMarker::Pmax", "ns3::UecProtocol::MarkAll"},
    {"ns3::RdmaSwitch::LosslessPriorities", "ns3::UecProtocol::Lossless"},
};

/**
 * @param text a text
 * @param start another text
 * @return whether the first begins with the second
 */
bool
BeginsWith(const std::string& text, const std::string& start)
{
    return text.compare(0, start.size(), start) == 0;
}

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
    if (interval.Get().IsStrictlyNegative())
    {
        interval.Set(control.GetCnpInterval());
    }
    if (control.UsesCnp() && interval.Get().IsZero())
    {
        return "no MaxQueuedTrain, as with CnpInterval=0 each packet is told of";
    }
    const uint64_t bound = control.NeedsEveryAck() ? 1 : acknowledged.Get();
    if (most.Get() > bound)
    {
        return "no MaxQueuedTrain above " + std::to_string(bound) +
               ", the packets that an acknowledgement tells of (AckInterval)";
    }
    return "";
}

/**
 * @param options what the user asks for, over rdma
 * @param name name of an attribute of RdmaNic that is about trains
 * @param control congestion control
 * @return what to ask for instead, as the attribute does nothing; empty = it does something
 */
std::string
FindTrainRemedy(const NetworkOptions& options,
                const std::string& name,
                const RdmaCongestionControl& control)
{
    if (options.transport == "uec")
    {
        return "no " + name + ", as the transport uec has every packet sent by itself";
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
 * @param options what the user asks for, over rdma
 * @param attribute full name of an attribute of RdmaNic
 * @return what to ask for instead, as the attribute does nothing; empty = it does something
 */
std::string
FindNicRemedy(const NetworkOptions& options, const std::string& attribute)
{
    const auto type = RdmaReplayFabric::GetCongestionControlType(options);
    const auto control = ObjectFactory(type).Create<RdmaCongestionControl>();
    const auto routing =
        ObjectFactory(RdmaReplayFabric::GetRoutingType(options)).Create<RdmaRouting>();
    const auto name = attribute.substr(attribute.rfind(':') + 1);
    if (name == "MaxTrain" || name == "MaxSharedTrain" || name == "MaxQueuedTrain" ||
        name == "SharingMemory" || BeginsWith(name, "Trains"))
    {
        return FindTrainRemedy(options, name, *control);
    }
    if (name == "AckInterval" && control->NeedsEveryAck())
    {
        return "no " + name + ", as " + type + " has every packet acknowledged";
    }
    if (name == "CnpInterval" && !control->UsesCnp())
    {
        return "no " + name + ", as " + type + " asks for no congestion notifications";
    }
    StringValue recovery;
    CreateObject<RdmaNic>()->GetAttribute("LossRecovery", recovery);
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
 * @param options what the user asks for
 * @param attribute full name of an attribute
 * @return what to ask for instead, if it is one of collectives that does nothing; empty otherwise
 */
std::string
FindCollectiveRemedy(const NetworkOptions& options, const std::string& attribute)
{
    const bool isCost = BeginsWith(attribute, "ns3::CollectiveCosts::") ||
                        attribute == "ns3::CollectiveSelection::NvlsMembers";
    if (isCost && options.fabricSet.empty())
    {
        return "a fabric, without which collectives have no costs, such as --fabric=h100";
    }
    const bool isDescribed = !options.fabric.server.IsEmpty();
    const std::set<std::string> plain{"NvlinkRate", "NicsPerServer", "LlMaxRate"};
    const std::set<std::string> described{"GpuGeneration", "SearchNvlinkRate", "HostMemoryRate"};
    const auto name = attribute.substr(attribute.rfind(':') + 1);
    if (isCost && isDescribed && plain.count(name) > 0)
    {
        return "nicsPerServer in place of the server that the fabric describes, in which " + name +
               " does nothing";
    }
    if (isCost && !isDescribed && described.count(name) > 0)
    {
        return "a server, without which " + name + " does nothing";
    }
    if (attribute == "ns3::CollectiveAlgorithm::StepLatency" && !options.fabricSet.empty())
    {
        return "ns3::CollectiveCosts::StepLatency to say it, as there is a fabric";
    }
    if (attribute == "ns3::CollectiveAlgorithm::LaunchLatency" && !options.fabricSet.empty())
    {
        return "ns3::CollectiveCosts::CallLatency to say it, as there is a fabric";
    }
    return "";
}

/**
 * @param options what the user asks for
 * @param tid a class of the module
 * @param attribute full name of one of its attributes
 * @return what to ask for instead, as the attribute does nothing; empty = it does something
 */
std::string
FindRemedy(const NetworkOptions& options, TypeId tid, const std::string& attribute)
{
    const auto type = tid.GetName();
    for (const auto& [argument, option] : OF_OPTIONS)
    {
        if (attribute == argument)
        {
            return std::string(option) + " to say it";
        }
    }
    const bool isUec = BeginsWith(type, "ns3::Uec");
    const bool isRdma = BeginsWith(type, "ns3::Rdma");
    const bool isTcp = BeginsWith(type, "ns3::Tcp") || BeginsWith(type, "ns3::Ipv4");
    if (type == "ns3::RdmaIpInterface" && !options.hasTcpBeside)
    {
        return "background traffic over TCP, such as --background=poisson:load=0.1,transport=tcp, "
               "without which " +
               type + " is not there";
    }
    if (type == "ns3::TcpMessageTransport" && options.hasTcpBeside)
    {
        return "";
    }
    if ((isRdma && !options.HasQueuePairs()) || (isUec && options.transport != "uec") ||
        (isTcp && options.transport != "tcp"))
    {
        return "no attribute of " + type + " with the transport " + options.transport;
    }
    if (isRdma)
    {
        const auto control = RdmaReplayFabric::GetCongestionControlType(options);
        const auto routing = RdmaReplayFabric::GetRoutingType(options);
        if (IsOtherOf(tid, RdmaCongestionControl::GetTypeId(), control))
        {
            return "no attribute of " + type + ", as --cc has chosen " + control;
        }
        if (IsOtherOf(tid, RdmaRouting::GetTypeId(), routing))
        {
            return "no attribute of " + type + ", as --routing has chosen " + routing;
        }
    }
    const auto instead = OF_UEC.find(attribute);
    if (options.transport == "uec" && instead != OF_UEC.end())
    {
        return instead->second + " to say it, as the transport is uec";
    }
    if (attribute == "ns3::RdmaChannel::HoldShare" && ProcessGroup::GetSize() == 1)
    {
        return "several processes (mpirun), without which nothing is held between them";
    }
    if (type == "ns3::RdmaNic")
    {
        return FindNicRemedy(options, attribute);
    }
    if (type == "ns3::RdmaNetDevice" || type == "ns3::RdmaSwitch")
    {
        return FindPortRemedy(options, attribute);
    }
    return FindCollectiveRemedy(options, attribute);
}

/**
 * Refuse an engine that does not suit the number of processes: ns-3 would hang, crash or take
 * another one.
 *
 * @param options what the user asks for
 * @throws WorkloadError if it does not suit
 */
void
CheckSimulator(const NetworkOptions& options)
{
    const std::string key = "SimulatorImplementationType";
    if (!options.IsGiven(key))
    {
        return;
    }
    StringValue name;
    GlobalValue::GetValueByName(key, name);
    TypeId tid;
    const bool isSimulator = TypeId::LookupByNameFailSafe(name.Get(), &tid) &&
                             tid.IsChildOf(SimulatorImpl::GetTypeId()) && tid.HasConstructor();
    const bool isParallel = name.Get() == "ns3::DistributedSimulatorImpl";
    const bool isNullMessage = name.Get() == "ns3::NullMessageSimulatorImpl";
    std::string expected;
    if (!isSimulator)
    {
        expected = "a simulator of ns-3 such as ns3::DefaultSimulatorImpl";
    }
    else if (ProcessGroup::GetSize() == 1 && (isParallel || isNullMessage))
    {
        expected = "a simulator for one process, as there is one";
    }
    else if (ProcessGroup::GetSize() > 1 && !isParallel)
    {
        expected = "ns3::DistributedSimulatorImpl, with which several processes run";
    }
    if (!expected.empty())
    {
        throw WorkloadError(options.Locate(key), expected, "'" + name.Get() + "'");
    }
}

} // namespace

void
CheckAttributeOptions(const NetworkOptions& options)
{
    CheckSimulator(options);
    for (const auto& [argument, option] : SAME_THING)
    {
        if (options.IsGiven(argument) && options.IsGiven(option))
        {
            throw WorkloadError(options.Locate(argument),
                                std::string("either --") + option + " or --" + argument,
                                "both");
        }
    }
    for (const auto& [name, where] : options.given)
    {
        TypeId tid;
        const auto cut = name.rfind("::");
        if (cut == std::string::npos || !TypeId::LookupByNameFailSafe(name.substr(0, cut), &tid) ||
            tid.GetGroupName() != "WorkloadReplay")
        {
            continue;
        }
        const auto remedy = FindRemedy(options, tid, name);
        if (!remedy.empty())
        {
            throw WorkloadError(where, remedy, "--" + name);
        }
    }
}

} // namespace ns3
