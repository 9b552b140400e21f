/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "layer-file-test-case.h"
#include "replay-test-job.h"
#include "workload-test-tools.h"

#include "ns3/workload.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

namespace
{

/// A file of two stages and two microbatches.
const std::string TWO_STAGES =
    "HYBRID_TRANSFORMER_FWD_IN_BCKWD model_parallel_NPU_group: 2 pp: 2 ga: 2 all_gpus: 8 "
    "pp_comm: 50\n7\n"
    "grad_gather -1 1 NONE 0 0 NONE 0 2 ALLGATHER 100 1\n"
    "grad_param -1 0 NONE 0 3 NONE 0 0 REDUCESCATTER 200 0\n"
    "embedding_grads -1 0 NONE 0 0 ALLREDUCE 300 0 NONE 0 0\n"
    "embedding_layer -1 4 ALLREDUCE 400 0 NONE 0 5 NONE 0 0\n"
    "att -1 6 ALLGATHER 512 7 REDUCESCATTER 600 8 ALLREDUCE 700 0\n"
    "final_column -1 9 ALLTOALL 0 10 NONE 77 0 NONE 0 9\n"
    "optimizer1 -1 0 ALLREDUCE 4 0 NONE 0 0 NONE 0 0\n";

} // namespace

/**
 * @ingroup workload-replay-tests
 * @brief Programs of pipeline stages, against programs written by hand.
 */
class LayerFileStagesTestCase : public LayerFileTestCase
{
  public:
    LayerFileStagesTestCase()
        : LayerFileTestCase("stages of layer files")
    {
    }

  private:
    void DoRun() override;

    /// The first of two stages; the two microbatches stand once in the file.
    void CheckFirstStage();

    /// The last of two stages, and what it says to the first one.
    void CheckLastStage();

    /// Which rows each stage runs, and in which order those that run once.
    void CheckRoles();

    /// Layers of model chunks.
    void CheckChunks();

    /// Unrolled microbatches, right and wrong.
    void CheckMicrobatches();

    /// Forward passes alone, one after another.
    void CheckInference();

    /**
     * @param content content of a layer file
     * @param options what the user says
     * @param rank a rank
     * @return names and microbatches of the computations of the rank
     */
    std::string ListComputations(const std::string& content,
                                 const LayerFileOptions& options,
                                 uint32_t rank);
};

void
LayerFileStagesTestCase::DoRun()
{
    CheckFirstStage();
    CheckLastStage();
    CheckRoles();
    CheckChunks();
    CheckMicrobatches();
    CheckInference();
}

std::string
LayerFileStagesTestCase::ListComputations(const std::string& content,
                                          const LayerFileOptions& options,
                                          uint32_t rank)
{
    const auto workload = Read(content, options);
    const auto& program = workload->GetProgram(rank);
    std::string list;
    for (const auto index : program.GetStreamOps(0))
    {
        const auto& op = program.GetOps()[index];
        list += program.GetName(op);
        list += op.microbatch < 0 ? " " : std::to_string(op.microbatch) + " ";
    }
    return list;
}

