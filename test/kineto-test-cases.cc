/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "kineto-test-cases.h"

#include "workload-test-tools.h"

#include "ns3/kineto-reader.h"

#include <filesystem>
#include <string>

namespace ns3
{

namespace
{

/**
 * @param category category of an event
 * @param name its name
 * @param start when it begins, us
 * @param duration how long it takes, us
 * @param arguments its arguments, in JSON without braces
 * @return the event
 */
std::string
MakeKinetoEvent(const std::string& category,
                const std::string& name,
                uint64_t start,
                uint64_t duration,
                const std::string& arguments)
{
    return "{\"ph\": \"X\", \"cat\": \"" + category + "\", \"name\": \"" + name +
           "\", \"tid\": 1, \"ts\": " + std::to_string(start) +
           ", \"dur\": " + std::to_string(duration) + ", \"args\": {" + arguments + "}}";
}

/**
 * @ingroup workload-replay-tests
 * @brief Programs of hand-written traces.
 */
class KinetoTestCase : public TestCase
{
  public:
    KinetoTestCase()
        : TestCase("traces of PyTorch's profiler")
    {
    }

  private:
    void DoRun() override
    {
        m_folder = CreateTempDirFilename("traces");
        std::filesystem::create_directory(m_folder);
        CheckProgram();
        CheckDelays();
        CheckMessages();
        CheckErrors();
    }

    /**
     * @param rank a rank of two
     * @param events its events
     */
    void Write(uint32_t rank, const std::vector<std::string>& events)
    {
        std::string text =
            "{\"schemaVersion\": 1, \"distributedInfo\": {\"rank\": " + std::to_string(rank) +
            ", \"world_size\": 2}, \"traceEvents\": [";
        for (const auto& event : events)
        {
            text += (&event == &events.front() ? "\n" : ",\n") + event;
        }
        WriteWorkloadFile(m_folder + "/" + std::to_string(rank) + ".json", text + "\n]}\n");
    }

    /**
     * @return a step: a kernel, an all-reduce of what it has made, a kernel that waits for that
     */
    static std::vector<std::string> MakeStep()
    {
        const auto launch = [](uint64_t start, const std::string& number) {
            return MakeKinetoEvent("cuda_runtime",
                                   "cudaLaunchKernel",
                                   start,
                                   10,
                                   "\"correlation\": " + number);
        };
        return {launch(100, "1"),
                MakeKinetoEvent("kernel", "a", 112, 50, "\"stream\": 7, \"correlation\": 1"),
                launch(120, "2"),
                MakeKinetoEvent("cuda_runtime", "cudaStreamWaitEvent", 140, 1, ""),
                launch(150, "3"),
                MakeKinetoEvent("kernel",
                                "ncclDevKernel_AllReduce_Sum_f32_RING_LL",
                                165,
                                200,
                                "\"stream\": 20, \"correlation\": 2, \"dtype\": \"Float\", "
                                "\"In msg nelems\": 1000, \"Group size\": 2"),
                MakeKinetoEvent("kernel", "b", 366, 30, "\"stream\": 7, \"correlation\": 3"),
                MakeKinetoEvent("cuda_runtime", "cudaDeviceSynchronize", 170, 230, "")};
    }

