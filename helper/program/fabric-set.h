/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef FABRIC_SET_H
#define FABRIC_SET_H

#include "option-table.h"
#include "replay-config.h"

#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief A named set of fabric parameters: servers, links and what collectives cost on them.
 */
struct FabricSet
{
    /// An option, or an attribute as ns3::CLASS::ATTRIBUTE, and its value.
    struct Value
    {
        std::string name; //!< name of the option or attribute
        std::string text; //!< its value as on the command line
    };

    std::string name;          //!< name in the option fabric
    std::string source;        //!< where the values come from, one sentence
    std::vector<Value> values; //!< the values
};

/**
 * @ingroup workload-replay
 * @return the sets that come with the module
 */
const std::vector<FabricSet>& GetFabricSets();

/**
 * @ingroup workload-replay
 * @brief Find the parameters of a fabric.
 *
 * A file is one JSON object with the options of a fabric as keys (gpusPerServer, nicsPerServer,
 * server, hostMemoryRate, nicRate, nvlinkRate, nvSwitches, nvlinkDelay, linkDelay, mtu, cc,
 * routing, channels, chunkBytes), and attributes as "ns3::CLASS::ATTRIBUTE". The key fabric names a
 * set that it starts from, and source, a text, says where the values come from.
 *
 * @param value name of a set, or of a file that ends in .json
 * @param table the options
 * @return options and attributes in the order in which they apply
 * @throws WorkloadError if there is no such set or file, with the nearest name, or if the file has
 *         another key
 */
std::vector<OptionAssignment> ReadFabricSet(const TextField& value, const OptionTable& table);

} // namespace ns3

#endif /* FABRIC_SET_H */
