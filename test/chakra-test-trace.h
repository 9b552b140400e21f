/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef CHAKRA_TEST_TRACE_H
#define CHAKRA_TEST_TRACE_H

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay-tests
 * @brief Writes a Chakra trace by the rules of protobuf's wire format, without its library.
 */
class ChakraTestTrace
{
  public:
    /// Types of nodes.
    enum Type
    {
        METADATA = 1,
        MEM_LOAD = 2,
        COMP = 4,
        SEND = 5,
        RECV = 6,
        COLL = 7
    };

    /**
     * @param schema attribute of the metadata; empty = none
     * @param isRecorded whether the metadata has what PyTorch writes
     * @param version version in the metadata
     */
    explicit ChakraTestTrace(const std::string& schema = "",
                             bool isRecorded = false,
                             const std::string& version = "0.0.4");

    /**
     * Begin a node.
     *
     * @param id its id
     * @param type its type
     * @param name its name
     * @param dependencies its data dependencies
     * @return this
     */
    ChakraTestTrace& Node(uint64_t id,
                          Type type,
                          const std::string& name,
                          const std::vector<uint64_t>& dependencies = {});

    /**
     * @param dependencies control dependencies of the node
     * @return this
     */
    ChakraTestTrace& Control(const std::vector<uint64_t>& dependencies);

    /**
     * @param micros duration of the node, us
     * @return this
     */
    ChakraTestTrace& Lasts(uint64_t micros);

    /**
     * @param values values of the inputs of the node
     * @return this
     */
    ChakraTestTrace& Inputs(const std::string& values);

    /**
     * @param name name of an attribute of the node
     * @param value its value
     * @param field number of the field of the value, which says its type: int64 is 9
     * @return this
     */
    ChakraTestTrace& With(const std::string& name, int64_t value, uint32_t field = 9);

    /**
     * @param name name of an attribute of the node
     * @param value its value
     * @return this
     */
    ChakraTestTrace& With(const std::string& name, const std::string& value);

    /**
     * @param name name of an attribute of the node, a list
     * @param values its values
     * @return this
     */
    ChakraTestTrace& With(const std::string& name, const std::vector<std::string>& values);

    /**
     * @return the file
     */
    std::string GetBytes() const;

    /**
     * @param number a number
     * @return it as a varint
     */
    static std::string Varint(uint64_t number);

    /**
     * @param field number of a field
     * @param bytes what it holds
     * @return the field
     */
    static std::string Field(uint32_t field, const std::string& bytes);

  private:
    /**
     * @param field number of a field
     * @param number what it holds
     * @return the field
     */
    static std::string Field(uint32_t field, uint64_t number);

    std::vector<std::string> m_messages; //!< metadata and nodes
};

} // namespace ns3

#endif /* CHAKRA_TEST_TRACE_H */
