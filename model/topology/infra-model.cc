/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "infra-model.h"

#include <algorithm>

namespace ns3
{

namespace
{

/// Most devices inside each other.
constexpr uint32_t MOST_INFRA_LEVELS = 16;

/**
 * @ingroup workload-replay
 * @brief Makes components and edges of all copies of devices.
 */
class InfraBuilder
{
  public:
    /**
     * @param model the devices
     */
    explicit InfraBuilder(const InfraModel& model)
        : m_model(model)
    {
    }

    /**
     * @param parameters rates and delays of links of which the model does not say them
     * @return the fabric
     */
    TopologyGraph Make(const FabricParameters& parameters)
    {
        for (const auto& instance : m_model.instances)
        {
            for (uint32_t copy = 0; copy < instance.count; ++copy)
            {
                // All that stands inside this copy, however deep, has its number, and is in one
                // server.
                AddDevice(instance.device,
                          instance.name + "." + std::to_string(copy) + ".",
                          m_nDevices++,
                          0);
            }
        }
        // These join instances, and need the components of all.
        for (const auto& edge : m_model.edges)
        {
            AddEdge(edge, "");
        }
        if (!m_hasXpus)
        {
            throw WorkloadError(m_model.where,
                                "an instance of a device with components of the choice xpu",
                                "none");
        }
        auto graph = m_graph.Make(parameters);
        graph.SetName(m_model.name);
        for (const auto& note : m_model.notes)
        {
            graph.AddNote(note);
        }
        return graph;
    }

  private:
    /**
     * @param name name of a device
     * @param path path of this copy of it, with a point behind
     * @param number which copy of a device it stands in
     * @param level devices around it
     */
    void AddDevice(const std::string& name,
                   const std::string& path,
                   uint32_t number,
                   uint32_t level)
    {
        // A device without components counts as well, else such would never end.
        Count();
        if (level > MOST_INFRA_LEVELS)
        {
            throw WorkloadError(m_model.where,
                                "at most " + std::to_string(MOST_INFRA_LEVELS) +
                                    " devices inside each other",
                                "more, of " + Quoted(name));
        }
        // Readers let no device through that the file does not describe.
        const auto& device = m_model.devices.at(name);
        for (const auto& component : device.components)
        {
            for (uint32_t i = 0; i < component.count; ++i)
            {
                const auto inner = path + component.name + "." + std::to_string(i);
                if (component.isDevice)
                {
                    AddDevice(component.name, inner + ".", number, level + 1);
                    continue;
                }
                Count();
                m_hasXpus = m_hasXpus || component.type == "xpu";
                m_parts[inner] = m_graph.AddPart({inner, component.type, number});
            }
        }
        for (const auto& edge : device.edges)
        {
            AddEdge(edge, path);
        }
    }

    /**
     * @param edge an edge
     * @param path what the paths of its ends begin with
     */
    void AddEdge(const InfraEdge& edge, const std::string& path)
    {
        Count();
        const auto a = m_parts.find(path + edge.a);
        const auto b = m_parts.find(path + edge.b);
        if (a == m_parts.end() || b == m_parts.end())
        {
            throw WorkloadError(m_model.where,
                                "edges between components of instances",
                                "one with " +
                                    Quoted(path + (a == m_parts.end() ? edge.a : edge.b)));
        }
        // The scheme many2many of a list with itself pairs each component with itself, too.
        if (a != b)
        {
            m_graph.AddEdge(a->second, b->second, edge.link);
        }
    }

    /// Count a component, device or edge.
    void Count()
    {
        if (++m_count > MOST_INFRA_PARTS)
        {
            throw WorkloadError(m_model.where,
                                "at most " + std::to_string(MOST_INFRA_PARTS) +
                                    " components and edges",
                                "more");
        }
    }

    const InfraModel& m_model;               //!< the devices
    InfraGraph m_graph;                      //!< what was made so far
    std::map<std::string, uint32_t> m_parts; //!< components by path
    uint32_t m_nDevices{0};                  //!< copies of devices
    uint64_t m_count{0};                     //!< components, devices and edges
    bool m_hasXpus{false};                   //!< whether one of them is an XPU
};

} // namespace

TopologyGraph
InfraModel::Make(const FabricParameters& parameters) const
{
    return InfraBuilder(*this).Make(parameters);
}

} // namespace ns3
