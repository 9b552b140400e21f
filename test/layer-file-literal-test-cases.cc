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

/**
 * @ingroup workload-replay-tests
 * @brief The order and the groups of every policy, against programs written by hand.
 */
class LayerFileLiteralTestCase : public LayerFileTestCase
{
  public:
    LayerFileLiteralTestCase()
        : LayerFileTestCase("literal order of layer files")
    {
    }

  private:
    void DoRun() override;

    /// Policies with tensor and data parallel groups.
    void CheckHybrid();

    /// A policy for each row.
    void CheckCustomized();

    /// Policies with one group.
    void CheckSingle();

    /// Embeddings that are exchanged.
    void CheckEmbeddings();

    /// Recomputation from checkpoints.
    void CheckRecomputation();

    /// Suffixes and the shape of the job.
    void CheckGroups();
};

void
LayerFileLiteralTestCase::DoRun()
{
    CheckHybrid();
    CheckCustomized();
    CheckSingle();
    CheckEmbeddings();
    CheckRecomputation();
    CheckGroups();
}

void
LayerFileLiteralTestCase::CheckHybrid()
{
    LayerFileOptions options;
    options.order = "literal";
    options.layout.world = 4;
    options.layout.tp = 2;
    const std::string rows = "\n2\na -1 1 ALLREDUCE 10 2 ALLREDUCE 20 3 ALLREDUCE 30 0\n"
                             "b -1 4 ALLREDUCE 40 5 ALLREDUCE 50 6 ALLREDUCE 60 0\n";
    const std::string forward = "0 compute a forward compute 1000 @3 <-\n"
                                "1 tp a forward all-reduce 10 @3 <- 0\n"
                                "2 compute b forward compute 4000 @4 <- 1\n"
                                "3 tp b forward all-reduce 40 @4 <- 2\n"
                                "4 compute b backward-input compute 5000 @4 <- 3\n"
                                "5 tp b backward-input all-reduce 50 @4 <- 4\n";
    const std::string overlapping = "6 compute b backward-weight compute 6000 @4 <- 4\n"
                                    "7 dp b grad-sync all-reduce 60 @4 <- 6\n"
                                    "8 compute a backward-input compute 2000 @3 <- 5 6\n";
    for (const std::string policy : {"HYBRID_TRANSFORMER", "HYBRID_TRANSFORMER_FWD_IN_BCKWD"})
    {
        NS_TEST_EXPECT_MSG_EQ(Lower(policy + rows, options),
                              forward + "6 compute b backward-weight compute 6000 @4 <- 5\n"
                                        "7 dp b grad-sync all-reduce 60 @4 <- 6\n"
                                        "8 compute a backward-input compute 2000 @3 <- 6\n"
                                        "9 tp a backward-input all-reduce 20 @3 <- 8\n"
                                        "10 compute a backward-weight compute 3000 @3 <- 9\n"
                                        "11 dp a grad-sync all-reduce 30 @3 <- 10\n",
                              policy << ": the weight gradient waits");
    }
    options.order = "megatron";
    NS_TEST_EXPECT_MSG_EQ(Lower("HYBRID_DATA_MODEL" + rows, options),
                          forward + overlapping +
                              "9 compute a backward-weight compute 3000 @3 <- 8\n"
                              "10 dp a grad-sync all-reduce 30 @3 <- 9\n",
                          "the training data has no gradient");
    NS_TEST_EXPECT_MSG_EQ(Lower("HYBRID_MODEL_DATA" + rows, options),
                          "0 compute a forward compute 1000 @3 <-\n"
                          "1 dp a forward all-reduce 10 @3 <- 0\n"
                          "2 compute b forward compute 4000 @4 <- 1\n"
                          "3 dp b forward all-reduce 40 @4 <- 2\n"
                          "4 compute b backward-input compute 5000 @4 <- 3\n"
                          "5 dp b backward-input all-reduce 50 @4 <- 4\n"
                          "6 compute b backward-weight compute 6000 @4 <- 4\n"
                          "7 tp b grad-sync all-reduce 60 @4 <- 6\n"
                          "8 compute a backward-input compute 2000 @3 <- 5 6\n"
                          "9 compute a backward-weight compute 3000 @3 <- 8\n"
                          "10 tp a grad-sync all-reduce 30 @3 <- 9\n",
                          "the groups change places");
    NS_TEST_EXPECT_MSG_EQ(Read("HYBRID_MODEL_DATA" + rows, options)->GetWarnings().front(),
                          "under HYBRID_MODEL_DATA tp counts neighbours, which are replicas here, "
                          "and the model is split over dp",
                          "so that reports are understood");
}

