/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "replay-options.h"

#include "process-group.h"

#include "ns3/global-value.h"
#include "ns3/string.h"

namespace ns3
{

std::string
ReplayOptions::FindReuseUnsupportedReason() const
{
    if (ProcessGroup::GetSize() > 1)
    {
        return "several processes, which share out the messages";
    }
    StringValue simulator;
    GlobalValue::GetValueByName("SimulatorImplementationType", simulator);
    if (IsGiven("SimulatorImplementationType") && simulator.Get() != "ns3::CatchUpSimulatorImpl")
    {
        return "SimulatorImplementationType, as only CatchUpSimulatorImpl goes back to what was "
               "skipped";
    }
    if (!background.empty())
    {
        return "background traffic, of which messages are reported one by one";
    }
    if (IsGiven("outputDir") && files.IsWanted("flows.csv"))
    {
        return "flows.csv, which lists single messages; --files=all,-flows.csv leaves it out";
    }
    for (const auto& [name, output] : files.CreateOutputs())
    {
        if (IsGiven("outputDir") && output->WantsMessages())
        {
            return name + ", which lists single messages; --files=all,-" + name + " leaves it out";
        }
    }
    if (!timeSeries.interval.IsZero())
    {
        return "timeSeries, which looks at links in between";
    }
    return "";
}

bool
ReplayOptions::MayReuse() const
{
    return exact == "off" && reuse == "on" && FindReuseUnsupportedReason().empty();
}

} // namespace ns3
