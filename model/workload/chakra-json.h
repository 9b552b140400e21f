/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef CHAKRA_JSON_H
#define CHAKRA_JSON_H

#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief Read a Chakra trace in JSON, which may be compressed by gzip, as a binary one.
 *
 * Nodes are objects as Protobuf prints messages in JSON: keys in either spelling (dataDeps or
 * data_deps), large numbers in quotes, what is 0 left out. They stand one after another, as
 * chakra_jsonizer writes them, maybe with commas between or in a list. An object before them that
 * is no node is the metadata. Or one object has them in the list workload_graph, as Chakra's feeder
 * takes them. What a node has besides is an attribute.
 *
 * @param path the file
 * @return the messages of a binary trace, each after its length
 * @throws WorkloadError with line and column if it is no such trace
 */
std::vector<char> ReadChakraJson(const std::string& path);

} // namespace ns3

#endif /* CHAKRA_JSON_H */
