/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "layer-file-test-case.h"
#include "workload-test-tools.h"

#include "ns3/layer-file-reader.h"
#include "ns3/workload.h"

#include <string>
#include <utility>
#include <vector>

namespace ns3
{

namespace
{

/// All policies, as the message about one lists them.
const std::string POLICIES =
    "DATA, MODEL, HYBRID_DATA_MODEL, HYBRID_MODEL_DATA, HYBRID_TRANSFORMER, "
    "HYBRID_TRANSFORMER_FWD_IN_BCKWD, HYBRID_DLRM, HYBRID_DLRM_ENHANCED, HYBRID_CUSTOMIZED, MICRO";

/// All communications, as the message about one lists them.
const std::string COMMUNICATIONS =
    "NONE, ALLREDUCE, ALLGATHER, REDUCESCATTER, ALLTOALL, BROADCAST, ALLREDUCE_EP, ALLGATHER_EP, "
    "REDUCESCATTER_EP, ALLTOALL_EP, BROADCAST_EP, ALLREDUCE_DP_EP, ALLGATHER_DP_EP, "
    "REDUCESCATTER_DP_EP, ALLTOALL_DP_EP, BROADCAST_DP_EP";

/// All keys of the header, as the message about one lists them.
const std::string KEYS =
    "model_parallel_NPU_group, ep, expert_parallel_npu_group, pp, vpp, ga, all_gpus, pp_comm, "
    "mode, checkpoints, checkpoint_initiates, last_bottom_layer, DLRM_LAST_BOTTOM_LAYER";

} // namespace

/**
 * @ingroup workload-replay-tests
 * @brief Every fault of a layer file and its options is refused with its place and the remedy.
 */
class LayerFileErrorTestCase : public LayerFileTestCase
{
  public:
    LayerFileErrorTestCase()
        : LayerFileTestCase("errors in layer files")
    {
    }

  private:
    void DoRun() override;

    /// Faults of the first two lines.
    void CheckHeader();

    /// Faults of rows.
    void CheckRows();

    /// Faults of options.
    void CheckOptions();

    /**
     * @param content content of a layer file
     * @param message what is to follow the file name in the message about it
     */
    void Expect(const std::string& content, const std::string& message);

