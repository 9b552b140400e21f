/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef KEPT_DEFAULTS_H
#define KEPT_DEFAULTS_H

#include "ns3/attribute.h"
#include "ns3/global-value.h"
#include "ns3/ptr.h"
#include "ns3/type-id.h"

#include <cstddef>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief Puts the defaults of all attributes, and global values, back to what they were when it was
 * made.
 *
 * Options of a replay set such defaults, which are the program's: without this, a second replay of
 * a script would have those of the first.
 */
class KeptDefaults
{
  public:
    KeptDefaults();

    /// Puts them back.
    ~KeptDefaults();

    // It is for a scope.
    KeptDefaults(const KeptDefaults&) = delete;
    KeptDefaults& operator=(const KeptDefaults&) = delete;

  private:
    /// An attribute.
    struct Attribute
    {
        TypeId type;                       //!< its class
        std::size_t index;                 //!< its number there
        Ptr<const AttributeValue> initial; //!< its default
    };

    /// A global value.
    struct Global
    {
        GlobalValue* global; //!< the value
        std::string text;    //!< what it was
    };

    std::vector<Attribute> m_attributes; //!< of all classes that are registered
    std::vector<Global> m_globals;       //!< all of them
};

} // namespace ns3

#endif /* KEPT_DEFAULTS_H */
