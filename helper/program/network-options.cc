/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "network-options.h"

#include "attribute-options.h"

#include "ns3/rdma-nic.h"
#include "ns3/topology-file.h"

#include <utility>

namespace ns3
{

bool
NetworkOptions::IsGiven(const std::string& name) const
{
    return given.count(name) > 0;
}

bool
NetworkOptions::IsSet(const std::string& name) const
{
    return IsGiven(name) || fromFabric.count(name) > 0;
}

SourceLocation
NetworkOptions::Locate(const std::string& name) const
{
    const auto where = given.find(name);
    return where == given.end() ? SourceLocation{"--" + name, 0, 0, ""} : where->second;
}

void
CheckNetworkOptions(const NetworkOptions& options)
{
    for (const auto& choice : options.collectives)
    {
        if (choice.protocol && options.fabricSet.empty())
        {
            throw WorkloadError(options.Locate("collective"),
                                "a fabric, without which protocols cost nothing, such as "
                                "--fabric=h100",
                                "none, but " + choice.algorithm + "/" + ToString(*choice.protocol));
        }
    }
    for (const std::string name : {"cc", "mtu", "linkDown"})
    {
        if (options.transport == "ideal" && options.IsGiven(name))
        {
            throw WorkloadError(options.Locate(name),
                                "no " + name + " with the transport ideal, which has no packets",
                                "one");
        }
    }
    if (options.transport == "rdma" && options.fabric.mtu > RdmaNic::MAX_MTU)
    {
        throw WorkloadError(options.Locate("mtu"),
                            "at most " + std::to_string(RdmaNic::MAX_MTU) +
                                " bytes of payload with the transport rdma",
                            std::to_string(options.fabric.mtu));
    }
    const std::pair<const char*, const char*> rdmaOnly[] = {{"routing", "a choice"},
                                                            {"maxTrain", "packet trains"}};
    for (const auto& [name, what] : rdmaOnly)
    {
        if (options.transport != "rdma" && options.IsGiven(name))
        {
            throw WorkloadError(options.Locate(name),
                                std::string("no ") + name + " with the transport " +
                                    options.transport + "; only rdma has " + what,
                                "one");
        }
    }
    for (const std::string name :
         {"gpusPerServer", "nicsPerServer", "nicRate", "nvlinkRate", "nvlinkDelay", "linkDelay"})
    {
        if (TopologyFile::IsFileName(options.topology) && options.IsGiven(name))
        {
            throw WorkloadError(options.Locate(name),
                                "no " + name + " with a topology file, which says it itself",
                                "one");
        }
    }
    CheckAttributeOptions(options);
}

} // namespace ns3
