/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef COLLECTIVE_OUTCOME_H
#define COLLECTIVE_OUTCOME_H

#include "ns3/nstime.h"
#include "ns3/port-isolation.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace ns3
{

class CommunicatorReuse;

/**
 * @ingroup workload-replay
 * @brief What came, or comes, of a collective that had its ports to itself, for all others that
 * begin in the same way.
 */
struct CollectiveOutcome
{
    std::vector<uint32_t> ranks;           //!< members, of whose ports the tally tells
    std::vector<std::optional<Time>> ends; //!< by member: when it was done, since the first began;
                                           //!< none = not yet
    std::vector<uint64_t> received;        //!< by member: payload received, bytes
    std::shared_ptr<PortIsolation::Tally> tally; //!< what ports have carried
    std::optional<Time> length; //!< until no packet was under way, likewise; none = not yet
    std::vector<CommunicatorReuse*> followers; //!< those who have no packets for it
    bool isUnfit{false}; //!< members that were done have begun the next call before others were, so
                         //!< that packets of both meet: it is to be simulated each time
};

} // namespace ns3

#endif /* COLLECTIVE_OUTCOME_H */
