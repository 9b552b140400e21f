/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef CHAKRA_TRACE_FILES_H
#define CHAKRA_TRACE_FILES_H

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief The files of a job's Chakra traces.
 */
struct ChakraTraceFiles
{
    std::vector<std::string> traces; //!< by rank: its trace
    std::string groups;              //!< JSON file of the groups that lies beside; empty = none
};

/**
 * @ingroup workload-replay
 * @brief Find the traces of a job: NAME.RANK.et for ranks from 0 on, or .et.gz; or NAME.RANK.json
 * likewise, where there are no such.
 *
 * Groups are taken from NAME.json, comm_group.json or comm_groups.json of the same directory.
 *
 * @param path what they have in common (DIRECTORY/NAME), one of them, or a directory that holds
 *             those of one job; or a trace in JSON of any name, of a job of one rank
 * @param world number of ranks; nullopt = as many as there are traces
 * @return the files
 * @throws WorkloadError if there are none, or if one is missing
 */
ChakraTraceFiles FindChakraTraces(const std::string& path, std::optional<uint32_t> world);

/**
 * @ingroup workload-replay
 * @param path any path
 * @return whether FindChakraTraces() finds at least one trace there
 */
bool HasChakraTraces(const std::string& path);

/**
 * @ingroup workload-replay
 * @param path path of a file
 * @return whether it is named as a file in JSON, and begins as a Chakra trace
 */
bool IsChakraJson(const std::string& path);

} // namespace ns3

#endif /* CHAKRA_TRACE_FILES_H */