void
LayerFileStagesTestCase::CheckFirstStage()
{
    NS_TEST_EXPECT_MSG_EQ(Lower(TWO_STAGES),
                          "0 compute embedding_layer forward compute 4000 @6 <-\n"
                          "1 tp embedding_layer forward all-reduce 400 @6 <- 0\n"
                          "2 compute att forward compute 6000 @7 <- 1\n"
                          "3 tp att forward all-gather 512 @7 <- 2\n"
                          "4 pp-send-forward send-forward forward send 50 @0 <- 3\n"
                          "5 compute embedding_layer forward compute 4000 @6 <- 3\n"
                          "6 tp embedding_layer forward all-reduce 400 @6 <- 5\n"
                          "7 compute att forward compute 6000 @7 <- 6\n"
                          "8 tp att forward all-gather 512 @7 <- 7\n"
                          "9 pp-send-forward send-forward forward send 50 @0 <- 8\n"
                          "10 pp-recv-backward recv-backward backward-input recv 50 @0 <-\n"
                          "11 compute att backward-input compute 7000 @7 <- 8 10\n"
                          "12 tp att backward-input reduce-scatter 600 @7 <- 11\n"
                          "13 compute att backward-weight compute 8000 @7 <- 12\n"
                          "14 dp att grad-sync all-reduce 700 @7 <- 13\n"
                          "15 compute embedding_layer backward-weight compute 5000 @6 <- 13\n"
                          "16 pp-recv-backward recv-backward backward-input recv 50 @0 <-\n"
                          "17 compute att backward-input compute 7000 @7 <- 15 16\n"
                          "18 tp att backward-input reduce-scatter 600 @7 <- 17\n"
                          "19 compute att backward-weight compute 8000 @7 <- 18\n"
                          "20 dp att grad-sync all-reduce 700 @7 <- 19\n"
                          "21 compute embedding_layer backward-weight compute 5000 @6 <- 19\n"
                          "22 tp embedding_grads grad-sync all-reduce 300 @5 <- 14 20 21\n"
                          "23 dp grad_param grad-sync reduce-scatter 200 @4 <- 22\n"
                          "24 compute grad_param optimizer compute 3000 @4 <- 23\n"
                          "25 tp optimizer1 optimizer all-reduce 4 @9 <- 24\n"
                          "26 compute grad_gather optimizer compute 1000 @3 <- 25\n"
                          "27 compute grad_gather optimizer compute 2000 @3 <- 26\n"
                          "28 dp grad_gather optimizer all-gather 100 @3 <- 27\n"
                          "29 dp grad_gather_update optimizer compute 1000 @3 <- 28\n",
                          "first stage: F0 F1 B0 B1");
}

void
LayerFileStagesTestCase::CheckInference()
{
    const std::string rows = "4\n"
                             "attention_layer -1 6 ALLREDUCE 400 0 NONE 0 0 NONE 0 0\n"
                             "moe_expert -1 7 ALLTOALL_EP 300 1 NONE 0 1 NONE 0 0\n"
                             "attention_layer -1 8 NONE 0 0 NONE 0 0 NONE 0 0\n"
                             "moe_expert -1 9 ALLTOALL_EP 300 1 NONE 0 1 NONE 0 0\n";
    const auto file = "HYBRID_TRANSFORMER_FWD_IN_BCKWD model_parallel_NPU_group: 2 ep: 2 pp: 2 "
                      "all_gpus: 8 mode: 1 vpp: 1 ga: 2 pp_comm: 50\n" +
                      rows;
    NS_TEST_EXPECT_MSG_EQ(Lower(file),
                          "0 compute attention_layer forward compute 6000 @3 <-\n"
                          "1 tp attention_layer forward all-reduce 400 @3 <- 0\n"
                          "2 compute moe_expert forward compute 7000 @4 <- 1\n"
                          "3 ep moe_expert forward all-to-all 300 @4 <- 2\n"
                          "4 pp-send-forward send-forward forward send 50 @0 <- 3\n"
                          "5 compute attention_layer forward compute 6000 @3 <- 3\n"
                          "6 tp attention_layer forward all-reduce 400 @3 <- 5\n"
                          "7 compute moe_expert forward compute 7000 @4 <- 6\n"
                          "8 ep moe_expert forward all-to-all 300 @4 <- 7\n"
                          "9 pp-send-forward send-forward forward send 50 @0 <- 8\n",
                          "first stage: F0 F1");
    NS_TEST_EXPECT_MSG_EQ(Lower(file, LayerFileOptions(), 4),
                          "0 pp-recv-forward recv-forward forward recv 50 @0 <-\n"
                          "1 compute attention_layer forward compute 8000 @5 <- 0\n"
                          "2 compute moe_expert forward compute 9000 @6 <- 1\n"
                          "3 ep moe_expert forward all-to-all 300 @6 <- 2\n"
                          "4 pp-recv-forward recv-forward forward recv 50 @0 <-\n"
                          "5 compute attention_layer forward compute 8000 @5 <- 3 4\n"
                          "6 compute moe_expert forward compute 9000 @6 <- 5\n"
                          "7 ep moe_expert forward all-to-all 300 @6 <- 6\n",
                          "last stage");
    const auto workload = Read(file, LayerFileOptions());
    NS_TEST_EXPECT_MSG_EQ(workload->GetScheduleName(), "forward", "no backward passes");
    NS_TEST_ASSERT_MSG_EQ(workload->GetWarnings().size(), 1, "which is told");
    NS_TEST_EXPECT_MSG_EQ(workload->GetWarnings()[0],
                          "the file is of inference (mode 1), so what its rows say of backward "
                          "passes does not run",
                          "of columns that are not read");
    // The same rows in the order of the file.
    LayerFileOptions literal;
    literal.order = "literal";
    const std::string header = "HYBRID_TRANSFORMER model_parallel_NPU_group: 2 all_gpus: 8 ep: 2 ";
    NS_TEST_EXPECT_MSG_EQ(ListComputations(header + "mode: 1\n" + rows, literal, 0),
                          "attention_layer0 moe_expert0 attention_layer0 moe_expert0 ",
                          "forward alone");
}

