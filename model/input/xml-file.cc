/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "xml-file.h"

#include "input-values.h"

#include <boost/property_tree/ptree.hpp>
#include <boost/property_tree/xml_parser.hpp>
#include <sstream>

namespace ns3
{

namespace
{

/// Deepest nesting that is taken: the parser calls itself for each level.
constexpr uint32_t DEEPEST_XML = 100;

/**
 * Look how deep elements are nested, so that no file makes the parser run out of its stack.
 *
 * @param text a file
 * @throws WorkloadError if it is too deep
 */
void
CheckDepth(const WorkloadText& text)
{
    // What is no element, such as a comment, may be counted too: it is only refused sooner.
    uint32_t depth = 0;
    for (const auto& line : text.GetLines())
    {
        for (std::size_t i = 0; i + 1 < line.text.size(); ++i)
        {
            const bool opens = line.text[i] == '<' && line.text[i + 1] != '/' &&
                               line.text[i + 1] != '!' && line.text[i + 1] != '?';
            // </a> and <a/> close an element: the slash follows '<' or stands before '>'.
            const bool closes = (line.text[i] == '<' || line.text[i + 1] == '>') &&
                                line.text[i + (line.text[i] == '<' ? 1 : 0)] == '/';
            depth += opens ? 1 : 0;
            depth -= closes && depth > 0 ? 1 : 0;
            if (depth > DEEPEST_XML)
            {
                throw WorkloadError(text.Locate(line, i),
                                    "elements nested at most " + std::to_string(DEEPEST_XML) +
                                        " deep",
                                    "a deeper one");
            }
        }
    }
}

/**
 * @param name name of an element
 * @param tree what the parser has made of it
 * @param where its place
 * @return the element
 */
XmlElement
MakeElement(const std::string& name,
            const boost::property_tree::ptree& tree,
            const SourceLocation& where)
{
    XmlElement element;
    element.name = name;
    element.where = where;
    std::map<std::string, uint32_t> counts;
    for (const auto& [key, value] : tree)
    {
        if (key == "<xmlattr>")
        {
            for (const auto& [attribute, content] : value)
            {
                element.attributes[attribute] = content.data();
            }
        }
        else if (key.front() != '<')
        {
            // Names that begin with '<' are the parser's own, such as <xmlcomment>.
            auto place = where;
            place.pointer += "/" + key + "/" + std::to_string(counts[key]++);
            element.children.push_back(MakeElement(key, value, place));
        }
    }
    return element;
}

} // namespace

std::string
XmlElement::Get(const std::string& attribute) const
{
    const auto found = attributes.find(attribute);
    return found == attributes.end() ? "" : found->second;
}

int64_t
XmlElement::GetWhole(const std::string& attribute, int64_t least, int64_t most) const
{
    const auto text = Get(attribute);
    const bool isNegative = !text.empty() && text.front() == '-';
    const auto number = ReadWhole(text.substr(isNegative ? 1 : 0));
    // What is no number at all is treated as one out of range.
    const auto value = number && *number <= INT64_MAX
                           ? (isNegative ? -1 : 1) * static_cast<int64_t>(*number)
                           : least - 1;
    if (value < least || value > most)
    {
        throw WorkloadError(where,
                            attribute + " as a whole number from " + std::to_string(least) +
                                " to " + std::to_string(most),
                            attributes.count(attribute) > 0 ? Quoted(text) : "none");
    }
    return value;
}

XmlElement
ReadXml(const WorkloadText& text)
{
    CheckDepth(text);
    std::istringstream stream(text.Join());
    boost::property_tree::ptree tree;
    try
    {
        namespace xml = boost::property_tree::xml_parser;
        boost::property_tree::read_xml(stream, tree, xml::no_comments | xml::trim_whitespace);
    }
    catch (const boost::property_tree::xml_parser_error& error)
    {
        throw WorkloadError({text.GetFile(), static_cast<uint32_t>(error.line()), 0, ""},
                            "XML",
                            "another format (" + error.message() + ")");
    }
    const SourceLocation where{text.GetFile(), 0, 0, ""};
    for (const auto& [key, value] : tree)
    {
        if (!key.empty() && key.front() != '<')
        {
            return MakeElement(key, value, {where.source, 0, 0, "/" + key});
        }
    }
    throw WorkloadError(where, "an XML element", "none");
}

} // namespace ns3
