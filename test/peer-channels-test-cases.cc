/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "collective-data-test-case.h"
#include "server-test-tools.h"

#include "ns3/chain-collective.h"
#include "ns3/collective-selection.h"
#include "ns3/copy-collective.h"
#include "ns3/direct-collective.h"
#include "ns3/nvls-collective.h"
#include "ns3/peer-channels.h"
#include "ns3/point-to-point-flow.h"
#include "ns3/pxn-collective.h"
#include "ns3/ring-collective.h"
#include "ns3/simulator.h"
#include "ns3/tree-collective.h"
#include "ns3/uinteger.h"

#include <string>
#include <vector>

namespace ns3
{

namespace
{

/// Half of the 38.7 GB/s that NCCL counts on for a channel of trees on Hopper, bytes per second.
constexpr double CHANNEL_RATE = 19.35e9;

/**
 * @ingroup workload-replay-tests
 * @brief Channels of point-to-point messages, by hand from paths.cc and enqueue.cc of NCCL 2.18.6.
 */
class PeerChannelsTestCase : public TestCase
{
  public:
    PeerChannelsTestCase()
        : TestCase("channels of point-to-point messages")
    {
    }

  private:
    void DoRun() override
    {
        // Two per NVLink, as long as all messages of a server have channels of their own: 16 / N;
        // more for messages above 16 MiB per channel, up to 4 x 16 / N.
        // A channel has a multiple of 64 KiB, so that a byte more takes another one, and nine times
        // that leave three of eight without any.
        CheckCounts(1, 2, 16, {{0, 1}, {64 << 10, 1}, {(64 << 10) + 1, 2}, {1 << 20, 8}});
        CheckCounts(1, 2, 16, {{512 << 10, 8}, {(512 << 10) + 1, 5}, {576 << 10, 5}});
        CheckCounts(1, 2, 16, {{128 << 20, 8}, {256 << 20, 16}});
        CheckCounts(1, 8, 16, {{1, 1}, {1 << 20, 2}, {32 << 20, 2}, {33 << 20, 4}, {1 << 30, 8}});
        // Two between servers, and so for all pairs; 12 channels of the rings make room for 16.
        // Multiples of 16 KiB, and 16 GPUs share 16 channels as long as there are 128 KiB at most.
        CheckCounts(2, 1, 4, {{16 << 10, 1}, {(16 << 10) + 1, 2}, {1 << 20, 2}, {1 << 30, 2}});
        CheckCounts(2, 2, 8, {{1 << 20, 2}});
        CheckCounts(2, 8, 16, {{128 << 10, 1}, {(128 << 10) + 1, 2}, {1 << 20, 2}});
        // Two of each pair of 40 would be more than four messages for each of the 16.
        CheckCounts(4, 8, 16, {{1 << 20, 2}});
        CheckCounts(5, 8, 16, {{1 << 20, 1}});

        const auto placement = PlaceInServers(m_servers, 2, 8);
        const PeerChannels channels(*placement);
        NS_TEST_EXPECT_MSG_EQ_TOL(channels.GetRate(1 << 20, 1), 2 * CHANNEL_RATE, 1, "a peer");
        NS_TEST_EXPECT_MSG_EQ_TOL(channels.GetRate(1 << 20, 3), 6 * CHANNEL_RATE, 1, "three");
        NS_TEST_EXPECT_MSG_EQ_TOL(channels.GetRate(1 << 20, 9), 16 * CHANNEL_RATE, 1, "all");
        CheckSenders(channels);
        CheckShares();
    }

    /// Bytes of a message, and channels that it is spread over.
    using Rows = std::vector<std::pair<uint64_t, uint32_t>>;

    /**
     * @param servers number of servers
     * @param perServer GPUs of each
     * @param all channels of all pairs
     * @param rows what messages get
     */
    void CheckCounts(uint32_t servers, uint32_t perServer, uint32_t all, const Rows& rows)
    {
        const auto placement = PlaceInServers(m_servers, servers, perServer);
        const PeerChannels channels(*placement);
        const auto what = std::to_string(perServer) + " GPUs in " + std::to_string(servers);
        NS_TEST_EXPECT_MSG_EQ(channels.CountAll(), all, what);
        for (const auto& [bytes, count] : rows)
        {
            NS_TEST_EXPECT_MSG_EQ(channels.Count(bytes), count, what << ", " << bytes << " bytes");
        }
    }