void
LayerFileStagesTestCase::CheckLastStage()
{
    NS_TEST_EXPECT_MSG_EQ(Lower(TWO_STAGES, LayerFileOptions(), 4),
                          "0 pp-recv-forward recv-forward forward recv 50 @0 <-\n"
                          "1 compute att forward compute 6000 @7 <- 0\n"
                          "2 tp att forward all-gather 512 @7 <- 1\n"
                          "3 compute final_column forward compute 9000 @8 <- 2\n"
                          "4 compute final_column backward-input compute 10000 @8 <- 3\n"
                          "5 compute att backward-input compute 7000 @7 <- 4\n"
                          "6 tp att backward-input reduce-scatter 600 @7 <- 5\n"
                          "7 compute att backward-weight compute 8000 @7 <- 6\n"
                          "8 dp att grad-sync all-reduce 700 @7 <- 7\n"
                          "9 pp-send-backward send-backward backward-input send 50 @0 <- 7\n"
                          "10 pp-recv-forward recv-forward forward recv 50 @0 <-\n"
                          "11 compute att forward compute 6000 @7 <- 7 10\n"
                          "12 tp att forward all-gather 512 @7 <- 11\n"
                          "13 compute final_column forward compute 9000 @8 <- 12\n"
                          "14 compute final_column backward-input compute 10000 @8 <- 13\n"
                          "15 compute att backward-input compute 7000 @7 <- 14\n"
                          "16 tp att backward-input reduce-scatter 600 @7 <- 15\n"
                          "17 compute att backward-weight compute 8000 @7 <- 16\n"
                          "18 dp att grad-sync all-reduce 700 @7 <- 17\n"
                          "19 pp-send-backward send-backward backward-input send 50 @0 <- 17\n"
                          "20 tp embedding_grads grad-sync all-reduce 300 @5 <- 8 17 18\n"
                          "21 dp grad_param grad-sync reduce-scatter 200 @4 <- 20\n"
                          "22 compute grad_param optimizer compute 3000 @4 <- 21\n"
                          "23 tp optimizer1 optimizer all-reduce 4 @9 <- 22\n"
                          "24 compute grad_gather optimizer compute 1000 @3 <- 23\n"
                          "25 compute grad_gather optimizer compute 2000 @3 <- 24\n"
                          "26 dp grad_gather optimizer all-gather 100 @3 <- 25\n"
                          "27 dp grad_gather_update optimizer compute 1000 @3 <- 26\n",
                          "last stage: F0 B0 F1 B1");

    // A message goes to the same place of the neighbouring stage, and its tag is the receiver's.
    const auto workload = Read(TWO_STAGES);
    const auto& send = workload->GetProgram(0).GetOps()[9];
    const auto& receive = workload->GetProgram(7).GetOps()[10];
    NS_TEST_EXPECT_MSG_EQ(send.peer, 1, "to the second stage");
    NS_TEST_EXPECT_MSG_EQ(receive.peer, 0, "from the first stage");
    NS_TEST_EXPECT_MSG_EQ(send.tag, receive.tag, "of the second microbatch");
    NS_TEST_EXPECT_MSG_NE(send.tag, workload->GetProgram(0).GetOps()[4].tag, "not of the first");
}

