/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "replay-options.h"

#include "option-arguments.h"
#include "replay-option-table.h"

namespace ns3
{

ReplayOptions
ParseReplayOptions(const std::vector<std::string>& arguments)
{
    ReplayOptions options;
    const auto table = CreateReplayOptionTable(options);
    ParseArguments({"workload", "replay"}, table, arguments, options);
    return options;
}

void
CheckReplayOptions(const ReplayOptions& options)
{
    if (options.workload.empty() && !(options.dryRun && options.layout.world))
    {
        throw WorkloadError(options.Locate("workload"),
                            "a file or directory to replay, such as "
                            "--workload=examples/workloads/gpt2-large-ops.tsv",
                            "none");
    }
    CheckNetworkOptions(options);
}

} // namespace ns3
