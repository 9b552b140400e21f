/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef BYTE_RECORD_H
#define BYTE_RECORD_H

#include "byte-buffer.h"

#include "ns3/nstime.h"

#include <cstdint>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>

namespace ns3
{

/// Whether a type has a fixed number of parts of which each has its own type: a pair or an array.
template <typename T, typename = void>
struct IsByteTuple : std::false_type
{
};

/// That is so if std::tuple_size gives their number.
template <typename T>
struct IsByteTuple<T, std::void_t<decltype(std::tuple_size<T>::value)>> : std::true_type
{
};

/// Whether a type holds any number of elements: a vector, a set or a map.
template <typename T, typename = void>
struct IsByteContainer : std::false_type
{
};

/// That is so if elements can be put at its end.
template <typename T>
struct IsByteContainer<
    T,
    std::void_t<decltype(std::declval<T>().insert(std::declval<T>().end(),
                                                  std::declval<typename T::value_type>()))>>
    : std::true_type
{
};

/// What the elements of a container are read into: those of a map have a constant key.
template <typename T>
struct ByteElement
{
    using Type = T; //!< the element
};

/// What the elements of a map are read into.
template <typename K, typename V>
struct ByteElement<std::pair<const K, V>>
{
    using Type = std::pair<K, V>; //!< the element
};

/**
 * @ingroup workload-replay
 * @brief Writes records: numbers, texts, times, containers of them, and structs of all these, which
 * have a static Visit(record, visit).
 *
 * RecordReader reads by the same Visit(), so that a member that is named there once is written and
 * read.
 */
class RecordWriter
{
  public:
    /**
     * @param writer where to
     */
    explicit RecordWriter(ByteWriter& writer)
        : m_writer(writer)
    {
    }

    /**
     * @param record what is written
     */
    template <typename T>
    void operator()(const T& record) const
    {
        if constexpr (std::is_arithmetic_v<T> || std::is_enum_v<T>)
        {
            m_writer.Put(record);
        }
        else if constexpr (std::is_same_v<T, Time>)
        {
            m_writer.Put(record.GetTimeStep());
        }
        else if constexpr (std::is_same_v<T, std::string>)
        {
            m_writer.PutText(record);
        }
        else if constexpr (IsByteTuple<T>::value)
        {
            std::apply([this](const auto&... parts) { ((*this)(parts), ...); }, record);
        }
        else if constexpr (IsByteContainer<T>::value)
        {
            m_writer.Put(static_cast<uint64_t>(record.size()));
            for (const auto& element : record)
            {
                (*this)(element);
            }
        }
        else
        {
            T::Visit(record, *this);
        }
    }

  private:
    ByteWriter& m_writer; //!< where to
};

/**
 * @ingroup workload-replay
 * @brief Reads what RecordWriter has written.
 */
class RecordReader
{
  public:
    /**
     * @param reader where from
     */
    explicit RecordReader(ByteReader& reader)
        : m_reader(reader)
    {
    }

    /**
     * @param [out] record what is read
     */
    template <typename T>
    void operator()(T& record) const
    {
        if constexpr (std::is_arithmetic_v<T> || std::is_enum_v<T>)
        {
            record = m_reader.Get<T>();
        }
        else if constexpr (std::is_same_v<T, Time>)
        {
            record = TimeStep(m_reader.Get<int64_t>());
        }
        else if constexpr (std::is_same_v<T, std::string>)
        {
            record = m_reader.GetText();
        }
        else if constexpr (IsByteTuple<T>::value)
        {
            std::apply([this](auto&... parts) { ((*this)(parts), ...); }, record);
        }
        else if constexpr (IsByteContainer<T>::value)
        {
            record.clear();
            for (auto left = m_reader.Get<uint64_t>(); left > 0; --left)
            {
                typename ByteElement<typename T::value_type>::Type element{};
                (*this)(element);
                record.insert(record.end(), std::move(element));
            }
        }
        else
        {
            T::Visit(record, *this);
        }
    }

  private:
    ByteReader& m_reader; //!< where from
};

/**
 * @ingroup workload-replay
 * @param record a record
 * @return its bytes
 */
template <typename T>
std::string
WriteRecord(const T& record)
{
    ByteWriter writer;
    RecordWriter{writer}(record);
    return std::move(writer.GetBytes());
}

/**
 * @ingroup workload-replay
 * @param bytes what WriteRecord() has made of a record
 * @return the record
 */
template <typename T>
T
ReadRecord(const std::string& bytes)
{
    ByteReader reader(bytes);
    T record{};
    RecordReader{reader}(record);
    return record;
}

} // namespace ns3

#endif /* BYTE_RECORD_H */
