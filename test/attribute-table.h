/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef ATTRIBUTE_TABLE_H
#define ATTRIBUTE_TABLE_H

#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay-tests
 * @brief What another value of an attribute does to what is looked at.
 */
enum class AttributeEffect
{
    LESS,  //!< it makes less of it
    MORE,  //!< it makes more of it
    OTHER, //!< it makes another number of it
    REFUSE //!< wl-replay does not take it, and says why
};

/**
 * @ingroup workload-replay-tests
 * @brief An attribute, and a scenario in which it matters.
 */
struct AttributeEntry
{
    const char* name;       //!< the attribute, as TYPE::ATTRIBUTE without the name space
    const char* value;      //!< a value other than its default
    const char* scenario;   //!< the scenario, see AttributeScenarioTestCase
    const char* observed;   //!< what to look at there
    AttributeEffect effect; //!< what the value does to it
};

/**
 * @ingroup workload-replay-tests
 * @return entries for all attributes of the module, at least one for each
 */
std::vector<AttributeEntry> GetAttributeTable();

} // namespace ns3

#endif /* ATTRIBUTE_TABLE_H */
