/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef IPV4_ROUTING_COMPAT_H
#define IPV4_ROUTING_COMPAT_H

#include "ns3/ipv4-routing-protocol.h"

#include <cstddef>
#include <tuple>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief Argument types of a method, taken from its declaration.
 *
 * @tparam T type of the pointer to the method
 */
template <typename T>
struct MethodArguments;

/**
 * @ingroup workload-replay
 * @brief Argument types of a method that is not const.
 *
 * @tparam C class of the method
 * @tparam R what it returns
 * @tparam A its arguments
 */
template <typename C, typename R, typename... A>
struct MethodArguments<R (C::*)(A...)>
{
    /// Type of argument I, counted from 0.
    template <std::size_t I>
    using Get = std::tuple_element_t<I, std::tuple<A...>>;
};

/**
 * @ingroup workload-replay
 * @brief The callback types of RouteInput(), which are values in ns-3.38 and constant references
 *        in ns-3.39.
 */
struct RouteInputTypes
{
    /// Arguments of the method of the release that this is compiled with.
    using Arguments = MethodArguments<decltype(&Ipv4RoutingProtocol::RouteInput)>;

    using Unicast = Arguments::Get<3>;   //!< forwards a unicast packet
    using Multicast = Arguments::Get<4>; //!< forwards a multicast packet
    using Local = Arguments::Get<5>;     //!< delivers a packet to this node
    using Error = Arguments::Get<6>;     //!< reports a packet that cannot be forwarded
};

} // namespace ns3

#endif /* IPV4_ROUTING_COMPAT_H */
