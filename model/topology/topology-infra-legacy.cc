/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "topology-infra-legacy.h"

#include "infra-paths.h"
#include "infra-quantity.h"

#include "ns3/input-values.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace ns3
{

namespace
{

/// Links of a file before schema 2.0, by name.
using LegacyLinks = std::map<std::string, InfraLink>;

/**
 * @ingroup workload-replay
 * @brief Reads a file of InfraGraph before its schema 2.0.
 *
 * What the file does not count is as many as its connections name. Instances of devices that stand
 * in other files are left out.
 */
class LegacyInfraReader
{
  public:
    /**
     * @param file where the file stands
     * @param document what it holds
     */
    LegacyInfraReader(const SourceLocation& file, const InputDocument& document)
        : m_root(FindRoot(file, document))
    {
        m_model.where = file;
    }

    /**
     * @return what the file describes
     */
    InfraModel Read()
    {
        m_model.name = m_root.Has("name") ? m_root.GetText("name").text : "";
        if (!m_root.Has("devices"))
        {
            throw WorkloadError(m_root.Locate(),
                                "the devices of the instances in the same file: the entries under "
                                "devices of the files that have them",
                                "no key devices");
        }
        for (const auto& device :
             m_root.GetList("devices",
                            {"name", "description", "components", "links", "connections"}))
        {
            ReadDevice(device);
        }
        ReadInstances();
        if (m_root.Has("connections"))
        {
            ReadConnections();
        }
        if (m_model.instances.empty())
        {
            for (const auto& device : m_model.devices)
            {
                m_model.instances.push_back({device.first, device.first, 1});
            }
            m_model.notes.emplace_back("the file has no instances of its devices: there is one of "
                                       "each");
        }
        return std::move(m_model);
    }

  private:
    /**
     * @param file where the file stands
     * @param document what it holds
     * @return the map of its devices
     */
    static JsonSection FindRoot(const SourceLocation& file, const InputDocument& document)
    {
        const std::vector<std::string> keys{"name",
                                            "description",
                                            "devices",
                                            "links",
                                            "instances",
                                            "connections"};
        if (document.value.contains("infrastructure"))
        {
            return JsonSection(document.value, file, {"infrastructure"}, &document.places)
                .GetObject("infrastructure", keys);
        }
        return {document.value, file, keys, &document.places};
    }

    /**
     * @param section a device
     */
    void ReadDevice(const JsonSection& section)
    {
        const auto name = section.GetText("name");
        if (m_model.devices.count(name.text) > 0)
        {
            throw WorkloadError(name, "every device once");
        }
        auto& device = m_model.devices[name.text];
        for (const auto& entry :
             section.GetList("components", {"name", "description", "type", "count", "external"}))
        {
            const auto component = entry.GetText("name");
            if (FindInfraComponent(device, component.text))
            {
                throw WorkloadError(component, "every component once");
            }
            // Connections may name more than the count says, see CountComponent().
            device.components.push_back(
                {component.text,
                 entry.GetText("type").text,
                 entry.Has("count") ? entry.GetWhole("count", 0, MOST_INFRA_PARTS) : 1,
                 false});
        }
        if (!section.Has("connections"))
        {
            return;
        }
        const auto links = ReadLinks(section);
        for (const auto& field : section.GetValues("connections", "string"))
        {
            // A component and its number, a link, a component and its number.
            const auto words = Split(field, 5, "xpu.0.pcie.nic.1");
            CountComponent(device, words[0], words[1]);
            CountComponent(device, words[3], words[4]);
            device.edges.push_back({words[0].text + "." + words[1].text,
                                    words[3].text + "." + words[4].text,
                                    FindLink(links, words[2])});
        }
    }

    /// Read which devices there are.
    void ReadInstances()
    {
        if (!m_root.Has("instances"))
        {
            return;
        }
        for (const auto& entry :
             m_root.GetList("instances", {"name", "description", "device", "count"}))
        {
            const auto name = entry.GetText("name").text;
            const auto device = entry.GetText("device").text;
            if (m_model.devices.count(device) == 0)
            {
                m_model.notes.push_back("instance " + name + " is left out: its device " + device +
                                        " is not in the file");
                continue;
            }
            if (FindInstance(name))
            {
                throw WorkloadError(entry.GetText("name"), "every instance once");
            }
            m_model.instances.push_back(
                {name,
                 device,
                 entry.Has("count") ? entry.GetWhole("count", 0, MOST_INFRA_PARTS) : 1});
        }
    }

    /// Read what joins devices.
    void ReadConnections()
    {
        const auto links = ReadLinks(m_root);
        std::size_t left = 0;
        for (const auto& field : m_root.GetValues("connections", "string"))
        {
            // Instance and component with their numbers, a link, instance and component.
            const auto words = Split(field, 9, "host.0.nic.0.eth.leaf.0.port.1");
            // The device of such an instance stands in another file, see ReadInstances().
            if (!FindInstance(words[0].text) || !FindInstance(words[5].text))
            {
                ++left;
                continue;
            }
            // Words 0 to 3 are one end and words 5 to 8 the other one.
            for (const std::size_t end : {0, 5})
            {
                auto& instance = *FindInstance(words[end].text);
                const auto number = ParseNumber(words[end + 1], 0, MOST_INFRA_PARTS - 1);
                instance.count = std::max(instance.count, static_cast<uint32_t>(number + 1));
                CountComponent(m_model.devices[instance.device], words[end + 2], words[end + 3]);
            }
            const auto path = [&words](std::size_t end) {
                return words[end].text + "." + words[end + 1].text + "." + words[end + 2].text +
                       "." + words[end + 3].text;
            };
            m_model.edges.push_back({path(0), path(5), FindLink(links, words[4])});
        }
        if (left > 0)
        {
            m_model.notes.push_back(std::to_string(left) +
                                    " connections are left out: they name instances that the file "
                                    "does not have");
        }
    }

    /**
     * @param section a device, or the file
     * @return its links
     */
    static LegacyLinks ReadLinks(const JsonSection& section)
    {
        LegacyLinks links;
        if (!section.Has("links"))
        {
            return links;
        }
        for (const auto& entry : section.GetList("links", {"name", "description", "bandwidth"}))
        {
            InfraLink link;
            link.name = entry.GetText("name").text;
            if (entry.Has("bandwidth"))
            {
                link.rate = ReadInfraRate(entry, "bandwidth");
            }
            links[link.name] = link;
        }
        return links;
    }

    /**
     * @param links links by name
     * @param name name of one of them
     * @return the link
     */
    static InfraLink FindLink(const LegacyLinks& links, const TextField& name)
    {
        const auto found = links.find(name.text);
        if (found == links.end())
        {
            throw WorkloadError(name, "the name of a link of the same device or file");
        }
        return found->second;
    }

    /**
     * @param field a connection
     * @param count words that it must have
     * @param example one that has them
     * @return its words, between points
     */
    static std::vector<TextField> Split(const TextField& field,
                                        std::size_t count,
                                        const std::string& example)
    {
        std::vector<TextField> words;
        for (const auto& word : SplitText(field.text, '.'))
        {
            words.push_back({word, field.where});
        }
        if (words.size() != count)
        {
            throw WorkloadError(field, "a connection such as " + example);
        }
        return words;
    }

    /**
     * Let a device have the component that a connection names.
     *
     * @param [in,out] device the device
     * @param name name of components
     * @param number which of them
     */
    static void CountComponent(InfraDevice& device, const TextField& name, const TextField& number)
    {
        const auto* found = FindInfraComponent(device, name.text);
        if (!found)
        {
            throw WorkloadError(name, "the name of a component of the device");
        }
        // What was found is constant: its place in the list leads to what can be changed.
        auto& component = device.components[found - device.components.data()];
        const auto index = ParseNumber(number, 0, MOST_INFRA_PARTS - 1);
        component.count = std::max(component.count, static_cast<uint32_t>(index + 1));
    }

    /**
     * @param name name of an instance
     * @return the instance; null = there is none
     */
    InfraInstance* FindInstance(const std::string& name)
    {
        auto& instances = m_model.instances;
        const auto found = std::find_if(instances.begin(), instances.end(), [&name](const auto& i) {
            return i.name == name;
        });
        return found == instances.end() ? nullptr : &*found;
    }

    JsonSection m_root; //!< the map of devices
    InfraModel m_model; //!< what was read so far
};

} // namespace

InfraModel
ReadLegacyInfraModel(const SourceLocation& file, const InputDocument& document)
{
    return LegacyInfraReader(file, document).Read();
}

} // namespace ns3
