/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "server-test-tools.h"

#include "ns3/chain-collective.h"
#include "ns3/channel-tuning.h"
#include "ns3/collective-costs.h"
#include "ns3/collective-selection.h"
#include "ns3/data-rate.h"
#include "ns3/nvls-collective.h"
#include "ns3/ring-collective.h"
#include "ns3/tree-collective.h"

#include <string>
#include <utility>
#include <vector>

namespace ns3
{

namespace
{

/**
 * @ingroup workload-replay-tests
 * @brief Rates that the choice of algorithms goes by, of long all-reduces, by hand from tuning.cc
 *        of NCCL 2.18.6 and the channels that were reported.
 */
class TuningTestCase : public TestCase
{
  public:
    TuningTestCase()
        : TestCase("rates by which NCCL chooses")
    {
    }

  private:
    void DoRun() override
    {
        const auto simple = CollectiveProtocol::SIMPLE;
        // Channels x rate x n / (2 (n - 1)), x .92 / 2 (x .85 of simple trees), x .70 or 5/6.
        CheckRates(2, 1, 40, 2 * 36.8 * .85 / 2, 0);
        CheckRates(2, 2, 80 * 4. / 6, 160 * .92 / 2, 0);
        CheckRates(2, 4, 144 * 8. / 14, 144 * .92 * .85 / 2, 3 * 30 * .7);
        CheckRates(2, 8, 144 * 16. / 30, 144 * .92 * .85 / 2, 7 * 17.5 * .7);
        CheckRates(1, 8, 160 * 8. / 14, 160 * .92 / 2, 8 * 15 * 5. / 6);

        // One server of 8: 6.6 + 14 x 0.6 us; 6.8 + 2 x 7 x 0.6 us; 23 us.
        CheckLatency(1, ChannelTuning::RING, CollectiveProtocol::LL, 15.0);
        CheckLatency(1, ChannelTuning::TREE, CollectiveProtocol::LL, 15.2);
        CheckLatency(1, ChannelTuning::NVLS, simple, 23.0);
        // Two: 26 steps of at least 1 us and 4 crossings of 2.7 us; 23 + 2 x 19 us.
        CheckLatency(2, ChannelTuning::RING, CollectiveProtocol::LL, 6.6 + 26 + 4 * 2.7);
        CheckLatency(2, ChannelTuning::TREE, CollectiveProtocol::LL, 6.8 + 2 * (7 * 0.6 + 5));
        CheckLatency(2, ChannelTuning::NVLS_TREE, simple, 61.0);
        // Broadcasts: a hop where all rings are alike, as in one server; if not, one for each
        // member, through the network, which with Simple takes as long as in a tree.
        const auto broadcast = CollectiveKind::BROADCAST;
        NS_TEST_ASSERT_MSG_EQ(PlaceInServers(m_servers, 1, 8)->GetChannels()->CountRings(), 1, "");
        CheckLatency(1, ChannelTuning::RING, CollectiveProtocol::LL, 6.6 + 0.6, broadcast);
        CheckLatency(2, ChannelTuning::RING, CollectiveProtocol::LL, 6.6 + 16 * 2.7, broadcast);
        CheckLatency(2, ChannelTuning::RING, simple, 8.4 + 16 * 14, broadcast);
        CheckChannels();
        CheckPieces();
        CheckBundles();
        CheckKinds();
    }