    /**
     * What is for GPU d of another server leaves by the NIC beside GPU d, whose GPU hands it over.
     *
     * @param channels channels of 16 GPUs in two servers
     */
    void CheckSenders(const PeerChannels& channels)
    {
        NS_TEST_EXPECT_MSG_EQ(channels.FindSender(0, 9), 1, "the NIC of GPU 1");
        NS_TEST_EXPECT_MSG_EQ(channels.FindSender(1, 9), 1, "its own");
        NS_TEST_EXPECT_MSG_EQ(channels.FindSender(5, 12), 4, "the NIC of GPU 4");
        NS_TEST_EXPECT_MSG_EQ(channels.FindSender(12, 5), 13, "and back");
        NS_TEST_EXPECT_MSG_EQ(channels.FindSender(0, 3), 0, "one server");
        // The first step to the next server: 1, whose four bits in reverse order are 8. GPU 0
        // counts as the GPU of NIC 0, to which it has the first claim, and reaches NICs 1 to 6
        // through their GPUs. It takes these in turn: the one at 8 mod 6 is NIC 3, beside GPU 4.
        NS_TEST_EXPECT_MSG_EQ(channels.FindChannel(3, 8), 8, "the channel");
        NS_TEST_EXPECT_MSG_EQ(channels.FindSender(3, 8), 4, "a NIC for GPU 0");
        // In a ring of three servers, one is two steps behind the one that is a step ahead of it: 1
        // and 2 are 8 and 4 with their bits in reverse order.
        const auto three = PlaceInServers(m_servers, 3, 8);
        NS_TEST_EXPECT_MSG_EQ(PeerChannels(*three).FindChannel(0, 8), 8, "a step ahead");
        NS_TEST_EXPECT_MSG_EQ(PeerChannels(*three).FindChannel(8, 0), 4, "two steps ahead");
        NS_TEST_EXPECT_MSG_EQ(PeerChannels(*three).FindChannel(16, 0), 8, "around");
        // Without its counterpart in the communicator each uses its own NIC.
        const auto apart = std::make_unique<CollectivePlacement>(std::vector<uint32_t>{0, 1}, 0);
        apart->SetChannels(m_servers, {4, 1});
        NS_TEST_EXPECT_MSG_EQ(PeerChannels(*apart).FindSender(0, 1), 0, "GPU 1 has no part");
    }

    /// Few peers leave a part of NVLink idle: two channels each of 19.35 GB/s, of 160 GB/s.
    void CheckShares()
    {
        const std::pair<uint32_t, double> rows[] = {
            {1, 1},
            {2, 2 * CHANNEL_RATE / 160e9},
            {4, 6 * CHANNEL_RATE / 160e9},
            {8, 1},
        };
        for (const auto& [perServer, share] : rows)
        {
            const auto placement = PlaceInServers(m_servers, 2, perServer);
            CollectiveCall call{CollectiveKind::ALL_TO_ALL, 1 << 24, 0, 2 * perServer};
            call.placement = placement.get();
            NS_TEST_EXPECT_MSG_EQ_TOL(CreateObject<DirectCollective>()->GetUsedShare(call),
                                      share,
                                      1e-6,
                                      perServer << " GPUs");
        }
    }

    std::shared_ptr<const ServerChannels> m_servers{
        DescribeServer(REPORTED_SERVER, 8)}; //!< the servers
};

/**
 * @ingroup workload-replay-tests
 * @brief All blocks of an all-to-all arrive that go through other GPUs on described servers.
 */
class RailAllToAllTestCase : public TestCase
{
  public:
    RailAllToAllTestCase()
        : TestCase("all-to-alls by rail on described servers")
    {
    }

  private:
    void DoRun() override
    {
        for (uint32_t perServer = 1; perServer <= 8; ++perServer)
        {
            Check(2, perServer);
            Check(3, perServer);
        }
        CheckRelays();
    }

    /**
     * What is for GPU 0 of the other server leaves by the NIC beside GPU 4, which GPU 0 of the own
     * server prefers, and what is for GPU 1 by the NIC beside GPU 1: these send for all eight.
     */
    void CheckRelays()
    {
        constexpr uint64_t block = 3;
        const auto placement = PlaceInServers(m_servers, 2, 8);
        CollectiveChecker checker(
            CreateObject<PxnCollective>(),
            {CollectiveKind::ALL_TO_ALL, 16 * block, 0, 16, nullptr, placement.get()});
        NS_TEST_ASSERT_MSG_EQ(DescribeFault(checker), "", "16 GPUs");
        for (const auto& [to, sender] : {std::pair(8, 4), std::pair(9, 1), std::pair(0, 12)})
        {
            for (uint32_t i = 0; i < 16; ++i)
            {
                const bool isInside = i / 8 == static_cast<uint32_t>(to) / 8;
                const bool isSender = i == static_cast<uint32_t>(sender);
                if (!isInside)
                {
                    const auto& sent = checker.GetTraffic(i).sentTo;
                    NS_TEST_EXPECT_MSG_EQ(sent.count(to), (isSender ? 1 : 0), i << " to " << to);
                    NS_TEST_EXPECT_MSG_EQ((isSender ? sent.at(to).bytes : 0),
                                          (isSender ? 8 * block : 0),
                                          i << " to " << to);
                }
            }
        }
    }

