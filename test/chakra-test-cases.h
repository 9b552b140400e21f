/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef CHAKRA_TEST_CASES_H
#define CHAKRA_TEST_CASES_H

#include "chakra-test-trace.h"

#include "ns3/chakra-reader.h"
#include "ns3/test.h"

#include <memory>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay-tests
 * @brief Base of cases that read small Chakra traces.
 */
class ChakraTestCase : public TestCase
{
  protected:
    /// @param name name of the case
    explicit ChakraTestCase(const std::string& name);

    /**
     * @param bytes by rank: the trace
     * @param groups file of groups; empty = none
     * @return the path that FindChakraTraces() takes for them
     */
    std::string Write(const std::vector<std::string>& bytes, const std::string& groups = "");

    /**
     * @param traces by rank: the trace
     * @param options what they do not say
     * @param groups file of groups; empty = none
     * @return the workload
     */
    std::shared_ptr<const Workload> Read(const std::vector<ChakraTestTrace>& traces,
                                         const ChakraOptions& options = {},
                                         const std::string& groups = "");

    /**
     * @param bytes the trace of a job of one rank
     * @return the error that it gives, the folder of the file left out
     */
    std::string ErrorOf(const std::string& bytes);

    /**
     * @param text an error
     * @return it without folders of files
     */
    std::string CutFolders(std::string text) const;

  private:
    uint32_t m_jobs{0};   //!< jobs written
    std::string m_folder; //!< folder of the latest one
};

/**
 * @ingroup workload-replay-tests
 * @return a case about groups, and where they come from
 */
std::vector<TestCase*> MakeChakraGroupTestCases();

/**
 * @ingroup workload-replay-tests
 * @return cases about wrong traces
 */
std::vector<TestCase*> MakeChakraErrorTestCases();

/**
 * @ingroup workload-replay-tests
 * @return cases about traces that are written
 */
std::vector<TestCase*> MakeChakraExportTestCases();

/**
 * @ingroup workload-replay-tests
 * @return cases about traces in JSON
 */
std::vector<TestCase*> MakeChakraJsonTestCases();

/**
 * @ingroup workload-replay-tests
 * @return cases about what is replayed when
 */
std::vector<TestCase*> MakeChakraRunTestCases();

} // namespace ns3

#endif /* CHAKRA_TEST_CASES_H */
