/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "chakra-test-trace.h"

namespace ns3
{

ChakraTestTrace::ChakraTestTrace(const std::string& schema,
                                 bool isRecorded,
                                 const std::string& version)
    : m_messages(1)
{
    auto& metadata = m_messages.front();
    metadata += version.empty() ? "" : Field(1, version);
    metadata += schema.empty() ? "" : Field(2, Field(1, "schema") + Field(29, schema));
    metadata += isRecorded ? Field(2, Field(1, "pid") + Field(13, uint64_t{7})) : "";
}

ChakraTestTrace&
ChakraTestTrace::Node(uint64_t id,
                      Type type,
                      const std::string& name,
                      const std::vector<uint64_t>& dependencies)
{
    std::string packed;
    for (const auto dependency : dependencies)
    {
        packed += Varint(dependency);
    }
    m_messages.push_back(Field(1, id) + Field(2, name) + Field(3, static_cast<uint64_t>(type)) +
                         (packed.empty() ? "" : Field(5, packed)));
    return *this;
}

ChakraTestTrace&
ChakraTestTrace::Control(const std::vector<uint64_t>& dependencies)
{
    for (const auto dependency : dependencies)
    {
        m_messages.back() += Field(4, dependency);
    }
    return *this;
}

ChakraTestTrace&
ChakraTestTrace::Lasts(uint64_t micros)
{
    m_messages.back() += Field(7, micros);
    return *this;
}

ChakraTestTrace&
ChakraTestTrace::Inputs(const std::string& values)
{
    m_messages.back() += Field(8, Field(1, values));
    return *this;
}

ChakraTestTrace&
ChakraTestTrace::With(const std::string& name, int64_t value, uint32_t field)
{
    m_messages.back() += Field(10, Field(1, name) + Field(field, static_cast<uint64_t>(value)));
    return *this;
}

ChakraTestTrace&
ChakraTestTrace::With(const std::string& name, const std::string& value)
{
    m_messages.back() += Field(10, Field(1, name) + Field(29, value));
    return *this;
}

ChakraTestTrace&
ChakraTestTrace::With(const std::string& name, const std::vector<std::string>& values)
{
    std::string list;
    for (const auto& value : values)
    {
        list += Field(1, value);
    }
    m_messages.back() += Field(10, Field(1, name) + Field(30, list));
    return *this;
}

std::string
ChakraTestTrace::GetBytes() const
{
    std::string bytes;
    for (const auto& message : m_messages)
    {
        bytes += Varint(message.size()) + message;
    }
    return bytes;
}

std::string
ChakraTestTrace::Varint(uint64_t number)
{
    std::string bytes;
    for (; number >= 0x80; number >>= 7)
    {
        bytes += static_cast<char>(0x80 | (number & 0x7f));
    }
    return bytes + static_cast<char>(number);
}

std::string
ChakraTestTrace::Field(uint32_t field, const std::string& bytes)
{
    return Varint(field << 3 | 2) + Varint(bytes.size()) + bytes;
}

std::string
ChakraTestTrace::Field(uint32_t field, uint64_t number)
{
    return Varint(field << 3) + Varint(number);
}

} // namespace ns3
