/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "msccl-test-cases.h"

#include "workload-test-tools.h"

#include "ns3/collective-selection.h"
#include "ns3/msccl-check.h"
#include "ns3/msccl-collective.h"
#include "ns3/ring-collective.h"
#include "ns3/uinteger.h"

#include <string>

namespace ns3
{

namespace
{

/// An all-gather of two GPUs: one block copies the chunk of its GPU, another sends the copy.
const std::string MSCCL_GATHER = R"(<algo name="two" proto="Simple" nchannels="1" nchunksperloop="2"
 ngpus="2" coll="allgather" inplace="0" minBytes="8" maxBytes="4096">
<gpu id="0" i_chunks="1" o_chunks="2" s_chunks="1">
<tb id="0" send="-1" recv="-1" chan="0">
<step s="0" type="cpy" srcbuf="i" srcoff="0" dstbuf="o" dstoff="0" cnt="1" depid="-1" hasdep="1"/>
</tb>
<tb id="1" send="1" recv="1" chan="0">
<step s="0" type="s" srcbuf="o" srcoff="0" dstbuf="o" dstoff="0" cnt="1" depid="0" deps="0"/>
<step s="1" type="r" srcbuf="o" srcoff="1" dstbuf="o" dstoff="1" cnt="1" depid="-1"/>
</tb>
</gpu>
<gpu id="1" i_chunks="1" o_chunks="2" s_chunks="1">
<tb id="0" send="-1" recv="-1" chan="0">
<step s="0" type="cpy" srcbuf="i" srcoff="0" dstbuf="o" dstoff="1" cnt="1" depid="-1" hasdep="1"/>
</tb>
<tb id="1" send="0" recv="0" chan="0">
<step s="0" type="s" srcbuf="o" srcoff="1" dstbuf="o" dstoff="1" cnt="1" depid="0" deps="0"/>
<step s="1" type="r" srcbuf="o" srcoff="0" dstbuf="o" dstoff="0" cnt="1" depid="-1"/>
</tb>
</gpu>
</algo>
)";

/// A scatter of two GPUs: the first one keeps its chunk and sends the other one.
const std::string MSCCL_SCATTER = R"(<algo name="two" proto="Simple" nchannels="1"
 nchunksperloop="2" ngpus="2" coll="scatter" inplace="0">
<gpu id="0" i_chunks="2" o_chunks="1" s_chunks="0">
<tb id="0" send="1" recv="-1" chan="0">
<step s="0" type="cpy" srcbuf="i" srcoff="0" dstbuf="o" dstoff="0" cnt="1" depid="-1"/>
<step s="1" type="s" srcbuf="i" srcoff="1" dstbuf="o" dstoff="0" cnt="1" depid="-1"/>
</tb>
</gpu>
<gpu id="1" i_chunks="2" o_chunks="1" s_chunks="0">
<tb id="0" send="-1" recv="0" chan="0">
<step s="0" type="r" srcbuf="i" srcoff="1" dstbuf="o" dstoff="0" cnt="1" depid="-1"/>
</tb>
</gpu>
</algo>
)";

/// An all-reduce of two GPUs in place: each is sent the other's half, adds it and sends the sum.
const std::string MSCCL_REDUCE = R"(<algo name="two" proto="LL" nchannels="1" nchunksperloop="2"
 ngpus="2" coll="allreduce" inplace="1">
<gpu id="0" i_chunks="2" o_chunks="0" s_chunks="0">
<tb id="0" send="1" recv="1" chan="0">
<step s="0" type="s" srcbuf="i" srcoff="1" dstbuf="i" dstoff="1" cnt="1" depid="-1"/>
<step s="1" type="rrcs" srcbuf="i" srcoff="0" dstbuf="i" dstoff="0" cnt="1" depid="-1"/>
<step s="2" type="r" srcbuf="i" srcoff="1" dstbuf="i" dstoff="1" cnt="1" depid="-1"/>
</tb>
</gpu>
<gpu id="1" i_chunks="2" o_chunks="0" s_chunks="0">
<tb id="0" send="0" recv="0" chan="0">
<step s="0" type="s" srcbuf="i" srcoff="0" dstbuf="i" dstoff="0" cnt="1" depid="-1"/>
<step s="1" type="rrcs" srcbuf="i" srcoff="1" dstbuf="i" dstoff="1" cnt="1" depid="-1"/>
<step s="2" type="r" srcbuf="i" srcoff="0" dstbuf="i" dstoff="0" cnt="1" depid="-1"/>
</tb>
</gpu>
</algo>
)";

/**
 * @ingroup workload-replay-tests
 * @brief Plans that are wrong are refused by the step that is.
 */
