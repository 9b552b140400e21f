/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef PROCESS_AGREEMENT_H
#define PROCESS_AGREEMENT_H

#include "ns3/topology-graph.h"
#include "ns3/workload.h"

#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief What processes have to agree about before they simulate together: what it is called in
 * messages, and a hash of it.
 */
using Fingerprints = std::vector<std::pair<std::string, uint64_t>>;

/**
 * @ingroup workload-replay
 * @brief A process cannot go on, or has not read what the first one has. Thrown in all processes.
 */
class ProcessError : public std::runtime_error
{
  public:
    using std::runtime_error::runtime_error;
};

/**
 * @ingroup workload-replay
 * @brief Find out whether all processes have come as far as this one, with the same input. All must
 * call it. One process alone agrees with itself.
 *
 * @param error why this process cannot go on; empty = it can
 * @param fingerprints what it has read
 * @throws ProcessError if a process cannot go on or has read anything else
 */
void Agree(const std::string& error, const Fingerprints& fingerprints);

/**
 * @ingroup workload-replay
 * @param arguments arguments of the program
 * @return hash of them
 */
uint64_t HashArguments(const std::vector<std::string>& arguments);

/**
 * @ingroup workload-replay
 * @param workload a job
 * @return hash of all that its ranks do
 */
uint64_t HashWorkload(const Workload& workload);

/**
 * @ingroup workload-replay
 * @param graph a topology
 * @return hash of its nodes and links
 */
uint64_t HashGraph(const TopologyGraph& graph);

} // namespace ns3

#endif /* PROCESS_AGREEMENT_H */
