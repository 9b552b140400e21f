/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef JSON_SECTION_H
#define JSON_SECTION_H

#include "workload-error.h"

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief An object of a file in JSON or YAML, and where it stands.
 *
 * Refers to what ParseJson() or ParseYaml() has returned, which must outlive it. Every fault is a
 * WorkloadError with the JSON pointer of its place or, where that is known, its line and column.
 */
class JsonSection
{
  public:
    using Json = nlohmann::ordered_json; //!< a value of the file

    /// Lines and columns of values, by JSON pointer.
    using Places = std::map<std::string, SourceLocation>;

    /**
     * @param value a value of the file, to be an object
     * @param where its place, by JSON pointer
     * @param keys the keys it may have
     * @param places lines and columns, which must outlive it; null = they are not known
     * @throws WorkloadError if it is no object, or has another key
     */
    JsonSection(const Json& value,
                const SourceLocation& where,
                const std::vector<std::string>& keys,
                const Places* places = nullptr);

    /**
     * @return its place
     */
    SourceLocation Locate() const;

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
     * @throws WorkloadError if it is not there, or of another type
     */
    const Json& Get(const std::string& key, const std::string& kind) const;

    /**
     * @param key a key that must be there
     * @return its value, a string, and its place
     * @throws WorkloadError if it is anything else
     */
    TextField GetText(const std::string& key) const;

    /**
     * @param key a key that must be there
     * @return its value, a number in decimal digits, and its place
     * @throws WorkloadError if it is anything else
     */
    TextField GetNumber(const std::string& key) const;

    /**
     * @param key a key that must be there
     * @param least smallest valid value
     * @param most largest valid value, at most 2^32 - 1
     * @return its value, a whole number
     * @throws WorkloadError if it is anything else
     */
    uint32_t GetWhole(const std::string& key, uint64_t least, uint64_t most) const;

    /**
     * @param key a key that may be there
     * @param otherwise value if it is not
     * @param least smallest valid value
     * @param most largest valid value, at most 2^32 - 1
     * @return its value, a whole number
     * @throws WorkloadError if it is anything else
     */
    uint32_t GetWholeOr(const std::string& key,
                        uint32_t otherwise,
                        uint64_t least,
                        uint64_t most) const;

    /**
     * @param key a key that must be there
     * @param keys the keys that the object may have
     * @return its value, an object
     * @throws WorkloadError if it is anything else
     */
    JsonSection GetObject(const std::string& key, const std::vector<std::string>& keys) const;

    /**
     * @param key a key that must be there
     * @param keys the keys that each object may have
     * @return its value, a list of objects
     * @throws WorkloadError if it is anything else
     */
    std::vector<JsonSection> GetList(const std::string& key,
                                     const std::vector<std::string>& keys) const;

    /**
     * @param key a key that must be there
     * @param kind type that each value of the list must have, as JSON names it: string or number
     * @return its value, a list, each of its values with its place
     * @throws WorkloadError if it is anything else
     */
    std::vector<TextField> GetValues(const std::string& key, const std::string& kind) const;

  private:
    /**
     * @param key a key
     * @return its place, by JSON pointer
     */
    SourceLocation Point(const std::string& key) const;

    /**
     * @param where a place, by JSON pointer
     * @return it by line and column if they are known
     */
    SourceLocation Resolve(const SourceLocation& where) const;

    const Json* m_value;    //!< the object
    SourceLocation m_where; //!< its place, by JSON pointer
    const Places* m_places; //!< lines and columns; null = they are not known
};

} // namespace ns3

#endif /* JSON_SECTION_H */