class MscclErrorTestCase : public TestCase
{
  public:
    MscclErrorTestCase()
        : TestCase("algorithms of MSCCL that are wrong")
    {
    }

  private:
    /**
     * @param plan a plan that is right
     * @param part a part of it
     * @param other what stands there instead
     * @param message what is said, behind the name of the file
     */
    void Check(const std::string& plan,
               const std::string& part,
               const std::string& other,
               const std::string& message)
    {
        const auto file = CreateTempDirFilename("plan.xml");
        WriteWorkloadFile(file, ReplaceFirst(plan, part, other));
        NS_TEST_EXPECT_MSG_EQ(WorkloadErrorOf([&] { MscclFile read(file); }),
                              message.empty() ? "no error" : file + ":" + message,
                              other + " for " + part);
    }

    void DoRun() override
    {
        CheckWords();
        CheckSteps();
    }

    /// What the elements say.
    void CheckWords()
    {
        Check(MSCCL_GATHER, "algo name", "algo name", "");
        Check(MSCCL_REDUCE, "algo name", "algo name", "");
        Check(MSCCL_GATHER,
              "coll=\"allgather\"",
              "coll=\"custom\"",
              "/algo: error: expected coll as a kind of collective that workloads have, found "
              "'custom', whose result the file does not say");
        Check(MSCCL_GATHER,
              "coll=\"allgather\"",
              "coll=\"gathr\"",
              "/algo: error: expected coll as one of allreduce, allgather, reduce_scatter, "
              "reducescatter, alltoall, broadcast, reduce, gather, scatter, found 'gathr'; did you "
              "mean gather?");
        // An all-gather is a gather, too: what ends at the root is the same.
        Check(MSCCL_GATHER, "coll=\"allgather\"", "coll=\"gather\"", "");
        Check(MSCCL_SCATTER, "algo name", "algo name", "");
        Check(MSCCL_GATHER,
              "ngpus=\"2\"",
              "ngpus=\"3\"",
              "/algo: error: expected 3 elements <gpu>, as ngpus says, found 2");
        Check(MSCCL_GATHER,
              "nchunksperloop=\"2\"",
              "nchunksperloop=\"3\"",
              "/algo: error: expected nchunksperloop as a multiple of the 2 GPUs, found 3");
        Check(MSCCL_GATHER,
              "gpu id=\"1\"",
              "gpu id=\"0\"",
              "/algo/gpu/1: error: expected id 1, as elements are numbered from 0 on, found '0'");
        Check(MSCCL_GATHER,
              "tb id=\"1\" send=\"1\"",
              "tb id=\"1\" send=\"0\"",
              "/algo/gpu/0/tb/1: error: expected peers other than the GPU itself, found itself");
        Check(MSCCL_GATHER,
              "tb id=\"1\" send=\"1\"",
              "tb id=\"1\" send=\"-1\"",
              "/algo/gpu/0/tb/1/step/0: error: expected a thread block with a peer to send to, "
              "found -1");
        Check(MSCCL_GATHER,
              "srcoff=\"0\" dstbuf=\"o\" dstoff=\"0\" cnt=\"1\"",
              "srcoff=\"0\" dstbuf=\"o\" dstoff=\"1\" cnt=\"2\"",
              "/algo/gpu/0/tb/0/step/0: error: expected chunks within the 2 of its dstbuf, found 2 "
              "from 1 on");
        Check(MSCCL_GATHER,
              " hasdep=\"1\"",
              "",
              "/algo/gpu/0/tb/1/step/0: error: expected a step with hasdep=\"1\", which signals "
              "its end, from step 0 of thread block 0 on, found none");
        Check(MSCCL_GATHER,
              "chan=\"0\"",
              "chan=\"1\"",
              "/algo/gpu/0/tb/0: error: expected chan as a whole number from 0 to 0, found '1'");
        const std::string block = "<tb id=\"1\" send=\"1\" recv=\"1\" chan=\"0\">\n";
        Check(MSCCL_GATHER,
              block,
              "<tb id=\"1\" send=\"1\" recv=\"-1\" chan=\"0\">\n<step s=\"0\" type=\"s\" "
              "srcbuf=\"i\" "
              "srcoff=\"0\" cnt=\"1\" depid=\"-1\"/>\n</tb>\n<tb id=\"2\" send=\"1\" recv=\"1\" "
              "chan=\"0\">\n",
              "/algo/gpu/0/tb/2: error: expected one thread block for each peer and channel, to "
              "send and to receive, found a second one");
    }

