/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef CHAKRA_FILE_H
#define CHAKRA_FILE_H

#include "chakra-trace.pb.h"

#include "ns3/workload-error.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

struct gzFile_s;

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief Types of nodes (NodeType of the schema).
 */
enum class ChakraNodeType : uint8_t
{
    INVALID,
    METADATA,
    MEM_LOAD,
    MEM_STORE,
    COMP,
    COMM_SEND,
    COMM_RECV,
    COMM_COLL
};

/**
 * @ingroup workload-replay
 * @brief What can be read of a node without reading all of it.
 */
struct ChakraNodeHead
{
    uint64_t id{0};                               //!< its id
    ChakraNodeType type{ChakraNodeType::INVALID}; //!< its type
    uint64_t dependencies{0};                     //!< number of its dependencies
};

/**
 * @ingroup workload-replay
 * @brief The messages of one Chakra execution trace, one after another.
 *
 * The file may be compressed by gzip. Only the message at hand is in memory; of a trace in JSON,
 * all of them.
 */
class ChakraFile
{
  public:
    /**
     * Open a file and read its first message.
     *
     * @param path the file
     * @throws WorkloadError if it cannot be read, or is of another schema than 0.0.4 and 1.0.0
     */
    explicit ChakraFile(const std::string& path);
    ~ChakraFile();

    /**
     * @return the first message
     */
    const chakra::GlobalMetadata& GetMetadata() const;

    /**
     * Go on to the next message.
     *
     * @return false at the end of the file
     * @throws WorkloadError with the byte offset if there is no whole message
     */
    bool Next();

    /**
     * @return what can be read fast of the message, a node
     * @throws WorkloadError with the byte offset if it is none
     */
    ChakraNodeHead ReadHead() const;

    /**
     * @param [out] node the message, a node
     * @throws WorkloadError with the byte offset if it is none
     */
    void Read(chakra::Node& node) const;

    /**
     * @param id id of a node
     * @return the place of an error in it
     */
    SourceLocation AtNode(uint64_t id) const;

  private:
    /// Closes a file of zlib.
    struct Close
    {
        /// @param file the file
        void operator()(gzFile_s* file) const;
    };

    /**
     * @return place of the message in the file, which is the file for a trace in JSON
     */
    SourceLocation Here() const;

    /**
     * Have bytes at hand.
     *
     * @param count number of bytes
     * @return how many there are, fewer only at the end of the file
     */
    std::size_t Provide(std::size_t count);

    /**
     * Read the length of the next message.
     *
     * @param [out] length the length, bytes
     * @return false at the end of the file
     */
    bool ReadLength(uint64_t& length);

    /// Check that the first message is metadata of a schema that is known, and read it.
    void ReadMetadata();

    std::string m_path;                      //!< the file
    std::unique_ptr<gzFile_s, Close> m_file; //!< the same, open; null = a trace in JSON
    std::vector<char> m_buffer;              //!< bytes read of it
    std::size_t m_begin{0};                  //!< first byte not used of those
    std::size_t m_end{0};                    //!< past the last byte of those
    uint64_t m_offset{0};                    //!< place of m_begin in the (unpacked) file
    uint64_t m_messageOffset{0};             //!< place of the message's length in it
    std::size_t m_message{0};                //!< where the message begins in m_buffer
    std::size_t m_length{0};                 //!< length of the message, bytes
    chakra::GlobalMetadata m_metadata;       //!< the first message
};

} // namespace ns3

#endif /* CHAKRA_FILE_H */
