/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "collnet-run-test-case.h"
#include "collnet-test-cases.h"

#include "ns3/config.h"
#include "ns3/uinteger.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

namespace
{

/**
 * @ingroup workload-replay-tests
 * @brief Links of the tree that fail while an all-reduce is on its way.
 */
class CollnetFailureTestCase : public CollnetRunTestCase
{
  public:
    CollnetFailureTestCase()
        : CollnetRunTestCase("failing links of collnet-chain")
    {
    }

  private:
    void DoRun() override
    {
        const CollnetShape one{2, 4, 1, 1, "10Gbps"};
        const CollnetShape two{2, 4, 2, 1, "10Gbps"};
        Config::SetDefault("ns3::RdmaNic::RetransmissionTimeout", TimeValue(MicroSeconds(200)));
        const auto whole = Run(one, UINT32_MAX, Time(0));
        // A rank's only link, and a leaf's only link to the root: nothing moves without it.
        for (const uint32_t link : {3, 8})
        {
            const auto time = Run(one, link, MilliSeconds(3));
            NS_TEST_EXPECT_MSG_GT(time, whole + MilliSeconds(1), "link " << link << " was missed");
        }
        // By another spine and leaf the root can be reached for good.
        Run(two, 8, Time(0));
        Config::Reset();
    }

    /**
     * @param shape switches and servers
     * @param link link that fails after 1 ms; UINT32_MAX = none
     * @param up when it is up again; 0 = never
     * @return when the all-reduce ends
     */
    Time Run(const CollnetShape& shape, uint32_t link, Time up)
    {
        NvlsTestJob job(shape.Build());
        if (link != UINT32_MAX)
        {
            job.FailLink(link, MilliSeconds(1), up);
        }
        const auto end = CollnetRunTestCase::Run(job, "rdma", 2000003, CreateCollnet(20000));
        NS_TEST_EXPECT_MSG_EQ((job.retransmissions > 0), (link != UINT32_MAX), "packets lost");
        return end;
    }
};

/**
 * @ingroup workload-replay-tests
 * @brief Several communicators on the same switches, members that do not come, and members that
 *        contradict each other.
 */
class CollnetEngineTestCase : public TestCase
{
  public:
    CollnetEngineTestCase()
        : TestCase("communicators of collnet-chain")
    {
    }

  private:
    void DoRun() override
    {
        CheckConcurrency();
        CheckWait();
        CheckContradiction();
        CheckGroups();
    }

    /// Three calls each of groups that share ranks and switches.
    void CheckConcurrency()
    {
        for (const std::string transport : {"ideal", "rdma"})
        {
            NvlsTestJob job(CollnetShape{4, 2, 2}.Build());
            std::size_t calls = 0;
            for (const std::vector<uint32_t>& ranks :
                 std::vector<std::vector<uint32_t>>{{0, 1, 2, 3, 4, 5, 6, 7},
                                                    {1, 2, 6},
                                                    {5, 1, 7},
                                                    {4, 5}})
            {
                const auto communicator = job.AddCommunicator(ranks);
                for (const uint64_t bytes : {40003, 1, 30000})
                {
                    job.CallAll(communicator, CollectiveKind::ALL_REDUCE, bytes);
                    calls += ranks.size();
                }
            }
            job.Run(transport, CreateCollnet(5000, 3));
            NS_TEST_EXPECT_MSG_EQ(job.waits.size(), 0, "hangs on " << transport);
            NS_TEST_EXPECT_MSG_EQ(job.collectives.size(), calls, "each member reports each call");
            NS_TEST_EXPECT_MSG_EQ((job.receivedBytes == job.expectedBytes), true, "as foretold");
        }
    }

    /// Those that wait name the one that does not come.
    void CheckWait()
    {
        NvlsTestJob job(CollnetShape{2, 2, 1}.Build());
        const auto communicator = job.AddCommunicator({0, 1, 2, 3});
        for (const uint32_t rank : {0, 1, 3})
        {
            job.Call(rank, communicator, CollectiveKind::ALL_REDUCE, 4000);
        }
        job.Run("ideal", CreateCollnet(1000));
        NS_TEST_ASSERT_MSG_EQ(job.waits.size(), 3, "three wait");
        for (const auto& wait : job.waits)
        {
            NS_TEST_EXPECT_MSG_NE(wait.find(" for rank 2"), std::string::npos, wait);
            NS_TEST_EXPECT_MSG_EQ(wait.find(", 3"), std::string::npos, wait);
        }
    }

    /// The switch where they meet finds it: a leaf for its own, the root for those of two leaves.
    void CheckContradiction()
    {
        for (const uint32_t other : {1, 2})
        {
            NvlsTestJob job(CollnetShape{2, 2, 1}.Build());
            const auto communicator = job.AddCommunicator({0, 1, 2, 3});
            for (uint32_t rank = 0; rank < 4; ++rank)
            {
                const bool isOdd = other == 1 ? rank == 1 : rank >= 2;
                job.Call(rank, communicator, CollectiveKind::ALL_REDUCE, isOdd ? 5000 : 4000);
            }
            job.Run("ideal", CreateCollnet(8000));
            NS_TEST_ASSERT_MSG_EQ(job.faults.size(), 1, "found");
            for (const std::string text : {"of 4000 bytes", "of 5000 bytes", "all0"})
            {
                NS_TEST_EXPECT_MSG_NE(job.faults[0].find(text),
                                      std::string::npos,
                                      job.faults[0] << " names " << text);
            }
        }
    }

    /// Two communicators of two channels are four groups, each of which the leaf serves.
    void CheckGroups()
    {
        for (const uint32_t groups : {3, 4})
        {
            Config::SetDefault("ns3::NetworkReducer::MaxGroups", UintegerValue(groups));
            NvlsTestJob job(CollnetShape{1, 4}.Build());
            job.CallAll(job.AddCommunicator({0, 1, 2, 3}), CollectiveKind::ALL_REDUCE, 4000);
            job.CallAll(job.AddCommunicator({0, 1, 2}), CollectiveKind::ALL_REDUCE, 4000);
            job.Run("ideal", CreateCollnet(1000, 8, 2));
            Config::Reset();
            NS_TEST_ASSERT_MSG_EQ(job.faults.size(), 4 - groups, groups << " groups");
            NS_TEST_EXPECT_MSG_EQ(
                (job.faults.empty() ||
                 job.faults[0].find("serves 3 groups already") != std::string::npos),
                true,
                "the reason");
        }
    }
};

} // namespace

std::vector<TestCase*>
MakeCollnetFaultTestCases()
{
    return {new CollnetFailureTestCase, new CollnetEngineTestCase};
}

} // namespace ns3
