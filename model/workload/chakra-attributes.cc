/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "chakra-attributes.h"

#include "ns3/input-values.h"

#include <cmath>
#include <limits>

namespace ns3
{

namespace
{

/// A name and its value.
using Value = chakra::Attribute;

/**
 * @param value a number
 * @return the same, if it is below 2^63
 */
std::optional<int64_t>
Narrow(uint64_t value)
{
    const auto most = static_cast<uint64_t>(std::numeric_limits<int64_t>::max());
    return value <= most ? std::make_optional(static_cast<int64_t>(value)) : std::nullopt;
}

/**
 * @param value a number
 * @return it rounded down, if it is within 2^63 of 0
 */
std::optional<int64_t>
Narrow(double value)
{
    // Less than 2^63, so that the conversion is defined.
    constexpr double most = 9.2e18;
    return std::abs(value) < most ? std::make_optional(static_cast<int64_t>(std::floor(value)))
                                  : std::nullopt;
}

/**
 * @param text a text
 * @return the whole number that it is, with a sign or without one
 */
std::optional<int64_t>
Narrow(const std::string& text)
{
    const bool isNegative = !text.empty() && text[0] == '-';
    const auto digits = ReadWhole(isNegative ? text.substr(1) : text);
    const auto number = digits ? Narrow(*digits) : std::nullopt;
    return number && isNegative ? -*number : number;
}

} // namespace

ChakraAttributes::ChakraAttributes(const chakra::Node& node)
    : m_node(node)
{
}

const Value*
ChakraAttributes::Find(const char* name) const
{
    for (const auto& attribute : m_node.attributes())
    {
        if (attribute.name() == name)
        {
            return &attribute;
        }
    }
    return nullptr;
}

bool
ChakraAttributes::Has(const char* name) const
{
    const auto* attribute = Find(name);
    return attribute && attribute->value_case() != Value::VALUE_NOT_SET;
}

std::optional<int64_t>
ChakraAttributes::GetInteger(const char* name) const
{
    const auto* attribute = Find(name);
    switch (attribute ? attribute->value_case() : Value::VALUE_NOT_SET)
    {
    case Value::kDoubleValue:
        return Narrow(attribute->double_value());
    case Value::kFloatValue:
        return Narrow(static_cast<double>(attribute->float_value()));
    case Value::kInt32Value:
        return attribute->int32_value();
    case Value::kInt64Value:
        return attribute->int64_value();
    case Value::kUint32Value:
        return attribute->uint32_value();
    case Value::kUint64Value:
        return Narrow(attribute->uint64_value());
    case Value::kSint32Value:
        return attribute->sint32_value();
    case Value::kSint64Value:
        return attribute->sint64_value();
    case Value::kFixed32Value:
        return attribute->fixed32_value();
    case Value::kFixed64Value:
        return Narrow(attribute->fixed64_value());
    case Value::kSfixed32Value:
        return attribute->sfixed32_value();
    case Value::kSfixed64Value:
        return attribute->sfixed64_value();
    case Value::kBoolValue:
        return attribute->bool_value() ? 1 : 0;
    case Value::kTextValue:
        return Narrow(attribute->text_value());
    default:
        return std::nullopt;
    }
}

std::optional<double>
ChakraAttributes::GetNumber(const char* name) const
{
    const auto* attribute = Find(name);
    switch (attribute ? attribute->value_case() : Value::VALUE_NOT_SET)
    {
    case Value::kDoubleValue:
        return attribute->double_value();
    case Value::kFloatValue:
        return attribute->float_value();
    case Value::kUint64Value:
        return static_cast<double>(attribute->uint64_value());
    case Value::kTextValue:
        return ReadDecimal(attribute->text_value());
    default:
        break;
    }
    const auto integer = GetInteger(name);
    return integer ? std::make_optional(static_cast<double>(*integer)) : std::nullopt;
}

std::string
ChakraAttributes::GetText(const char* name) const
{
    const auto* attribute = Find(name);
    if (attribute && attribute->value_case() == Value::kTextValue)
    {
        return attribute->text_value();
    }
    // Some tracers write a number where others write a text.
    const auto integer = GetInteger(name);
    return integer ? std::to_string(*integer) : "";
}

bool
ChakraAttributes::GetSwitch(const char* name) const
{
    const auto text = GetText(name);
    return !text.empty() && text != "0" && text != "false" && text != "False";
}

std::optional<uint64_t>
ChakraAttributes::GetLastOfList(const char* name) const
{
    const auto* attribute = Find(name);
    if (!attribute || attribute->value_case() != Value::kTextList ||
        attribute->text_list().values().empty())
    {
        return std::nullopt;
    }
    const auto& values = attribute->text_list().values();
    return ReadWhole(values.Get(values.size() - 1));
}

std::vector<uint64_t>
ChakraAttributes::GetNumbers(const char* name) const
{
    const auto* attribute = Find(name);
    if (!attribute)
    {
        return {};
    }
    const auto& values = attribute->uint64_list().values();
    return {values.begin(), values.end()};
}

bool
IsChakraCollective(const chakra::Node& node)
{
    const ChakraAttributes attributes(node);
    return attributes.Has("comm_type") || !attributes.GetSwitch("is_cpu_op");
}

std::string
GetChakraGroup(const chakra::Node& node)
{
    // STAGE calls it comm_group in its older traces.
    const ChakraAttributes attributes(node);
    return attributes.GetText(attributes.Has("pg_name") ? "pg_name" : "comm_group");
}

} // namespace ns3
