/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef TOPOLOGY_JSON_SECTION_H
#define TOPOLOGY_JSON_SECTION_H

#include "ns3/workload-text.h"

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @param text the file
 * @return what it holds
 * @throws WorkloadError if it is not JSON, or a key stands twice in an object
 */
nlohmann::json ParseTopologyJson(const WorkloadText& text);

/**
 * @ingroup workload-replay
 * @brief An object of the file, and where it stands.
 */
class TopologyJsonSection
{
  public:
    /**
     * @param value a value of the file, to be an object
     * @param where its place
     * @param keys the keys it may have
     * @throws WorkloadError if it is no object, or has another key
     */
    TopologyJsonSection(const nlohmann::json& value,
                        const SourceLocation& where,
                        const std::vector<std::string>& keys);

    /**
     * @param key a key
     * @return its place
     */
    SourceLocation Locate(const std::string& key) const;

    /**
     * @param key a key
     * @return whether it is there
     */
    bool Has(const std::string& key) const;

    /**
     * @param key a key that must be there
     * @param kind type that its value must have, as JSON names it
     * @return its value
     */
    const nlohmann::json& Get(const std::string& key, const std::string& kind) const;

    /**
     * @param key a key that must be there
     * @return its value, a string, and its place
     */
    TextField GetText(const std::string& key) const;

    /**
     * @param key a key that must be there
     * @param least smallest valid value
     * @param most largest valid value
     * @return its value, a whole number
     */
    uint32_t GetWhole(const std::string& key, uint64_t least, uint64_t most) const;

  private:
    const nlohmann::json& m_value; //!< the object
    SourceLocation m_where;        //!< its place
};

} // namespace ns3

#endif /* TOPOLOGY_JSON_SECTION_H */
