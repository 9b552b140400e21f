/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Stands in place of the reader and the writer of Chakra traces in a module built without Protobuf.

#include "chakra-reader.h"
#include "chakra-writer.h"

#include "ns3/workload-error.h"

namespace ns3
{

namespace
{

/**
 * @param place where traces are asked for
 * @return the error that says what is missing
 */
WorkloadError
RefuseChakra(const std::string& place)
{
    return {{place, 0, 0, ""},
            "a build with Protobuf, which Chakra traces need (please install libprotobuf-dev and "
            "protobuf-compiler, and configure ns-3 again)",
            "one without"};
}

} // namespace

std::shared_ptr<const Workload>
ReadChakraTraces(const std::string& path, const ChakraOptions& options)
{
    throw RefuseChakra(path);
}

/// None is ever made.
class ChakraWriter::Dependencies
{
};

ChakraWriter::ChakraWriter(std::shared_ptr<const Workload> workload)
{
    throw RefuseChakra("--exportChakra");
}

ChakraWriter::~ChakraWriter() = default;

void
ChakraWriter::WriteGroups(std::ostream& os) const
{
}

void
ChakraWriter::WriteTrace(uint32_t rank, std::ostream& os)
{
}

uint64_t
ChakraWriter::GetNodeCount() const
{
    return m_nodes;
}

std::vector<std::string>
ChakraWriter::GetWarnings() const
{
    return {};
}

} // namespace ns3
