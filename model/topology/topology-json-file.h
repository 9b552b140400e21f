/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef TOPOLOGY_JSON_FILE_H
#define TOPOLOGY_JSON_FILE_H

#include "topology-graph.h"

#include "ns3/workload-text.h"

#include <ostream>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief Read a topology in JSON.
 *
 * @code{.json}
 * {
 *   "name": "two hosts",
 *   "nodes": [
 *     {"name": "host0", "kind": "host", "server": 0},
 *     {"name": "host1", "kind": "host", "server": 0},
 *     {"name": "nv", "kind": "nvswitch", "server": 0},
 *     {"name": "leaf", "kind": "switch"}
 *   ],
 *   "links": [
 *     {"a": "host0", "b": "nv", "rate": "3600Gbps", "delay": "250ns", "nvlink": true},
 *     {"a": "host1", "b": "nv", "rate": "3600Gbps", "delay": "250ns", "nvlink": true},
 *     {"a": "host0", "b": "leaf", "rate": "400Gbps", "delay": "500ns", "count": 2},
 *     {"a": "host1", "b": "leaf", "rate": "400Gbps", "delay": "500ns", "lossRate": 1e-6}
 *   ]
 * }
 * @endcode
 *
 * - name: what reports call the topology. Default: none.
 * - nodes: at least one host. Nodes have the order of the list, and hosts hold ranks 0, 1, ... in
 *   that order. name: not empty, every one once. kind: host, switch or nvswitch. server: that a
 *   host or NVSwitch stands in, counted from 0. Default: none.
 * - links: a, b: names of two different nodes. rate: of each direction, from 1bps. delay:
 *   propagation, from 0ns. nvlink: whether it is preferred to other links at equal hop count.
 *   Default: whether it joins an NVSwitch to a host or to another NVSwitch. lossRate: share of
 *   packets lost at random, 0 to 1. Default: 0. count: parallel links of this kind, 1 to 65536.
 *   Default: 1.
 *
 * @param text the file
 * @return the graph; that all hosts reach each other is not checked
 * @throws WorkloadError with line and column if it is not JSON, else with a JSON pointer to what is
 *         wrong
 */
TopologyGraph ReadTopologyJson(const WorkloadText& text);

/**
 * @ingroup workload-replay
 * @brief Write a topology so that ReadTopologyJson() makes the same graph of it.
 *
 * Equal parallel links become one with a count if they are neighbours in the order of links, so
 * that the order stays.
 *
 * @param os where to; numbers must be written as in the classic locale
 * @param graph the graph; the names of its nodes must be valid, and different
 */
void WriteTopologyJson(std::ostream& os, const TopologyGraph& graph);

} // namespace ns3

#endif /* TOPOLOGY_JSON_FILE_H */
