/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "collective-data-test-case.h"
#include "replay-test-job.h"
#include "ring-data-test-case.h"
#include "ring-rail-test-cases.h"

#include "ns3/collective-placement.h"
#include "ns3/data-rate.h"
#include "ns3/ideal-fabric-helper.h"
#include "ns3/nstime.h"
#include "ns3/ring-collective.h"
#include "ns3/test.h"
#include "ns3/topology-builder.h"
#include "ns3/uinteger.h"

#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

namespace ns3
{

namespace
{

/**
 * @ingroup workload-replay-tests
 * @brief How many channels a ring has, asked for or not.
 */
class AutomaticChannelsTestCase : public TestCase
{
  public:
    AutomaticChannelsTestCase()
        : TestCase("channels that follow from the servers")
    {
    }

  private:
    void DoRun() override
    {
        auto automatic = CreateObject<RingCollective>();
        auto asked = CreateObject<RingCollective>();
        asked->SetAttribute("Channels", UintegerValue(3));
        CollectiveCall call{CollectiveKind::ALL_REDUCE, 1000, 0, 4};
        NS_TEST_EXPECT_MSG_EQ(automatic->GetChannels(call), 1, "nothing known");
        const std::vector<std::pair<std::vector<uint32_t>, uint32_t>> rows{
            {{4}, 1},
            {{2, 2}, 2},
            {{8, 4}, 8},
            {{1, 3}, 3},
            {{1, 1, 1}, 1},
        };
        for (const auto& [sizes, channels] : rows)
        {
            const CollectivePlacement placement(SpreadInBlocks(sizes));
            call.placement = &placement;
            NS_TEST_EXPECT_MSG_EQ(automatic->GetChannels(call), channels, "row " << sizes.size());
            NS_TEST_EXPECT_MSG_EQ(asked->GetChannels(call), 3, "as asked for");
        }
    }
};

/**
 * @ingroup workload-replay-tests
 * @brief Every member has the data it should have after rings through several servers.
 */
class RailRingDataTestCase : public RingDataTestCase
{
  public:
    /**
     * @param channels attribute Channels
     * @param chunkBytes attribute ChunkBytes
     * @param depth attribute PipelineDepth
     */
    RailRingDataTestCase(uint32_t channels, uint64_t chunkBytes, uint32_t depth)
        : RingDataTestCase("several servers", channels, chunkBytes, depth)
    {
    }

  private:
    void DoRun() override
    {
        for (const auto& sizes : GetServerSizes())
        {
            Check(SpreadInBlocks(sizes));
        }
        // Members of a server that do not stand together, and any numbers of servers.
        for (const auto size : GetMemberCounts())
        {
            std::vector<uint32_t> servers;
            for (uint32_t member = 0; member < size; ++member)
            {
                servers.push_back(member * member % 7);
            }
            Check(servers);
        }
    }

    /**
     * @param servers the server of each member
     */
    void Check(const std::vector<uint32_t>& servers)
    {
        const CollectivePlacement placement(servers);
        CheckRings(static_cast<uint32_t>(servers.size()), &placement);
    }
};

/**
 * @ingroup workload-replay-tests
 * @brief A replay that knows its servers uses the NICs of all ranks.
 *
 * All-reduce of 8,000 bytes on two servers of two ranks: 6 steps of 2,000 bytes. NVLink takes next
 * to no time. A NIC of 1 Gb/s works from the start to the end, as each rank that leaves its server
 * has its own chunk and its neighbour's to begin with. On one ring it sends 6 times 2,000 bytes, in
 * 96 us; on two, which leave a server by different NICs, 6 times half as much in 48 us.
 */
class RailReplayTestCase : public TestCase
{
  public:
    RailReplayTestCase()
        : TestCase("a replay that knows its servers uses the NICs of all ranks")
    {
    }

  private:
    void DoRun() override
    {
        Check([](ReplayHelper&, const TopologyGraph&) {}, 1, MicroSeconds(96));
        Check(
            [](ReplayHelper& helper, const TopologyGraph&) {
                helper.SetServers({5, 5, 2, 2});
            },
            2,
            MicroSeconds(48));
        Check([](ReplayHelper& helper, const TopologyGraph& graph) { helper.SetServers(graph); },
              2,
              MicroSeconds(48));
    }

    /**
     * @param tell tells the helper of the servers of the topology
     * @param channels channels that are to run
     * @param end when the replay is to end
     */
    void Check(const std::function<void(ReplayHelper&, const TopologyGraph&)>& tell,
               uint32_t channels,
               Time end)
    {
        FabricParameters parameters;
        parameters.gpusPerServer = 2;
        parameters.nicRate = DataRate("1Gbps");
        parameters.nvlinkRate = DataRate("1000Gbps");
        parameters.nvlinkDelay = Time(0);
        parameters.linkDelay = Time(0);
        const auto graph = TopologyBuilder::Build(TopologySpec("single-switch"), 4, parameters);
        TestProgram program;
        program.Collective("a", CollectiveKind::ALL_REDUCE, 8000);
        ReplayTestJob job(4, Dimension::DP);
        job.SetProgram(program.Build());
        job.configure = [&](ReplayHelper& helper) { tell(helper, graph); };
        job.Run(IdealFabricHelper().Install(graph));
        NS_TEST_EXPECT_MSG_EQ(job.end, end, channels << " channels");
        NS_TEST_ASSERT_MSG_EQ(job.collectives.size(), 4, "one record per rank");
        for (uint32_t rank = 0; rank < 4; ++rank)
        {
            NS_TEST_EXPECT_MSG_EQ(job.collectives[rank].channels, channels, "as it ran");
            NS_TEST_EXPECT_MSG_EQ(job.receivedBytes[rank], job.expectedBytes[rank], "as foretold");
            NS_TEST_EXPECT_MSG_EQ(job.receivedBytes[rank], 12000, "2 (N - 1) / N of the buffer");
        }
    }
};

} // namespace

std::vector<TestCase*>
MakeRingRailCollectiveTestCases()
{
    return {new AutomaticChannelsTestCase,
            new RailRingDataTestCase(0, 0, 1),
            new RailRingDataTestCase(3, 1, 3),
            new RailRingDataTestCase(0, 2, 2),
            new RailReplayTestCase};
}

} // namespace ns3
