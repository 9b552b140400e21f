/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "named-fabric-test-case.h"
#include "replay-test-job.h"

#include "ns3/collective-costs.h"
#include "ns3/collective-selection.h"
#include "ns3/double.h"
#include "ns3/nvls-collective.h"
#include "ns3/pat-collective.h"
#include "ns3/ring-collective.h"
#include "ns3/string.h"
#include "ns3/test.h"
#include "ns3/tree-collective.h"
#include "ns3/uinteger.h"

#include <string>
#include <utility>
#include <vector>

using namespace ns3;

namespace
{

/// Rate of the ports: 8 ns per byte.
const DataRate GIGABIT("1Gbps");

/// Chunk of a member, bytes.
constexpr uint64_t CHUNK = 12345;

/**
 * @param servers number of servers
 * @param perServer members of each
 * @return where the members stand
 */
std::vector<uint32_t>
Spread(uint32_t servers, uint32_t perServer)
{
    std::vector<uint32_t> places;
    for (uint32_t member = 0; member < servers * perServer; ++member)
    {
        places.push_back(member / perServer);
    }
    return places;
}

} // namespace

/**
 * @ingroup workload-replay
 * @brief What a protocol adds to messages, calls and steps, against the closed form.
 *
 * A ring all-reduce of N members takes launch + 2 (N - 1) (latency + delay + wire bytes / rate).
 */
class ProtocolTimeTestCase : public TestCase
{
  public:
    ProtocolTimeTestCase()
        : TestCase("time of ring collectives by protocol against the closed form")
    {
    }

  private:
    void DoRun() override
    {
        // Default costs: launch 5 us, base and latency by the table of NCCL.
        auto costs = MakeCosts();
        // 12345 * 128 / 120 = 13168; 12345 / 0.5 = 24690; 12345 / 0.25 = 49380.
        Check(costs, Spread(1, 4), CollectiveProtocol::SIMPLE, 5000 + 8400, 3400, CHUNK);
        Check(costs, Spread(1, 4), CollectiveProtocol::LL128, 5000 + 14000, 1900, 13168);
        Check(costs, Spread(1, 4), CollectiveProtocol::LL, 5000 + 6600, 600, 24690);
        // Alone in their servers, members see the latency of a tree in the network.
        Check(costs, Spread(2, 1), CollectiveProtocol::SIMPLE, 5000 + 8400, 14000, CHUNK);
        Check(costs, Spread(2, 1), CollectiveProtocol::LL128, 5000 + 14000, 8500, 13168);
        Check(costs, Spread(2, 1), CollectiveProtocol::LL, 5000 + 6600, 5000, 49380);
        // What was asked for wins over the table, whatever the protocol.
        costs->SetAttribute("StepLatency", TimeValue(NanoSeconds(777)));
        costs->SetAttribute("CallLatency", TimeValue(NanoSeconds(0)));
        Check(costs, Spread(1, 4), CollectiveProtocol::LL, 0, 777, 24690);
        Check(costs, Spread(2, 1), CollectiveProtocol::SIMPLE, 0, 777, CHUNK);

        // 1 GB/s: a byte takes a nanosecond to be added. Half the steps of all-reduce add.
        auto slow = MakeCosts();
        slow->SetAttribute("ReductionRate", DataRateValue(DataRate("8Gbps")));
        Check(slow, Spread(1, 4), CollectiveProtocol::SIMPLE, 13400 + 3 * CHUNK, 3400, CHUNK);
        Check(slow, Spread(1, 4), CollectiveProtocol::LL, 11600 + 3 * CHUNK, 600, 24690);
    }

    /**
     * @return costs with a launch of 5 us
     */
    static Ptr<CollectiveCosts> MakeCosts()
    {
        auto costs = CreateObject<CollectiveCosts>();
        costs->SetAttribute("LaunchLatency", TimeValue(MicroSeconds(5)));
        return costs;
    }

