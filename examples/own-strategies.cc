/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

/**
 * @file
 * @ingroup workload-replay
 *
 * wl-replay with a congestion control, a routing, a topology, an algorithm and a format of one's
 * own, which its options take by name, see doc/how-to-add-a-strategy.rst:
 *
 *     ./ns3 run own-strategies -- --workload=FILE --format=three-columns --topology=switch-ring
 *         --collective=all-reduce=star --cc=aimd --routing=turns --ns3::AimdControl::Increase=1Gbps
 */

#include "ns3/boolean.h"
#include "ns3/collective-algorithm.h"
#include "ns3/input-values.h"
#include "ns3/rdma-congestion-control.h"
#include "ns3/rdma-routing.h"
#include "ns3/replay-command.h"
#include "ns3/strategy-registry.h"
#include "ns3/topology-generator.h"
#include "ns3/topology-servers.h"
#include "ns3/workload-format.h"

#include <algorithm>
#include <map>
#include <memory>
#include <numeric>

namespace ns3
{

/// The state of one queue pair under AimdControl.
class AimdRate : public RdmaRateControl
{
  public:
    AimdRate(const RdmaPath& path, double increase)
        : m_line(path.lineRate.GetBitRate()),
          m_increase(increase)
    {
    }

    double GetRate(Time now [[maybe_unused]]) override
    {
        return m_rate;
    }

    void AckReceived(const RdmaAck& ack) override
    {
        m_isMarked = m_isMarked || ack.marked;
        if (ack.now >= m_next)
        {
            m_next = ack.now + ack.rtt;
            m_rate = m_isMarked ? std::max(0.8 * m_rate, m_increase)
                                : std::min(m_rate + m_increase, m_line);
            m_isMarked = false;
        }
    }

  private:
    double m_line;          //!< rate of the port, bit/s
    double m_increase;      //!< growth in a round trip, bit/s
    double m_rate = m_line; //!< the rate, bit/s
    Time m_next;            //!< when the rate may change next
    bool m_isMarked{false}; //!< there was a mark since it changed last
};

/// Congestion control: the rate grows by a step in a round trip without a mark, and is cut else.
class AimdControl : public RdmaCongestionControl
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId tid =
            TypeId("ns3::AimdControl")
                .SetParent<RdmaCongestionControl>()
                .AddConstructor<AimdControl>()
                .AddAttribute("Increase",
                              "Growth of the rate in a round trip; with a mark it falls to 0.8.",
                              DataRateValue(DataRate("5Gbps")),
                              MakeDataRateAccessor(&AimdControl::m_increase),
                              MakeDataRateChecker());
        return tid;
    }

    std::unique_ptr<RdmaRateControl> Create(const RdmaPath& path) const override
    {
        return std::make_unique<AimdRate>(path, m_increase.GetBitRate());
    }

  private:
    DataRate m_increase; //!< growth in a round trip
};

NS_STRATEGY_ENSURE_REGISTERED(AimdControl, "aimd", "adds steadily, cuts at marks");

/// What one node knows under TurnsRouting.
class TurnsChoice : public RdmaPathChoice
{
  public:
    uint32_t Choose(const RdmaPacket& packet, const RdmaNextHops& hops) override
    {
        const auto [flow, isNew] = m_turns.try_emplace(packet.flowHash, m_next);
        m_next += isNew ? 1 : 0;
        return flow->second % hops.size();
    }

  private:
    std::map<uint64_t, uint32_t> m_turns; //!< turn of each flow, by its hash
    uint32_t m_next{0};                   //!< turn of the next flow
};

/// Routing: each node gives the flows that it sees its ports in turn, and each keeps its port.
class TurnsRouting : public RdmaRouting
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId tid =
            TypeId("ns3::TurnsRouting").SetParent<RdmaRouting>().AddConstructor<TurnsRouting>();
        return tid;
    }

    bool Reorders() const override
    {
        return false;
    }

    std::unique_ptr<RdmaPathChoice> Create(uint32_t /* node */, uint64_t /* salt */) const override
    {
        return std::make_unique<TurnsChoice>();
    }
};

NS_STRATEGY_ENSURE_REGISTERED(TurnsRouting, "turns", "flows take the ports in turn");

/// Topology: a switch for each server, in a ring. Key: trunks (4), links between neighbours.
class SwitchRingTopology : public TopologyGenerator
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("ns3::SwitchRingTopology")
                                .SetParent<TopologyGenerator>()
                                .AddConstructor<SwitchRingTopology>();
        return tid;
    }

    TopologyGraph Build(const TopologySpec& spec,
                        uint32_t world,
                        const FabricParameters& parameters) const override
    {
        const auto trunks = spec.GetCount("trunks", 4);
        spec.CheckUnusedKeys();
        auto graph = MakeServers(world, parameters);
        std::vector<uint32_t> switches;
        for (uint32_t server = 0; server * parameters.gpusPerServer < world; ++server)
        {
            switches.push_back(graph.AddSwitch("ring" + std::to_string(server)));
        }
        for (const auto& nic : AddNics(graph, parameters))
        {
            graph.AddLink(nic.node, switches[nic.server], nic.rate, parameters.GetEdgeDelay());
        }
        for (std::size_t i = 0; switches.size() > 1 && i < switches.size() * trunks; ++i)
        {
            const auto next = switches[(i / trunks + 1) % switches.size()];
            graph.AddLink(switches[i / trunks], next, parameters.nicRate, parameters.linkDelay);
        }
        return graph;
    }
};