void
LayerFileLiteralTestCase::CheckCustomized()
{
    LayerFileOptions options;
    options.layout.world = 4;
    options.layout.tp = 2;
    NS_TEST_EXPECT_MSG_EQ(
        Lower("HYBRID_CUSTOMIZED\n4\n"
              "a -1 0 NONE 0 0 NONE 0 1 ALLREDUCE 30 0 DATA\n"
              "b -1 1 ALLREDUCE 40 0 ALLREDUCE 50 0 NONE 0 2 MODEL\n"
              "c -1 0 ALLGATHER 60 0 NONE 0 0 REDUCESCATTER 70 0 HYBRID_DATA_MODEL\n"
              "d -1 0 ALLTOALL 80 0 NONE 0 0 ALLREDUCE 90 0 HYBRID_MODEL_DATA\n",
              options),
        "0 compute b forward compute 1000 @4 <-\n"
        "1 world b forward all-reduce 40 @4 <- 0\n"
        "2 world b_update forward compute 2000 @4 <- 1\n"
        "3 tp c forward all-gather 60 @5 <- 2\n"
        "4 dp d forward all-to-all 80 @6 <- 3\n"
        "5 tp d grad-sync all-reduce 90 @6 <- 4\n"
        "6 dp c grad-sync reduce-scatter 70 @5 <- 4\n"
        "7 world b backward-input all-reduce 50 @4 <- 4\n"
        "8 world b_update backward-input compute 2000 @4 <- 7\n"
        "9 compute a backward-weight compute 1000 @3 <- 4 8\n"
        "10 world a grad-sync all-reduce 30 @3 <- 9\n",
        "a policy for each row");
}

void
LayerFileLiteralTestCase::CheckSingle()
{
    LayerFileOptions options;
    options.layout.world = 4;
    const std::string data = "\n2\na -1 1 NONE 0 2 NONE 0 3 ALLREDUCE 30 0\n"
                             "b -1 4 NONE 0 5 NONE 0 6 ALLREDUCE 60 0\n";
    NS_TEST_EXPECT_MSG_EQ(Lower("DATA" + data, options),
                          "0 compute a forward compute 1000 @3 <-\n"
                          "1 compute b forward compute 4000 @4 <- 0\n"
                          "2 compute b backward-weight compute 6000 @4 <- 1\n"
                          "3 dp b grad-sync all-reduce 60 @4 <- 2\n"
                          "4 compute b backward-input compute 5000 @4 <- 2\n"
                          "5 compute a backward-weight compute 3000 @3 <- 4\n"
                          "6 dp a grad-sync all-reduce 30 @3 <- 5\n",
                          "weight gradients first");
    NS_TEST_EXPECT_MSG_EQ(Lower("MICRO" + data, options),
                          "0 dp a grad-sync all-reduce 30 @3 <-\n"
                          "1 dp b grad-sync all-reduce 60 @4 <- 0\n",
                          "collectives one after another");
    const auto model = "MODEL\n2\na -1 1 ALLREDUCE 10 2 ALLREDUCE 20 3 NONE 0 0\n"
                       "b -1 4 ALLREDUCE 40 5 ALLREDUCE 50 6 NONE 0 0\n";
    NS_TEST_EXPECT_MSG_EQ(Lower(model, options),
                          "0 compute a forward compute 1000 @3 <-\n"
                          "1 tp a forward all-reduce 10 @3 <- 0\n"
                          "2 compute b forward compute 4000 @4 <- 1\n"
                          "3 tp b forward all-reduce 40 @4 <- 2\n"
                          "4 compute b backward-input compute 5000 @4 <- 3\n"
                          "5 tp b backward-input all-reduce 50 @4 <- 4\n"
                          "6 compute b backward-weight compute 6000 @4 <- 4\n"
                          "7 compute a backward-input compute 2000 @3 <- 5 6\n"
                          "8 compute a backward-weight compute 3000 @3 <- 7\n",
                          "no weight gradients");
    NS_TEST_EXPECT_MSG_EQ(Read(model, options)->GetLayout().tp, 4, "the world is one group");
    NS_TEST_EXPECT_MSG_EQ(Read("DATA" + data, options)->GetLayout().dp, 4, "likewise");
}

