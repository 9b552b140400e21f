/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef XML_FILE_H
#define XML_FILE_H

#include "workload-text.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief An element of an XML file; text between elements is left out.
 */
struct XmlElement
{
    std::string name;                              //!< its name
    std::map<std::string, std::string> attributes; //!< attributes by name
    std::vector<XmlElement> children;              //!< elements inside, in their order
    SourceLocation where;                          //!< its file and path: /system/cpu/1/pci/0

    /**
     * @param attribute name of an attribute
     * @return its value; empty = it is absent
     */
    std::string Get(const std::string& attribute) const;

    /**
     * @param attribute name of an attribute that must be there
     * @param least smallest valid number
     * @param most largest valid number
     * @return its value, a whole number, which may be negative
     * @throws WorkloadError if it is anything else
     */
    int64_t GetWhole(const std::string& attribute, int64_t least, int64_t most) const;
};

/**
 * @ingroup workload-replay
 * @param text a file
 * @return its outermost element
 * @throws WorkloadError with its line if it is no XML, or nested more than a hundred deep
 */
XmlElement ReadXml(const WorkloadText& text);

} // namespace ns3

#endif /* XML_FILE_H */
