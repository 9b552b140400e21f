/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "binary-window.h"

#include <algorithm>

namespace ns3
{

namespace
{

/// Bytes of a window.
constexpr uint64_t WINDOW = 1 << 18;

} // namespace

BinaryWindow::BinaryWindow(const std::string& file)
    : m_file(file),
      m_stream(file, std::ios::binary | std::ios::ate)
{
    const auto end = m_stream.is_open() ? static_cast<int64_t>(m_stream.tellg()) : -1;
    if (end < 0 || end == INT64_MAX)
    {
        throw WorkloadError({file, 0, 0, ""}, "a file", "none that can be read");
    }
    m_size = static_cast<uint64_t>(end);
}

uint64_t
BinaryWindow::GetSize() const
{
    return m_size;
}

SourceLocation
BinaryWindow::At(uint64_t offset) const
{
    return {m_file + ", byte " + std::to_string(offset), 0, 0, ""};
}

uint64_t
BinaryWindow::Read(uint64_t offset, std::size_t bytes)
{
    if (offset > m_size || m_size - offset < bytes)
    {
        throw WorkloadError(At(std::min(offset, m_size)),
                            std::to_string(bytes) + " bytes at " + std::to_string(offset),
                            "the end of the file after " + std::to_string(m_size) + " bytes");
    }
    if (offset < m_begin || offset + bytes > m_begin + m_bytes.size())
    {
        m_begin = offset;
        m_bytes.resize(std::min(WINDOW, m_size - offset));
        m_stream.clear();
        m_stream.seekg(static_cast<std::streamoff>(offset));
        m_stream.read(m_bytes.data(), static_cast<std::streamsize>(m_bytes.size()));
        if (static_cast<std::size_t>(m_stream.gcount()) != m_bytes.size())
        {
            m_bytes.clear();
            throw WorkloadError(At(offset), "a file that can be read", "an error");
        }
    }
    uint64_t number = 0;
    for (std::size_t i = bytes; i-- > 0;)
    {
        number = number << 8 | static_cast<unsigned char>(m_bytes[offset - m_begin + i]);
    }
    return number;
}

} // namespace ns3
