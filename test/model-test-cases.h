/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef MODEL_TEST_CASES_H
#define MODEL_TEST_CASES_H

#include "ns3/model-description.h"
#include "ns3/model-reader.h"
#include "ns3/test.h"
#include "ns3/workload.h"

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

/// What a rank communicates: by communicator and kind, how many calls and the sum of their bytes.
using ModelTraffic = std::map<std::string, std::pair<uint64_t, uint64_t>>;

/**
 * @ingroup workload-replay-tests
 * @brief Add calls to an expected traffic.
 *
 * @param [in,out] traffic receives them; nothing if there are none
 * @param key communicator and kind, as CountModelTraffic() writes them
 * @param calls number of calls
 * @param bytes bytes of each one
 */
void AddModelTraffic(ModelTraffic& traffic, const std::string& key, uint64_t calls, uint64_t bytes);

/**
 * @ingroup workload-replay-tests
 * @param program what a rank does
 * @param layersOnly whether what belongs to no layer is left out
 * @return what it communicates; keys are such as "tp all-gather", "pp send", "etp all-gather",
 *         "rail all-to-all", "group all-to-all"
 */
ModelTraffic CountModelTraffic(const WorkloadProgram& program, bool layersOnly = false);

/**
 * @ingroup workload-replay-tests
 * @param traffic a traffic
 * @return it in one line, for messages and comparisons
 */
std::string DescribeModelTraffic(const ModelTraffic& traffic);

/**
 * @ingroup workload-replay-tests
 * @param file path of a file to write
 * @param json what it holds: a model, or a configuration of Hugging Face
 * @return the model that is read from it
 */
ModelDescription ReadModelText(const std::string& file, const std::string& json);

/**
 * @ingroup workload-replay-tests
 * @param model preset or file
 * @param tp tensor parallel ranks
 * @param cp context parallel ranks
 * @param dp replicas
 * @param pp pipeline stages
 * @param microbatches microbatches
 * @return options that ask for the model in this layout
 */
ModelOptions MakeModelOptions(const std::string& model,
                              uint32_t tp = 1,
                              uint32_t cp = 1,
                              uint32_t dp = 1,
                              uint32_t pp = 1,
                              uint32_t microbatches = 1);

/// @return new cases about sizes: parameters, operations, memory, which the caller owns
std::vector<TestCase*> MakeModelSizeTestCases();

/// @return new cases about configurations of Hugging Face, which the caller owns
std::vector<TestCase*> MakeHuggingFaceTestCases();

/// @return new cases about parameters of models of Hugging Face, which the caller owns
std::vector<TestCase*> MakeHuggingFaceParameterTestCases();

/// @return new cases about parts that few models have, which the caller owns
std::vector<TestCase*> MakeModelPartTestCases();

/// @return new cases about layers of pipeline stages by hand, which the caller owns
std::vector<TestCase*> MakePipelineLayoutTestCases();

/// @return new cases about what dense models communicate, which the caller owns
std::vector<TestCase*> MakeModelTrafficTestCases();

/// @return new cases that compare with traces of STAGE, which the caller owns
std::vector<TestCase*> MakeModelTraceTestCases();

/// @return new cases about experts, which the caller owns
std::vector<TestCase*> MakeModelExpertTestCases();

/// @return new cases about times, which the caller owns
std::vector<TestCase*> MakeModelTimeTestCases();

/// @return new cases about what frameworks do beside kernels, which the caller owns
std::vector<TestCase*> MakeModelFrameworkTestCases();

/// @return new cases about experts that are sent narrow tokens, which the caller owns
std::vector<TestCase*> MakeModelLatentExpertTestCases();

/// @return new cases about linear attention, which the caller owns
std::vector<TestCase*> MakeModelLinearTestCases();

/// @return new cases about what runs beside what, which the caller owns
std::vector<TestCase*> MakeModelOverlapTestCases();

/// @return new cases about pipelines, which the caller owns
std::vector<TestCase*> MakeModelPipelineTestCases();

/// @return new cases about wrong files of models, which the caller owns
std::vector<TestCase*> MakeModelFileErrorTestCases();

/// @return new cases about wrong options, which the caller owns
std::vector<TestCase*> MakeModelOptionErrorTestCases();

} // namespace ns3

#endif /* MODEL_TEST_CASES_H */
