/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "flow-list-lowering.h"

#include <algorithm>
#include <numeric>
#include <string>
#include <utility>

namespace ns3
{

namespace
{

/// Most connections of a pair of hosts.
constexpr uint32_t MOST_CONNECTIONS = 16;

/**
 * @ingroup workload-replay
 * @brief Makes the programs of a flow list.
 */
class FlowLowering
{
  public:
    /**
     * @param list the flows
     * @param world number of ranks
     */
    FlowLowering(const FlowList& list, uint32_t world)
        : m_list(list),
          m_world(world),
          m_ends(list.flows.size())
    {
    }

    /**
     * @return the job
     */
    std::shared_ptr<const Workload> Lower()
    {
        for (std::size_t i = 0; i < m_list.flows.size(); ++i)
        {
            AddFlow(i);
        }
        AddTriggers();
        ParallelLayout layout;
        layout.world = m_world;
        auto workload = std::make_shared<Workload>("flows", m_list.file, layout);
        std::vector<uint32_t> ranks(m_world);
        std::iota(ranks.begin(), ranks.end(), 0);
        std::vector<uint32_t> slots;
        for (uint32_t i = 0; i < m_connections; ++i)
        {
            slots.push_back(workload->AddCommunicator(
                {"flows" + (i > 0 ? std::to_string(i) : ""), Dimension::WORLD, ranks}));
        }
        const auto idle = MakeBuilder().Build();
        for (uint32_t rank = 0; rank < m_world; ++rank)
        {
            const auto found = m_builders.find(rank);
            workload->SetRank(rank,
                              found == m_builders.end() ? idle : found->second.Build(),
                              slots);
        }
        for (const auto& note : m_list.notes)
        {
            workload->AddWarning(note);
        }
        if (m_told > 0)
        {
            workload->AddWarning(
                std::to_string(m_told) +
                " flows are started by triggers of other hosts, which a message of "
                "1 byte each carries them");
        }
        return workload;
    }

  private:
    /// An op of a rank.
    struct Place
    {
        uint32_t rank{0};               //!< the rank
        WorkloadProgram::OpIndex op{0}; //!< index of the op in its program
    };

    /// What two hosts send in one direction.
    struct Pair
    {
        uint32_t flows{0};                   //!< flows so far, those of a connection as one
        std::map<uint64_t, uint32_t> shared; //!< connection of several messages, by their id
    };

    /// The streams of a program.
    enum Stream : uint16_t
    {
        TIMER, //!< waits for the times of flows
        FLOWS  //!< sends and receives
    };

    /**
     * @return a program without ops
     */
    WorkloadProgramBuilder MakeBuilder() const
    {
        WorkloadProgramBuilder builder(m_list.file);
        WorkloadStream timer;
        timer.name = "timer";
        timer.host = true;
        timer.order = StreamOrder::PARALLEL;
        builder.AddStream(timer);
        WorkloadStream flows;
        flows.name = "flows";
        flows.order = StreamOrder::PARALLEL;
        builder.AddStream(flows);
        return builder;
    }

    /**
     * @param rank a rank
     * @return what its program is made with
     */
    WorkloadProgramBuilder& GetBuilder(uint32_t rank)
    {
        return m_builders.try_emplace(rank, MakeBuilder()).first->second;
    }

    /**
     * Add a message.
     *
     * @param source rank that sends
     * @param destination rank that receives
     * @param op the send: bytes, communicator, tag and origin
     * @param name name of both ops
     * @return the send and the receive
     */
    std::pair<Place, Place> AddMessage(uint32_t source,
                                       uint32_t destination,
                                       WorkloadOp op,
                                       const std::string& name)
    {
        op.stream = FLOWS;
        op.kind = OpKind::SEND;
        op.peer = destination;
        const Place send{source, GetBuilder(source).AddOp(op, name)};
        op.kind = OpKind::RECV;
        op.peer = source;
        return {send, {destination, GetBuilder(destination).AddOp(op, name)}};
    }

    /**
     * @param flow a flow
     * @return its connection, of those of its pair of hosts
     */
    uint32_t FindConnection(const FlowList::Flow& flow)
    {
        auto& pair = m_pairs[{flow.source, flow.destination}];
        if (!flow.isMessage)
        {
            return pair.flows++ % MOST_CONNECTIONS;
        }
        // Messages of a connection are sent in their order (ultraethernet/uet-htsim, main_uec.cpp,
        // conn_reuse).
        const auto [found, isNew] = pair.shared.try_emplace(flow.id, pair.flows % MOST_CONNECTIONS);
        pair.flows += isNew ? 1 : 0;
        return found->second;
    }

