/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LAYER_FILE_TEST_CASE_H
#define LAYER_FILE_TEST_CASE_H

#include "ns3/layer-file-reader.h"
#include "ns3/test.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace ns3
{

/// A row that does nothing but compute.
inline const std::string LAYER_FILE_ROW = "a -1 1 NONE 0 2 NONE 0 3 NONE 0 0\n";

/**
 * @ingroup workload-replay-tests
 * @brief Base of tests that read small layer files.
 */
class LayerFileTestCase : public TestCase
{
  public:
    using TestCase::TestCase;

  protected:
    /**
     * @param content content of a layer file
     * @param options what the user says
     * @return the workload
     */
    std::shared_ptr<const Workload> Read(const std::string& content,
                                         const LayerFileOptions& options = LayerFileOptions());

    /**
     * @param content content of a layer file
     * @param options what the user says
     * @param rank a rank
     * @return its program as text
     */
    std::string Lower(const std::string& content,
                      const LayerFileOptions& options = LayerFileOptions(),
                      uint32_t rank = 0);
};

/**
 * @ingroup workload-replay-tests
 * @brief Make the cases that compare programs of pipeline stages with programs written by hand.
 *
 * @return new test cases, which the caller owns
 */
std::vector<TestCase*> MakeLayerFileProgramTestCases();

/**
 * @ingroup workload-replay-tests
 * @brief Make the cases about rows in literal order, and about the account of a run.
 *
 * @return new test cases, which the caller owns
 */
std::vector<TestCase*> MakeLayerFileLiteralTestCases();

/**
 * @ingroup workload-replay-tests
 * @brief Make the cases about wrong files and options.
 *
 * @return new test cases, which the caller owns
 */
std::vector<TestCase*> MakeLayerFileErrorTestCases();

} // namespace ns3

#endif /* LAYER_FILE_TEST_CASE_H */
