/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "parallel-layout.h"

#include <array>
#include <string>
#include <vector>

namespace ns3
{

namespace
{

/// A count of a layout, as a member of LayoutRequest.
using Count = std::optional<uint32_t> LayoutRequest::*;

/// A count and the option that sets it.
struct NamedCount
{
    Count count;      //!< the member
    const char* name; //!< its name
};

/// All counts.
constexpr std::array<NamedCount, 8> COUNTS{{
    {&LayoutRequest::world, "world"},
    {&LayoutRequest::tp, "tp"},
    {&LayoutRequest::cp, "cp"},
    {&LayoutRequest::ep, "ep"},
    {&LayoutRequest::dp, "dp"},
    {&LayoutRequest::pp, "pp"},
    {&LayoutRequest::microbatches, "microbatches"},
    {&LayoutRequest::vpp, "vpp"},
}};

/// Ranks of the largest job; more are a slip of the keyboard, and would fill the memory.
constexpr uint64_t MAX_WORLD = 1000000;

/**
 * Find the place of counts that do not go together.
 *
 * @param counts the counts
 * @param user what the user says
 * @param fileLocation where the file says the rest
 * @return the option of the first one that the user set, or the place in the file
 */
SourceLocation
LocateFault(const std::vector<Count>& counts,
            const LayoutRequest& user,
            const SourceLocation& fileLocation)
{
    for (const auto count : counts)
    {
        for (const auto& named : COUNTS)
        {
            if (named.count == count && user.*count)
            {
                return {std::string("--") + named.name, 0, 0, ""};
            }
        }
    }
    return fileLocation;
}

/**
 * @param layout a layout with tp, cp and pp
 * @return these numbers, for a message
 */
std::string
DescribeReplica(const ParallelLayout& layout)
{
    return "tp " + std::to_string(layout.tp) + " x cp " + std::to_string(layout.cp) + " x pp " +
           std::to_string(layout.pp);
}

/**
 * Multiply counts without overflow.
 *
 * @param factors the counts, none 0
 * @return the product, or some number above MAX_WORLD if it is above
 */
uint64_t
Multiply(const std::vector<uint32_t>& factors)
{
    uint64_t product = 1;
    for (const uint64_t factor : factors)
    {
        // No further once the limit is exceeded: a product of at most 10^6 and a factor of 32 bits
        // fits into 64 bits.
        product = product > MAX_WORLD ? product : product * factor;
    }
    return product;
}

/**
 * @param all what file and user say
 * @param layout tp, cp and pp of the job; receives world and dp
 * @param where the place of the fault
 */
void
CompleteReplicas(const LayoutRequest& all, ParallelLayout& layout, const SourceLocation& where)
{
    const auto replica = Multiply({layout.tp, layout.cp, layout.pp});
    if (!all.world && !all.dp)
    {
        throw WorkloadError({"--world", 0, 0, ""},
                            "the number of ranks, or of data parallel ranks by --dp",
                            "neither, nor does the file say it");
    }
    const uint64_t world =
        all.world ? *all.world : Multiply({layout.tp, layout.cp, layout.pp, *all.dp});
    if (world > MAX_WORLD)
    {
        throw WorkloadError(where,
                            "a world of at most " + std::to_string(MAX_WORLD) + " ranks",
                            all.world
                                ? std::to_string(world)
                                : DescribeReplica(layout) + " x dp " + std::to_string(*all.dp));
    }
    if (world % replica != 0)
    {
        throw WorkloadError(where,
                            "a world that is a multiple of " + DescribeReplica(layout),
                            "world " + std::to_string(world));
    }
    layout.world = static_cast<uint32_t>(world);
    layout.dp = static_cast<uint32_t>(world / replica);
    if (all.dp && *all.dp != layout.dp)
    {
        throw WorkloadError(where,
                            "dp " + std::to_string(layout.dp) + ", which is world " +
                                std::to_string(world) + " / (" + DescribeReplica(layout) + ")",
                            "dp " + std::to_string(*all.dp));
    }
}

} // namespace

LayoutRequest
MergeLayouts(const LayoutRequest& file, const LayoutRequest& user)
{
    LayoutRequest all;
    for (const auto& [count, name] : COUNTS)
    {
        all.*count = user.*count ? user.*count : file.*count;
    }
    return all;
}

ParallelLayout
CompleteLayout(const LayoutRequest& file,
               const SourceLocation& fileLocation,
               const LayoutRequest& user)
{
    const auto all = MergeLayouts(file, user);
    for (const auto& [count, name] : COUNTS)
    {
        if (all.*count && *(all.*count) == 0)
        {
            throw WorkloadError(LocateFault({count}, user, fileLocation),
                                std::string(name) + " of at least 1",
                                "0");
        }
    }
    const auto microbatches = all.microbatches.value_or(1);
    if (microbatches > ParallelLayout::MAX_MICROBATCHES)
    {
        throw WorkloadError(LocateFault({&LayoutRequest::microbatches}, user, fileLocation),
                            "at most " + std::to_string(ParallelLayout::MAX_MICROBATCHES) +
                                " microbatches",
                            std::to_string(microbatches));
    }
    ParallelLayout layout;
    layout.tp = all.tp.value_or(1);
    layout.cp = all.cp.value_or(1);
    layout.ep = all.ep.value_or(1);
    layout.pp = all.pp.value_or(1);
    layout.microbatches = microbatches;
    // The first of these that the user has set is blamed.
    std::vector<Count> counts{&LayoutRequest::dp,
                              &LayoutRequest::world,
                              &LayoutRequest::tp,
                              &LayoutRequest::cp,
                              &LayoutRequest::pp};
    CompleteReplicas(all, layout, LocateFault(counts, user, fileLocation));
    if (layout.dp % layout.ep != 0)
    {
        counts.insert(counts.begin(), &LayoutRequest::ep);
        throw WorkloadError(LocateFault(counts, user, fileLocation),
                            "ep to divide dp " + std::to_string(layout.dp) + ", which is world " +
                                std::to_string(layout.world) + " / (" + DescribeReplica(layout) +
                                ")",
                            "ep " + std::to_string(layout.ep));
    }
    return layout;
}

} // namespace ns3
