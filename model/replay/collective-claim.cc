/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "collective-claim.h"

#include "ns3/workload-error.h"

namespace ns3
{

namespace
{

/// Bits of the claimed kind that say the kind; those above say the root.
constexpr uint32_t KIND_BITS = 8;

} // namespace

uint32_t
GetClaimedKind(const CollectiveCall& call)
{
    const uint32_t root = HasRoot(call.kind) ? call.root : 0;
    return static_cast<uint32_t>(call.kind) | root << KIND_BITS;
}

uint64_t
GetClaimedTotal(const CollectiveCall& call)
{
    return call.splits ? 0 : call.bytes;
}

std::string
DescribeClaim(const MessageMatcher::Claim& claim)
{
    const auto kind = static_cast<CollectiveKind>(claim.kind & ((1U << KIND_BITS) - 1));
    const auto text = " calls " + ToString(kind) + " of " + std::to_string(claim.total) + " bytes";
    return HasRoot(kind)
               ? text + " with member " + std::to_string(claim.kind >> KIND_BITS) + " as the root"
               : text;
}

std::string
LocateLine(const Workload& workload, uint32_t rank, uint32_t line)
{
    const SourceLocation place{workload.GetProgram(rank).GetFile(), line, 0, ""};
    return "rank " + std::to_string(rank) + " (" + place.ToString() + ")";
}

std::string
DescribeContradiction(const Workload& workload,
                      uint64_t context,
                      const MessageMatcher::Claim& claim,
                      const MessageMatcher::Claim& other)
{
    return LocateLine(workload, claim.rank, claim.origin) + DescribeClaim(claim) + ", but " +
           LocateLine(workload, other.rank, other.origin) + DescribeClaim(other) +
           " at the same place in " + workload.GetCommunicators().at(context >> 32).name;
}

} // namespace ns3