void
LayerFileStagesTestCase::CheckRoles()
{
    std::string file = "HYBRID_TRANSFORMER pp: 3 ga: 3 all_gpus: 3 pp_comm: 1\n15\n";
    for (const auto& name : {"grad_gather",
                             "grad_norm",
                             "optimizer1",
                             "grad_param_comm",
                             "layernorm",
                             "embedding_grads",
                             "moe_grad_norm1",
                             "moe_grad_norm2",
                             "embedding_layer",
                             "qkv",
                             "embedding_norms",
                             "final_column",
                             "embedding_norm",
                             "cross_entropy1",
                             "optimizer2"})
    {
        file += std::string(name) + " -1 1 NONE 0 0 NONE 0 0 NONE 0 0\n";
    }
    const LayerFileOptions options;
    const std::string gradients = "moe_grad_norm1 moe_grad_norm2 layernorm ";
    const std::string parameters = "grad_norm grad_param_comm optimizer1 optimizer2 grad_gather ";
    NS_TEST_EXPECT_MSG_EQ(ListComputations(file, options, 0),
                          "embedding_layer0 qkv0 embedding_norms0 embedding_layer1 qkv1 "
                          "embedding_norms1 embedding_layer2 qkv2 embedding_norms2 " +
                              gradients + "embedding_grads " + parameters,
                          "first stage");
    NS_TEST_EXPECT_MSG_EQ(ListComputations(file, options, 1),
                          "qkv0 embedding_norms0 qkv1 embedding_norms1 qkv2 embedding_norms2 " +
                              gradients + parameters,
                          "stage between");
    NS_TEST_EXPECT_MSG_EQ(ListComputations(file, options, 2),
                          "qkv0 embedding_norms0 final_column0 embedding_norm0 cross_entropy10 "
                          "qkv1 embedding_norms1 final_column1 embedding_norm1 cross_entropy11 "
                          "qkv2 embedding_norms2 final_column2 embedding_norm2 cross_entropy12 " +
                              gradients + "embedding_grads " + parameters,
                          "last stage");
}

