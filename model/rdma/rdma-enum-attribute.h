/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_ENUM_ATTRIBUTE_H
#define RDMA_ENUM_ATTRIBUTE_H

#include "ns3/attribute-accessor-helper.h"
#include "ns3/enum.h"
#include "ns3/ptr.h"

#include <utility>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief What ns-3 keeps the value of an enumeration in: EnumValue, from ns-3.41 on a template of
 *        the enumeration.
 *
 * @tparam E the enumeration
 */
template <typename E>
using RdmaEnumValue = decltype(EnumValue(std::declval<E>()));

/**
 * @ingroup workload-replay
 * @brief MakeEnumAccessor() of all versions of ns-3.
 *
 * @tparam E the enumeration
 * @tparam C the class that has the attribute
 * @param member where it keeps the value
 * @return the accessor
 */
template <typename E, typename C>
Ptr<const AttributeAccessor>
MakeRdmaEnumAccessor(E C::*member)
{
    return MakeAccessorHelper<RdmaEnumValue<E>>(member);
}

/**
 * @ingroup workload-replay
 * @brief MakeEnumAccessor() of all versions of ns-3.
 *
 * @tparam E the enumeration
 * @tparam C the class that has the attribute
 * @param set sets the value
 * @param get gets it
 * @return the accessor
 */
template <typename E, typename C>
Ptr<const AttributeAccessor>
MakeRdmaEnumAccessor(void (C::*set)(E), E (C::*get)() const)
{
    return MakeAccessorHelper<RdmaEnumValue<E>>(set, get);
}

} // namespace ns3

#endif /* RDMA_ENUM_ATTRIBUTE_H */