void
LayerFileLiteralTestCase::CheckEmbeddings()
{
    LayerFileOptions options;
    options.layout.world = 4;
    const std::string embeddings = "\n3\ne -1 1 ALLTOALL 10 2 ALLTOALL 20 3 NONE 0 0\n"
                                   "b -1 4 NONE 0 5 NONE 0 6 ALLREDUCE 60 0\n"
                                   "t -1 7 NONE 0 8 NONE 0 9 ALLREDUCE 90 0\n";
    const std::string exchanged = "0 compute e forward compute 1000 @3 <-\n"
                                  "1 dp e forward all-to-all 10 @3 <- 0\n"
                                  "2 compute b forward compute 4000 @4 <- 0\n"
                                  "3 compute t forward compute 7000 @5 <- 1 2\n"
                                  "4 compute t backward-weight compute 9000 @5 <- 3\n"
                                  "5 dp t grad-sync all-reduce 90 @5 <- 4\n"
                                  "6 compute t backward-input compute 8000 @5 <- 4\n"
                                  "7 dp e backward-input all-to-all 20 @3 <- 6\n"
                                  "8 compute b backward-weight compute 6000 @4 <- 6\n"
                                  "9 dp b grad-sync all-reduce 60 @4 <- 8\n"
                                  "10 compute b backward-input compute 5000 @4 <- 8\n"
                                  "11 compute e backward-weight compute 3000 @3 <- 10\n";
    NS_TEST_EXPECT_MSG_EQ(Lower("HYBRID_DLRM last_bottom_layer: 1" + embeddings, options),
                          exchanged,
                          "embeddings are exchanged while others compute");
    NS_TEST_EXPECT_MSG_EQ(Lower("HYBRID_DLRM_ENHANCED\t1\tall_gpus: 4\t\t" + embeddings, options),
                          exchanged,
                          "likewise");
    const auto bottom = Lower("HYBRID_DLRM DLRM_LAST_BOTTOM_LAYER:0" + embeddings, options);
    NS_TEST_EXPECT_MSG_NE(bottom.find("2 compute b forward compute 4000 @4 <- 1\n"),
                          std::string::npos,
                          "no layer to compute meanwhile");
}

void
LayerFileLiteralTestCase::CheckRecomputation()
{
    LayerFileOptions options;
    options.layout.world = 2;
    const std::string rows = "\n3\na -1 1 NONE 0 2 NONE 0 3 NONE 0 0\n"
                             "b -1 4 ALLREDUCE 40 5 NONE 0 6 NONE 0 0\n"
                             "c -1 7 NONE 0 8 NONE 0 9 NONE 0 0\n";
    const std::string header = "HYBRID_TRANSFORMER_FWD_IN_BCKWD model_parallel_NPU_group: 2 ";
    const std::string expected = "0 compute a forward compute 1000 @3 <-\n"
                                 "1 compute b forward compute 4000 @4 <- 0\n"
                                 "2 tp b forward all-reduce 40 @4 <- 1\n"
                                 "3 compute c forward compute 7000 @5 <- 2\n"
                                 "4 compute a forward compute 1000 @3 <- 3\n"
                                 "5 compute b forward compute 4000 @4 <- 4\n"
                                 "6 tp b forward all-reduce 40 @4 <- 5\n"
                                 "7 compute c backward-input compute 8000 @5 <- 6\n"
                                 "8 compute c backward-weight compute 9000 @5 <- 7\n"
                                 "9 compute b backward-input compute 5000 @4 <- 8\n"
                                 "10 compute b backward-weight compute 6000 @4 <- 9\n"
                                 "11 compute a backward-input compute 2000 @3 <- 10\n"
                                 "12 compute a backward-weight compute 3000 @3 <- 11\n";
    for (const auto& order : {"megatron", "literal"})
    {
        options.order = order;
        NS_TEST_EXPECT_MSG_EQ(
            Lower(header + "checkpoints: 1 0 checkpoint_initiates: 1 2" + rows, options),
            expected,
            "rows 0 and 1 again before row 2, in order " << order);
    }
    const auto nearest =
        Lower(header + "checkpoints: 2 0 1 checkpoint_initiates: 1 2" + rows, options);
    NS_TEST_EXPECT_MSG_NE(nearest.find("4 compute b forward compute 4000 @4 <- 3\n"),
                          std::string::npos,
                          "from the nearest checkpoint");
}

