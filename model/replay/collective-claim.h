/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef COLLECTIVE_CLAIM_H
#define COLLECTIVE_CLAIM_H

#include "message-matcher.h"

#include "ns3/collective-algorithm.h"
#include "ns3/workload.h"

#include <cstdint>
#include <string>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @param call a collective
 * @return what its messages say that it is: kind and root
 */
uint32_t GetClaimedKind(const CollectiveCall& call);

/**
 * @ingroup workload-replay
 * @param call a collective
 * @return the bytes that its messages say it has: none if the members rightly differ in them
 */
uint64_t GetClaimedTotal(const CollectiveCall& call);

/**
 * @ingroup workload-replay
 * @param claim what a member says of a collective
 * @return " calls KIND of N bytes", and whose if the kind has a root
 */
std::string DescribeClaim(const MessageMatcher::Claim& claim);

/**
 * @ingroup workload-replay
 * @param workload the job
 * @param rank a rank
 * @param line a line of the rank's program
 * @return "rank R (FILE:LINE)"
 */
std::string LocateLine(const Workload& workload, uint32_t rank, uint32_t line);

/**
 * @ingroup workload-replay
 * @param workload the job
 * @param context context of a collective, whose high half is its communicator
 * @param claim what a member says of it
 * @param other what another member says of it, something else
 * @return a line that names both
 */
std::string DescribeContradiction(const Workload& workload,
                                  uint64_t context,
                                  const MessageMatcher::Claim& claim,
                                  const MessageMatcher::Claim& other);

} // namespace ns3

#endif /* COLLECTIVE_CLAIM_H */