    /**
     * @param servers number of servers
     * @param perServer GPUs of each
     * @param ring rate of rings, GB/s
     * @param tree rate of trees, GB/s
     * @param nvls rate of NVLS, GB/s; 0 = there is none
     */
    void CheckRates(uint32_t servers, uint32_t perServer, double ring, double tree, double nvls)
    {
        const auto placement = PlaceInServers(m_servers, servers, perServer);
        const auto call = MakeCall(*placement, servers * perServer);
        const ChannelTuning tuning(call, *m_costs);
        const auto simple = CollectiveProtocol::SIMPLE;
        const auto what = std::to_string(call.size) + " GPUs in " + std::to_string(servers);
        NS_TEST_EXPECT_MSG_EQ_TOL(tuning.GetRate(ChannelTuning::RING, simple) / 1e9,
                                  ring,
                                  0.001,
                                  "ring, " << what);
        NS_TEST_EXPECT_MSG_EQ_TOL(tuning.GetRate(ChannelTuning::TREE, simple) / 1e9,
                                  tree,
                                  0.001,
                                  "tree, " << what);
        const auto algorithm = servers == 1 ? ChannelTuning::NVLS : ChannelTuning::NVLS_TREE;
        NS_TEST_EXPECT_MSG_EQ_TOL(tuning.GetRate(algorithm, simple) / 1e9,
                                  nvls,
                                  0.001,
                                  "NVLS, " << what);
        const auto other = servers == 1 ? ChannelTuning::NVLS_TREE : ChannelTuning::NVLS;
        NS_TEST_EXPECT_MSG_EQ(tuning.GetRate(other, simple), 0, "NVLS, " << what);
    }

    /**
     * @param servers number of servers of 8 GPUs
     * @param algorithm an algorithm
     * @param protocol how it runs
     * @param latency its latency, us
     * @param kind what it does
     */
    void CheckLatency(uint32_t servers,
                      ChannelTuning::Algorithm algorithm,
                      CollectiveProtocol protocol,
                      double latency,
                      CollectiveKind kind = CollectiveKind::ALL_REDUCE)
    {
        const auto placement = PlaceInServers(m_servers, servers, 8);
        auto call = MakeCall(*placement, servers * 8);
        call.kind = kind;
        NS_TEST_EXPECT_MSG_EQ_TOL(1e6 *
                                      ChannelTuning(call, *m_costs).GetLatency(algorithm, protocol),
                                  latency,
                                  0.001,
                                  "algorithm " << algorithm << " in " << servers << " servers");
    }

    /// A channel needs 512 threads of 8 bytes and member with LL, of 64 bytes with Simple.
    void CheckChannels()
    {
        const auto placement = PlaceInServers(m_servers, 2, 8);
        auto call = MakeCall(*placement, 16);
        call.protocol = CollectiveProtocol::LL;
        call.bytes = 5 * 512 * 8 * 16;
        const auto count = [&call]() {
            return ChannelTuning::CountChannels(call, ChannelTuning::RING);
        };
        NS_TEST_EXPECT_MSG_EQ(count(), 5, "LL");
        call.bytes -= 1;
        NS_TEST_EXPECT_MSG_EQ(count(), 4, "not enough for the fifth");
        call.bytes = 1;
        NS_TEST_EXPECT_MSG_EQ(count(), 1, "at least one");
        call.protocol = CollectiveProtocol::SIMPLE;
        call.bytes = 7 * 512 * 64;
        NS_TEST_EXPECT_MSG_EQ(count(), 7, "Simple");
        call.bytes = 1 << 30;
        NS_TEST_EXPECT_MSG_EQ(count(), 12, "all");
        NS_TEST_EXPECT_MSG_EQ(CreateObject<RingCollective>()->GetChannels(call),
                              3,
                              "three rings, each four times");
    }

    /// Chunks and slices of NCCL, one piece for all channels together.
    void CheckPieces()
    {
        using Protocol = CollectiveProtocol;
        // Two GPUs have 16 channels: loops of 2 GPUs x 16 channels x 2 MiB, each in two slices, of
        // 32 KiB at least; of 32 KiB with LL and 15/16 x 614,400 bytes with LL128.
        CheckPieces(1, 2, ChannelTuning::RING, Protocol::SIMPLE, 1 << 30, 32);
        CheckPieces(1, 2, ChannelTuning::RING, Protocol::SIMPLE, 4 << 20, 2);
        CheckPieces(1, 2, ChannelTuning::RING, Protocol::SIMPLE, 512 << 10, 1);
        CheckPieces(1, 2, ChannelTuning::RING, Protocol::LL, 2 << 20, 2);
        CheckPieces(1, 2, ChannelTuning::RING, Protocol::LL128, 32 << 20, 2);
        // 2 + 2 GPUs have 8, and a tree of depth 2: 512 KiB, halved to 128 KiB for fewer than 16
        // chunks, to 64 KiB for fewer than 8 and to 32 KiB for fewer than 2.
        CheckPieces(2, 2, ChannelTuning::TREE, Protocol::SIMPLE, 1 << 30, 256);
        CheckPieces(2, 2, ChannelTuning::TREE, Protocol::SIMPLE, 16 << 20, 16);
        CheckPieces(2, 2, ChannelTuning::TREE, Protocol::SIMPLE, 4 << 20, 8);
        CheckPieces(2, 2, ChannelTuning::TREE, Protocol::SIMPLE, 512 << 10, 2);
    }

