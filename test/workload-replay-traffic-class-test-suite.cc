/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-test-case.h"

#include "ns3/replay-application.h"
#include "ns3/replay-helper.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"
#include "ns3/workload.h"

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

using namespace ns3;

namespace
{

/// A message of a dimension, from one rank to another.
struct Flow
{
    Dimension dimension;  //!< the dimension
    uint32_t source;      //!< sending rank
    uint32_t destination; //!< receiving rank
};

/// Messages of two dimensions, which begin together.
using Flows = std::vector<Flow>;

/// They meet at the switch's port to rank 2.
const Flows INTO_ONE{{Dimension::DP, 0, 2}, {Dimension::PP, 1, 2}};

/// They meet at the port of rank 0.
const Flows OUT_OF_ONE{{Dimension::DP, 0, 1}, {Dimension::PP, 0, 2}};

/// Packets of each message.
constexpr uint64_t PACKETS = 5000;

} // namespace

/**
 * @ingroup workload-replay-tests
 * @brief Messages of two dimensions share a port of 100 Gb/s, and each dimension has a class.
 *
 * The messages are equally long, and one alone would take T. A port that is never idle is done with
 * both at 2 T. By strict priority the first one takes T. With weights 3 and 1 the first one has 3/4
 * of the rate and takes 4/3 T, and the other one has T/3 worth of bytes by then.
 */
class TrafficClassShareTestCase : public RdmaTestCase
{
  public:
    TrafficClassShareTestCase()
        : RdmaTestCase("traffic classes: dimensions share a port by priority and weight")
    {
    }

  private:
    /// Class of each dimension that has one.
    using Classes = std::map<Dimension, uint8_t>;

    /// Strict priorities.
    static constexpr const char* STRICT = "0,0,0,0,0,0,0,0";

    /// Class 1 has three times the weight of class 2.
    static constexpr const char* WEIGHTED = "0,3,1,0,0,0,0,0";

    void DoRun() override
    {
        const Time alone = NanoSeconds(324) * PACKETS;
        for (const Flows& flows : {INTO_ONE, OUT_OF_ONE})
        {
            Replay(flows, {}, STRICT);
            const auto byDefault = m_ends;
            Expect("alike", 2 * alone, 2 * alone);
            ExpectCongested(flows, {3});
            Replay(flows, {{Dimension::DP, 3}, {Dimension::PP, 3}}, STRICT);
            NS_TEST_EXPECT_MSG_EQ((m_ends == byDefault), true, "the default, by name");
            Replay(flows, {{Dimension::DP, 1}, {Dimension::PP, 2}}, STRICT);
            Expect("strict", 2 * alone, alone);
            ExpectCongested(flows, {1});
            Replay(flows, {{Dimension::DP, 1}}, STRICT);
            Expect("one has a class, which is below the default", 2 * alone, alone);
            ExpectCongested(flows, {1});
            Replay(flows, {{Dimension::DP, 1}, {Dimension::PP, 2}}, WEIGHTED);
            Expect("weighted", alone * 4 / 3, 2 * alone);
            ExpectCongested(flows, {1, 2});
        }
    }

    /**
     * @param flows who sends to whom
     * @param classes traffic classes
     * @param weights weights of all ports
     */
    void Replay(const Flows& flows, const Classes& classes, const std::string& weights)
    {
        Reset();
        m_ends.clear();
        m_marked.clear();
        m_paused.clear();
        m_fabric->SetDeviceAttribute("Weights", StringValue(weights));
        m_fabric->SetSwitchAttribute("LosslessPriorities", UintegerValue(0b1110));
        m_fabric->SetSwitchAttribute("BufferSize", UintegerValue(12000000));
        m_fabric->Install(MakeStar(3, "100Gbps", MicroSeconds(1)));
        m_fabric->AssignStreams(1);
        ReplayHelper helper(MakeWorkload(flows));
        for (const auto& [dimension, trafficClass] : classes)
        {
            helper.SetTrafficClass(dimension, trafficClass);
        }
        const auto ranks = helper.Install(m_fabric->GetHosts(), m_fabric->GetTransports());
        for (uint32_t rank = 0; rank < 3; ++rank)
        {
            ranks.Get(rank)->TraceConnectWithoutContext(
                "OpFinished",
                MakeCallback(&TrafficClassShareTestCase::Finish, this));
            m_fabric->GetDevice(rank, rank)
                ->TraceConnectWithoutContext("Pause",
                                             MakeCallback(&TrafficClassShareTestCase::Pause, this));
            m_fabric->GetDevice(rank, 3)->TraceConnectWithoutContext(
                "Mark",
                MakeCallback(&TrafficClassShareTestCase::Mark, this));
        }
        Simulator::Run();
    }

