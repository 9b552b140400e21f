/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "model-test-cases.h"
#include "workload-test-tools.h"

#include "ns3/model-description.h"
#include "ns3/preset-folder.h"

#include <filesystem>
#include <string>
#include <vector>

namespace ns3
{

namespace
{

/// A right model.
const std::string MODEL = R"({"layers": 4, "hidden": 64, "heads": 8, "kvHeads": 4, "ffn": 160,
 "vocabulary": 1000, "sequence": 128, "gated": true, "experts": {"count": 8, "topK": 2, "ffn": 48,
 "groups": 2, "groupLimit": 1}})";

/**
 * @ingroup workload-replay-tests
 * @brief Wrong files of models.
 */
class ModelFileErrorTestCase : public TestCase
{
  public:
    ModelFileErrorTestCase()
        : TestCase("wrong models")
    {
    }

  private:
    void DoRun() override;

    /**
     * Check what is said of MODEL with a fault.
     *
     * @param part a part of it
     * @param other what stands in its place
     * @param message what is said after the name of the file
     */
    void CheckFault(const std::string& part, const std::string& other, const std::string& message)
    {
        const auto file = CreateTempDirFilename("wrong.json");
        WriteWorkloadFile(file, ReplaceFirst(MODEL, part, other));
        const auto options = MakeModelOptions(file);
        NS_TEST_EXPECT_MSG_EQ(WorkloadErrorOf([&] { ReadModel(options); }),
                              file + ":" + message,
                              other);
    }
};

void
ModelFileErrorTestCase::DoRun()
{
    CheckFault(
        "kvHeads",
        "kvheads",
        "/kvheads: error: expected one of the keys name, source, layers, hidden, heads, "
        "kvHeads, headSize, ffn, vocabulary, sequence, gated, tiedEmbedding, "
        "learnedPositions, bias, queryKeyNorm, outputGate, dropout, experts, mla, mtpLayers, "
        "attention, found 'kvheads'; did you "
        "mean kvHeads?");
    CheckFault(R"("layers": 4,)", "", " error: expected the key layers, found none");
    CheckFault("\"layers\": 4",
               "\"layers\": 0",
               "/layers: error: expected a whole number from 1 to 100000, found 0");
    CheckFault("\"hidden\": 64",
               "\"hidden\": 64.5",
               "/hidden: error: expected a whole number from 1 to 100000000, found 64.5");
    CheckFault("\"hidden\": 64",
               "\"hidden\": \"64\"",
               "/hidden: error: expected a number, found string '\"64\"'");
    CheckFault("\"kvHeads\": 4",
               "\"kvHeads\": 9",
               "/kvHeads: error: expected a whole number from 1 to 8, found 9");
    CheckFault("\"kvHeads\": 4",
               "\"kvHeads\": 3",
               "/kvHeads: error: expected a number that divides the 8 heads, found 3");
    CheckFault("\"hidden\": 64",
               "\"hidden\": 60",
               "/heads: error: expected the key headSize, as the heads do not divide hidden, found "
               "none");
    CheckFault("true", "1", "/gated: error: expected a boolean, found number '1'");
    CheckFault("\"topK\": 2",
               "\"topK\": 9",
               "/experts/topK: error: expected a whole number from 1 to 8, found 9");
    CheckFault(
        "\"topK\"",
        "\"top\"",
        "/experts/top: error: expected one of the keys count, topK, ffn, shared, sharedFfn, "
        "denseLayers, everyNth, groups, groupLimit, bias, latent, dispatchBytes, found 'top'; did "
        "you mean topK?");
    CheckFault("\"groups\": 2",
               "\"groups\": 3",
               "/experts/groups: error: expected a number that divides the 8 experts, found 3");
    CheckFault("\"groupLimit\": 1",
               "\"groupLimit\": 3",
               "/experts/groupLimit: error: expected a whole number from 1 to 2, found 3");
    CheckFault("\"groups\": 2",
               "\"latent\": 65, \"groups\": 2",
               "/experts/latent: error: expected a whole number from 1 to 64, found 65");
    CheckFault("\"groups\": 2",
               "\"sharedFfn\": 2",
               "/experts/sharedFfn: error: expected the key shared beside it, found none");
    CheckFault("\"groups\": 2",
               "\"shared\": 3000000, \"groups\": 2",
               "/experts/shared: error: expected a whole number from 0 to 2083333, found 3000000");
    CheckFault("\"groups\": 2",
               "\"dispatchBytes\": -1, \"groups\": 2",
               "/experts/dispatchBytes: error: expected bytes of an element as a number of 0 or "
               "more, such as 0.25 or 1e-3, found '-1'");
    CheckFault("\"groups\": 2",
               "\"denseLayers\": 4, \"groups\": 2",
               "/experts/denseLayers: error: expected fewer than the layers, 4, found 4");
    CheckFault("\"groups\": 2",
               "\"denseLayers\": 1, \"everyNth\": 4, \"groups\": 2",
               "/experts/everyNth: error: expected at most the layers after the dense ones, 3, "
               "found 4");
    CheckFault("\"gated\": true",
               "\"mla\": {\"kvRank\": 8}",
               "/mla: error: expected the key nopeSize, found none");
    CheckFault("\"gated\": true",
               "\"mla\": 8",
               "/mla: error: expected an object, found number '8'");
    CheckFault(
        MODEL,
        "[]",
        " error: expected an object with the keys name, source, layers, hidden, heads, "
        "kvHeads, headSize, ffn, vocabulary, sequence, gated, tiedEmbedding, "
        "learnedPositions, bias, queryKeyNorm, outputGate, dropout, experts, mla, mtpLayers, "
        "attention, found array");
    NS_TEST_EXPECT_MSG_EQ(
        WorkloadErrorOf([] { ReadModel(MakeModelOptions("llama3-7b")); }),
        "--model: error: expected deepseek-v3, glm-4.5, gpt-175b, gpt-1t, gpt-22b, gpt-530b, "
        "gpt-oss-120b, gpt-oss-20b, gpt3-175b, gpt3-20b, gpt3-5b, grok-1, kimi-k2, llama2-13b, "
        "llama2-70b, llama2-7b, llama3-405b, llama3-70b, llama3-8b, llama4-maverick, "
        "llama4-scout, mixtral-8x22b, mixtral-8x7b, mpt-125m, mpt-13b, mpt-1b, mpt-30b, "
        "mpt-350m, mpt-3b, mpt-70b, mpt-760m, mpt-7b, nemotron-3-nano, "
        "nemotron-3-super, nemotron4-340b, qwen3-235b-a22b, "
        "qwen3-30b-a3b, qwen3-32b, qwen3-next-80b, a file, or a "
        "folder with a config.json, found "
        "'llama3-7b'; did you mean llama2-7b?",
        "no such preset");
}

