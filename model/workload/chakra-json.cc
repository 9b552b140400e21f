/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "chakra-json.h"

#include "chakra-trace.pb.h"

#include "ns3/input-values.h"
#include "ns3/json-objects.h"
#include "ns3/packed-file.h"
#include "ns3/workload-error.h"

#include <algorithm>
#include <cstddef>
#include <google/protobuf/util/delimited_message_util.h>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>

namespace ns3
{

namespace
{

using ChakraValue = nlohmann::ordered_json; //!< a value of a trace

/// Types of nodes in the schema, by number.
const std::vector<std::string> NODE_TYPES{"INVALID_NODE",
                                          "METADATA_NODE",
                                          "MEM_LOAD_NODE",
                                          "MEM_STORE_NODE",
                                          "COMP_NODE",
                                          "COMM_SEND_NODE",
                                          "COMM_RECV_NODE",
                                          "COMM_COLL_NODE"};

/**
 * @param key a key: dataDeps, data_deps
 * @return it as all its spellings are: datadeps
 */
std::string
Normalize(const std::string& key)
{
    std::string plain;
    for (const auto c : key)
    {
        const bool isCapital = c >= 'A' && c <= 'Z';
        plain += c == '_' ? "" : std::string(1, isCapital ? static_cast<char>(c - 'A' + 'a') : c);
    }
    return plain;
}

/**
 * @ingroup workload-replay
 * @brief Reads a trace in JSON.
 */
class ChakraJsonReader
{
  public:
    /**
     * @param path the file
     */
    explicit ChakraJsonReader(const std::string& path)
        : m_objects(path, ReadPackedTrace(path, "a Chakra trace"))
    {
    }

    /**
     * @return the messages, each after its length
     */
    std::vector<char> Read()
    {
        ChakraValue object;
        while (m_objects.Next(object))
        {
            // Some files are one object with a list of nodes, others an object for each node.
            const auto graph = object.find("workload_graph");
            if (graph == object.end())
            {
                Add(object);
                continue;
            }
            Check(graph->is_array(), "a list of nodes", *graph);
            for (const auto& node : *graph)
            {
                Check(node.is_object(), "a node", node);
                Add(node);
            }
        }
        if (m_isFirst)
        {
            throw WorkloadError(m_objects.GetPlace(), "a node of a Chakra trace", "none");
        }
        const auto bytes = m_messages.str();
        return {bytes.begin(), bytes.end()};
    }

  private:
    /**
     * @param object the metadata, or a node
     */
    void Add(const ChakraValue& object)
    {
        bool isNode = false;
        for (const auto& entry : object.items())
        {
            const auto key = Normalize(entry.key());
            isNode = isNode || key == "id" || key == "name" || key == "type" || key == "nodetype";
        }
        if (m_isFirst)
        {
            m_isFirst = false;
            // Readers of the messages expect metadata first, also where the file has none.
            const auto metadata = isNode ? chakra::GlobalMetadata() : MakeMetadata(object);
            google::protobuf::util::SerializeDelimitedToOstream(metadata, &m_messages);
            if (!isNode)
            {
                return;
            }
        }
        google::protobuf::util::SerializeDelimitedToOstream(MakeNode(object), &m_messages);
    }

    /**
     * @param object an object
     * @return the metadata that it is
     */
    chakra::GlobalMetadata MakeMetadata(const ChakraValue& object) const
    {
        chakra::GlobalMetadata metadata;
        for (const auto& [key, value] : object.items())
        {
            if (key == "version")
            {
                metadata.set_version(ToText(value));
            }
            else if (key == "attr")
            {
                AddAttributes(value, metadata);
            }
        }
        return metadata;
    }

    /**
     * @param object an object
     * @return the node that it is
     */
    chakra::Node MakeNode(const ChakraValue& object) const
    {
        chakra::Node node;
        for (const auto& [name, value] : object.items())
        {
            const auto key = Normalize(name);
            if (key == "id")
            {
                node.set_id(ToWhole(value));
            }
            else if (key == "name")
            {
                node.set_name(ToText(value));
            }
            else if (key == "type" || key == "nodetype")
            {
                node.set_type(ToType(value));
            }
            else if (key == "ctrldeps" || key == "datadeps")
            {
                AddNumbers(value,
                           key == "ctrldeps" ? *node.mutable_control_dependencies()
                                             : *node.mutable_data_dependencies());
            }
            else if (key == "durationmicros")
            {
                node.set_duration_micros(ToWhole(value));
            }
            else if (key == "inputs")
            {
                const auto values = value.is_object() ? value.find("values") : value.end();
                const bool isThere = value.is_object() && values != value.end();
                node.mutable_inputs()->set_values(isThere ? ToText(*values) : "");
            }
            else if (key == "attr")
            {
                AddAttributes(value, node);
            }
            else
            {
                // Some writers put attributes among the other keys of a node.
                AddAttribute(name, value, node);
            }
        }
        return node;
    }

