/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef COLLNET_RUN_TEST_CASE_H
#define COLLNET_RUN_TEST_CASE_H

#include "nvls-test-job.h"

#include "ns3/collective-algorithm.h"
#include "ns3/collnet-chain-collective.h"
#include "ns3/data-rate.h"
#include "ns3/nstime.h"
#include "ns3/test.h"
#include "ns3/topology-graph.h"
#include "ns3/uinteger.h"

#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

namespace ns3
{

/// @ingroup workload-replay-tests
/// Switches and servers of a job: each server stands below one leaf.
struct CollnetShape
{
    uint32_t leaves{1};        //!< leaf switches
    uint32_t perLeaf{2};       //!< servers of each
    uint32_t spines{0};        //!< spine switches, linked to all leaves
    uint32_t ranks{1};         //!< ranks of a server, behind an NVSwitch if there are several
    std::string rate{"1Gbps"}; //!< rate of all links

    /// Delay of a link, ns.
    static constexpr uint64_t DELAY = 300;

    /// @return number of ranks
    uint32_t CountRanks() const
    {
        return leaves * perLeaf * ranks;
    }

    /// @return links of ranks first, by rank, then those of spines, leaf by leaf, then NVLink
    TopologyGraph Build() const
    {
        TopologyGraph graph;
        for (uint32_t rank = 0; rank < CountRanks(); ++rank)
        {
            graph.AddHost("host" + std::to_string(rank),
                          ranks > 1 ? rank / ranks : TopologyGraph::NO_SERVER);
        }
        const uint32_t firstLeaf = graph.GetNNodes();
        for (uint32_t leaf = 0; leaf < leaves; ++leaf)
        {
            graph.AddSwitch("leaf" + std::to_string(leaf));
        }
        const DataRate linkRate(rate);
        const Time delay = NanoSeconds(DELAY);
        for (uint32_t rank = 0; rank < CountRanks(); ++rank)
        {
            graph.AddLink(rank, firstLeaf + rank / (perLeaf * ranks), linkRate, delay);
        }
        for (uint32_t spine = 0; spine < spines; ++spine)
        {
            graph.AddSwitch("spine" + std::to_string(spine));
        }
        for (uint32_t leaf = 0; leaf < leaves; ++leaf)
        {
            for (uint32_t spine = 0; spine < spines; ++spine)
            {
                graph.AddLink(firstLeaf + leaf, firstLeaf + leaves + spine, linkRate, delay);
            }
        }
        for (uint32_t server = 0; ranks > 1 && server < leaves * perLeaf; ++server)
        {
            const auto nvswitch = graph.AddNvswitch("nvswitch" + std::to_string(server), server);
            for (uint32_t i = 0; i < ranks; ++i)
            {
                graph.AddLink(server * ranks + i, nvswitch, linkRate, delay, true);
            }
        }
        return graph;
    }
};

/**
 * @ingroup workload-replay-tests
 * @tparam A its class
 * @param chunkBytes attribute ChunkBytes
 * @param window attribute Window
 * @param channels attribute Channels
 * @return the algorithm
 */
template <typename A = CollnetChainCollective>
Ptr<A>
CreateCollnet(uint64_t chunkBytes, uint32_t window = 8, uint32_t channels = 1)
{
    auto algorithm = CreateObject<A>();
    algorithm->SetAttribute("ChunkBytes", UintegerValue(chunkBytes));
    algorithm->SetAttribute("Window", UintegerValue(window));
    algorithm->SetAttribute("Channels", UintegerValue(channels));
    return algorithm;
}

/**
 * @ingroup workload-replay-tests
 * @brief Base of the cases that run one all-reduce of all ranks.
 */
class CollnetRunTestCase : public TestCase
{
  public:
    using TestCase::TestCase;

  protected:
    /**
     * Run a job of one all-reduce, and check that it comes to its end as it should.
     *
     * @param job the job, new
     * @param transport ideal or rdma
     * @param bytes bytes of the all-reduce
     * @param algorithm carries it out
     * @return when it ends
     */
    Time Run(NvlsTestJob& job,
             const std::string& transport,
             uint64_t bytes,
             Ptr<const CollectiveAlgorithm> algorithm)
    {
        std::vector<uint32_t> ranks(job.GetGraph().GetHosts().size());
        std::iota(ranks.begin(), ranks.end(), 0);
        job.CallAll(job.AddCommunicator(ranks), CollectiveKind::ALL_REDUCE, bytes);
        job.Run(transport, algorithm);
        NS_TEST_EXPECT_MSG_EQ(job.waits.size(), 0, "nobody hangs");
        NS_TEST_EXPECT_MSG_EQ(job.faults.size(), 0, "nobody fails");
        NS_TEST_EXPECT_MSG_EQ(job.collectives.size(), ranks.size(), "each member reports once");
        NS_TEST_EXPECT_MSG_EQ(job.pendingReductions, 0, "the switches have forgotten it");
        NS_TEST_EXPECT_MSG_EQ((job.receivedBytes == job.expectedBytes), true, "as foretold");
        return job.end;
    }
};

} // namespace ns3

#endif /* COLLNET_RUN_TEST_CASE_H */