    /**
     * @param costs what collectives cost
     * @param servers the server of each member
     * @param protocol the protocol
     * @param once time of the call beside its steps, ns
     * @param latency latency of a message, ns
     * @param wireBytes bytes of a message
     */
    void Check(Ptr<CollectiveCosts> costs,
               const std::vector<uint32_t>& servers,
               CollectiveProtocol protocol,
               uint64_t once,
               uint64_t latency,
               uint64_t wireBytes)
    {
        const auto size = static_cast<uint32_t>(servers.size());
        TestProgram program;
        program.Collective("c", CollectiveKind::ALL_REDUCE, CHUNK * size);
        ReplayTestJob job(size, Dimension::DP);
        job.SetProgram(program.Build());
        job.configure = [&](ReplayHelper& helper) { helper.SetServers(servers); };
        auto algorithms = CreateObject<CollectiveSelection>();
        auto ring = CreateObject<RingCollective>();
        ring->SetAttribute("Channels", UintegerValue(1));
        algorithms->Add(ring);
        algorithms->SetCosts(costs);
        algorithms->Choose(CollectiveKind::ALL_REDUCE, std::nullopt, "ring", protocol);
        job.Run(GIGABIT, NanoSeconds(300), algorithms);
        const uint64_t steps = 2 * (size - 1);
        const auto name = "ring/" + ToString(protocol);
        NS_TEST_ASSERT_MSG_EQ(job.waits.size() + job.faults.size(), 0, name << " hangs");
        NS_TEST_EXPECT_MSG_EQ(job.end,
                              NanoSeconds(once + steps * (latency + 300 + 8 * wireBytes)),
                              name << " on " << size);
        NS_TEST_EXPECT_MSG_EQ(job.collectives.at(0).algorithm, name, "name in the report");
        for (uint32_t rank = 0; rank < size; ++rank)
        {
            NS_TEST_EXPECT_MSG_EQ(job.receivedBytes[rank], steps * CHUNK, "payload received");
            NS_TEST_EXPECT_MSG_EQ(job.expectedBytes[rank], steps * CHUNK, "payload foretold");
        }
    }
};

/**
 * @ingroup workload-replay
 * @brief A latency delays a message, not the receives of the same step or the steps after it.
 *
 * Servers of 2 in a ring 0 1 | 2 3: messages 1 -> 2 and 3 -> 0 take 10 us, the others the 3 us that
 * a proxy needs in rings through several servers. Each of the chunks makes 6 hops and meets 3 of
 * the slow ones at the most, so that the end is 39 us after what it would be without, and not 60 us
 * as if each step waited.
 */
class LatencyOverlapTestCase : public TestCase
{
  public:
    LatencyOverlapTestCase()
        : TestCase("a latency delays the message alone")
    {
    }

  private:
    void DoRun() override
    {
        TestProgram program;
        program.Collective("c", CollectiveKind::ALL_REDUCE, 4 * 1000);
        ReplayTestJob job(4, Dimension::DP);
        job.SetProgram(program.Build());
        job.configure = [](ReplayHelper& helper) { helper.SetServers(Spread(2, 2)); };
        auto costs = CreateObject<CollectiveCosts>();
        costs->SetAttribute("Latencies", StringValue("ring/simple=0us:0us:10us"));
        auto ring = CreateObject<RingCollective>();
        ring->SetAttribute("Channels", UintegerValue(1));
        auto algorithms = CreateObject<CollectiveSelection>();
        algorithms->Add(ring);
        algorithms->SetCosts(costs);
        algorithms->Choose(CollectiveKind::ALL_REDUCE,
                           std::nullopt,
                           "ring",
                           CollectiveProtocol::SIMPLE);
        job.Run(GIGABIT, NanoSeconds(0), algorithms);
        NS_TEST_EXPECT_MSG_EQ(job.end, NanoSeconds(39000 + 6 * 8000), "3 crossings of 6 hops");
    }
};

/**
 * @ingroup workload-replay
 * @brief The automatic choice and its times, against the rule evaluated by an independent script.
 *
 * NVLink 160 GB/s, NICs of 25 GB/s, one per member.
 */
class AutomaticChoiceTestCase : public TestCase
{
  public:
    AutomaticChoiceTestCase()
        : TestCase("automatic choice by size and layout")
    {
    }

  private:
    void DoRun() override
    {
        m_costs->SetAttribute("NvlinkRate", DataRateValue(DataRate("1280Gbps")));
        m_costs->SetAttribute("NicRate", DataRateValue(DataRate("200Gbps")));
        m_algorithms->Add(CreateObject<RingCollective>());
        m_algorithms->Add(CreateObject<TreeCollective>());
        m_algorithms->SetCosts(m_costs);

        struct Row
        {
            uint32_t servers;
            uint32_t perServer;
            uint64_t bytes;
            const char* name;
            double time;
        };

        const Row rows[] = {
            {1, 2, 1024, "ring/ll", 7.813},
            {1, 2, 1048576, "ring/ll", 20.907},
            {1, 2, 4194304, "ring/simple", 41.414},
            {1, 8, 1024, "ring/ll", 15.022},
            {1, 8, 4194304, "ring/ll128", 90.464},
            {1, 8, 16777216, "ring/simple", 239.501},
            {2, 1, 65536, "ring/ll", 21.843},
            {2, 1, 1048576, "ring/ll128", 76.590},
            {2, 1, 16777216, "ring/simple", 722.049},
            {2, 8, 1024, "tree/ll", 25.259},
            {2, 8, 262144, "ring/ll", 52.603},
            {2, 8, 1048576, "tree/ll128", 73.828},
            {2, 8, 16777216, "ring/ll128", 288.904},
            {2, 8, 1073741824, "ring/simple", 12767.152},
            {4, 8, 65536, "tree/ll", 45.909},
            {4, 8, 16777216, "tree/ll128", 335.665},
            {4, 8, 1073741824, "ring/simple", 13398.262},
        };
        for (const auto& row : rows)
        {
            const CollectivePlacement placement(Spread(row.servers, row.perServer));
            CollectiveCall call;
            call.bytes = row.bytes;
            call.size = row.servers * row.perServer;
            call.placement = &placement;
            for (call.index = 0; call.index < call.size; call.index += 5)
            {
                const auto plan = m_algorithms->Select(call, Dimension::DP);
                NS_TEST_EXPECT_MSG_EQ(plan.GetName(),
                                      row.name,
                                      row.bytes << " bytes on " << row.servers << " servers of "
                                                << row.perServer << ": "
                                                << m_algorithms->Describe(call));
            }
            const auto candidates = m_algorithms->GetCandidates(call);
            NS_TEST_ASSERT_MSG_EQ(candidates.size(), 6, "two algorithms, three protocols");
            NS_TEST_EXPECT_MSG_EQ_TOL(1e6 * candidates[0].seconds, row.time, 0.001, row.name);
        }
        CheckOthers();
    }

