/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LINK_FAILURE_H
#define LINK_FAILURE_H

#include "option-values.h"

#include "ns3/nstime.h"
#include "ns3/topology-graph.h"
#include "ns3/workload-error.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief A cable that is cut during the run, and perhaps mended.
 */
struct LinkFailure
{
    std::string ends;       //!< names of the nodes that it joins, with '-' between them
    Time down;              //!< when it is cut
    std::optional<Time> up; //!< when it is mended, after down; absent = never
    SourceLocation where;   //!< where it was given
};

/**
 * @param value text of the form A-B\@TIME or A-B\@TIME:TIME
 * @return what it says
 * @throws WorkloadError if it is not of the form, or mended before it is cut
 */
LinkFailure ParseLinkFailure(const TextField& value);

/**
 * @param ends names of two nodes, with '-' between them
 * @param graph the fabric
 * @return numbers of all links that join them, at least one
 * @throws WorkloadError if there is no such link
 */
std::vector<uint32_t> FindLinksBetween(const TextField& ends, const TopologyGraph& graph);

} // namespace ns3

#endif /* LINK_FAILURE_H */