    /// Work between calls, kernels after their launch and stream, waiting without its time.
    void CheckProgram()
    {
        Write(0, MakeStep());
        Write(1, MakeStep());
        const auto workload = ReadKinetoTraces(m_folder, std::nullopt);
        NS_TEST_EXPECT_MSG_EQ(workload->GetLayout().world, 2, "ranks");
        const std::string expected =
            "0 cpu-1 cudaLaunchKernel forward compute 10000000 @0 <-\n"
            "1 compute-7 a forward compute 50000000 @1 <- 0\n"
            "2 cpu-1 cudaLaunchKernel forward compute 20000000 @2 <-\n"
            "3 cpu-1 cudaLaunchKernel forward compute 30000000 @4 <-\n"
            "4 world ncclDevKernel_AllReduce_Sum_f32_RING_LL forward all-reduce 4000 @5 <- 1 2\n"
            // The accelerator took 1 us to begin it.
            "5 compute-7 b forward compute 31000000 @6 <- 1 3 4\n"
            // Of the call 10 us go before it waits, and 4 us after the last kernel has ended.
            "6 cpu-1 cudaDeviceSynchronize forward compute 10000000 @7 <-\n"
            "7 cpu-1 cudaDeviceSynchronize forward compute 4000000 @7 <- 4 5\n";
        NS_TEST_EXPECT_MSG_EQ(DescribeProgram(workload->GetProgram(1)), expected, "the program");
        const auto one = ReadKinetoTraces(m_folder + "/0.json", std::nullopt);
        NS_TEST_EXPECT_MSG_EQ(one->GetLayout().world, 2, "a trace stands for its peers");
        NS_TEST_EXPECT_MSG_EQ((&one->GetProgram(0) == &one->GetProgram(1)), true, "one program");
        // As programs of one process write it, with the events before what tells the format.
        WriteWorkloadFile(m_folder + "/alone.json",
                          "{\"traceEvents\": [" +
                              MakeKinetoEvent("cuda_runtime", "cudaDeviceSynchronize", 5, 2, "") +
                              ",\n" + MakeKinetoEvent("kernel", "a", 5, 2, "\"stream\": 7") + "]}");
        const auto alone = ReadKinetoTraces(m_folder + "/alone.json", std::nullopt);
        NS_TEST_EXPECT_MSG_EQ(alone->GetLayout().world, 1, "a job of one rank");
        std::filesystem::remove(m_folder + "/alone.json");
    }

    /// What holds up an accelerator besides what is known, a copy that its call waits for, and a
    /// call that does nothing for the job.
    void CheckDelays()
    {
        const auto file = m_folder + "/delays.json";
        const auto call = [](const std::string& name, uint64_t start, uint64_t time, int number) {
            const auto link = "\"correlation\": " + std::to_string(number);
            return MakeKinetoEvent("cuda_runtime", name, start, time, link) + ",\n";
        };
        const auto op = [](const std::string& category, uint64_t start, uint64_t time, int number) {
            const auto link = "\"stream\": 7, \"correlation\": " + std::to_string(number);
            return MakeKinetoEvent(category, category, start, time, link);
        };
        WriteWorkloadFile(
            file,
            "{\"schemaVersion\": 1, \"traceEvents\": [" + call("cudaStreamIsCapturing", 20, 5, 9) +
                call("cudaLaunchKernel", 100, 10, 1) + op("kernel", 5110, 50, 1) + ",\n" +
                call("cudaLaunchKernel", 120, 10, 2) + op("kernel", 5163, 30, 2) + ",\n" +
                call("cudaMemcpyAsync", 6000, 400, 3) + op("gpu_memcpy", 6100, 290, 3) + "]}");
        const auto workload = ReadKinetoTraces(file, std::nullopt);
        const std::string expected =
            "0 cpu-1 cudaLaunchKernel forward compute 10000000 @1 <-\n"
            "1 cpu-1 cudaLaunchKernel forward compute 20000000 @3 <-\n"
            // It was there 5 ms before it began, and the next one 3 us.
            "2 compute-7 kernel forward compute 5050000000 @2 <- 0\n"
            "3 compute-7 kernel forward compute 33000000 @4 <- 1 2\n"
            // From the end of the call before to the begin of the copy, and from its end on.
            "4 cpu-1 cudaMemcpyAsync forward compute 5970000000 @5 <-\n"
            "5 compute-7 gpu_memcpy forward compute 290000000 @6 <- 3 4\n"
            "6 cpu-1 cudaMemcpyAsync forward compute 10000000 @5 <- 5\n";
        NS_TEST_EXPECT_MSG_EQ(DescribeProgram(workload->GetProgram(0)), expected, "the program");
        std::filesystem::remove(file);
    }

