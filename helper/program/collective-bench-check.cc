/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "collective-bench-check.h"

#include "collective-bench-report.h"
#include "networked-job.h"

#include "ns3/collective-checker.h"
#include "ns3/fabric-endpoints.h"
#include "ns3/output-text.h"
#include "ns3/replay-helper.h"
#include "ns3/text-table.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ns3
{

namespace
{

/// What became of an algorithm.
struct Verdict
{
    uint64_t checked{0};                  //!< collectives that were checked
    std::string unsupported;              //!< why the last one that was not is not supported
    std::optional<CollectiveFault> fault; //!< the first one; none = it is right
    CollectiveCall call;                  //!< where it was found
};

/**
 * @param options what the user asks for
 * @return names of the algorithms to check
 */
std::vector<std::string>
ListNames(const CollectiveBenchOptions& options)
{
    for (const auto& choice : options.collectives)
    {
        const bool isMeant = choice.kind == options.kind &&
                             choice.dimension.value_or(Dimension::WORLD) == Dimension::WORLD;
        if (isMeant && choice.algorithm != CollectiveSelection::AUTO)
        {
            return {choice.algorithm};
        }
    }
    return CreateAlgorithms(options)->GetNames(options.kind);
}

/**
 * @param options what the user asks for
 * @return the sizes to check, bytes
 */
std::vector<uint64_t>
ListSizes(const CollectiveBenchOptions& options)
{
    std::vector<uint64_t> sizes;
    for (const auto bytes : options.GetSizes())
    {
        sizes.push_back(bytes);
        if (bytes > 0)
        {
            sizes.push_back(bytes + 1);
        }
    }
    return sizes;
}

/**
 * @param options what the user asks for
 * @param helper knows where the ranks stand
 * @param algorithm an algorithm
 * @return what becomes of it
 */
Verdict
Check(const CollectiveBenchOptions& options,
      const ReplayHelper& helper,
      Ptr<const CollectiveAlgorithm> algorithm)
{
    Verdict verdict;
    const auto roots = options.IsGiven("root")
                           ? std::vector<uint32_t>{options.root}
                           : CollectiveChecker::ListRoots(options.kind, options.ranks);
    for (const auto bytes : ListSizes(options))
    {
        for (const auto root : roots)
        {
            verdict.call = helper.MakeCall(0, options.kind, bytes);
            verdict.call.root = root;
            if (!algorithm->Suits(verdict.call))
            {
                verdict.unsupported = algorithm->FindUnsupportedReason(verdict.call);
                continue;
            }
            ++verdict.checked;
            verdict.fault = CollectiveChecker(algorithm, verdict.call).Check();
            if (verdict.fault)
            {
                return verdict;
            }
        }
    }
    return verdict;
}

/**
 * @param verdict what became of an algorithm
 * @return it in words
 */
std::string
Describe(const Verdict& verdict)
{
    if (verdict.fault)
    {
        const auto root =
            HasRoot(verdict.call.kind) ? ", root " + std::to_string(verdict.call.root) : "";
        return "WRONG at " + FormatCount(verdict.call.bytes, "byte") + root + ": " +
               verdict.fault->Describe();
    }
    return verdict.checked > 0 ? "right in " + FormatCount(verdict.checked, "call")
                               : "not checked: " + verdict.unsupported;
}

} // namespace

bool
CheckAlgorithms(const CollectiveBenchOptions& options,
                const CollectiveBenchCluster& cluster,
                std::ostream& os)
{
    ReplayHelper helper(MakeCollectiveWorkload(options, cluster, options.GetSizes().front()));
    PlaceCollectives(options, cluster.graph, FabricEndpoints(cluster.graph, true, true), helper);
    const auto algorithms = CreateAlgorithms(options);
    const auto names = ListNames(options);
    std::size_t width = 0;
    for (const auto& name : names)
    {
        width = std::max(width, name.size() + 2);
    }
    os << "# " << ToString(options.kind) << ", " << DescribeCluster(options, cluster) << "\n";
    bool isRight = true;
    for (const auto& name : names)
    {
        const auto verdict = Check(options, helper, algorithms->Find(options.kind, name));
        os << name << std::string(width - name.size(), ' ') << Describe(verdict) << std::endl;
        isRight = isRight && !verdict.fault;
    }
    return isRight;
}

} // namespace ns3