    /// Check what is not chosen by time alone.
    void CheckOthers()
    {
        const CollectivePlacement placement(Spread(1, 8), 4);
        CollectiveCall call;
        call.bytes = 1 << 30;
        call.size = 8;
        call.placement = &placement;
        // 23 us + 7/4 of the bytes at 2 * 0.85 * 7/8 of 160 GB/s.
        const auto simple = CollectiveProtocol::SIMPLE;
        const auto nvls = CreateObject<NvlsCollective>();
        const auto seconds = nvls->Estimate(call, simple, *m_costs);
        NS_TEST_ASSERT_MSG_EQ(seconds.has_value(), true, "eight members of a server");
        NS_TEST_EXPECT_MSG_EQ_TOL(1e6 * *seconds, 23 + 1.75 * (1 << 30) / 238e3, 0.001, "NVLS");
        // Only in one server, of three members or more.
        const std::pair<std::vector<uint32_t>, bool> rows[] = {{Spread(1, 2), false},
                                                               {Spread(1, 3), true},
                                                               {Spread(2, 8), false}};
        for (const auto& [servers, isEstimated] : rows)
        {
            const CollectivePlacement members(servers, 4);
            auto other = call;
            other.size = static_cast<uint32_t>(servers.size());
            other.placement = &members;
            NS_TEST_EXPECT_MSG_EQ(nvls->Suits(other), true, "on request");
            NS_TEST_EXPECT_MSG_EQ(nvls->Estimate(other, simple, *m_costs).has_value(),
                                  isEstimated,
                                  other.size << " members");
        }
        m_costs->SetAttribute("NvlsShare", DoubleValue(0));
        NS_TEST_EXPECT_MSG_EQ(nvls->Estimate(call, simple, *m_costs).has_value(),
                              false,
                              "a switch that cannot reduce");
        // Asked for by name, the fastest protocol: that of the ring would be Simple.
        call.bytes = 1 << 20;
        m_algorithms->Choose(CollectiveKind::ALL_REDUCE, Dimension::TP, "tree");
        NS_TEST_EXPECT_MSG_EQ(m_algorithms->Select(call, Dimension::TP).GetName(),
                              "tree/ll128",
                              "62.0 us, the least of the trees");
        NS_TEST_EXPECT_MSG_EQ(m_algorithms->Select(call, Dimension::DP).GetName(),
                              "ring/ll",
                              "another dimension");
        m_algorithms->Choose(CollectiveKind::ALL_REDUCE, std::nullopt, "tree");
        m_algorithms->Choose(CollectiveKind::ALL_REDUCE, Dimension::DP, CollectiveSelection::AUTO);
        NS_TEST_EXPECT_MSG_EQ(m_algorithms->Select(call, Dimension::DP).GetName(),
                              "ring/ll",
                              "automatic again, whatever is chosen for the others");
        NS_TEST_EXPECT_MSG_EQ(m_algorithms->Select(call, Dimension::EP).algorithm->GetName(),
                              "tree",
                              "what has no choice of its own");
        // Without costs the kind decides, and there are no protocols to speak of.
        m_algorithms->SetCosts(nullptr);
        NS_TEST_EXPECT_MSG_EQ(m_algorithms->Select(call, Dimension::DP).GetName(), "ring", "");
    }

    Ptr<CollectiveCosts> m_costs{CreateObject<CollectiveCosts>()};              //!< the costs
    Ptr<CollectiveSelection> m_algorithms{CreateObject<CollectiveSelection>()}; //!< what chooses
};