    /// A send meets the receive of the other rank; names and spans tell what kernels do not.
    void CheckMessages()
    {
        for (uint32_t rank = 0; rank < 2; ++rank)
        {
            const std::string span = rank == 0 ? "nccl:send 0->1" : "nccl:recv 1<-0";
            const std::string tensor = "\"Input Dims\": [[500]], \"Input type\": [\"c10::Half\"]";
            Write(
                rank,
                {MakeKinetoEvent("user_annotation", span, 90, 30, tensor),
                 MakeKinetoEvent("cuda_runtime", "cudaLaunchKernel", 100, 5, "\"correlation\": 1"),
                 MakeKinetoEvent("kernel",
                                 "ncclKernel_SendRecv_RING_SIMPLE_Sum_int8_t(ncclWork*)",
                                 110,
                                 20,
                                 "\"stream\": 9, \"correlation\": 1")});
        }
        const auto workload = ReadKinetoTraces(m_folder, std::nullopt);
        for (uint32_t rank = 0; rank < 2; ++rank)
        {
            const auto& op = workload->GetProgram(rank).GetOps().back();
            NS_TEST_EXPECT_MSG_EQ((op.kind == (rank == 0 ? OpKind::SEND : OpKind::RECV)),
                                  true,
                                  "what the span says");
            NS_TEST_EXPECT_MSG_EQ(op.peer, 1 - rank, "the other rank");
            NS_TEST_EXPECT_MSG_EQ(op.amount, 1000, "500 numbers of two bytes");
        }
    }

    /// Traces that do not fit together.
    void CheckErrors()
    {
        const auto read = [this] { ReadKinetoTraces(m_folder, std::nullopt); };
        auto fewer = MakeStep();
        fewer.erase(fewer.begin() + 5);
        Write(0, MakeStep());
        Write(1, fewer);
        NS_TEST_EXPECT_MSG_EQ(WorkloadErrorOf([this] { ReadKinetoTraces(m_folder, 3); }),
                              m_folder + ": error: expected Kineto traces of all 3 ranks, found "
                                         "none of rank 2",
                              "a rank is missing");
        auto other = MakeStep();
        other[5] = ReplaceFirst(other[5], "AllReduce", "AllGather");
        Write(1, other);
        NS_TEST_EXPECT_MSG_EQ(WorkloadErrorOf(read),
                              m_folder + ": error: expected the same collectives of all ranks of "
                                         "group '', found as number 0 all-reduce of rank 0 and "
                                         "all-gather of rank 1",
                              "another collective");
        WriteWorkloadFile(m_folder + "/again.json",
                          "{\"schemaVersion\": 1, \"distributedInfo\": {\"rank\": 1}, "
                          "\"traceEvents\": [" +
                              MakeKinetoEvent("cuda_runtime", "cudaMalloc", 5, 2, "") + "]}");
        NS_TEST_EXPECT_MSG_EQ(WorkloadErrorOf(read),
                              m_folder +
                                  "/again.json: error: expected kernels or copies of an "
                                  "accelerator (category kernel, gpu_memcpy or gpu_memset; record "
                                  "with ProfilerActivity.CUDA or XPU, too), found none in 1 events",
                              "no op of an accelerator");
        WriteWorkloadFile(m_folder + "/again.json",
                          "{\"schemaVersion\": 1, \"distributedInfo\": {\"rank\": 1}, "
                          "\"traceEvents\": [" +
                              MakeKinetoEvent("mtia_ccp_events", "gemm", 5, 2, "") + "," +
                              MakeKinetoEvent("mtia_runtime", "launch", 4, 1, "") + "," +
                              MakeKinetoEvent("mtia_ccp_events", "gemm", 9, 2, "") + "]}");
        NS_TEST_EXPECT_MSG_EQ(
            WorkloadErrorOf(read),
            m_folder + "/again.json: error: expected kernels or copies of an "
                       "accelerator (category kernel, gpu_memcpy or gpu_memset; record "
                       "with ProfilerActivity.CUDA or XPU, too), found none in 3 events; "
                       "these categories are not read: mtia_ccp_events, "
                       "mtia_runtime",
            "ops of another accelerator");
        WriteWorkloadFile(m_folder + "/again.json",
                          "{\"schemaVersion\": 1, \"distributedInfo\": {\"rank\": 1}, "
                          "\"traceEvents\": [" +
                              MakeKinetoEvent("kernel", "a", 5, 2, "") + "]}");
        NS_TEST_EXPECT_MSG_EQ(WorkloadErrorOf(read),
                              m_folder +
                                  "/again.json: error: expected one trace of each rank, "
                                  "found another one of rank 1, " +
                                  m_folder + "/1.json",
                              "two traces of a rank");
    }

    std::string m_folder; //!< where the traces are
};

} // namespace

std::vector<TestCase*>
MakeKinetoTestCases()
{
    return {new KinetoTestCase()};
}

} // namespace ns3
