/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef CHAKRA_ATTRIBUTES_H
#define CHAKRA_ATTRIBUTES_H

#include "chakra-trace.pb.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief The attributes of a node, by name. Of several with one name the first counts.
 *
 * Converters write the same attribute in different types, so that any type will do: numbers of all
 * kinds and decimal texts.
 */
class ChakraAttributes
{
  public:
    /**
     * @param node the node; must outlive this object
     */
    explicit ChakraAttributes(const chakra::Node& node);

    /**
     * @param name name of an attribute
     * @return whether the node has it, with a value
     */
    bool Has(const char* name) const;

    /**
     * @param name name of an attribute
     * @return its value rounded down; nullopt = it is not there, is no number or is beyond 2^63
     */
    std::optional<int64_t> GetInteger(const char* name) const;

    /**
     * @param name name of an attribute
     * @return its value; nullopt = it is not there or is no number
     */
    std::optional<double> GetNumber(const char* name) const;

    /**
     * @param name name of an attribute
     * @return its value; a number in decimal; empty = it is not there
     */
    std::string GetText(const char* name) const;

    /**
     * @param name name of an attribute
     * @return whether it is true, a number other than 0, or a text such as "true"
     */
    bool GetSwitch(const char* name) const;

    /**
     * @param name name of an attribute that is a list of texts
     * @return the last of them as a number; nullopt = there is no such list
     */
    std::optional<uint64_t> GetLastOfList(const char* name) const;

    /**
     * @param name name of an attribute that is a list of unsigned numbers
     * @return the numbers; empty = there is no such list
     */
    std::vector<uint64_t> GetNumbers(const char* name) const;

  private:
    /**
     * @param name name of an attribute
     * @return it; null = it is not there
     */
    const chakra::Attribute* Find(const char* name) const;

    const chakra::Node& m_node; //!< the node
};

/**
 * @ingroup workload-replay
 * @param node a node of type COMM_COLL
 * @return false if it is only the host's part of a collective, which runs in another node
 */
bool IsChakraCollective(const chakra::Node& node);

/**
 * @ingroup workload-replay
 * @param node a collective
 * @return the group that it names; empty = none
 */
std::string GetChakraGroup(const chakra::Node& node);

} // namespace ns3

#endif /* CHAKRA_ATTRIBUTES_H */
