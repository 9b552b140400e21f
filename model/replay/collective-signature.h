/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef COLLECTIVE_SIGNATURE_H
#define COLLECTIVE_SIGNATURE_H

#include "message-envelope.h"

#include "ns3/collective-algorithm.h"
#include "ns3/workload.h"

#include <cstdint>
#include <string>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief What the members of a collective must agree about, and where a member says so.
 *
 * It travels with each message of the collective.
 */
struct CollectiveSignature
{
    /// Bits of MessageEnvelope::kind that are a signature's; the others are CollectiveFlow's.
    static constexpr uint32_t KIND_BITS = 30;

    uint32_t rank{0};   //!< the member
    uint32_t kind{0};   //!< kind and root, MessageEnvelope::kind
    uint64_t total{0};  //!< bytes, MessageEnvelope::total; 0 if members rightly differ in them
    uint32_t origin{0}; //!< line of the member's program, MessageEnvelope::origin

    CollectiveSignature() = default;

    /**
     * @param member the member that makes the call
     * @param call the call
     * @param line line of the member's program
     */
    CollectiveSignature(uint32_t member, const CollectiveCall& call, uint32_t line);

    /**
     * @param contributor the member that a message is from
     * @param envelope envelope of the message
     */
    CollectiveSignature(uint32_t contributor, const MessageEnvelope& envelope);

    /**
     * @param kind kind and root, see kind
     * @return the kind
     */
    static CollectiveKind GetKind(uint32_t kind);

    /**
     * @param other what another member says
     * @return true if they agree
     */
    bool Matches(const CollectiveSignature& other) const;

    /**
     * @param workload the job
     * @return "rank R (FILE:LINE) calls KIND of N bytes", and whose if the kind has a root
     */
    std::string Describe(const Workload& workload) const;
};

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
 * @param context context of a collective
 * @param signature what a member says of it
 * @param other what another member says of it, something else
 * @return a line that names both
 */
std::string DescribeContradiction(const Workload& workload,
                                  uint64_t context,
                                  const CollectiveSignature& signature,
                                  const CollectiveSignature& other);

} // namespace ns3

#endif /* COLLECTIVE_SIGNATURE_H */
