/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "output-file.h"

#include <filesystem>
#include <locale>
#include <system_error>
#include <zlib.h>

namespace ns3
{

namespace
{

/// Size of the buffer, bytes: large enough that system calls cost nothing beside the formatting.
constexpr std::size_t BUFFER_SIZE = 256 * 1024;

/// What the name of a compressed file ends in.
const std::string COMPRESSED_ENDING = ".gz";

/**
 * @param name name of a file
 * @return whether it is compressed
 */
bool
IsCompressed(const std::string& name)
{
    const auto end = COMPRESSED_ENDING.size();
    return name.size() >= end && name.compare(name.size() - end, end, COMPRESSED_ENDING) == 0;
}

} // namespace

OutputFile::Buffer::Buffer(const std::string& path, bool isCompressed)
    : m_gathered(BUFFER_SIZE),
      // T: as it is.
      m_file(gzopen(path.c_str(),
                    isCompressed ? ("wb" + std::to_string(COMPRESSION_LEVEL)).c_str() : "wbT"))
{
    setp(m_gathered.data(), m_gathered.data() + m_gathered.size());
}

OutputFile::Buffer::~Buffer()
{
    if (m_file)
    {
        gzclose(m_file);
    }
}

bool
OutputFile::Buffer::IsOpen() const
{
    return m_file != nullptr;
}

OutputFile::Buffer::int_type
OutputFile::Buffer::overflow(int_type character)
{
    if (sync() != 0)
    {
        return traits_type::eof();
    }
    // The end of file stands for no character: only room was asked for.
    if (traits_type::eq_int_type(character, traits_type::eof()))
    {
        return traits_type::not_eof(character);
    }
    return sputc(traits_type::to_char_type(character));
}

int
OutputFile::Buffer::sync()
{
    const auto size = static_cast<unsigned>(pptr() - pbase());
    // gzwrite() returns 0 for an error, and for no bytes as well.
    const bool isWritten = m_file && (size == 0 || gzwrite(m_file, pbase(), size) > 0);
    // What could not be written is dropped; Finish() reports it by the state of the stream.
    setp(m_gathered.data(), m_gathered.data() + m_gathered.size());
    return isWritten ? 0 : -1;
}

bool
OutputFile::Buffer::Close()
{
    const bool isWritten = sync() == 0;
    const bool isClosed = m_file && gzclose(m_file) == Z_OK;
    m_file = nullptr;
    return isWritten && isClosed;
}

OutputFile::OutputFile(const std::string& directory, const std::string& name)
    : m_path((std::filesystem::path(directory) / name).string()),
      m_temporary((std::filesystem::path(directory) / ("." + name + ".new")).string()),
      m_buffer(m_temporary, IsCompressed(name)),
      m_stream(&m_buffer)
{
    // A decimal comma of the user's locale would break the columns.
    m_stream.imbue(std::locale::classic());
    if (!m_buffer.IsOpen())
    {
        m_stream.setstate(std::ios::badbit);
    }
}

OutputFile::~OutputFile()
{
    if (!m_temporary.empty())
    {
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
    const bool isWritten = m_buffer.Close() && m_stream;
    std::error_code error;
    // Under its name a file is whole, or that of an earlier run.
    if (isWritten)
    {
        std::filesystem::rename(m_temporary, m_path, error);
    }
    if (!isWritten || error)
    {
        return m_path + ": error: could not be written (" +
               (error ? error.message() : "the disk is full or gone") + ")";
    }
    m_temporary.clear();
    return "";
}

} // namespace ns3
