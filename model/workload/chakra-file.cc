/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "chakra-file.h"

#include "chakra-json.h"
#include "chakra-schema.h"
#include "chakra-trace-files.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/wire_format_lite.h>
#include <system_error>
#include <zlib.h>

namespace ns3
{

namespace
{

using google::protobuf::internal::WireFormatLite;
using google::protobuf::io::CodedInputStream;

/// Longest message, bytes: real ones have some 25,000.
constexpr uint64_t MAX_MESSAGE = 64 << 20;

/// Most attributes of a node, which take many times their bytes in memory: real ones have 20.
constexpr uint64_t MAX_ATTRIBUTES = 65536;

/// Bytes that are read at a time.
constexpr std::size_t BLOCK = 256 << 10;

/// Bytes of the longest length.
constexpr uint32_t LENGTH_BYTES = 5;

/// Fields of a node that its head is made of.
enum Field : int
{
    ID = 1,
    TYPE = 3,
    CONTROL_DEPENDENCIES = 4,
    DATA_DEPENDENCIES = 5,
    ATTRIBUTES = 10
};

/**
 * Count the numbers of a field that repeats.
 *
 * @param stream the field, after the tag
 * @param isSingle it has one number, not a packed list of them
 * @param [in,out] count number of them
 * @return whether the field is whole
 */
bool
CountNumbers(CodedInputStream& stream, bool isSingle, uint64_t& count)
{
    uint32_t length = 0;
    uint64_t number = 0;
    // Numbers that repeat are usually packed; protobuf has readers take single ones, too.
    if (isSingle)
    {
        ++count;
        return stream.ReadVarint64(&number);
    }
    if (!stream.ReadVarint32(&length))
    {
        return false;
    }
    const auto end = static_cast<int64_t>(stream.CurrentPosition()) + length;
    while (stream.CurrentPosition() < end)
    {
        if (!stream.ReadVarint64(&number))
        {
            return false;
        }
        ++count;
    }
    return stream.CurrentPosition() == end;
}

/**
 * Read one field of a node.
 *
 * @param stream the node, after the tag
 * @param tag the tag
 * @param [in,out] head what is known of the node
 * @param [in,out] attributes number of attributes so far
 * @return whether the field is whole
 */
bool
ReadField(CodedInputStream& stream, uint32_t tag, ChakraNodeHead& head, uint64_t& attributes)
{
    const int field = WireFormatLite::GetTagFieldNumber(tag);
    const bool isVarint = WireFormatLite::GetTagWireType(tag) == WireFormatLite::WIRETYPE_VARINT;
    if (field == ID && isVarint)
    {
        return stream.ReadVarint64(&head.id);
    }
    if (field == TYPE && isVarint)
    {
        uint64_t type = 0;
        const bool isRead = stream.ReadVarint64(&type);
        const bool isKnown = type <= static_cast<uint64_t>(ChakraNodeType::COMM_COLL);
        head.type = isKnown ? static_cast<ChakraNodeType>(type) : ChakraNodeType::INVALID;
        return isRead;
    }
    if (field == CONTROL_DEPENDENCIES || field == DATA_DEPENDENCIES)
    {
        return CountNumbers(stream, isVarint, head.dependencies);
    }
    attributes += field == ATTRIBUTES ? 1 : 0;
    return WireFormatLite::SkipField(&stream, tag);
}

} // namespace

void
ChakraFile::Close::operator()(gzFile_s* file) const
{
    gzclose_r(file);
}

ChakraFile::ChakraFile(const std::string& path)
    : m_path(path)
{
    if (IsChakraJson(path))
    {
        m_buffer = ReadChakraJson(path);
        m_end = m_buffer.size();
        ReadMetadata();
        return;
    }
    m_buffer.resize(BLOCK);
    std::error_code error;
    const bool isDirectory = std::filesystem::is_directory(path, error);
    // gzopen() reads files that are not compressed as they are.
    m_file.reset(isDirectory ? nullptr : gzopen(path.c_str(), "rb"));
    if (!m_file)
    {
        throw WorkloadError({path, 0, 0, ""},
                            "a file that can be read",
                            isDirectory ? "a directory" : std::strerror(errno));
    }
    // Before the first read; with zlib's own 8 KiB a trace of gigabytes takes many system calls.
    gzbuffer(m_file.get(), BLOCK);
    ReadMetadata();
}

ChakraFile::~ChakraFile() = default;

const chakra::GlobalMetadata&
ChakraFile::GetMetadata() const
{
    return m_metadata;
}

SourceLocation
ChakraFile::Here() const
{
    return {m_file ? m_path + ", byte " + std::to_string(m_messageOffset) : m_path, 0, 0, ""};
}

SourceLocation
ChakraFile::AtNode(uint64_t id) const
{
    return {m_path + ", node " + std::to_string(id), 0, 0, ""};
}

std::size_t
ChakraFile::Provide(std::size_t count)
{
    while (m_file && m_end - m_begin < count)
    {
        // This overwrites the message before: its bytes are valid until the next one is read.
        if (m_end == m_buffer.size())
        {
            std::copy(m_buffer.begin() + m_begin, m_buffer.begin() + m_end, m_buffer.begin());
            m_end -= m_begin;
            m_begin = 0;
            // A long message gets room as its bytes come in, not because of what its length says.
            m_buffer.resize(m_end == m_buffer.size() ? 2 * m_end : m_buffer.size());
        }
        const auto room = static_cast<unsigned>(m_buffer.size() - m_end);
        const int read = gzread(m_file.get(), m_buffer.data() + m_end, room);
        int error = Z_OK;
        const char* text = gzerror(m_file.get(), &error);
        if (error != Z_OK)
        {
            m_messageOffset = m_offset + (m_end - m_begin);
            throw WorkloadError(Here(),
                                error == Z_ERRNO ? "a file that can be read"
                                                 : "a whole file of gzip",
                                error == Z_ERRNO ? std::strerror(errno) : std::string(text));
        }
        if (read <= 0)
        {
            break;
        }
        m_end += static_cast<std::size_t>(read);
    }
    return std::min(count, m_end - m_begin);
}

bool
ChakraFile::ReadLength(uint64_t& length)
{
    length = 0;
    for (uint32_t i = 0; i < LENGTH_BYTES; ++i)
    {
        if (Provide(i + 1) <= i)
        {
            // The file may end between two messages, not within the length of one.
            if (i == 0)
            {
                return false;
            }
            throw WorkloadError(Here(), "the length of a message", "the end of the file in it");
        }
        // A varint: seven bits a byte, lowest first; the top bit says that more follow.
        const auto byte = static_cast<uint8_t>(m_buffer[m_begin + i]);
        length |= static_cast<uint64_t>(byte & 0x7f) << (7 * i);
        if (byte < 0x80)
        {
            m_begin += i + 1;
            m_offset += i + 1;
            return true;
        }
    }
    throw WorkloadError(Here(), "a length of a message of at most 5 bytes", "a longer one");
}

bool
ChakraFile::Next()
{
    m_messageOffset = m_offset;
    uint64_t length = 0;
    if (!ReadLength(length))
    {
        return false;
    }
    if (length > MAX_MESSAGE)
    {
        throw WorkloadError(Here(),
                            "a message of at most " + std::to_string(MAX_MESSAGE) + " bytes",
                            "one of " + std::to_string(length));
    }
    const auto provided = Provide(length);
    if (provided < length)
    {
        throw WorkloadError(Here(),
                            "a message of " + std::to_string(length) + " bytes",
                            "the end of the file after " + std::to_string(provided));
    }
    m_message = m_begin;
    m_length = length;
    m_begin += length;
    m_offset += length;
    return true;
}

void
ChakraFile::ReadMetadata()
{
    if (!Next())
    {
        throw WorkloadError(Here(), "the metadata of a Chakra trace", "an empty file");
    }
    const auto* bytes = m_buffer.data() + m_message;
    const auto older = FindOlderChakraSchema(bytes, m_length);
    if (!older.empty())
    {
        throw WorkloadError({m_path, 0, 0, ""}, CHAKRA_SCHEMAS, older);
    }
    if (!m_metadata.ParseFromArray(bytes, static_cast<int>(m_length)))
    {
        throw WorkloadError(Here(), "the metadata of a Chakra trace", "bytes that are not that");
    }
    CheckChakraSchema(m_metadata, m_path);
}

ChakraNodeHead
ChakraFile::ReadHead() const
{
    const auto* bytes = reinterpret_cast<const uint8_t*>(m_buffer.data() + m_message);
    CodedInputStream stream(bytes, static_cast<int>(m_length));
    ChakraNodeHead head;
    uint64_t attributes = 0;
    uint32_t tag = stream.ReadTag();
    while (tag != 0 && ReadField(stream, tag, head, attributes))
    {
        tag = stream.ReadTag();
    }
    // A tag of 0 is the end of the message only if no bytes are left.
    if (tag != 0 || !stream.ConsumedEntireMessage())
    {
        throw WorkloadError(Here(), "a node of a Chakra trace", "bytes that are not that");
    }
    if (attributes > MAX_ATTRIBUTES)
    {
        throw WorkloadError(Here(),
                            "a node of at most " + std::to_string(MAX_ATTRIBUTES) + " attributes",
                            std::to_string(attributes));
    }
    return head;
}

void
ChakraFile::Read(chakra::Node& node) const
{
    if (!node.ParseFromArray(m_buffer.data() + m_message, static_cast<int>(m_length)))
    {
        throw WorkloadError(Here(), "a node of a Chakra trace", "bytes that are not that");
    }
}

} // namespace ns3