    /**
     * @param number number of a flow
     */
    void AddFlow(std::size_t number)
    {
        const auto& flow = m_list.flows[number];
        WorkloadOp op;
        op.amount = flow.bytes;
        op.tag = number;
        op.origin = flow.line;
        // Flows on different connections do not wait for each other, as in simulators that have one
        // for each flow.
        op.communicator = FindConnection(flow);
        m_connections = std::max(m_connections, op.communicator + 1);
        m_ends[number] = AddMessage(flow.source, flow.destination, op, "flow");
        if (flow.start.IsStrictlyPositive())
        {
            // Ops of the timer run in parallel from the beginning, so that the amount is the time
            // of the start.
            WorkloadOp wait;
            wait.amount = flow.start.GetPicoSeconds();
            wait.origin = flow.line;
            wait.stream = TIMER;
            auto& builder = GetBuilder(flow.source);
            builder.AddFinishEdge(builder.AddOp(wait, "start"), m_ends[number].first.op);
        }
    }

    /// Make flows wait for their triggers.
    void AddTriggers()
    {
        std::map<uint32_t, std::vector<Place>> firing;
        for (std::size_t i = 0; i < m_list.flows.size(); ++i)
        {
            for (const auto trigger : m_list.flows[i].whenSent)
            {
                firing[trigger].push_back(m_ends[i].first);
            }
            for (const auto trigger : m_list.flows[i].whenReceived)
            {
                firing[trigger].push_back(m_ends[i].second);
            }
        }
        for (std::size_t i = 0; i < m_list.flows.size(); ++i)
        {
            const auto& flow = m_list.flows[i];
            if (!flow.trigger)
            {
                continue;
            }
            const auto& places = firing[*flow.trigger];
            CheckTrigger(flow, places.size());
            for (const auto& place : places)
            {
                AddDependency(place, i);
            }
        }
    }

    /**
     * @param flow a flow with a trigger
     * @param firing flows that act on it
     * @throws WorkloadError if these are not as many as it waits for
     */
    void CheckTrigger(const FlowList::Flow& flow, std::size_t firing) const
    {
        const auto found = m_list.triggers.find(*flow.trigger);
        const SourceLocation where{m_list.file, flow.line, 0, ""};
        const auto name = "trigger " + std::to_string(*flow.trigger);
        if (found == m_list.triggers.end())
        {
            throw WorkloadError(where, "a line of " + name, "none");
        }
        if (found->second != firing)
        {
            throw WorkloadError(where,
                                name + " to be acted on by as many flows as it waits for, " +
                                    std::to_string(found->second),
                                std::to_string(firing));
        }
    }

    /**
     * @param place op whose end a flow waits for
     * @param number number of the flow
     */
    void AddDependency(const Place& place, std::size_t number)
    {
        const auto& send = m_ends[number].first;
        auto before = place.op;
        if (place.rank != send.rank)
        {
            WorkloadOp op;
            op.amount = 1;
            // Behind the numbers of all flows.
            op.tag = m_list.flows.size() + m_told++;
            op.origin = m_list.flows[number].line;
            const auto [signal, received] = AddMessage(place.rank, send.rank, op, "trigger");
            GetBuilder(place.rank).AddFinishEdge(place.op, signal.op);
            before = received.op;
        }
        GetBuilder(send.rank).AddFinishEdge(before, send.op);
    }

    const FlowList& m_list;                                //!< the flows
    uint32_t m_world;                                      //!< number of ranks
    std::map<uint32_t, WorkloadProgramBuilder> m_builders; //!< by rank that has something to do
    std::map<std::pair<uint32_t, uint32_t>, Pair> m_pairs; //!< those of hosts with flows
    std::vector<std::pair<Place, Place>> m_ends;           //!< send and receive of each flow
    uint32_t m_connections{1};                             //!< most of a pair
    uint64_t m_told{0};                                    //!< triggers passed on by a message
};

} // namespace

std::shared_ptr<const Workload>
LowerFlowList(const FlowList& list, uint32_t world)
{
    return FlowLowering(list, world).Lower();
}

} // namespace ns3