/**
 * @ingroup workload-replay
 * @brief All-gather and reduce-scatter of members alone in their servers: PAT against the ring, by
 *        tuning.cc of NCCL 2.30, evaluated by an independent script.
 *
 * NICs of 25 GB/s. PAT: 8 us + 14 / 3.5 us for each doubling + 2.8 us for each member + the bytes
 * at 3/4 of the rate; so it wins with many members as long as the bytes are few.
 */
class PatChoiceTestCase : public TestCase
{
  public:
    PatChoiceTestCase()
        : TestCase("automatic choice of PAT")
    {
    }

  private:
    void DoRun() override
    {
        m_costs->SetAttribute("NicRate", DataRateValue(DataRate("200Gbps")));
        m_algorithms->Add(CreateObject<RingCollective>());
        m_algorithms->Add(CreateObject<PatCollective>());
        m_algorithms->SetCosts(m_costs);
        for (const auto kind : {CollectiveKind::ALL_GATHER, CollectiveKind::REDUCE_SCATTER})
        {
            Check(kind, Spread(2, 1), 1048576, "ring/simple", 43.372, 4);
            Check(kind, Spread(8, 1), 1024, "ring/ll", 41.672, 4);
            Check(kind, Spread(8, 1), 65536, "pat/simple", 45.895, 4);
            Check(kind, Spread(8, 1), 16777216, "ring/simple", 693.603, 4);
            // The logarithm is rounded down: 8 + 3 * 4 + 12 * 2.8 us and the bytes.
            Check(kind, Spread(12, 1), 1048576, "pat/simple", 109.524, 4);
            Check(kind, Spread(16, 1), 1048576, "pat/simple", 124.724, 4);
            Check(kind, Spread(64, 1), 16777216, "pat/simple", 1105.985, 4);
            Check(kind, Spread(64, 1), 268435456, "ring/simple", 11460.046, 4);
            // NCCL takes PAT only if no two members share a server.
            Check(kind, Spread(8, 2), 1024, "ring/ll", 6.6 + 8 * 1 + 7 * 2.7 + 0.047, 3);
        }
        // It runs on request elsewhere.
        m_algorithms->Choose(CollectiveKind::ALL_GATHER, std::nullopt, "pat");
        const CollectivePlacement placement(Spread(8, 2));
        CollectiveCall call;
        call.kind = CollectiveKind::ALL_GATHER;
        call.bytes = 1024;
        call.size = 16;
        call.placement = &placement;
        NS_TEST_EXPECT_MSG_EQ(m_algorithms->Select(call, Dimension::DP).GetName(),
                              "pat/simple",
                              "two members in each server");
    }

    /**
     * @param kind the kind
     * @param servers the server of each member
     * @param bytes bytes of the call
     * @param name the algorithm and protocol that are the fastest
     * @param time the time they take, us
     * @param candidates number of pairs of an algorithm and a protocol
     */
    void Check(CollectiveKind kind,
               const std::vector<uint32_t>& servers,
               uint64_t bytes,
               const std::string& name,
               double time,
               std::size_t candidates)
    {
        const CollectivePlacement placement(servers);
        CollectiveCall call;
        call.kind = kind;
        call.bytes = bytes;
        call.size = static_cast<uint32_t>(servers.size());
        call.placement = &placement;
        NS_TEST_EXPECT_MSG_EQ(m_algorithms->Select(call, Dimension::DP).GetName(),
                              name,
                              bytes << " bytes: " << m_algorithms->Describe(call));
        const auto all = m_algorithms->GetCandidates(call);
        NS_TEST_ASSERT_MSG_EQ(all.size(), candidates, "rings and PAT, the latter with Simple");
        NS_TEST_EXPECT_MSG_EQ_TOL(1e6 * all[0].seconds, time, 0.001, name);
    }

    Ptr<CollectiveCosts> m_costs{CreateObject<CollectiveCosts>()};              //!< the costs
    Ptr<CollectiveSelection> m_algorithms{CreateObject<CollectiveSelection>()}; //!< what chooses
};

/**
 * @ingroup workload-replay
 * @brief What collectives cost beside the wire, and the choice that follows from it.
 */
class WorkloadReplayCostTestSuite : public TestSuite
{
  public:
    WorkloadReplayCostTestSuite()
        : TestSuite("workload-replay-cost", TestSuite::Type::UNIT)
    {
        AddTestCase(new ProtocolTimeTestCase);
        AddTestCase(new LatencyOverlapTestCase);
        AddTestCase(new AutomaticChoiceTestCase);
        AddTestCase(new PatChoiceTestCase);
        AddTestCase(MakeNamedFabricTestCase());
    }
};

/// The suite; its constructor registers it.
static WorkloadReplayCostTestSuite g_workloadReplayCostTestSuite;