    /// What the steps come to.
    void CheckSteps()
    {
        Check(ReplaceFirst(MSCCL_GATHER, "allgather", "gather"),
              "type=\"r\" srcbuf=\"o\" srcoff=\"1\" dstbuf=\"o\" dstoff=\"1\"",
              "type=\"r\" srcbuf=\"o\" srcoff=\"1\" dstbuf=\"s\" dstoff=\"0\"",
              "/algo/gpu/0: error: expected steps that end with chunk 0 of GPU 1 as chunk 1 of the "
              "output, found what was never written");
        Check(MSCCL_SCATTER,
              "type=\"s\" srcbuf=\"i\" srcoff=\"1\"",
              "type=\"s\" srcbuf=\"i\" srcoff=\"0\"",
              "/algo/gpu/1: error: expected steps that end with chunk 1 of GPU 0 as chunk 0 of the "
              "output, found chunk 0 of GPU 0");
        Check(MSCCL_GATHER,
              "type=\"cpy\" srcbuf=\"i\" srcoff=\"0\"",
              "type=\"cpy\" srcbuf=\"s\" srcoff=\"0\"",
              "/algo/gpu/0/tb/0/step/0: error: expected chunks that were written before they are "
              "read, found chunk 0 of its scratch, which is read first");
        Check(MSCCL_GATHER,
              "type=\"r\" srcbuf=\"o\" srcoff=\"1\" dstbuf=\"o\" dstoff=\"1\"",
              "type=\"r\" srcbuf=\"o\" srcoff=\"1\" dstbuf=\"s\" dstoff=\"0\"",
              "/algo/gpu/0: error: expected steps that end with chunk 0 of GPU 1 as chunk 1 of the "
              "output, found what was never written");
        Check(MSCCL_GATHER,
              "depid=\"0\" deps=\"0\"",
              "depid=\"-1\"",
              // Nothing keeps the chunk from being sent before it is copied.
              "/algo/gpu/0/tb/1/step/0: error: expected steps that wait for each other before one "
              "writes what the other one uses, found none between it and /algo/gpu/0/tb/0/step/0, "
              "of which one writes chunk 0 of the output");
        Check(MSCCL_REDUCE,
              "type=\"rrcs\" srcbuf=\"i\" srcoff=\"0\" dstbuf=\"i\" dstoff=\"0\"",
              "type=\"rrcs\" srcbuf=\"i\" srcoff=\"1\" dstbuf=\"i\" dstoff=\"0\"",
              "/algo/gpu/0/tb/0/step/1: error: expected sums of one chunk in which each GPU stands "
              "once, found chunk 0 of GPU 1, and to it chunk 1 of GPU 0");
        Check(MSCCL_REDUCE,
              "type=\"r\" ",
              "type=\"rrc\" ",
              "/algo/gpu/0/tb/0/step/2: error: expected sums of one chunk in which each GPU stands "
              "once, found chunk 1 of all GPUs added up, and to it chunk 1 of GPU 0");
        Check(MSCCL_REDUCE,
              "type=\"rrcs\"",
              "type=\"rrc\"",
              "/algo/gpu/1/tb/0/step/2: error: expected steps that come to an end, found one that "
              "waits for a message of GPU 0 on channel 0 that never comes");
        Check(
            MSCCL_REDUCE,
            "type=\"r\" ",
            "type=\"nop\" ",
            "/algo/gpu/1/tb/0/step/1: error: expected a step of GPU 0 that receives what this one "
            "sends, found none");
        Check(
            MSCCL_REDUCE,
            "type=\"s\" srcbuf=\"i\" srcoff=\"1\" dstbuf=\"i\" dstoff=\"1\" cnt=\"1\"",
            "type=\"s\" srcbuf=\"i\" srcoff=\"0\" dstbuf=\"i\" dstoff=\"0\" cnt=\"2\"",
            "/algo/gpu/1/tb/0/step/1: error: expected 2 chunks, as /algo/gpu/0/tb/0/step/0 sends, "
            "found 1");
    }
};

/**
 * @ingroup workload-replay-tests
 * @brief What the blocks of a plan send in which order, and which calls it is for.
 */
class MscclCollectiveTestCase : public TestCase
{
  public:
    MscclCollectiveTestCase()
        : TestCase("steps and calls of an algorithm of MSCCL")
    {
    }

  private:
    /**
     * @param text a plan
     * @return its algorithm
     */
    Ptr<MscclCollective> Read(const std::string& text)
    {
        const auto file = CreateTempDirFilename("plan.xml");
        WriteWorkloadFile(file, text);
        return CreateObject<MscclCollective>(std::make_shared<const MscclFile>(file));
    }

    void DoRun() override
    {
        CheckBlocks();
        CheckLoops();
        CheckChoice();
    }