void
LayerFileStagesTestCase::CheckChunks()
{
    const std::string header = "HYBRID_TRANSFORMER pp: 2 vpp: 2 ga: 2 all_gpus: 2 pp_comm: 1\n";
    const std::string zeros = " NONE 0 0 NONE 0 0 NONE 0 0\n";
    const std::string rows = "embedding_layer -1 1" + zeros + "a -1 1" + zeros + "b -1 1" + zeros +
                             "a -1 1" + zeros + "c -1 1" + zeros + "final_column -1 1" + zeros;
    const std::string unrolled = header + "13\n" + rows + rows + "cross_entropy -1 1" + zeros;
    LayerFileOptions options;
    NS_TEST_EXPECT_MSG_EQ(ListComputations(unrolled, options, 0),
                          "embedding_layer0 a0 b0 embedding_layer1 a1 b1 a0 c0 a1 c1 ",
                          "embedding and layer 0, then layer 1, of the first stage");
    NS_TEST_EXPECT_MSG_EQ(ListComputations(unrolled, options, 1),
                          "a0 b0 a1 b1 a0 c0 final_column0 a1 c1 final_column1 cross_entropy1 ",
                          "layer 0, then layer 1 and the head, of the last stage");
    const auto workload = Read(unrolled, options);
    std::string layers;
    for (const auto index : workload->GetProgram(1).GetStreamOps(0))
    {
        layers += std::to_string(workload->GetProgram(1).GetOps()[index].layer) + " ";
    }
    NS_TEST_EXPECT_MSG_EQ(layers, "0 0 0 0 1 1 -1 1 1 -1 -1 ", "numbers of layers");

    options.schedule = "gpipe";
    NS_TEST_EXPECT_MSG_EQ(Read(unrolled, options)->GetWarnings().front(),
                          "gpipe has no use for 2 model chunks per stage, so the schedule is gpipe "
                          "with 1 model chunk per stage",
                          "gpipe");
    options.schedule = "interleaved";
    options.layout.vpp = 1;
    NS_TEST_EXPECT_MSG_EQ(Read(unrolled, options)->GetWarnings().front(),
                          "interleaved needs at least 2 model chunks per stage (vpp), not 1, so "
                          "the schedule is 1f1b with 1 model chunk per stage",
                          "one chunk");
}

void
LayerFileStagesTestCase::CheckMicrobatches()
{
    const std::string header = "HYBRID_TRANSFORMER pp: 2 vpp: 2 ga: 2 all_gpus: 2 pp_comm: 1\n";
    const std::string zeros = " NONE 0 0 NONE 0 0 NONE 0 0\n";
    const std::string rows = "embedding_layer -1 1" + zeros + "a -1 1" + zeros + "b -1 1" + zeros +
                             "a -1 1" + zeros + "c -1 1" + zeros + "final_column -1 1" + zeros;
    const auto fault = [&](const std::string& content) {
        const auto message = WorkloadErrorOf([&] { Read(content); });
        return message.substr(std::min(message.size(), CreateTempDirFilename("layers.txt").size()));
    };
    // microAllReduce.txt of SimAI has rows of embedding_layer in one microbatch.
    const auto repeated = "HYBRID_TRANSFORMER ga: 1 all_gpus: 1\n2\nembedding_layer -1 1" + zeros +
                          "embedding_layer -1 1" + zeros;
    NS_TEST_EXPECT_MSG_EQ(ListComputations(repeated, LayerFileOptions(), 0),
                          "embedding_layer0 embedding_layer0 ",
                          "one microbatch");
    NS_TEST_EXPECT_MSG_EQ(fault(header + "18\n" + rows + rows + rows),
                          ":1: error: expected 3 microbatches, as many as rows of "
                          "embedding_layer, found 2",
                          "too many microbatches");
    NS_TEST_EXPECT_MSG_EQ(fault(header + "13\n" + rows + rows + "a -1 1" + zeros),
                          ":15:1: error: expected embedding_layer, which begins a microbatch, "
                          "found 'a'",
                          "a layer too many");
    NS_TEST_EXPECT_MSG_EQ(fault(header + "13\n" + rows + "cross_entropy -1 1" + zeros + rows),
                          ":15:1: error: expected 7 rows in each microbatch, found 6",
                          "a microbatch too short");
    NS_TEST_EXPECT_MSG_EQ(fault(header + "7\n" + rows + "embedding_layer -1 1" + zeros),
                          ":9:1: error: expected 6 rows in each microbatch, found 1",
                          "a microbatch cut off");
    NS_TEST_EXPECT_MSG_EQ(fault(header + "4\nembedding_layer -1 1" + zeros + "a -1 1" + zeros +
                                "embedding_layer -1 1" + zeros + "b -1 1" + zeros),
                          ":6:1: error: expected 'a', as in the first microbatch, found 'b'",
                          "another layer");
}

std::vector<TestCase*>
MakeLayerFileProgramTestCases()
{
    return {new LayerFileStagesTestCase};
}

} // namespace ns3
