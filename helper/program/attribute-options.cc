/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "attribute-options.h"

#include "process-group.h"
#include "transport-kind.h"

#include "ns3/global-value.h"
#include "ns3/input-values.h"
#include "ns3/simulator-impl.h"
#include "ns3/string.h"
#include "ns3/type-id.h"

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
    {"ns3::ReplayApplication::Multiprocessors", "communicationShare"},
    {"ns3::ReplayApplication::ServerShare", "communicationShare"},
    {"ns3::ReplayApplication::NetworkShare", "communicationShare"},
};

/// Attributes that the program sets itself, from options.
constexpr Namesake OF_OPTIONS[] = {
    {"ns3::ReplayApplication::Iterations", "--iterations"},
    {"ns3::LogGopsHost::MatchSizes", "--sizes"},
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
    if (type == "ns3::RdmaIpInterface" && !options.hasTcpBeside)
    {
        return "background traffic over TCP, such as --background=poisson:load=0.1,transport=tcp, "
               "without which " +
               type + " is not there";
    }
    // TCP runs beside the transport that was chosen.
    if (type == "ns3::TcpMessageTransport" && options.hasTcpBeside)
    {
        return "";
    }
    const auto remedy = TransportKind::Get(options)->FindAttributeRemedy(options, tid, attribute);
    if (!remedy.empty())
    {
        return remedy;
    }
    if (attribute == "ns3::RdmaChannel::HoldShare" && ProcessGroup::GetSize() == 1)
    {
        return "several processes (mpirun), without which nothing is held between them";
    }
    return FindCollectiveRemedy(options, attribute);
}

/**
 * @param tid a class
 * @return whether it is one of the module, or a strategy that derives from one
 */
bool
IsOfModule(TypeId tid)
{
    const std::string group = "WorkloadReplay";
    return tid.GetGroupName() == group ||
           (tid.HasParent() && tid.GetParent().GetGroupName() == group);
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
        // Of classes that are not of this module nothing is known.
        const auto cut = name.rfind("::");
        if (cut == std::string::npos || !TypeId::LookupByNameFailSafe(name.substr(0, cut), &tid) ||
            !IsOfModule(tid))
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
