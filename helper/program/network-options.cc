/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "network-options.h"

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
NetworkOptions::Refuse(const std::vector<std::string>& names, const std::string& reason) const
{
    for (const auto& name : names)
    {
        if (IsGiven(name) && switchedOff.count(name) == 0)
        {
            throw WorkloadError(Locate(name), "no " + name + reason, "one");
        }
    }
}

} // namespace ns3