    /**
     * @param servers number of servers
     * @param perServer GPUs of each
     */
    void Check(uint32_t servers, uint32_t perServer)
    {
        constexpr uint64_t block = 3;
        const auto placement = PlaceInServers(m_servers, servers, perServer);
        const auto size = servers * perServer;
        const auto what = std::to_string(servers) + " of " + std::to_string(perServer);
        CollectiveChecker checker(
            CreateObject<PxnCollective>(),
            {CollectiveKind::ALL_TO_ALL, block * size, 0, size, nullptr, placement.get()});
        NS_TEST_ASSERT_MSG_EQ(DescribeFault(checker), "", what);
        CollectiveSelection algorithms;
        algorithms.Add(CreateObject<DirectCollective>());
        algorithms.Add(CreateObject<PxnCollective>());
        CollectiveCall call{CollectiveKind::ALL_TO_ALL, block * size, 0, size};
        call.placement = placement.get();
        NS_TEST_EXPECT_MSG_EQ(algorithms.Select(call, Dimension::EP).GetName(),
                              std::string(perServer > 1 ? "pxn" : "direct"),
                              what);
    }

    std::shared_ptr<const ServerChannels> m_servers{
        DescribeServer(REPORTED_SERVER, 8)}; //!< the servers
};

/**
 * @ingroup workload-replay-tests
 * @brief Keeps what it is to send.
 */
class KeepingTransport : public MessageTransport
{
  public:
    /// A message and when it came.
    struct Kept
    {
        Time at;         //!< when
        Message message; //!< the message
    };

    std::string GetKind() const override
    {
        return "keeping";
    }

    std::vector<Kept> kept; //!< all messages

  private:
    void DoSend(const Message& message) override
    {
        kept.push_back({Simulator::Now(), message});
    }
};

/**
 * @ingroup workload-replay-tests
 * @brief Messages go as fast as the sender's kernel copies them, in parts.
 */
class CopyRateTestCase : public TestCase
{
  public:
    CopyRateTestCase()
        : TestCase("rate at which messages are copied")
    {
    }

  private:
    void DoRun() override
    {
        constexpr uint64_t bytes = 2000000;
        constexpr uint64_t slot = 131072;
        auto transport = CreateObject<KeepingTransport>();
        auto flow = CreateObject<PointToPointFlow>();
        flow->SetAttribute("Slots", UintegerValue(0));
        flow->SetTransport(transport);
        Message message;
        message.destination = 1;
        message.bytes = bytes;
        message.cookie = 7;
        // A byte takes 1 ns: sixteen parts, fifteen of which are a slot.
        flow->Send(message, 1e9);
        message.destination = 2;
        flow->Send(message);
        NS_TEST_ASSERT_MSG_EQ(transport->kept.size(), 1, "only that without a rate goes at once");
        Simulator::Run();
        NS_TEST_ASSERT_MSG_EQ(transport->kept.size(), 1 + 16, "parts");
        for (uint32_t i = 1; i <= 16; ++i)
        {
            const auto& [at, part] = transport->kept[i];
            const auto end = i < 16 ? i * slot : bytes;
            NS_TEST_EXPECT_MSG_EQ(at, NanoSeconds(end), "part " << i);
            const auto length = i < 16 ? slot : bytes - 15 * slot;
            NS_TEST_EXPECT_MSG_EQ(part.bytes, length, "part " << i);
            const auto cookie = i < 16 ? PointToPointFlow::NO_COOKIE : 7;
            NS_TEST_EXPECT_MSG_EQ(part.cookie, cookie, "part " << i);
        }
        CheckOrder(transport, flow, message);
        Simulator::Destroy();
    }

