/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef TOPOLOGY_FILE_TEST_CASE_H
#define TOPOLOGY_FILE_TEST_CASE_H

#include "workload-test-tools.h"

#include "ns3/test.h"
#include "ns3/topology-file.h"
#include "ns3/topology-graph.h"

#include <cstdint>
#include <string>

namespace ns3
{

/// Two servers of two GPUs, two rails and a spine; blank lines, CRLF and stray blanks are legal.
inline const std::string SIMAI_TOPOLOGY = "9 2 2 3 10 A100\r\n"
                                          "4 5 6 7 8 \r\n"
                                          "\r\n"
                                          "0 4 2400Gbps 0.000025ms 0\r\n"
                                          "1 4 2400Gbps 0.000025ms 0\r\n"
                                          "2 5 2400Gbps 0.000025ms 0\r\n"
                                          "  3\t5  2400Gbps 0.000025ms 0\r\n"
                                          "0 6 100Gbps 0.0005ms 0\r\n"
                                          "1 7 100Gbps 0.0005ms 0\r\n"
                                          "2 6 100Gbps 0.0005ms 0\r\n"
                                          "7 3 100Gbps 0.0005ms 0\r\n"
                                          "6 8 400Gbps 0.0005ms 0\r\n"
                                          "7 8 400Gbps 1us 1e-3";

/// Two switches among three hosts, joined by two parallel links.
inline const std::string HPCC_TOPOLOGY = "5 2 5\n"
                                         "1 3\n"
                                         "0 1 25Gbps 1us 0\n"
                                         "2 1 25Gbps 1us 0\n"
                                         "4 3 25Gbps 1us 0.5\n"
                                         "1 3 100Gbps 1us 0\n"
                                         "1 3 100Gbps 1us 0\n\n";

/**
 * @ingroup workload-replay-tests
 * @brief Base of cases that read files.
 */
class TopologyFileTestCase : public TestCase
{
  protected:
    using TestCase::TestCase;

    /**
     * @param content what a file holds
     * @param name its name
     * @param world number of ranks
     * @return the topology in it
     */
    TopologyGraph Read(const std::string& content, const std::string& name, uint32_t world = 0)
    {
        const auto file = CreateTempDirFilename(name);
        WriteWorkloadFile(file, content);
        return TopologyFile::Read(file, world);
    }

    /**
     * @param content what a file holds
     * @param name its name
     * @param world number of ranks
     * @return the message of the error that it is, without the name of the file
     */
    std::string ErrorOf(const std::string& content, const std::string& name, uint32_t world = 0)
    {
        const auto message = WorkloadErrorOf([&] { Read(content, name, world); });
        const auto file = CreateTempDirFilename(name);
        return message.compare(0, file.size(), file) == 0 ? message.substr(file.size()) : message;
    }
};

} // namespace ns3

#endif /* TOPOLOGY_FILE_TEST_CASE_H */
