/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "strategy-registry.h"

#include "input-values.h"

#include "ns3/abort.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace ns3
{

namespace
{

/// What Register() was given for a class.
struct Registration
{
    std::string name; //!< its short name
    std::string help; //!< what it does
    int place;        //!< its place in lists
};

/**
 * @return what Register() was given, by TypeId; made on first use, as classes register before
 * main()
 */
std::map<TypeId, Registration>&
GetRegistrations()
{
    static std::map<TypeId, Registration> registrations;
    return registrations;
}

/**
 * @param type a class
 * @return the base class that is the kind of its strategies: the one right under Object
 */
TypeId
GetKind(TypeId type)
{
    while (type.HasParent() && type.GetParent() != Object::GetTypeId())
    {
        type = type.GetParent();
    }
    return type;
}

} // namespace

void
StrategyRegistry::Register(TypeId type, const std::string& name, const std::string& help, int place)
{
    // Classes of different kinds may have the same short name, since an option asks for one kind.
    for (const auto& [other, registration] : GetRegistrations())
    {
        NS_ABORT_MSG_IF(
            other != type && registration.name == name && GetKind(other) == GetKind(type),
            type.GetName() << " and " << other.GetName() << " have the short name " << name);
    }
    GetRegistrations()[type] = {name, help, place};
}

std::vector<StrategyRegistry::Entry>
StrategyRegistry::List(TypeId kind)
{
    std::vector<Entry> entries;
    for (uint16_t i = 0; i < TypeId::GetRegisteredN(); ++i)
    {
        const TypeId type = TypeId::GetRegistered(i);
        // The kind itself and abstract classes cannot be chosen.
        if (type == kind || !type.IsChildOf(kind) || !type.HasConstructor())
        {
            continue;
        }
        // What has not registered here is listed by its TypeId, after all others.
        const auto found = GetRegistrations().find(type);
        entries.push_back(
            found == GetRegistrations().end()
                ? Entry{type, type.GetName(), "", LAST}
                : Entry{type, found->second.name, found->second.help, found->second.place});
    }
    std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
        return std::tie(a.place, a.name) < std::tie(b.place, b.name);
    });
    return entries;
}

std::vector<std::string>
StrategyRegistry::GetNames(TypeId kind)
{
    std::vector<std::string> names;
    for (const auto& entry : List(kind))
    {
        names.push_back(entry.name);
    }
    return names;
}

std::string
StrategyRegistry::GetHelp(TypeId kind)
{
    std::vector<std::string> texts;
    for (const auto& entry : List(kind))
    {
        texts.push_back(entry.help.empty() ? entry.name : entry.name + " (" + entry.help + ")");
    }
    return JoinWords(texts);
}

TypeId
StrategyRegistry::Find(TypeId kind, const TextField& name)
{
    const auto entries = List(kind);
    if (const auto* found = FindEntry(entries, name.text))
    {
        return found->type;
    }
    throw WorkloadError(name.where,
                        JoinWords(GetNames(kind)) + ", or another " + kind.GetName() +
                            " by its TypeId",
                        Quoted(name.text),
                        FindNearest(entries, name.text));
}

const StrategyRegistry::Entry*
StrategyRegistry::FindEntry(const std::vector<Entry>& entries, const std::string& name)
{
    const auto found = std::find_if(entries.begin(), entries.end(), [&name](const Entry& entry) {
        return entry.name == name || entry.type.GetName() == name;
    });
    return found != entries.end() ? &*found : nullptr;
}

std::string
StrategyRegistry::FindNearest(const std::vector<Entry>& entries, const std::string& word)
{
    // With the namespace in both words all classes would be near to each other.
    const auto strip = [](const std::string& name) {
        const std::string space = "ns3::";
        return BeginsWith(name, space) ? name.substr(space.size()) : name;
    };
    std::vector<std::string> names;
    std::vector<std::string> classes;
    for (const auto& entry : entries)
    {
        names.push_back(entry.name);
        classes.push_back(strip(entry.type.GetName()));
    }
    // A short name goes first, then the short name of the class that is nearest.
    const auto nearest = NearestName(word, names);
    const auto ofClass = NearestName(strip(word), classes);
    const auto found = std::find(classes.begin(), classes.end(), ofClass);
    return !nearest.empty() || found == classes.end() ? nearest : names[found - classes.begin()];
}

std::string
StrategyRegistry::GetName(TypeId type)
{
    const auto found = GetRegistrations().find(type);
    return found == GetRegistrations().end() ? type.GetName() : found->second.name;
}

} // namespace ns3