    /**
     * Messages of one connection are copied one after another, those of another one meanwhile; of a
     * long message a 64th at once.
     *
     * @param transport what has been sent
     * @param flow sends
     * @param message a message
     */
    void CheckOrder(Ptr<KeepingTransport> transport, Ptr<PointToPointFlow> flow, Message message)
    {
        const auto start = Simulator::Now();
        transport->kept.clear();
        message.bytes = 64000000;
        flow->Send(message, 1e9);
        message.bytes = 1000;
        flow->Send(message, 1e9);
        message.channel = 1;
        flow->Send(message, 1e9);
        Simulator::Run();
        NS_TEST_ASSERT_MSG_EQ(transport->kept.size(), 64 + 2, "parts");
        NS_TEST_EXPECT_MSG_EQ(transport->kept[0].at - start, MicroSeconds(1), "the other channel");
        NS_TEST_EXPECT_MSG_EQ(transport->kept[1].at - start, MilliSeconds(1), "a 64th");
        NS_TEST_EXPECT_MSG_EQ(transport->kept[64].at - start, MilliSeconds(64), "all of it");
        NS_TEST_EXPECT_MSG_EQ(transport->kept[65].at - start,
                              MilliSeconds(64) + MicroSeconds(1),
                              "and the next");
    }
};

/**
 * @ingroup workload-replay-tests
 * @brief Multiprocessors of kernels: as many as the channels that NCCL 2.18.6 uses for a call, by
 *        hand from enqueue.cc, paths.cc and transport/nvls.cc.
 */
class MultiprocessorsTestCase : public TestCase
{
  public:
    MultiprocessorsTestCase()
        : TestCase("multiprocessors that collectives occupy")
    {
    }

  private:
    void DoRun() override
    {
        constexpr uint64_t large = 1 << 30;
        const auto ring = CreateObject<RingCollective>();
        const auto direct = CreateObject<DirectCollective>();
        // Three rings, each four times; a channel needs 512 threads of 64 bytes.
        Check(ring, CollectiveKind::ALL_GATHER, large, 0, 12);
        Check(ring, CollectiveKind::ALL_GATHER, 7 * 512 * 64, 0, 7);
        Check(CreateObject<TreeCollective>(), CollectiveKind::ALL_REDUCE, large, 0, 12);
        Check(CreateObject<ChainCollective>(), CollectiveKind::BROADCAST, large, 0, 12);
        Check(CreateObject<NvlsCollective>(), CollectiveKind::ALL_REDUCE, large, 0, 16);
        // Two channels for each peer, of the 16 that twelve make room for; one where a message has
        // 128 KiB at most.
        Check(direct, CollectiveKind::SHIFT, large, 0, 2);
        Check(direct, CollectiveKind::SHIFT, 128 << 10, 0, 1);
        Check(direct, CollectiveKind::ALL_TO_ALL, large, 0, 16);
        Check(direct, CollectiveKind::ALL_TO_ALL, 16, 0, 15);
        Check(CreateObject<PxnCollective>(), CollectiveKind::ALL_TO_ALL, large, 0, 16);
        Check(direct, CollectiveKind::GATHER, large, 0, 16);
        Check(direct, CollectiveKind::GATHER, large, 1, 2);
        CheckUndescribed(large);
    }

    /**
     * Servers that are not described: rings and the like are not known, pairs are.
     *
     * @param bytes bytes of a large call
     */
    void CheckUndescribed(uint64_t bytes)
    {
        CollectiveCall call{CollectiveKind::ALL_GATHER, bytes, 0, 16};
        const auto direct = CreateObject<DirectCollective>();
        CheckUnknown(call);
        NS_TEST_EXPECT_MSG_EQ(direct->CountMultiprocessors(call).has_value(), false, "direct");
        const CollectivePlacement two({0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1}, 0);
        call.placement = &two;
        CheckUnknown(call);
        // Two channels for each pair of several servers, and 15 pairs.
        call.kind = CollectiveKind::SHIFT;
        NS_TEST_EXPECT_MSG_EQ(direct->CountMultiprocessors(call).value_or(0), 2, "a pair");
        call.kind = CollectiveKind::ALL_TO_ALL;
        NS_TEST_EXPECT_MSG_EQ(direct->CountMultiprocessors(call).value_or(0), 30, "all pairs");
        // In one server a pair has all 32, of which 16 members leave it 2; 8 where messages are so
        // large that each channel has more than 16 MiB.
        const CollectivePlacement one(std::vector<uint32_t>(16, 0), 0);
        call.placement = &one;
        call.kind = CollectiveKind::SHIFT;
        NS_TEST_EXPECT_MSG_EQ(direct->CountMultiprocessors(call).value_or(0), 8, "one server");
        call.bytes = 1 << 20;
        NS_TEST_EXPECT_MSG_EQ(direct->CountMultiprocessors(call).value_or(0), 2, "1 MiB");
    }

