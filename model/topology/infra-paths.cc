/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "infra-paths.h"

#include "ns3/input-values.h"

#include <algorithm>
#include <cstdint>
#include <iterator>

namespace ns3
{

namespace
{

/**
 * Take a name and its slice apart: all of nic, nic[1], nic[0:8:2].
 *
 * @param field name and slice
 * @param count how many there are
 * @return name.index for each
 */
std::vector<std::string>
ExpandSlice(const TextField& field, uint32_t count)
{
    const auto bracket = field.text.find('[');
    const auto name = field.text.substr(0, bracket);
    // Bounds are those of slices in Python, but for negative ones.
    uint64_t first = 0;
    uint64_t end = count;
    uint64_t step = 1;
    if (bracket != std::string::npos)
    {
        const auto bounds =
            SplitText(field.text.substr(bracket + 1, field.text.size() - bracket - 2), ':');
        const auto read = [&](std::size_t i, uint64_t absent, uint64_t least, uint64_t most) {
            // An empty bound is the end of the row.
            return i < bounds.size() && !bounds[i].empty()
                       ? ParseNumber({bounds[i], field.where}, least, most)
                       : absent;
        };
        const bool isIndex = bounds.size() == 1;
        if (field.text.back() != ']' || bounds.size() > 3 || (isIndex && bounds[0].empty()))
        {
            throw WorkloadError(field, "a name and an index or slice, such as nic[0:2]");
        }
        if (isIndex && count == 0)
        {
            throw WorkloadError(field, "no index, as there is no such component");
        }
        first = read(0, 0, 0, isIndex ? count - 1 : count);
        end = isIndex ? first + 1 : read(1, count, 0, count);
        // From 1, as a step of 0 would never come to the end.
        step = read(2, 1, 1, MOST_INFRA_PARTS);
    }
    std::vector<std::string> paths;
    for (auto i = first; i < end; i += step)
    {
        paths.push_back(name + "." + std::to_string(i));
    }
    return paths;
}

/**
 * @param fronts beginnings of paths
 * @param backs what may stand behind
 * @param where what they come of
 * @return each behind each
 */
std::vector<std::string>
Combine(const std::vector<std::string>& fronts,
        const std::vector<std::string>& backs,
        const SourceLocation& where)
{
    // This comes first, as a few slices multiply to more paths than the memory holds.
    CheckInfraCount(fronts.size() * backs.size(), where);
    std::vector<std::string> paths;
    for (const auto& front : fronts)
    {
        for (const auto& back : backs)
        {
            paths.push_back(front.empty() ? back : front + "." + back);
        }
    }
    return paths;
}

} // namespace

void
CheckInfraCount(uint64_t count, const SourceLocation& where)
{
    if (count > MOST_INFRA_PARTS)
    {
        throw WorkloadError(where,
                            "at most " + std::to_string(MOST_INFRA_PARTS) + " of them",
                            std::to_string(count));
    }
}

const InfraComponent*
FindInfraComponent(const InfraDevice& device, const std::string& name)
{
    const auto& components = device.components;
    const auto found = std::find_if(components.begin(), components.end(), [&name](const auto& c) {
        return c.name == name;
    });
    return found == components.end() ? nullptr : &*found;
}

const InfraDevice&
FindInfraDevice(const InfraModel& model, const TextField& name)
{
    const auto found = model.devices.find(name.text);
    if (found != model.devices.end())
    {
        return found->second;
    }
    std::vector<std::string> names;
    for (const auto& device : model.devices)
    {
        names.push_back(device.first);
    }
    throw WorkloadError(name.where,
                        "the name of a device of the file",
                        Quoted(name.text),
                        NearestName(name.text, names));
}

std::vector<std::string>
ExpandInfraComponents(const InfraModel& model, const std::string& device, const TextField& field)
{
    auto name = device;
    std::vector<std::string> paths{""};
    const InfraComponent* component = nullptr;
    for (const auto& part : SplitText(field.text, '.'))
    {
        // Each name but the first is one in the device that the name before it stands for.
        if (component && !component->isDevice)
        {
            throw WorkloadError(field, "components of a device inside a device, or no point");
        }
        const auto& owner = FindInfraDevice(model, {name, field.where});
        component = FindInfraComponent(owner, part.substr(0, part.find('[')));
        if (!component)
        {
            std::vector<std::string> names;
            std::transform(owner.components.begin(),
                           owner.components.end(),
                           std::back_inserter(names),
                           [](const auto& c) { return c.name; });
            throw WorkloadError(field.where,
                                "a component of the device " + name,
                                Quoted(part),
                                NearestName(part, names));
        }
        paths = Combine(paths, ExpandSlice({part, field.where}, component->count), field.where);
        name = component->name;
    }
    if (component->isDevice)
    {
        throw WorkloadError(field, "a component of the device, such as " + name + "[0].port");
    }
    return paths;
}

std::vector<std::string>
ExpandInfraInstances(const InfraModel& model,
                     const TextField& instance,
                     const TextField& components)
{
    const auto name = instance.text.substr(0, instance.text.find('['));
    for (const auto& known : model.instances)
    {
        if (known.name == name)
        {
            return Combine(ExpandSlice(instance, known.count),
                           ExpandInfraComponents(model, known.device, components),
                           instance.where);
        }
    }
    throw WorkloadError(instance, "the name of an instance, and an index or slice");
}

} // namespace ns3
