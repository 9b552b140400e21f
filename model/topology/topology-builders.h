/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef TOPOLOGY_BUILDERS_H
#define TOPOLOGY_BUILDERS_H

#include "topology-generator.h"

#include "ns3/strategy-registry.h"

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief Defines a TopologyGenerator. Its ranks stand in servers and do not relay, unless the
 * further members override that.
 *
 * Its TypeId is in an inline function, of which a program that compiles the class once more shares
 * the library's: there is one TypeId then, and one entry of StrategyRegistry.
 *
 * @param type the class
 * @param function what builds its graphs
 * @param ... further members, public
 */
#define DEFINE_TOPOLOGY_GENERATOR(type, function, ...)                                             \
    class type : public TopologyGenerator                                                          \
    {                                                                                              \
      public:                                                                                      \
        static TypeId GetTypeId()                                                                  \
        {                                                                                          \
            static TypeId tid = TypeId("ns3::" #type)                                              \
                                    .SetParent<TopologyGenerator>()                                \
                                    .SetGroupName("WorkloadReplay")                                \
                                    .AddConstructor<type>();                                       \
            return tid;                                                                            \
        }                                                                                          \
                                                                                                   \
        TopologyGraph Build(const TopologySpec& spec,                                              \
                            uint32_t world,                                                        \
                            const FabricParameters& parameters) const override                     \
        {                                                                                          \
            return function(spec, world, parameters);                                              \
        }                                                                                          \
                                                                                                   \
        __VA_ARGS__                                                                                \
    }

// What builds the graphs of the module's topologies. The functions throw a WorkloadError if a key
// is wrong, the numbers contradict each other or the world does not fit.

/**
 * @ingroup workload-replay
 * @brief Build a two-level leaf-spine: every leaf has links to every spine.
 *
 * Keys:
 * - hostsPerLeaf: NICs that a leaf takes. Default: with leaves given, as many whole servers as
 *   every leaf needs to hold the world; else as many whole servers as fit into 32 NICs, at least
 *   one.
 * - leaves: leaf switches. Default: as many as the world needs.
 * - oversubscription: host bandwidth of a full leaf / its uplink bandwidth. Default: 1.
 * - uplinkRate: rate of one link from leaf to spine. Default: nicRate.
 * - spines: spine switches. Default: one per uplink of a leaf; none if there is one leaf.
 * - placement: block (default): ranks fill leaf after leaf; interleaved: server i is at leaf
 *   i mod leaves.
 *
 * A leaf has hostsPerLeaf * nicRate / (oversubscription * uplinkRate) uplinks; this must be a whole
 * number that the spines divide. The quotient is the number of parallel links from a leaf to a
 * spine. NICs of one rank are at one leaf, unless the leaf is full after the first.
 *
 * Nodes: servers, then leaves, then spines.
 *
 * @param [in] spec keys and values that are given
 * @param [in] world ranks to place
 * @param [in] parameters rates, delays and servers of the fabric
 * @return the graph
 */
TopologyGraph BuildClosTopology(const TopologySpec& spec,
                                uint32_t world,
                                const FabricParameters& parameters);

/**
 * @ingroup workload-replay
 * @brief Build two leaf-spines that meet only at the NICs, each of which has a port into both.
 *
 * The keys are those of BuildClosTopology(), and hold for either plane, and
 * - portRate: rate of each of the two ports of a NIC. Default: nicRate / 2, as of a 400 Gb/s NIC of
 *   2 x 200 Gb/s.
 *
 * The default of uplinkRate is portRate. The leaves are called plane0-leaf0, ..., the spines
 * plane0-spine0, ...
 *
 * Nodes: servers, then leaves and spines of one plane after those of the other.
 *
 * @param [in] spec keys and values that are given
 * @param [in] world ranks to place
 * @param [in] parameters rates, delays and servers of the fabric
 * @return the graph
 */
TopologyGraph BuildDualPlaneTopology(const TopologySpec& spec,
                                     uint32_t world,
                                     const FabricParameters& parameters);

/**
 * @ingroup workload-replay
 * @brief Build a leaf-spine in which every leaf is a pair of switches that do not know of each
 *        other, and every NIC has a port at both.
 *
 * This is the non-stacked dual-ToR of K. Qian et al., "Alibaba HPN: A Data Center Network for Large
 * Language Model Training", SIGCOMM 2024, with both switches of a pair linked to the same spines
 * (HPN itself also parts the spines, see BuildDualPlaneTopology()).
 *
 * The keys are those of BuildDualPlaneTopology(); oversubscription and uplinks are those of one
 * switch of a pair. The pairs are called leaf0-tor0 and leaf0-tor1, ...
 *
 * Nodes: servers, then the first switches of all pairs, the second ones, the spines.
 *
 * @param [in] spec keys and values that are given
 * @param [in] world ranks to place
 * @param [in] parameters rates, delays and servers of the fabric
 * @return the graph
 */
TopologyGraph BuildDualTorTopology(const TopologySpec& spec,
                                   uint32_t world,
                                   const FabricParameters& parameters);

/**
 * @ingroup workload-replay
 * @brief Build a rail-optimised leaf-spine: NIC i of every server of a group is at leaf i of the
 *        group, and spines join all leaves of all groups.
 *
 * So ranks of the same index are one switch apart within a group, and ranks of different index meet
 * inside the server or at a spine (W. Wang et al., "Rail-only", HOTI 2024, describe the design and
 * its use).
 *
 * Keys:
 * - serversPerGroup: servers of a group. Default: as few groups as possible of at most 64 servers,
 *   then as even as possible.
 * - oversubscription: bandwidth of a full leaf's NICs / its uplink bandwidth. Default: 1.
 * - uplinkRate: rate of one link from leaf to spine. Default: nicRate.
 * - spines: spine switches. Default: as few as divide the uplinks of a leaf and need at most 128
 *   ports each; one per uplink of a leaf if that does not suffice. None for a single leaf. 0 is the
 *   rail-only network of that paper (section 4): all servers are one group, and what goes to a rank
 *   of another index first goes over NVLink to the rank of that index in its server, which relays.
 *
 * A leaf has serversPerGroup * nicRate / (oversubscription * uplinkRate) uplinks; this must be a
 * whole number that the spines divide. Leaf j of rail i is called raili-leafj.
 *
 * Nodes: servers, then leaves rail after rail, then spines.
 *
 * @param [in] spec keys and values that are given
 * @param [in] world ranks to place
 * @param [in] parameters rates, delays and servers of the fabric
 * @return the graph
 */
TopologyGraph BuildRailTopology(const TopologySpec& spec,
                                uint32_t world,
                                const FabricParameters& parameters);

/**
 * @ingroup workload-replay
 * @brief Build the three-level k-ary fat-tree of M. Al-Fares, A. Loukissas and A. Vahdat, "A
 *        Scalable, Commodity Data Center Network Architecture", SIGCOMM 2008.
 *
 * k pods hold k/2 edge and k/2 aggregation switches each, every edge is linked to every aggregation
 * switch of its pod, and aggregation switch i of every pod to core switches i * k/2 to
 * (i + 1) * k/2 - 1 of (k/2)^2. All links have nicRate. An edge takes k/2 NICs, so that switches
 * of k ports carry k^3/4 NICs.
 *
 * Keys:
 * - k: even, from 2 to 256. Default: the smallest that holds the world.
 * - oversubscription: NICs of an edge / its k/2 uplinks; an edge takes oversubscription * k/2 NICs,
 *   which must be a whole number. Default: 1.
 *
 * NICs fill edge after edge; all switches are there, whatever the world. The switches are called
 * pod0-edge0, pod0-agg0, core0, ...
 *
 * Nodes: servers, then edges and aggregation switches pod after pod, then cores.
 *
 * @param [in] spec keys and values that are given
 * @param [in] world ranks to place
 * @param [in] parameters rates, delays and servers of the fabric
 * @return the graph
 */
TopologyGraph BuildFatTreeTopology(const TopologySpec& spec,
                                   uint32_t world,
                                   const FabricParameters& parameters);

/**
 * @ingroup workload-replay
 * @brief Build the canonical dragonfly of J. Kim, W. Dally, S. Scott and D. Abts,
 *        "Technology-Driven, Highly-Scalable Dragonfly Topology", ISCA 2008.
 *
 * Groups of a routers, linked each to each, have h global links per router. All links have nicRate
 * and linkDelay.
 *
 * Global links are arranged as "absolute" (E. Hastings et al., "Comparing Global Link Arrangements
 * for Dragonfly Networks", CLUSTER 2015): the a * h global ports of a group, counted through its
 * routers, lead to the other groups in ascending order. With fewer than a * h + 1 groups the order
 * starts again as long as a whole round is left, so that every two groups are joined by
 * floor(a * h / (groups - 1)) links; ports that are left over stay free.
 *
 * Keys:
 * - p: NICs of a router
 * - a: routers of a group
 * - h: global links of a router
 * - groups: groups, at most a * h + 1, which is the default
 *
 * Those of p, a and h that are not given are p = n, a = 2n, h = n (the balanced dragonfly) with the
 * smallest n from 1 to 64 that holds the world. NICs fill router after router; all routers are
 * there, whatever the world. They are called group0-router0, ...
 *
 * Routes by fewest hops are not always the local-global-local routes of the paper: where two global
 * links lead to the router of the destination, they are one hop shorter.
 *
 * Nodes: servers, then routers group after group.
 *
 * @param [in] spec keys and values that are given
 * @param [in] world ranks to place
 * @param [in] parameters rates, delays and servers of the fabric
 * @return the graph
 */
TopologyGraph BuildDragonflyTopology(const TopologySpec& spec,
                                     uint32_t world,
                                     const FabricParameters& parameters);

/**
 * @ingroup workload-replay
 * @brief Build a torus of ranks without switches: every rank is linked to the next one of each
 *        dimension, and relays for others.
 *
 * This is the network of accelerators that carry their own links, such as TPU v4 (N. Jouppi et al.,
 * ISCA 2023). So there are neither servers nor NVLink, whatever gpusPerServer says. Every link has
 * nicRate and linkDelay; a rank has 2 links per dimension, and 2 * nicRate of bandwidth in it.
 *
 * Keys:
 * - dims: sizes joined by x, such as 4x4x4; their product is the world. Default: of all shapes of
 *   up to three dimensions the most cubic, that is the one with the shortest longest side and, of
 *   these, the shortest middle side; longest side first. A prime world is a ring.
 *
 * The coordinate in the first dimension changes fastest with the rank. A dimension of size 2 has
 * one link per pair, not two; one of size 1 has none.
 *
 * Nodes: hosts only. nicsPerServer must leave one NIC per rank.
 *
 * @param [in] spec keys and values that are given
 * @param [in] world ranks to place
 * @param [in] parameters rates, delays and servers of the fabric
 * @return the graph
 */
TopologyGraph BuildTorusTopology(const TopologySpec& spec,
                                 uint32_t world,
                                 const FabricParameters& parameters);

/**
 * @ingroup workload-replay
 * @brief Build rings of NICs without network switches: NIC i of every server is linked to NIC i of
 *        the next server, and ranks relay for others.
 *
 * The servers keep their NVSwitches; with one rank per server this is a ring of hosts. Every link
 * has nicRate and linkDelay, one to the server before and one to the server after. Two servers have
 * one link per NIC, not two; a NIC that the last, partial server lacks goes round the others. There
 * are no keys.
 *
 * Nodes: servers. No NIC may be shared.
 *
 * @param [in] spec keys and values that are given
 * @param [in] world ranks to place
 * @param [in] parameters rates, delays and servers of the fabric
 * @return the graph
 */
TopologyGraph BuildRingTopology(const TopologySpec& spec,
                                uint32_t world,
                                const FabricParameters& parameters);

/**
 * @ingroup workload-replay
 * @brief Build top-of-rack switches that rotor switches join: optical switches, each of which goes
 *        round a few fixed matchings of the racks, at fixed times (W. Mellette et al., "RotorNet: A
 *        Scalable, Low-complexity, Optical Datacenter Network", SIGCOMM 2017, section 3).
 *
 * All rotors change at the same time. In a slot each joins pairs of racks, so that in a round of
 * all slots each two racks are joined once. A packet waits in its rack's switch for the slot in
 * which a direct link leads to its destination's; there are no detours through a third rack
 * (RotorNet's RotorLB, Opera's expander).
 *
 * Keys:
 * - hostsPerTor: NICs of a rack. Default: as many whole servers as fit into 32 NICs, at least one.
 * - rotors: rotor switches, that is uplinks of a rack. Default: half of hostsPerTor, but not more
 *   than there are matchings. A single rack has none.
 * - slotTime: length of a slot, darkTime included. Default: 200us.
 * - darkTime: part of a slot in which the rotors turn and carry nothing. Default: 20us, the
 *   reconfiguration time of that paper, whose duty cycle of 90 % gives slotTime.
 * - uplinkRate: rate of an uplink. Default: nicRate.
 *
 * Of R racks there are R - 1 matchings, or R if R is odd, in which one rack is left out each time.
 * Matching m is that of rotor m mod rotors in slot m / rotors. Rotors are no nodes; their circuits
 * are links between the racks' switches tor0, tor1, ..., each with its slot.
 *
 * Nodes: servers, then switches.
 *
 * @param [in] spec keys and values that are given
 * @param [in] world ranks to place
 * @param [in] parameters rates, delays and servers of the fabric
 * @return the graph
 */
TopologyGraph BuildRotorTopology(const TopologySpec& spec,
                                 uint32_t world,
                                 const FabricParameters& parameters);

} // namespace ns3

#endif /* TOPOLOGY_BUILDERS_H */