    /**
     * @param servers number of servers
     * @param perServer GPUs of each
     * @param algorithm an algorithm
     * @param protocol how it runs
     * @param bytes bytes of an all-reduce
     * @param pieces pieces that it is cut into
     */
    void CheckPieces(uint32_t servers,
                     uint32_t perServer,
                     ChannelTuning::Algorithm algorithm,
                     CollectiveProtocol protocol,
                     uint64_t bytes,
                     uint64_t pieces)
    {
        const auto placement = PlaceInServers(m_servers, servers, perServer);
        auto call = MakeCall(*placement, servers * perServer);
        call.bytes = bytes;
        call.protocol = protocol;
        NS_TEST_EXPECT_MSG_EQ(ChannelTuning::CountPieces(call, algorithm),
                              pieces,
                              bytes << " bytes, " << ToString(protocol));
    }

    /// Three rings stand for the twelve channels of 16 GPUs; what that costs a message.
    void CheckBundles()
    {
        const auto placement = PlaceInServers(m_servers, 2, 8);
        auto call = MakeCall(*placement, 16);
        const auto ring = CreateObject<RingCollective>();
        auto bundle = ring->GetBundle(call);
        NS_TEST_EXPECT_MSG_EQ(bundle.channels, 4, "of each ring");
        NS_TEST_EXPECT_MSG_EQ_TOL(bundle.copyRate, 4 * 38.7e9, 1, "Simple");
        call.protocol = CollectiveProtocol::LL128;
        NS_TEST_EXPECT_MSG_EQ_TOL(ring->GetBundle(call).copyRate, 4 * 36.7e9, 1, "LL128");
        call.protocol = CollectiveProtocol::LL;
        NS_TEST_EXPECT_MSG_EQ(ring->GetBundle(call).copyRate, 0, "LL");
        call.protocol = CollectiveProtocol::SIMPLE;
        const auto tree = ChannelTuning::GetBundle(call, ChannelTuning::TREE, 6);
        NS_TEST_EXPECT_MSG_EQ_TOL(tree.copyRate, 2 * 38.7e9 / 2, 1, "half of the threads");

        CollectiveTerms terms;
        terms.serverLatency = NanoSeconds(600);
        terms.networkLatency = NanoSeconds(2700);
        bundle.copyRate = 1e9;
        m_costs->AddBundle(terms, CollectiveProtocol::LL, bundle);
        // Four posts of 1 us each, the first of which is part of the latency; of 4000 bytes a
        // channel has 1000, which take 20 ns of each.
        NS_TEST_EXPECT_MSG_EQ(terms.GetLatency(4000, true), NanoSeconds(2700 + 4000 + 2940), "LL");
        NS_TEST_EXPECT_MSG_EQ(terms.GetLatency(4000, false), NanoSeconds(600), "NVLink");
        // 200,000 bytes are under way for as long as it takes to post them.
        NS_TEST_EXPECT_MSG_EQ(terms.GetLatency(200000, true), NanoSeconds(202700), "hidden");

        // What is simulated of the 5 us of trees is taken off; a step of a ring through several
        // servers takes the 1 us of a proxy instead of 0.6 us.
        auto costs = CreateObject<CollectiveCosts>();
        costs->SetAttribute("NetworkDelay", TimeValue(MicroSeconds(1)));
        const auto ofTree =
            CreateObject<TreeCollective>()->GetTerms(CollectiveProtocol::LL, {2, 8}, *costs);
        NS_TEST_EXPECT_MSG_EQ(ofTree.networkLatency, MicroSeconds(4), "5 - 1 us");
        NS_TEST_EXPECT_MSG_EQ(ofTree.serverLatency, NanoSeconds(600), "of a tree");
        const auto ofRing =
            CreateObject<RingCollective>()->GetTerms(CollectiveProtocol::LL, {2, 8}, *costs);
        NS_TEST_EXPECT_MSG_EQ(ofRing.serverLatency, MicroSeconds(1), "of a ring");
    }

