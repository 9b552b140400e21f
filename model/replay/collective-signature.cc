/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "collective-signature.h"

#include "message-context.h"

namespace ns3
{

namespace
{

/// Bits of a signature's kind that say the kind; those above say the root.
constexpr uint32_t NAME_BITS = 8;

} // namespace

CollectiveSignature::CollectiveSignature(uint32_t member, const CollectiveCall& call, uint32_t line)
    : rank(member),
      kind(static_cast<uint32_t>(call.kind) | (HasRoot(call.kind) ? call.root : 0) << NAME_BITS),
      total(call.splits ? 0 : call.bytes),
      origin(line)
{
}

CollectiveSignature::CollectiveSignature(uint32_t contributor, const MessageEnvelope& envelope)
    : rank(contributor),
      kind(envelope.kind & ((1U << KIND_BITS) - 1)),
      total(envelope.total),
      origin(envelope.origin)
{
}

CollectiveKind
CollectiveSignature::GetKind(uint32_t kind)
{
    return static_cast<CollectiveKind>(kind & ((1U << NAME_BITS) - 1));
}

bool
CollectiveSignature::Matches(const CollectiveSignature& other) const
{
    return kind == other.kind && total == other.total;
}

std::string
CollectiveSignature::Describe(const Workload& workload) const
{
    const auto what = GetKind(kind);
    const auto text = LocateLine(workload, rank, origin) + " calls " + ToString(what) + " of " +
                      std::to_string(total) + " bytes";
    return HasRoot(what)
               ? text + " with member " + std::to_string(kind >> NAME_BITS) + " as the root"
               : text;
}

std::string
LocateLine(const Workload& workload, uint32_t rank, uint32_t line)
{
    const auto place = workload.GetProgram(rank).Locate(line);
    return "rank " + std::to_string(workload.GetJobRank(rank).rank) + workload.GetJobSuffix(rank) +
           " (" + place.ToString() + ")";
}

std::string
DescribeContradiction(const Workload& workload,
                      uint64_t context,
                      const CollectiveSignature& signature,
                      const CollectiveSignature& other)
{
    const auto communicator = MessageContext::Unpack(context).communicator;
    return signature.Describe(workload) + ", but " + other.Describe(workload) +
           " at the same place in " + workload.GetCommunicators().at(communicator).name;
}

} // namespace ns3
