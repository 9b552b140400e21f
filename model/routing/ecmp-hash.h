/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef ECMP_HASH_H
#define ECMP_HASH_H

#include <cstdint>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief Mix 64 bits so that every input bit changes about half of the output bits.
 *
 * The output function of SplitMix64 (G. L. Steele, D. Lea, C. H. Flood, Fast splittable
 * pseudorandom number generators, OOPSLA 2014, with variant 13 of D. Stafford's constants), a
 * bijection of the 64-bit numbers.
 *
 * @param value any number
 * @return the number mixed
 */
constexpr uint64_t
EcmpMix(uint64_t value)
{
    // The golden-ratio step of the generator keeps 0 from being mapped to 0.
    value += 0x9e3779b97f4a7c15ULL;
    value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9ULL;
    value = (value ^ (value >> 27)) * 0x94d049bb133111ebULL;
    return value ^ (value >> 31);
}

/**
 * @ingroup workload-replay
 * @brief Hash what distinguishes one flow from another.
 *
 * @param source source address or rank
 * @param destination destination address or rank
 * @param protocol protocol number; 0 = no protocol
 * @param ports source port in the upper 16 bits, destination port in the lower; 0 = no ports
 * @return hash of the flow, the same on every node
 */
constexpr uint64_t
EcmpFlowHash(uint32_t source, uint32_t destination, uint8_t protocol = 0, uint32_t ports = 0)
{
    const uint64_t addresses = (static_cast<uint64_t>(source) << 32) | destination;
    const uint64_t rest = (static_cast<uint64_t>(protocol) << 32) | ports;
    return EcmpMix(EcmpMix(addresses) ^ rest);
}

/**
 * @ingroup workload-replay
 * @brief Salt of a node: nodes that hash the same flow decide independently of each other.
 *
 * Without a salt of its own a switch could use only those of its links that the hash of the switch
 * before it has left over (hash polarization).
 *
 * @param seed seed of the run
 * @param node index of the node in its graph
 * @return salt of the node
 */
constexpr uint64_t
EcmpSalt(uint64_t seed, uint32_t node)
{
    return EcmpMix(EcmpMix(seed) ^ node);
}

/**
 * @ingroup workload-replay
 * @brief Choose one of several equal next hops.
 *
 * @param flowHash hash of the flow
 * @param salt salt of the node
 * @param choices number of next hops, at least 1
 * @return index of the next hop, from 0 to choices - 1; each is equally likely to within choices in
 *         2^32
 */
constexpr uint32_t
EcmpChoose(uint64_t flowHash, uint64_t salt, uint32_t choices)
{
    const uint64_t upper = EcmpMix(flowHash ^ salt) >> 32;
    return static_cast<uint32_t>((upper * choices) >> 32);
}

} // namespace ns3

#endif /* ECMP_HASH_H */