    /**
     * @param algorithm carries out a collective of 16 GPUs in two servers
     * @param kind its kind
     * @param bytes its bytes
     * @param index the member that calls it; the root is 0
     * @param count multiprocessors
     */
    void Check(Ptr<const CollectiveAlgorithm> algorithm,
               CollectiveKind kind,
               uint64_t bytes,
               uint32_t index,
               uint32_t count)
    {
        const auto placement = PlaceInServers(m_servers, 2, 8, 4);
        CollectiveCall call{kind, bytes, index, 16};
        call.placement = placement.get();
        NS_TEST_EXPECT_MSG_EQ(algorithm->CountMultiprocessors(call).value_or(0),
                              count,
                              algorithm->GetName() << ", " << ToString(kind) << " of " << bytes);
    }

    /// @param call a call whose placement knows no channels
    void CheckUnknown(const CollectiveCall& call)
    {
        for (const auto& algorithm : std::vector<Ptr<const CollectiveAlgorithm>>{
                 CreateObject<RingCollective>(),
                 CreateObject<NvlsCollective>(),
             })
        {
            NS_TEST_EXPECT_MSG_EQ(algorithm->CountMultiprocessors(call).has_value(),
                                  false,
                                  algorithm->GetName());
        }
    }

    std::shared_ptr<const ServerChannels> m_servers{
        DescribeServer(REPORTED_SERVER, 8)}; //!< the servers
};

/**
 * @ingroup workload-replay-tests
 * @brief Shifts of tensor parallel ranks are copies, which have all of NVLink, others messages.
 */
class CopyEngineTestCase : public TestCase
{
  public:
    CopyEngineTestCase()
        : TestCase("shifts by copy engines")
    {
    }

  private:
    void DoRun() override
    {
        auto selection = CreateObject<CollectiveSelection>();
        selection->Add(CreateObject<DirectCollective>());
        selection->Add(CreateObject<CopyCollective>());
        const auto costs = CreateObject<CollectiveCosts>();
        costs->SetAttribute("LaunchLatency", TimeValue(MicroSeconds(26)));
        selection->SetCosts(costs);
        const auto servers = DescribeServer(REPORTED_SERVER, 8);
        const auto select = [&](const CollectivePlacement& placement, Dimension dimension) {
            const auto size = static_cast<uint32_t>(placement.GetOrder().size());
            CollectiveCall call{CollectiveKind::SHIFT, 16 << 20, 0, size};
            call.placement = &placement;
            return selection->Select(call, dimension);
        };
        const auto one = PlaceInServers(servers, 1, 8);
        const auto copy = select(*one, Dimension::TP);
        NS_TEST_EXPECT_MSG_EQ(copy.GetName(), "copy/simple", "userbuffers");
        NS_TEST_EXPECT_MSG_EQ(copy.terms.serverShare, 1, "all of NVLink");
        NS_TEST_EXPECT_MSG_EQ(copy.terms.launch, Time(0), "no kernel of NCCL");
        NS_TEST_EXPECT_MSG_EQ(copy.terms.serverLatency, NanoSeconds(600), "a flag, as LL has it");
        // Two channels, as 16 MiB are not above 32 steps of 512 KiB of each, of 160 GB/s.
        const auto ring = select(*one, Dimension::CP);
        NS_TEST_EXPECT_MSG_EQ(ring.GetName(), "direct/simple", "sends and receives");
        NS_TEST_EXPECT_MSG_EQ_TOL(ring.terms.serverShare, 2 * CHANNEL_RATE / 160e9, 1e-6, "two");
        NS_TEST_EXPECT_MSG_EQ(ring.terms.launch, NanoSeconds(26000 + 8400), "a kernel");
        const auto apart = select(*PlaceInServers(servers, 2, 1), Dimension::TP);
        NS_TEST_EXPECT_MSG_EQ(apart.GetName(), "direct/simple", "each alone in its server");
        const auto two = PlaceInServers(servers, 2, 4);
        CollectiveCall call{CollectiveKind::SHIFT, 1, 0, 8};
        call.placement = two.get();
        NS_TEST_EXPECT_MSG_EQ(select(*two, Dimension::TP).algorithm->FindUnsupportedReason(call),
                              "its members stand in 2 servers, and copy engines reach the memories "
                              "of one",
                              "it is said");
    }
};

} // namespace

std::vector<TestCase*>
MakePeerChannelsTestCases()
{
    return {new PeerChannelsTestCase,
            new RailAllToAllTestCase,
            new CopyRateTestCase,
            new MultiprocessorsTestCase,
            new CopyEngineTestCase};
}

} // namespace ns3