void
LayerFileLiteralTestCase::CheckGroups()
{
    LayerFileOptions options;
    options.order = "literal";
    options.layout.world = 16;
    const auto workload =
        Read("HYBRID_TRANSFORMER model_parallel_NPU_group: 2 ep: 4 pp: 2 ga: 3\n1\n"
             "a -1 0 ALLTOALL_EP 1 0 ALLGATHER_EP 2 0 REDUCESCATTER_DP_EP 3 0\n",
             options);
    NS_TEST_EXPECT_MSG_EQ(workload->GetLayout().dp, 8, "the data parallel groups take the stages");
    NS_TEST_EXPECT_MSG_EQ(DescribeProgram(workload->GetProgram(0)),
                          "0 ep a forward all-to-all 1 @3 <-\n"
                          "1 ep a backward-input all-gather 2 @3 <- 0\n"
                          "2 edp a grad-sync reduce-scatter 3 @3 <- 1\n",
                          "suffixes");
}

/**
 * @ingroup workload-replay-tests
 * @brief The literal order of SimAI: compute, exposed and hidden communication.
 *
 * SimAI 1.6 runs these rows on 16 GPUs in 361,053 ns: 180,000 ns of compute and two exposed tensor
 * parallel all-reduces of 90,522 ns; the data parallel one is hidden behind the backward pass.
 */
class LayerFileAccountTestCase : public LayerFileTestCase
{
  public:
    LayerFileAccountTestCase()
        : LayerFileTestCase("account of a layer file in literal order")
    {
    }

  private:
    void DoRun() override;
};

void
LayerFileAccountTestCase::DoRun()
{
    LayerFileOptions options;
    options.order = "literal";
    const auto workload =
        Read("HYBRID_TRANSFORMER_FWD_IN_BCKWD model_parallel_NPU_group: 8 ep: 1 pp: 1 vpp: 1 ga: 1 "
             "all_gpus: 16 checkpoints: 0 checkpoint_initiates: 0 pp_comm: 0\n3\n"
             "a -1 10000 ALLREDUCE 1048576 20000 ALLREDUCE 1048576 30000 NONE 0 100\n"
             "b -1 10000 NONE 0 20000 NONE 0 30000 ALLREDUCE 1048576 100\n"
             "c -1 10000 NONE 0 20000 NONE 0 30000 NONE 0 0\n",
             options);
    ReplayTestJob job(workload);
    job.Run(DataRate("200Gbps"), Time(0));
    NS_TEST_ASSERT_MSG_EQ(job.iterations.size(), 16, "all ranks finish");
    for (const auto& iteration : job.iterations)
    {
        // a: forward all-reduce; backward all-reduce. Each is followed by 100 ns of update.
        Time exposed;
        for (const auto& collective : job.collectives)
        {
            const auto dimension = workload->GetCommunicators()[collective.communicator].dimension;
            if (collective.rank == iteration.rank && dimension == Dimension::TP)
            {
                exposed += collective.end - collective.arrival + NanoSeconds(100);
            }
        }
        const auto of = [](const auto& times, Dimension dimension) {
            return times[static_cast<std::size_t>(dimension)];
        };
        NS_TEST_EXPECT_MSG_EQ(iteration.compute, MicroSeconds(180), "compute");
        NS_TEST_EXPECT_MSG_EQ(of(iteration.exposed, Dimension::TP), exposed, "exposed");
        NS_TEST_EXPECT_MSG_GT(exposed, MicroSeconds(2 * 73), "2 x 7 / 8 MiB at 25 GB/s, twice");
        NS_TEST_EXPECT_MSG_EQ(of(iteration.exposed, Dimension::DP), Time(0), "hidden");
        NS_TEST_EXPECT_MSG_EQ(iteration.end, MicroSeconds(180) + exposed, "all of it");
    }
}

std::vector<TestCase*>
MakeLayerFileLiteralTestCases()
{
    return {new LayerFileLiteralTestCase, new LayerFileAccountTestCase};
}

} // namespace ns3