    /**
     * @param attributes a list of objects with a name and, under the name of its type, a value
     * @param [in,out] owner what has them
     */
    template <typename Owner>
    void AddAttributes(const ChakraValue& attributes, Owner& owner) const
    {
        Check(attributes.is_array(), "a list of attributes", attributes);
        for (const auto& attribute : attributes)
        {
            const auto name = attribute.is_object() ? attribute.find("name") : attribute.end();
            Check(attribute.is_object() && name != attribute.end(),
                  "an attribute with a name",
                  attribute);
            for (const auto& [type, value] : attribute.items())
            {
                const auto key = Normalize(type);
                if (key == "stringlist" || key == "uint64list")
                {
                    // Other lists are of no use to a replay.
                    AddList(value, key == "stringlist", AddAttribute(ToText(*name), {}, owner));
                }
                else if (key != "name" && key != "docstring")
                {
                    AddAttribute(ToText(*name), value, owner);
                }
            }
        }
    }

    /**
     * @param name name of an attribute
     * @param value its value, whose type says what the name of its key repeats; one that is no
     *              number or text is left out
     * @param [in,out] owner what has it
     * @return the attribute
     */
    template <typename Owner>
    static chakra::Attribute& AddAttribute(const std::string& name,
                                           const ChakraValue& value,
                                           Owner& owner)
    {
        auto& attribute = *owner.add_attributes();
        attribute.set_name(name);
        if (value.is_boolean())
        {
            attribute.set_bool_value(value.get<bool>());
        }
        else if (value.is_number_unsigned())
        {
            attribute.set_uint64_value(value.get<uint64_t>());
        }
        else if (value.is_number_integer())
        {
            attribute.set_int64_value(value.get<int64_t>());
        }
        else if (value.is_number())
        {
            attribute.set_double_value(value.get<double>());
        }
        else if (value.is_string())
        {
            // Or a number of 64 bits, for which those who read attributes take it.
            attribute.set_text_value(value.get<std::string>());
        }
        return attribute;
    }

    /**
     * @param list an object with a list of values
     * @param isText these are texts, not numbers
     * @param [in,out] attribute the attribute that has the list
     */
    void AddList(const ChakraValue& list, bool isText, chakra::Attribute& attribute) const
    {
        const auto values = list.is_object() ? list.find("values") : list.end();
        for (std::size_t i = 0; list.is_object() && values != list.end() && i < values->size(); ++i)
        {
            Check(values->is_array(), "a list", *values);
            if (isText)
            {
                attribute.mutable_text_list()->add_values(ToText((*values)[i]));
            }
            else
            {
                attribute.mutable_uint64_list()->add_values(ToWhole((*values)[i]));
            }
        }
    }

    /**
     * @param values a list of whole numbers, or one
     * @param [in,out] numbers takes them
     */
    void AddNumbers(const ChakraValue& values,
                    google::protobuf::RepeatedField<uint64_t>& numbers) const
    {
        if (!values.is_array())
        {
            numbers.Add(ToWhole(values));
            return;
        }
        for (const auto& value : values)
        {
            numbers.Add(ToWhole(value));
        }
    }

    /**
     * @param value a type, by name or number
     * @return its number
     */
    uint32_t ToType(const ChakraValue& value) const
    {
        if (value.is_string())
        {
            const TextField name{value.get<std::string>(), m_objects.GetPlace()};
            return static_cast<uint32_t>(FindWord(name, NODE_TYPES, "a type of nodes"));
        }
        const auto number = ToWhole(value);
        Check(number < NODE_TYPES.size(), "a type of nodes from 0 to 7", value);
        return static_cast<uint32_t>(number);
    }

    /**
     * @param value a whole number, maybe in quotes, as those of 64 bits are
     * @return it
     */
    uint64_t ToWhole(const ChakraValue& value) const
    {
        if (value.is_number_unsigned())
        {
            return value.get<uint64_t>();
        }
        const auto number = value.is_string() ? ReadWhole(value.get<std::string>()) : std::nullopt;
        Check(number.has_value(), "a whole number", value);
        return number.value_or(0);
    }

    /**
     * @param value a text
     * @return it
     */
    std::string ToText(const ChakraValue& value) const
    {
        Check(value.is_string(), "a text", value);
        return value.get<std::string>();
    }

    /**
     * @param holds whether a value is right
     * @param expected what it is to be
     * @param value the value
     */
    void Check(bool holds, const std::string& expected, const ChakraValue& value) const
    {
        if (!holds)
        {
            // To write what is nested takes as much of the stack as it is deep.
            const auto found =
                value.is_structured() || value.is_string() ? value.type_name() : value.dump();
            throw WorkloadError(m_objects.GetPlace(),
                                expected + " in the object that begins here",
                                found);
        }
    }

    JsonObjects m_objects;         //!< objects of the file
    bool m_isFirst{true};          //!< no object was read yet
    std::ostringstream m_messages; //!< the messages so far
};

} // namespace

std::vector<char>
ReadChakraJson(const std::string& path)
{
    return ChakraJsonReader(path).Read();
}

} // namespace ns3
