/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef BYTE_BUFFER_H
#define BYTE_BUFFER_H

#include "ns3/assert.h"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <type_traits>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief Writes values one after the other, as they are in memory: for processes of one program on
 * machines of one kind.
 */
class ByteWriter
{
  public:
    /**
     * @param value a number
     */
    template <typename T>
    void Put(T value)
    {
        static_assert(std::is_arithmetic_v<T> || std::is_enum_v<T>,
                      "objects are put by their parts");
        m_bytes.append(reinterpret_cast<const char*>(&value), sizeof(value));
    }

    /**
     * @param text any bytes, fewer than 4 GiB
     */
    void PutText(const std::string& text)
    {
        Put(static_cast<uint32_t>(text.size()));
        m_bytes.append(text);
    }

    /**
     * @return what was written
     */
    std::string& GetBytes()
    {
        return m_bytes;
    }

  private:
    std::string m_bytes; //!< what was written
};

/**
 * @ingroup workload-replay
 * @brief Reads what ByteWriter has written, in the same order.
 */
class ByteReader
{
  public:
    /**
     * @param bytes what was written; must outlive this
     * @param offset where to begin
     */
    explicit ByteReader(const std::string& bytes, std::size_t offset = 0)
        : m_bytes(bytes),
          m_offset(offset)
    {
    }

    /**
     * @return the next number
     */
    template <typename T>
    T Get()
    {
        NS_ASSERT_MSG(m_offset + sizeof(T) <= m_bytes.size(), "nothing more was written");
        T value;
        std::memcpy(&value, m_bytes.data() + m_offset, sizeof(T));
        m_offset += sizeof(T);
        return value;
    }

    /**
     * @return the next text
     */
    std::string GetText()
    {
        const auto size = Get<uint32_t>();
        NS_ASSERT_MSG(m_offset + size <= m_bytes.size(), "nothing more was written");
        m_offset += size;
        return m_bytes.substr(m_offset - size, size);
    }

    /**
     * @return whether all was read
     */
    bool IsAtEnd() const
    {
        return m_offset == m_bytes.size();
    }

  private:
    const std::string& m_bytes; //!< what was written
    std::size_t m_offset;       //!< what was read
};

} // namespace ns3

#endif /* BYTE_BUFFER_H */