/**
 * @ingroup workload-replay-tests
 * @brief Presets of an installed module.
 */
class ModelFolderTestCase : public TestCase
{
  public:
    ModelFolderTestCase()
        : TestCase("presets: those of the sources, else of the installation of the library")
    {
    }

  private:
    void DoRun() override
    {
        Check("models");
        Check("accelerators");
    }

    /**
     * @param name name of the folder
     */
    void Check(const std::string& name)
    {
        const auto root = CreateTempDirFilename("installed-" + name);
        const auto sources = root + "/sources/examples/" + name;
        const auto presets = root + "/usr/share/workload-replay/" + name;
        const auto wide = root + "/usr/lib/x86_64-linux-gnu/libns3.so";
        const auto find = [&](const std::string& library) {
            return FindPresetFolder(sources, library);
        };
        NS_TEST_EXPECT_MSG_EQ(find(wide), sources, "neither is there");
        std::filesystem::create_directories(presets);
        NS_TEST_EXPECT_MSG_EQ(find(wide), presets, "lib/ARCHITECTURE");
        NS_TEST_EXPECT_MSG_EQ(find(root + "/usr/lib/libns3.so"), presets, "lib");
        NS_TEST_EXPECT_MSG_EQ(find(root + "/opt/lib/libns3.so"), sources, "another installation");
        std::filesystem::create_directories(sources);
        NS_TEST_EXPECT_MSG_EQ(find(wide), sources, "the sources are there");
    }
};

} // namespace

std::vector<TestCase*>
MakeModelFileErrorTestCases()
{
    return {new ModelFileErrorTestCase, new ModelFolderTestCase};
}

} // namespace ns3
