/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef COLLECTIVE_CHOICE_H
#define COLLECTIVE_CHOICE_H

#include "option-values.h"

#include "ns3/collective-latencies.h"
#include "ns3/msccl-file.h"
#include "ns3/workload-types.h"

#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief The algorithm that the user wants for a kind of collective.
 */
struct CollectiveChoice
{
    CollectiveKind kind{CollectiveKind::ALL_REDUCE}; //!< the kind
    std::optional<Dimension> dimension; //!< the dimension meant; nullopt = all without own choice
    std::string algorithm;              //!< name of the algorithm; auto = as without choice
    std::optional<CollectiveProtocol> protocol; //!< its protocol; nullopt = the fastest
    std::shared_ptr<const MscclFile> plan;      //!< the algorithm if a file describes it; else null
};

/**
 * @ingroup workload-replay
 * @param value auto, or KIND[.DIMENSION]=ALGORITHM[/PROTOCOL] once or several times with commas
 * between; instead of an algorithm a file of MSCCL, whose name has a dot or begins with a slash
 * @return the choices in their order; none for auto
 * @throws WorkloadError if it is anything else, names an algorithm that cannot do the kind, or
 *         chooses twice for the same kind and dimension
 */
std::vector<CollectiveChoice> ParseCollectiveChoices(const TextField& value);

/**
 * @ingroup workload-replay
 * @param choices what the user wants
 * @return true if NVSwitches have to take part in some of it
 */
bool NeedsSwitches(const std::vector<CollectiveChoice>& choices);

/**
 * @ingroup workload-replay
 * @param choices what the user wants
 * @return true if switches of the network have to take part in some of it
 */
bool NeedsNetworkSwitches(const std::vector<CollectiveChoice>& choices);

/**
 * @ingroup workload-replay
 * @brief Read choices where all ranks do one kind of collective.
 *
 * @param value ALGORITHM[/PROTOCOL], or what ParseCollectiveChoices() takes
 * @param kind the kind that all ranks do
 * @return the choices, of which one is for the kind in the dimension world; none for auto
 * @throws WorkloadError if it is anything else
 */
std::vector<CollectiveChoice> ParseCollectiveChoicesFor(const TextField& value,
                                                        CollectiveKind kind);

/**
 * @ingroup workload-replay
 * Print which algorithms can be chosen for each kind of collective.
 *
 * @param os where to
 */
void PrintAlgorithmHelp(std::ostream& os);

} // namespace ns3

#endif /* COLLECTIVE_CHOICE_H */