NS_STRATEGY_ENSURE_REGISTERED(SwitchRingTopology, "switch-ring", "servers in a ring: trunks (4)");

/// What one member does in a StarCollective: in the first step the sum is made, in the second
/// passed on.
class StarPipeline : public SteppedPipeline
{
  public:
    StarPipeline(const CollectiveCall& call, bool sendsSum)
        : SteppedPipeline(PipelineItems(), sendsSum ? 2 : 1),
          m_call(call)
    {
    }

  private:
    void MakeStep(CollectiveStep& step, uint64_t item [[maybe_unused]], uint64_t turn) override
    {
        using T = CollectiveTransfer;
        const bool isFirst = m_call.index == 0;
        const auto received = turn == 0 ? T::RECV_REDUCE : T::RECV_COPY;
        const auto action = isFirst == (turn == 1) ? T::SEND : received;
        for (uint32_t other = isFirst ? 1 : 0; other < (isFirst ? m_call.size : 1); ++other)
        {
            AddTransfer(step, action, other, {0, m_call.bytes});
        }
    }

    CollectiveCall m_call; //!< the collective
};

/// Algorithm: all members send to the first one, which adds up and sends the sum to all.
class StarCollective : public CollectiveAlgorithm
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId tid =
            TypeId("ns3::StarCollective")
                .SetParent<CollectiveAlgorithm>()
                .AddConstructor<StarCollective>()
                .AddAttribute("SendsSum",
                              "Whether the first member sends the sum to the others. Without it "
                              "they end with wrong data, and replays refuse the algorithm.",
                              BooleanValue(true),
                              MakeBooleanAccessor(&StarCollective::m_sendsSum),
                              MakeBooleanChecker());
        return tid;
    }

    StarCollective()
        : CollectiveAlgorithm("star", {CollectiveKind::ALL_REDUCE})
    {
    }

  private:
    ChunkPipelines DoPlan(const CollectiveCall& call) const override
    {
        ChunkPipelines pipelines;
        pipelines.push_back(std::make_unique<StarPipeline>(call, m_sendsSum));
        return pipelines;
    }

    bool m_sendsSum; //!< whether the first member sends the sum to the others
};

NS_STRATEGY_ENSURE_REGISTERED(StarCollective, "star", "all by way of the first member");

/// Format: a layer a row, with tabs between its name, microseconds to compute, bytes to all-reduce.
class ThreeColumnFormat : public WorkloadFormat
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("ns3::ThreeColumnFormat")
                                .SetParent<WorkloadFormat>()
                                .AddConstructor<ThreeColumnFormat>();
        return tid;
    }

    std::string GetFileKind() const override
    {
        return "a table of three columns";
    }

    std::vector<std::string> GetOptions() const override
    {
        return {"world"}; // all others of workloads are refused
    }

    std::shared_ptr<const Workload> Read(const ReplayOptions& options) const override
    {
        const WorkloadText text(options.workload);
        WorkloadProgramBuilder builder(options.workload);
        const auto compute = builder.AddStream({"compute", true});
        const auto gradients = builder.AddStream({"dp", false, Dimension::DP});
        for (const auto& line : text.GetLines())
        {
            const auto fields = text.Split(line, '\t');
            if (fields.size() != 3)
            {
                throw WorkloadError(text.Locate(line, 0), "three columns", Quoted(line.text));
            }
            WorkloadOp op;
            op.origin = line.number;
            op.stream = compute;
            op.amount = 1000000 * ParseNumber(fields[1], 1, 1000000); // ps
            const auto computed = builder.AddOp(op, fields[0].text);
            op.kind = OpKind::COLLECTIVE;
            op.stream = gradients;
            op.amount = ParseBytes(fields[2], 1);
            builder.AddFinishEdge(computed, builder.AddOp(op, fields[0].text));
        }
        ParallelLayout layout;
        layout.world = layout.dp = options.layout.world.value_or(8);
        auto workload = std::make_shared<Workload>("three-columns", options.workload, layout);
        Communicator all{"dp0", Dimension::DP, std::vector<uint32_t>(layout.world)};
        std::iota(all.ranks.begin(), all.ranks.end(), 0);
        const auto id = workload->AddCommunicator(std::move(all));
        const auto program = builder.Build();
        for (uint32_t rank = 0; rank < layout.world; ++rank)
        {
            workload->SetRank(rank, program, {id});
        }
        return workload;
    }
};

NS_STRATEGY_ENSURE_REGISTERED(ThreeColumnFormat, "three-columns", "name, microseconds, bytes");

} // namespace ns3

int
main(int argc, char* argv[])
{
    ns3::Time::SetResolution(ns3::Time::PS);
    return ns3::RunReplayCommand({argv + 1, argv + argc});
}
