/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef INFRA_MODEL_H
#define INFRA_MODEL_H

#include "fabric-parameters.h"
#include "infra-graph.h"
#include "topology-graph.h"

#include "ns3/workload-error.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace ns3
{

/// Most components, copies of devices or edges of a model of InfraGraph; more is a slip.
constexpr uint64_t MOST_INFRA_PARTS = 1000000;

/**
 * @ingroup workload-replay
 * @brief Components of a device that are alike.
 */
struct InfraComponent
{
    std::string name;     //!< their name; of a device, that of the device
    std::string type;     //!< what they are, see InfraPart
    uint32_t count{1};    //!< how many there are
    bool isDevice{false}; //!< each is a device of its own
};

/**
 * @ingroup workload-replay
 * @brief An edge of a device, or between devices.
 */
struct InfraEdge
{
    std::string a;  //!< path of a component: xpu.0, between devices host.1.xpu.0
    std::string b;  //!< path of another one
    InfraLink link; //!< what joins them
};

/**
 * @ingroup workload-replay
 * @brief A device: its components and what joins them.
 */
struct InfraDevice
{
    std::vector<InfraComponent> components; //!< its components
    std::vector<InfraEdge> edges;           //!< its edges
};

/**
 * @ingroup workload-replay
 * @brief Copies of a device.
 */
struct InfraInstance
{
    std::string name;   //!< what they are called
    std::string device; //!< name of the device
    uint32_t count{1};  //!< how many there are
};

/**
 * @ingroup workload-replay
 * @brief An infrastructure as InfraGraph describes it.
 */
struct InfraModel
{
    SourceLocation where;                       //!< the file
    std::string name;                           //!< its name; empty = it has none
    std::map<std::string, InfraDevice> devices; //!< devices by name
    std::vector<InfraInstance> instances;       //!< what there is of them
    std::vector<InfraEdge> edges;               //!< edges between devices
    std::vector<std::string> notes;             //!< what was left out

    /**
     * @param parameters rates and delays of links of which it does not say them
     * @return the fabric of its XPUs
     * @throws WorkloadError if it has none, or is too large
     */
    TopologyGraph Make(const FabricParameters& parameters) const;
};

} // namespace ns3

#endif /* INFRA_MODEL_H */