    /**
     * @param policy first line of a layer file
     * @param options what the user says
     * @param message the message about the options
     */
    void ExpectOption(const std::string& policy,
                      const LayerFileOptions& options,
                      const std::string& message);
};

void
LayerFileErrorTestCase::Expect(const std::string& content, const std::string& message)
{
    NS_TEST_EXPECT_MSG_EQ(WorkloadErrorOf([&] { Read(content); }),
                          CreateTempDirFilename("layers.txt") + message,
                          "message");
}

void
LayerFileErrorTestCase::ExpectOption(const std::string& policy,
                                     const LayerFileOptions& options,
                                     const std::string& message)
{
    NS_TEST_EXPECT_MSG_EQ(
        WorkloadErrorOf([&] { Read(policy + "\n1\n" + LAYER_FILE_ROW, options); }),
        message,
        "message");
}

void
LayerFileErrorTestCase::DoRun()
{
    CheckHeader();
    CheckRows();
    CheckOptions();
}

void
LayerFileErrorTestCase::CheckHeader()
{
    const std::string rows = "\n1\n" + LAYER_FILE_ROW;
    Expect("HYBRID_TRANSFORMR pp: 1" + rows,
           ":1:1: error: expected a policy (" + POLICIES +
               "), found 'HYBRID_TRANSFORMR'; did you mean HYBRID_TRANSFORMER?");
    Expect("::" + rows, ":1: error: expected a policy, found a colon");
    Expect("MICRO all_gpu: 4" + rows,
           ":1:7: error: expected a key of a layer file (" + KEYS +
               "), found 'all_gpu'; did you mean all_gpus?");
    Expect("MICRO all_gpus: 4 pp: 1 all_gpus: 4" + rows,
           ":1:25: error: expected each key once, found 'all_gpus' again");
    Expect("MICRO all_gpus:" + rows,
           ":1:7: error: expected a value behind 'all_gpus', found the end of the line");
    Expect("MICRO all_gpus: -4" + rows,
           ":1:17: error: expected all_gpus as a whole number of 0 or more, found '-4'");
    Expect("MICRO all_gpus: 4294967296" + rows,
           ":1:17: error: expected all_gpus of at most 4294967295, found '4294967296'");
    Expect("HYBRID_TRANSFORMER mode: 2" + rows,
           ":1:26: error: expected mode 0 (training) or 1 (inference), found '2'");
    Expect(
        "HYBRID_TRANSFORMER mode: 1 model_parallel_NPU_group: 1 pp: 2 all_gpus: 2 pp_comm: 1\n1\n"
        "a -1 1 NONE 0 0 NONE 0 0 NONE 0 0\n",
        ":1: error: expected a number of layers that 2 stages (pp) divide, as a file of "
        "inference has those of all stages, found 1");
    Expect("MICRO mode: 1" + rows,
           ":1:13: error: expected mode 0 (training), because only HYBRID_TRANSFORMER and "
           "HYBRID_TRANSFORMER_FWD_IN_BCKWD have rows of inference, found '1'");
    Expect("MICRO pp_comm: 0.5" + rows,
           ":1:16: error: expected pp_comm in bytes as a whole number of 0 or more, found '0.5'");
    Expect("MICRO checkpoints: 2 0" + rows,
           ":1:7: error: expected a value behind 'checkpoints', found the end of the line");
    Expect("MICRO checkpoints: 1 1" + rows, ":1:22: error: expected a row from 0 to 0, found '1'");
    Expect("MICRO checkpoints: 1 0 checkpoint_initiates: 1 0" + rows,
           ":1:48: error: expected a row after one of the checkpoints, found 0");
    Expect("MICRO checkpoints: 1 1 checkpoint_initiates: 1 1\n2\n" + LAYER_FILE_ROW +
               LAYER_FILE_ROW,
           ":1:48: error: expected a row after one of the checkpoints, found 1");
    Expect("HYBRID_DLRM all_gpus: 4" + rows,
           ":1: error: expected last_bottom_layer behind HYBRID_DLRM, found a header without it");
    Expect("MICRO last_bottom_layer: 0" + rows,
           ":1:26: error: expected a last bottom layer only behind HYBRID_DLRM, found one behind "
           "MICRO");
    Expect("HYBRID_DLRM last_bottom_layer: 0" + rows,
           ":1:32: error: expected a row that others follow, found the last row");
    Expect("MICRO",
           ": error: expected the number of rows on the line after the header, found the "
           "end of the file");
    Expect("MICRO\n" + LAYER_FILE_ROW,
           ":2:3: error: expected the number of rows alone on its line, found '-1'");
    Expect("MICRO\n0\n", ":2:1: error: expected at least 1 row, found '0'");
    Expect("MICRO\n\n 2\n" + LAYER_FILE_ROW,
           ":3:2: error: expected 2 rows, as line 3 says, found 1");
    Expect("MICRO\n1\n" + LAYER_FILE_ROW + "\n" + LAYER_FILE_ROW + LAYER_FILE_ROW,
           ":5:1: error: expected 1 rows, as line 2 says, found 3");
}

void
LayerFileErrorTestCase::CheckRows()
{
    const std::string header = "HYBRID_TRANSFORMER all_gpus: 4\n1\n";
    Expect(header + "a -1 1 NONE 0 2 NONE 0 3 NONE 0\n",
           ":3: error: expected 12 columns, found 11");
    Expect(header + "a -1 1 NONE 0 2 NONE 0 3 NONE 0 0 DATA\n",
           ":3:35: error: expected 12 columns, found 13");
    Expect("HYBRID_CUSTOMIZED all_gpus: 4\n1\n" + LAYER_FILE_ROW,
           ":3: error: expected 13 columns, found 12");
    Expect("HYBRID_CUSTOMIZED all_gpus: 4\n1\na -1 1 NONE 0 2 NONE 0 3 NONE 0 0 MICRO\n",
           ":3:35: error: expected a policy (DATA, MODEL, HYBRID_DATA_MODEL, HYBRID_MODEL_DATA, "
           "HYBRID_TRANSFORMER), found 'MICRO'");
    Expect(header + "a x 1 NONE 0 2 NONE 0 3 NONE 0 0\n",
           ":3:3: error: expected dep, which is not used, as -1 or as a whole number of 0 or more, "
           "found 'x'");
    Expect(header + "a -1 1 NONE 0 2,5 NONE 0 3 NONE 0 0\n",
           ":3:15: error: expected ig_time in ns as a whole number of 0 or more, found '2,5'");
    Expect(header + "a -1 1 NONE 0 2 NONE 0 3 NONE 0 9223372036854776\n",
           ":3:33: error: expected update_time of at most 9223372036854775 ns, found "
           "'9223372036854776'");
    Expect(header + "a -1 1 NONE 0 2 NONE 0 3 ALLREDUSE 0 0\n",
           ":3:26: error: expected wg_comm as one of " + COMMUNICATIONS +
               ", found 'ALLREDUSE'; did you mean ALLREDUCE?");
    Expect(header + "a -1 1 BROADCAST_TP 8 2 NONE 0 3 NONE 0 0\n",
           ":3:8: error: expected fwd_comm as one of " + COMMUNICATIONS +
               ", found 'BROADCAST_TP'; did you mean BROADCAST_EP?");
    Expect(header + "a -1 1 NONE -1 2 NONE 0 3 NONE 0 0\n",
           ":3:13: error: expected bytes of fwd_comm as a whole number of 0 or more, found '-1'");
    Expect("DATA all_gpus: 4\n1\na -1 1 ALLREDUCE 8 2 NONE 0 3 NONE 0 0\n",
           ":3:8: error: expected fwd_comm NONE, because the policy does not use it here, found "
           "'ALLREDUCE'");
}

void
LayerFileErrorTestCase::CheckOptions()
{
    LayerFileOptions options;
    options.order = "megatrom";
    ExpectOption("MICRO",
                 options,
                 "--order: error: expected megatron or literal, found 'megatrom'; did you mean "
                 "megatron?");
    options = LayerFileOptions();
    options.schedule = "2f2b";
    ExpectOption(
        "HYBRID_TRANSFORMER all_gpus: 2",
        options,
        "--schedule: error: expected 1f1b, gpipe, interleaved, zb-h1, zb-h2, zb-v, v-half, "
        "v-min, dualpipe or dualpipev, found '2f2b'; did you mean 1f1b?");
    options = LayerFileOptions();
    ExpectOption("MODEL",
                 options,
                 "--world: error: expected the number of ranks, or of data parallel ranks by --dp, "
                 "found neither, nor does the file say it");
    ExpectOption("HYBRID_DATA_MODEL all_gpus: 4",
                 options,
                 "--tp: error: expected the number of tensor parallel ranks, because "
                 "HYBRID_DATA_MODEL needs it, found none, nor does the file say it");
    options.layout.pp = 2;
    ExpectOption(
        "DATA all_gpus: 4",
        options,
        "--pp: error: expected 1, because rows in literal order have no pipeline, found 2");
    options.layout.pp = 1;
    options.layout.tp = 2;
    ExpectOption("DATA all_gpus: 4",
                 options,
                 "--tp: error: expected 1, because DATA has no tensor parallel groups, found 2");
    options.layout.microbatches = 2;
    options.order = "literal";
    ExpectOption("HYBRID_TRANSFORMER all_gpus: 4",
                 options,
                 "--microbatches: error: expected 1, because rows in literal order are one pass, "
                 "found 2");
}

std::vector<TestCase*>
MakeLayerFileErrorTestCases()
{
    return {new LayerFileErrorTestCase};
}

} // namespace ns3