    /// A block waits for the one that it depends on, in each loop anew.
    void CheckBlocks()
    {
        auto algorithm = Read(MSCCL_GATHER);
        algorithm->SetAttribute("ChunkBytes", UintegerValue(10));
        // Chunks of 20 bytes go in two loops.
        auto pipelines = algorithm->Plan({CollectiveKind::ALL_GATHER, 40, 0, 2});
        NS_TEST_ASSERT_MSG_EQ(pipelines.size(), 2, "a pipeline for each block");
        CollectiveStep step;
        for (int loop = 0; loop < 2; ++loop)
        {
            NS_TEST_EXPECT_MSG_EQ(pipelines[1]->IsBlocked(), true, "not copied, loop " << loop);
            NS_TEST_EXPECT_MSG_EQ(pipelines[0]->IsBlocked(), false, "copies wait for nothing");
            NS_TEST_EXPECT_MSG_EQ(pipelines[0]->Next(step), true, "the copy");
            NS_TEST_EXPECT_MSG_EQ(step.size(), 0, "sends nothing");
            NS_TEST_EXPECT_MSG_EQ(pipelines[1]->IsBlocked(), false, "copied");
            NS_TEST_EXPECT_MSG_EQ(pipelines[1]->Next(step), true, "the copy is sent");
            NS_TEST_ASSERT_MSG_EQ(step.size(), 1, "as a message");
            NS_TEST_EXPECT_MSG_EQ(step[0].IsSend(), true, "to send");
            NS_TEST_EXPECT_MSG_EQ(step[0].bytes, 10, "half of a chunk");
            NS_TEST_EXPECT_MSG_EQ(step[0].peer, 1, "to the other GPU");
            NS_TEST_EXPECT_MSG_EQ(pipelines[1]->Next(step), true, "the other chunk");
            NS_TEST_ASSERT_MSG_EQ(step.size(), 1, "as a message");
            NS_TEST_EXPECT_MSG_EQ(step[0].IsSend(), false, "to receive");
            NS_TEST_EXPECT_MSG_EQ(pipelines[1]->Next(step), true, "received");
        }
        NS_TEST_EXPECT_MSG_EQ(pipelines[0]->Next(step), false, "all copied");
        NS_TEST_EXPECT_MSG_EQ(pipelines[1]->Next(step), false, "all received");
    }

    /// Bytes and messages by the protocol: LL takes 32 KiB of a chunk in a loop.
    void CheckLoops()
    {
        const auto algorithm = Read(MSCCL_REDUCE);
        const uint64_t chunk = 100000; // four loops
        const CollectiveCall call{CollectiveKind::ALL_REDUCE, 2 * chunk, 1, 2};
        NS_TEST_EXPECT_MSG_EQ(algorithm->GetReceivedBytes(call), 2 * chunk, "both halves");
        uint64_t sends = 0;
        uint64_t bytes = 0;
        CollectiveStep step;
        const auto pipelines = algorithm->Plan(call);
        while (pipelines[0]->Next(step))
        {
            for (const auto& transfer : step)
            {
                sends += transfer.IsSend() ? 1 : 0;
                bytes += transfer.IsSend() ? transfer.bytes : 0;
            }
        }
        NS_TEST_EXPECT_MSG_EQ(sends, 8, "two sends in each of four loops");
        NS_TEST_EXPECT_MSG_EQ(bytes, 2 * chunk, "no byte is lost");
    }

    /// Calls that the plan is not for have the automatic choice.
    void CheckChoice()
    {
        const auto plan = Read(MSCCL_GATHER);
        auto selection = CreateObject<CollectiveSelection>();
        selection->Add(CreateObject<RingCollective>());
        selection->Add(plan);
        selection->Choose(CollectiveKind::ALL_GATHER, std::nullopt, plan->GetName());
        for (const auto& [bytes, size, isTaken] :
             std::vector<std::tuple<uint64_t, uint32_t, bool>>{{8, 2, true},
                                                               {4096, 2, true},
                                                               {6, 2, false},
                                                               {4098, 2, false},
                                                               {9, 2, false},
                                                               {12, 3, false}})
        {
            const CollectiveCall call{CollectiveKind::ALL_GATHER, bytes, 0, size};
            const auto name = selection->Select(call, Dimension::DP).algorithm->GetName();
            NS_TEST_EXPECT_MSG_EQ(name,
                                  (isTaken ? plan->GetName() : "ring"),
                                  bytes << " bytes of " << size);
            NS_TEST_EXPECT_MSG_EQ((selection->FindLeft(call, Dimension::DP) == nullptr),
                                  isTaken,
                                  "what is left");
        }
    }
};

} // namespace

std::vector<TestCase*>
MakeMscclTestCases()
{
    return {new MscclErrorTestCase(), new MscclCollectiveTestCase()};
}

} // namespace ns3
