/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef STRATEGY_REGISTRY_H
#define STRATEGY_REGISTRY_H

#include "workload-error.h"

#include "ns3/object-factory.h"
#include "ns3/object.h"
#include "ns3/type-id.h"

#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief Finds strategies by name: classes of which options choose one of a kind.
 *
 * A kind is a base class, such as RdmaRouting. Its strategies are the registered TypeIds that
 * derive from it and can be constructed, wherever they are compiled: in the module, in another one
 * or in a script. Each is known by the name of its TypeId, such as ns3::RdmaEcmpRouting, and by a
 * short name if NS_STRATEGY_ENSURE_REGISTERED() has given it one.
 */
class StrategyRegistry
{
  public:
    /// Place in lists of strategies that ask for none: after those of the module.
    static constexpr int LAST = 1000;

    /// A strategy.
    struct Entry
    {
        TypeId type;      //!< its class
        std::string name; //!< short name, or the name of the TypeId
        std::string help; //!< what it does, a few words; may be empty
        int place{LAST};  //!< place in lists, ascending; equal ones go by name
    };

    /**
     * Give a class a short name. Strategies of different kinds may have the same one; of one kind
     * it aborts. The same again changes nothing: a program may have a class that a library which it
     * links has too.
     *
     * @param type the class
     * @param name the name, which options, reports and files use
     * @param help what it does, a few words for the help text
     * @param place its place in lists, see Entry
     */
    static void Register(TypeId type,
                         const std::string& name,
                         const std::string& help,
                         int place = LAST);

    /**
     * @param kind a base class
     * @return its strategies, in order
     */
    static std::vector<Entry> List(TypeId kind);

    /**
     * @param kind a base class
     * @return names of its strategies, in order
     */
    static std::vector<std::string> GetNames(TypeId kind);

    /**
     * @param kind a base class
     * @return names of its strategies with what they do: "ecmp (by flow), spray (each its own)"
     */
    static std::string GetHelp(TypeId kind);

    /**
     * @param kind a base class
     * @param name a short name, or the name of a TypeId
     * @return the strategy
     * @throws WorkloadError if there is none of that name, with those that there are
     */
    static TypeId Find(TypeId kind, const TextField& name);

    /**
     * @param entries strategies, of one kind or several
     * @param name a short name, or the name of a TypeId
     * @return the strategy; null if it is none of them
     */
    static const Entry* FindEntry(const std::vector<Entry>& entries, const std::string& name);

    /**
     * @param entries strategies, of one kind or several
     * @param word what was typed, which is none of them
     * @return the name of the one that was most likely meant, also by its class without "ns3::";
     *         empty if none is that near, see NearestName()
     */
    static std::string FindNearest(const std::vector<Entry>& entries, const std::string& word);

    /**
     * @param type a class
     * @return its short name, or the name of its TypeId if it has none
     */
    static std::string GetName(TypeId type);

    /**
     * @tparam T the kind
     * @param name a short name, or the name of a TypeId
     * @return an object of the strategy, with the attributes that defaults say
     * @throws WorkloadError as Find()
     */
    template <typename T>
    static Ptr<T> Create(const TextField& name)
    {
        return ObjectFactory(Find(T::GetTypeId(), name).GetName()).template Create<T>();
    }
};

} // namespace ns3

/**
 * @ingroup workload-replay
 * @brief As NS_OBJECT_ENSURE_REGISTERED(), and gives a strategy its name in options. Once, in the
 *        source file of the class; inside its namespace.
 *
 * @param type the class
 * @param ... short name, what it does (a few words) and, if it matters, its place in lists: see
 *        StrategyRegistry::Register()
 */
#define NS_STRATEGY_ENSURE_REGISTERED(type, ...)                                                   \
    NS_OBJECT_ENSURE_REGISTERED(type);                                                             \
    static struct Strategy##type##RegistrationClass                                                \
    {                                                                                              \
        Strategy##type##RegistrationClass()                                                        \
        {                                                                                          \
            ns3::StrategyRegistry::Register(type::GetTypeId(), __VA_ARGS__);                       \
        }                                                                                          \
    } Strategy##type##RegistrationVariable

#endif /* STRATEGY_REGISTRY_H */
