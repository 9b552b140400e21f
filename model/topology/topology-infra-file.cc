/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "topology-infra-file.h"

#include "infra-paths.h"
#include "infra-quantity.h"
#include "topology-infra-legacy.h"

#include "ns3/input-json.h"
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

/// Types of components.
const std::vector<std::string>
    INFRA_TYPES{"custom", "device", "cpu", "xpu", "nic", "memory", "port", "switch"};

/**
 * @ingroup workload-replay
 * @brief Reads a file of schema 2.x.
 */
class InfraReader
{
  public:
    /**
     * @param file where the file stands
     * @param document what it holds
     */
    InfraReader(const SourceLocation& file, const InputDocument& document)
        : m_file(document.value,
                 file,
                 {"name", "description", "devices", "links", "instances", "edges"},
                 &document.places)
    {
        m_model.where = file;
    }

    /**
     * @return what the file describes
     */
    InfraModel Read()
    {
        m_model.name = m_file.Has("name") ? m_file.GetText("name").text : "";
        const auto devices =
            m_file.GetList("devices", {"name", "description", "components", "links", "edges"});
        for (const auto& device : devices)
        {
            ReadComponents(device);
        }
        // Edges may name components of devices that stand further down in the file.
        for (const auto& device : devices)
        {
            ReadEdges(device);
        }
        CheckDevices();
        ReadInstances();
        if (m_file.Has("edges"))
        {
            const auto links = ReadLinks(m_file);
            for (const auto& edge : m_file.GetList("edges", {"scheme", "link", "ep1", "ep2"}))
            {
                const auto expand = [&](const std::string& key) {
                    const auto end = edge.GetObject(key, {"instance", "component"});
                    return ExpandInfraInstances(m_model,
                                                end.GetText("instance"),
                                                end.GetText("component"));
                };
                AddEdges(edge, links, expand("ep1"), expand("ep2"), m_model.edges);
            }
        }
        return std::move(m_model);
    }

  private:
    /// Links by name.
    using Links = std::map<std::string, InfraLink>;

    /**
     * @param section a device
     */
    void ReadComponents(const JsonSection& section)
    {
        const auto name = section.GetText("name");
        auto& device = m_model.devices[name.text];
        if (!m_places.insert({name.text, section.Locate()}).second)
        {
            throw WorkloadError(name, "every device once");
        }
        std::vector<std::string> keys{"name", "description", "count", "choice"};
        keys.insert(keys.end(), INFRA_TYPES.begin(), INFRA_TYPES.end());
        for (const auto& entry : section.GetList("components", keys))
        {
            const auto choice = entry.GetText("choice");
            FindWord(choice, INFRA_TYPES, "one of " + JoinWords(INFRA_TYPES));
            InfraComponent component;
            component.name = entry.GetText("name").text;
            component.count = entry.GetWhole("count", 0, MOST_INFRA_PARTS);
            component.isDevice = choice.text == "device";
            component.type = choice.text == "custom"
                                 ? entry.GetObject("custom", {"type"}).GetText("type").text
                                 : choice.text;
            if (FindInfraComponent(device, component.name))
            {
                throw WorkloadError(entry.GetText("name"), "every component once");
            }
            device.components.push_back(component);
        }
    }

    /**
     * @param section a device, of which components were read
     */
    void ReadEdges(const JsonSection& section)
    {
        const auto name = section.GetText("name").text;
        const auto links = ReadLinks(section);
        if (!section.Has("edges"))
        {
            return;
        }
        for (const auto& edge : section.GetList("edges", {"scheme", "link", "ep1", "ep2"}))
        {
            const auto expand = [&](const std::string& key) {
                const auto end = edge.GetObject(key, {"device", "component"});
                auto text = end.GetText("component");
                // A component of a device in the device.
                text.text = (end.Has("device") ? end.GetText("device").text + "." : "") + text.text;
                return ExpandInfraComponents(m_model, name, text);
            };
            AddEdges(edge, links, expand("ep1"), expand("ep2"), m_model.devices[name].edges);
        }
    }

    /// Check that the devices that devices consist of are there.
    void CheckDevices() const
    {
        for (const auto& [name, device] : m_model.devices)
        {
            for (const auto& component : device.components)
            {
                if (component.isDevice)
                {
                    FindInfraDevice(m_model, {component.name, m_places.at(name)});
                }
            }
        }
    }