    /**
     * Check whom the switch tells to slow down: the senders of a class whose queue is long, and
     * nobody where the port of the sender is the bottleneck.
     *
     * @param flows who sends to whom
     * @param congested classes that come to the switch faster than they leave it, if any do
     */
    void ExpectCongested(const Flows& flows, const std::set<uint8_t>& congested)
    {
        const auto expected =
            flows.front().source == flows.back().source ? std::set<uint8_t>() : congested;
        NS_TEST_EXPECT_MSG_EQ((m_marked == expected), true, "classes that are marked");
        NS_TEST_EXPECT_MSG_EQ((m_paused == expected), true, "classes that are paused");
        NS_TEST_EXPECT_MSG_EQ(m_fabric->GetSwitch(3)->GetLosslessDrops(), 0, "drops");
    }

    /**
     * @param flows messages
     * @return a job of three ranks that sends them all at its start
     */
    static std::shared_ptr<const Workload> MakeWorkload(const Flows& flows)
    {
        ParallelLayout layout;
        layout.world = 3;
        auto workload = std::make_shared<Workload>("test", "test", layout);
        for (uint32_t rank = 0; rank < layout.world; ++rank)
        {
            WorkloadProgramBuilder builder("test");
            builder.AddStream({"compute", true, Dimension::WORLD});
            std::vector<uint32_t> slots;
            for (const auto& [dimension, source, destination] : flows)
            {
                if (rank != source && rank != destination)
                {
                    continue;
                }
                const auto name = ToString(dimension);
                WorkloadOp op;
                op.kind = rank == source ? OpKind::SEND : OpKind::RECV;
                op.amount = PACKETS * MTU;
                op.peer = rank == source ? 1 : 0;
                op.communicator = slots.size();
                op.stream = builder.AddStream({name, false, dimension});
                op.origin = 1;
                builder.AddOp(op, name);
                slots.push_back(
                    workload->AddCommunicator({name, dimension, {source, destination}}));
            }
            workload->SetRank(rank, builder.Build(), slots);
        }
        return workload;
    }

    /**
     * @param how how the two share
     * @param dp when the receive of the data parallel message ends
     * @param pp when that of the pipeline's does
     */
    void Expect(const std::string& how, Time dp, Time pp)
    {
        for (const auto& [name, end] : {std::pair{"dp", dp}, std::pair{"pp", pp}})
        {
            NS_TEST_EXPECT_MSG_EQ_TOL(m_ends[name].GetSeconds(),
                                      end.GetSeconds(),
                                      0.01 * end.GetSeconds(),
                                      how << ", " << name);
        }
    }

    /**
     * @param record an op that has ended
     */
    void Finish(const OpRecord& record)
    {
        const auto& op = record.program->GetOps()[record.op];
        if (op.kind == OpKind::RECV)
        {
            m_ends[record.program->GetName(op)] = record.end;
        }
    }

    /**
     * @param packet a packet that the switch marks
     */
    void Mark(const RdmaPacket& packet)
    {
        m_marked.insert(packet.priority);
    }

    /**
     * @param priority a priority that the switch pauses
     */
    void Pause(uint8_t priority)
    {
        m_paused.insert(priority);
    }

    std::map<std::string, Time> m_ends; //!< ends of receives, by dimension
    std::set<uint8_t> m_marked;         //!< those of packets that were marked
    std::set<uint8_t> m_paused;         //!< those that were paused
};

/**
 * @ingroup workload-replay-tests
 * @brief Traffic classes of dimensions.
 */
class WorkloadReplayTrafficClassTestSuite : public TestSuite
{
  public:
    WorkloadReplayTrafficClassTestSuite();
};

WorkloadReplayTrafficClassTestSuite::WorkloadReplayTrafficClassTestSuite()
    : TestSuite("workload-replay-traffic-class", TestSuite::Type::UNIT)
{
    AddTestCase(new TrafficClassShareTestCase);
}

/// The suite, found by test-runner.
static WorkloadReplayTrafficClassTestSuite g_workloadReplayTrafficClassTestSuite;