    /// NCCL 2.18 has NVLS for all-reduce alone, and only rings for all other kinds.
    void CheckKinds()
    {
        const auto placement = PlaceInServers(m_servers, 1, 8, 4);
        auto call = MakeCall(*placement, 8);
        auto algorithms = CreateObject<CollectiveSelection>();
        algorithms->Add(CreateObject<RingCollective>());
        algorithms->Add(CreateObject<TreeCollective>());
        algorithms->Add(CreateObject<ChainCollective>());
        algorithms->Add(CreateObject<NvlsCollective>());
        algorithms->SetCosts(m_costs);
        using Kind = CollectiveKind;
        const std::pair<Kind, std::string> rows[] = {{Kind::ALL_REDUCE, "nvls/simple"},
                                                     {Kind::ALL_GATHER, "ring/simple"},
                                                     {Kind::REDUCE_SCATTER, "ring/simple"},
                                                     {Kind::BROADCAST, "chain/simple"},
                                                     {Kind::REDUCE, "chain/simple"}};
        for (const auto& [kind, name] : rows)
        {
            call.kind = kind;
            NS_TEST_EXPECT_MSG_EQ(algorithms->Select(call, Dimension::DP).GetName(),
                                  name,
                                  algorithms->Describe(call));
        }
        // Nor does NVLS give an estimate of them where the servers are not described.
        const CollectivePlacement plain(std::vector<uint32_t>(8, 0), 4);
        call.placement = &plain;
        for (const auto kind : {Kind::BROADCAST, Kind::REDUCE})
        {
            call.kind = kind;
            const auto simple = CollectiveProtocol::SIMPLE;
            const auto estimate = CreateObject<NvlsCollective>()->Estimate(call, simple, *m_costs);
            NS_TEST_EXPECT_MSG_EQ(estimate.has_value(), false, ToString(kind));
        }
    }

    /**
     * @param placement where the members stand
     * @param size number of members
     * @return an all-reduce of 1 GiB
     */
    static CollectiveCall MakeCall(const CollectivePlacement& placement, uint32_t size)
    {
        CollectiveCall call;
        call.bytes = 1 << 30;
        call.size = size;
        call.placement = &placement;
        return call;
    }

    std::shared_ptr<const ServerChannels> m_servers{
        DescribeServer(REPORTED_SERVER, 8)};                       //!< the servers
    Ptr<CollectiveCosts> m_costs{CreateObject<CollectiveCosts>()}; //!< latencies
};

} // namespace

std::shared_ptr<const ServerChannels>
DescribeServer(const std::string& layout, uint32_t nvlinks)
{
    auto costs = CreateObject<CollectiveCosts>();
    costs->SetAttribute("SearchNvlinkRate", DataRateValue(DataRate(nvlinks * 160000000000ULL)));
    const auto server = ServerDescription::Parse({layout, {"test", 0, 0, ""}});
    return std::make_shared<const ServerChannels>(costs->MakeServerModel(server));
}

std::unique_ptr<CollectivePlacement>
PlaceInServers(std::shared_ptr<const ServerChannels> channels,
               uint32_t servers,
               uint32_t perServer,
               uint32_t nSwitches)
{
    std::vector<uint32_t> places;
    std::vector<uint32_t> devices;
    for (uint32_t member = 0; member < servers * perServer; ++member)
    {
        places.push_back(member / perServer);
        devices.push_back(member % perServer);
    }
    auto placement = std::make_unique<CollectivePlacement>(places, nSwitches);
    placement->SetChannels(channels, devices);
    return placement;
}

TestCase*
MakeChannelTuningTestCase()
{
    return new TuningTestCase;
}

} // namespace ns3
