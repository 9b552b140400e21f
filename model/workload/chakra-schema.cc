/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "chakra-schema.h"

#include "ns3/workload-error.h"

#include <cstdint>
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/wire_format_lite.h>

namespace ns3
{

namespace
{

using google::protobuf::internal::WireFormatLite;

/**
 * @param version number of a schema
 * @return whether it is read
 */
bool
IsKnown(const std::string& version)
{
    return version == "0.0.4" || version == "1.0.0";
}

} // namespace

std::string
FindOlderChakraSchema(const char* bytes, std::size_t length)
{
    google::protobuf::io::CodedInputStream stream(reinterpret_cast<const uint8_t*>(bytes),
                                                  static_cast<int>(length));
    // Nodes begin with their id, a number, where metadata has its version, a text. Those of 0.0.1
    // have numbers in fields 5, 6 and from 12 on, later ones have texts, and attributes as
    // field 11.
    bool hasId = false;
    bool hasNumbers = false;
    bool hasAttributes = false;
    for (uint32_t tag = stream.ReadTag(); tag != 0; tag = stream.ReadTag())
    {
        const int field = WireFormatLite::GetTagFieldNumber(tag);
        const bool isVarint =
            WireFormatLite::GetTagWireType(tag) == WireFormatLite::WIRETYPE_VARINT;
        hasId = hasId || (field == 1 && isVarint);
        hasNumbers = hasNumbers || field >= 12 || (isVarint && (field == 5 || field == 6));
        hasAttributes = hasAttributes || (field == 11 && !isVarint);
        if (!WireFormatLite::SkipField(&stream, tag))
        {
            return "";
        }
    }
    if (!hasId)
    {
        return "";
    }
    const std::string schema = hasNumbers      ? " (schema 0.0.1)"
                               : hasAttributes ? " (schema 0.0.2 or 0.0.3)"
                                               : "";
    return "a node with no metadata before it" + schema;
}

void
CheckChakraSchema(const chakra::GlobalMetadata& metadata, const std::string& file)
{
    if (!metadata.version().empty() && !IsKnown(metadata.version()))
    {
        throw WorkloadError({file, 0, 0, ""}, CHAKRA_SCHEMAS, Quoted(metadata.version()));
    }
    // PyTorch's converter says it in the schema of its own traces: 1.1.1-chakra.0.0.4.
    const auto* schema = FindChakraAttribute(metadata, "schema");
    const std::string mark = "chakra.";
    const auto at = schema ? schema->text_value().find(mark) : std::string::npos;
    if (at != std::string::npos && !IsKnown(schema->text_value().substr(at + mark.size())))
    {
        throw WorkloadError({file, 0, 0, ""}, CHAKRA_SCHEMAS, Quoted(schema->text_value()));
    }
}

const chakra::Attribute*
FindChakraAttribute(const chakra::GlobalMetadata& metadata, const std::string& name)
{
    for (const auto& attribute : metadata.attributes())
    {
        if (attribute.name() == name)
        {
            return &attribute;
        }
    }
    return nullptr;
}

} // namespace ns3
