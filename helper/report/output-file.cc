/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "output-file.h"

#include <filesystem>
#include <locale>
#include <system_error>

namespace ns3
{

namespace
{

/// Size of the buffer, bytes: large enough that system calls cost nothing beside the formatting.
constexpr std::size_t BUFFER_SIZE = 256 * 1024;

} // namespace

OutputFile::OutputFile(const std::string& directory, const std::string& name)
    : m_path((std::filesystem::path(directory) / name).string()),
      m_temporary((std::filesystem::path(directory) / ("." + name + ".new")).string()),
      m_buffer(BUFFER_SIZE)
{
    // A buffer is taken only before the file is open.
    m_stream.rdbuf()->pubsetbuf(m_buffer.data(), static_cast<std::streamsize>(m_buffer.size()));
    m_stream.imbue(std::locale::classic());
    m_stream.open(m_temporary, std::ios::binary);
}

OutputFile::~OutputFile()
{
    if (!m_temporary.empty())
    {
        m_stream.close();
        std::error_code ignored;
        std::filesystem::remove(m_temporary, ignored);
    }
}

std::ostream&
OutputFile::GetStream()
{
    return m_stream;
}

std::string
OutputFile::Finish()
{
    m_stream.close();
    std::error_code error;
    if (m_stream)
    {
        std::filesystem::rename(m_temporary, m_path, error);
    }
    if (!m_stream || error)
    {
        return m_path + ": error: could not be written (" +
               (error ? error.message() : "the disk is full or gone") + ")";
    }
    m_temporary.clear();
    return "";
}

} // namespace ns3