    /// Read which devices there are.
    void ReadInstances()
    {
        for (const auto& entry :
             m_file.GetList("instances", {"name", "description", "device", "count"}))
        {
            FindInfraDevice(m_model, entry.GetText("device"));
            m_model.instances.push_back({entry.GetText("name").text,
                                         entry.GetText("device").text,
                                         entry.GetWhole("count", 0, MOST_INFRA_PARTS)});
            const auto& instances = m_model.instances;
            const bool isTaken =
                std::any_of(instances.begin(), instances.end() - 1, [&](const auto& other) {
                    return other.name == instances.back().name;
                });
            if (isTaken)
            {
                throw WorkloadError(entry.GetText("name"), "every instance once");
            }
        }
    }

    /**
     * @param section a device, or the file
     * @return its links by name
     */
    static Links ReadLinks(const JsonSection& section)
    {
        Links links;
        if (!section.Has("links"))
        {
            return links;
        }
        for (const auto& entry : section.GetList("links", {"name", "description", "physical"}))
        {
            InfraLink link;
            link.name = entry.GetText("name").text;
            if (entry.Has("physical"))
            {
                const auto physical = entry.GetObject("physical", {"bandwidth", "latency"});
                link.rate = physical.Has("bandwidth") ? ReadInfraRate(physical, "bandwidth") : 0;
                if (physical.Has("latency"))
                {
                    link.delay = ReadInfraDelay(physical, "latency");
                }
            }
            if (!links.insert({link.name, link}).second)
            {
                throw WorkloadError(entry.GetText("name"), "every link once");
            }
        }
        return links;
    }

    /**
     * @param edge an edge
     * @param links links by name
     * @param as paths of the components at one end
     * @param bs paths of those at the other end
     * @param [in,out] edges receives what it stands for
     */
    void AddEdges(const JsonSection& edge,
                  const Links& links,
                  const std::vector<std::string>& as,
                  const std::vector<std::string>& bs,
                  std::vector<InfraEdge>& edges)
    {
        const std::vector<std::string> schemes{"one2one", "many2many"};
        const bool isMany =
            FindWord(edge.GetText("scheme"), schemes, "one of " + JoinWords(schemes)) == 1;
        const auto name = edge.GetText("link");
        const auto link = links.find(name.text);
        if (link == links.end())
        {
            throw WorkloadError(name, "the name of a link of the same device or file");
        }
        // Of different lengths the shorter one counts, as for InfraGraph itself.
        const auto count = std::min(as.size(), bs.size());
        // The limit is for all devices together: many small ones fill the memory as one large one
        // does.
        m_nEdges += isMany ? as.size() * bs.size() : count;
        CheckInfraCount(m_nEdges, edge.Locate());
        for (std::size_t i = 0; i < (isMany ? as.size() : count); ++i)
        {
            for (auto j = isMany ? 0 : i; j < (isMany ? bs.size() : i + 1); ++j)
            {
                edges.push_back({as[i], bs[j], link->second});
            }
        }
    }

    JsonSection m_file;                             //!< the file
    InfraModel m_model;                             //!< what was read so far
    std::map<std::string, SourceLocation> m_places; //!< places of devices
    uint64_t m_nEdges{0};                           //!< edges of all devices
};

} // namespace

TopologyGraph
ReadInfraTopology(const WorkloadText& text, const FabricParameters& parameters)
{
    const SourceLocation file{text.GetFile(), 0, 0, ""};
    const auto& first = text.GetLines().front().text;
    // YAML includes JSON, but ParseYaml() wants brackets to end in the line where they begin.
    const bool isJson = first[first.find_first_not_of(" \t")] == '{';
    const auto document = isJson ? InputDocument{ParseJson(text), {}} : ParseYaml(text);
    // Devices of earlier files list connections, as texts, where later ones have edges.
    const auto& value = document.value;
    const bool isLegacy =
        value.is_object() && (value.contains("infrastructure") || value.contains("connections"));
    const auto model =
        isLegacy ? ReadLegacyInfraModel(file, document) : InfraReader(file, document).Read();
    return model.Make(parameters);
}

} // namespace ns3
