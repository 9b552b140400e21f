/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "traffic-forecast.h"

#include "communicator-load.h"
#include "group-traffic.h"
#include "networked-job.h"
#include "rdma-replay-fabric.h"
#include "transport-kind.h"

#include "ns3/collective-reuse.h"
#include "ns3/object-factory.h"
#include "ns3/rdma-congestion-control.h"
#include "ns3/rdma-nic.h"
#include "ns3/rdma-routing.h"
#include "ns3/replay-helper.h"
#include "ns3/strategy-registry.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>
#include <utility>

namespace ns3
{

namespace
{

/// Members of a collective that are planned, to stand for all.
constexpr uint32_t SAMPLES = 4;

/// Packets of a train of a queue pair that congestion control slows down at times, in the mean
/// (RdmaNic::MaxQueuedTrain while it does).
constexpr double SLOWED_TRAIN = 5;

/// Collectives of a shape that are simulated before all others are known from them: in jobs of
/// examples/workloads 3 to 9.
constexpr double SIMULATED = 4;

/// Part of the collectives between servers that is simulated in jobs whose ranks send messages by
/// the same ports: in the job of 1024 GPUs of examples/workloads.
constexpr double MET_BY_MESSAGES = 0.2;

/// Part of the messages to single peers that meet others between switches.
constexpr double MET_BETWEEN_SWITCHES = 0.5;

/// How messages are cut, by the attributes of RdmaNic.
struct MessageCut
{
    double mtu;           //!< payload of a packet, bytes
    double longest;       //!< packets of the longest train; 1 = each goes by itself
    double trains;        //!< trains that a message without others is cut into
    double sharingTrains; //!< the same beside others
};

/// What members of a collective send, as the mean of those that were planned.
struct Sent
{
    double messages{0};    //!< messages
    double bytes{0};       //!< bytes
    double packets{0};     //!< packets
    double packetHops{0};  //!< packets times links
    double trainHops{0};   //!< trains times links without others
    double sharingHops{0}; //!< trains times links beside others
    double queuePairs{0};  //!< distinct peers and pipelines

    /**
     * Add a message.
     *
     * @param size its bytes
     * @param hops links of its path
     * @param cut how it is cut
     */
    void AddMessage(double size, double hops, const MessageCut& cut)
    {
        // A message without bytes takes a packet as well.
        const double count = std::max(1.0, std::ceil(size / cut.mtu));
        const double least = count / cut.longest;
        messages += 1;
        bytes += size;
        packets += count;
        packetHops += count * hops;
        // At least as many trains as their length allows, at most one for each packet.
        trainHops += std::max(least, std::min(count, cut.trains)) * hops;
        sharingHops +=
            std::max({least, std::min(count, cut.sharingTrains), count / SLOWED_TRAIN}) * hops;
    }
};

/**
 * @param options what the user asks for
 * @return whether packets may travel in trains; over rdma, if it asks for no packets
 */
bool
HasTrains(NetworkOptions options)
{
    using Use = TransportKind::Use;
    if (!TransportKind::Get(options)->Supports(Use::EXACT))
    {
        options.transport = "rdma";
    }
    const auto type = RdmaReplayFabric::GetCongestionControlType(options);
    // Telemetry is of single packets.
    return TransportKind::Get(options)->Supports(Use::TRAINS) &&
           !ObjectFactory(type).Create<RdmaCongestionControl>()->UsesTelemetry();
}

/**
 * @param options what the user asks for; SetNetworkDefaults() has been called with it
 * @return how messages are cut
 */
MessageCut
FindMessageCut(const NetworkOptions& options)
{
    const auto nic = CreateObject<RdmaNic>();
    const auto get = [&nic](const std::string& name) {
        UintegerValue value;
        nic->GetAttribute(name, value);
        return static_cast<double>(value.Get());
    };
    return {options.IsSet("mtu") ? static_cast<double>(options.fabric.mtu) : get("Mtu"),
            HasTrains(options) ? get("MaxTrain") : 1,
            get("TrainsPerMessage"),
            get("TrainsPerSharingMessage")};
}

/**
 * @param options what the user asks for
 * @return whether switches spread the packets of a flow
 */
bool
SpreadsPackets(const NetworkOptions& options)
{
    const auto entries = StrategyRegistry::List(RdmaRouting::GetTypeId());
    const auto* const found = StrategyRegistry::FindEntry(entries, options.routing);
    return found && !ObjectFactory(found->type.GetName()).Create<RdmaRouting>()->KeepsPaths();
}

/// Counts what the ranks of a job send.
class TrafficCounter
{
  public:
    /**
     * @param options what the user asks for
     * @param graph the topology
     * @param workload the job
     */
    TrafficCounter(const NetworkOptions& options,
                   const TopologyGraph& graph,
                   std::shared_ptr<const Workload> workload);

    /**
     * @param reuses whether collectives may be reused
     * @return what they send
     */
    TrafficForecast Count(bool reuses);

  private:
    /// A collective as members of communicators of one shape call it.
    using ShapeKey = std::tuple<const CollectiveAlgorithm*,
                                CollectiveKind,
                                uint64_t,
                                uint32_t,
                                std::size_t,
                                uint32_t,
                                const AllToAllSplits*>;

    /**
     * @param program a program
     * @return what it does; kept
     */
    const ProgramCalls& Summarise(const WorkloadProgram& program);

    /// Put the largest collective of each communicator on links.
    void LoadLinks();

    /**
     * @param id a communicator
     * @param call a collective of it
     * @return what a member sends; kept, with the number of member calls
     */
    std::pair<const Sent, double>& FindShape(uint32_t id, const CollectiveCall& call);

    /**
     * @param id a communicator
     * @param plan how it carries out a collective
     * @param call the collective
     * @return what a member sends
     */
    Sent Plan(uint32_t id, const CollectivePlan& plan, CollectiveCall call) const;

    /**
     * Add what a rank sends in collectives.
     *
     * @param rank the rank
     * @param reuses whether collectives may be reused
     */
    void AddCalls(uint32_t rank, bool reuses);

    /**
     * Add what a rank sends to single peers.
     *
     * @param rank the rank
     */
    void AddSends(uint32_t rank);

    /**
     * Add messages.
     *
     * @param sent what is sent
     * @param times how often
     * @param simulated how often it is simulated
     * @param meeting what it meets on its way
     */
    void Add(const Sent& sent,
             double times,
             double simulated,
             const CommunicatorLoad::Meeting& meeting);

    std::shared_ptr<const Workload> m_workload;                   //!< the job
    ReplayHelper m_helper;                                        //!< knows where ranks stand
    Ptr<const CollectiveSelection> m_algorithms;                  //!< how collectives are done
    CommunicatorLoad m_load;                                      //!< who shares links
    MessageCut m_cut;                                             //!< how messages are cut
    double m_nicRate;                                             //!< bit/s of a NIC
    TrafficForecast m_sum;                                        //!< what was counted
    std::map<const WorkloadProgram*, ProgramCalls> m_summaries;   //!< by program
    std::map<ShapeKey, std::pair<const Sent, double>> m_shapes;   //!< member calls seen, by shape
    std::map<std::pair<uint32_t, uint32_t>, double> m_queuePairs; //!< by communicator and rank
};

TrafficCounter::TrafficCounter(const NetworkOptions& options,
                               const TopologyGraph& graph,
                               std::shared_ptr<const Workload> workload)
    : m_workload(std::move(workload)),
      m_helper(m_workload),
      m_algorithms(CreateAlgorithms(options)),
      m_load(graph, SpreadsPackets(options)),
      m_cut(FindMessageCut(options)),
      m_nicRate(static_cast<double>(options.fabric.nicRate.GetBitRate()))
{
    SetUpCollectives(options, graph, m_helper);
}

const ProgramCalls&
TrafficCounter::Summarise(const WorkloadProgram& program)
{
    return m_summaries.try_emplace(&program, program).first->second;
}

void
TrafficCounter::LoadLinks()
{
    // The largest one moves the most bytes, and others take the same paths.
    std::map<uint32_t, ProgramCalls::CallKey> largest;
    for (uint32_t rank = 0; rank < m_workload->GetLayout().world; ++rank)
    {
        const auto& slots = m_workload->GetCommunicatorSlots(rank);
        for (const auto& [key, count] : Summarise(m_workload->GetProgram(rank)).calls)
        {
            const auto [entry, isNew] = largest.try_emplace(slots[std::get<0>(key)], key);
            if (!isNew && std::get<2>(key) > std::get<2>(entry->second))
            {
                entry->second = key;
            }
        }
    }
    for (const auto& [id, key] : largest)
    {
        const auto& communicator = m_workload->GetCommunicators()[id];
        const auto call = ProgramCalls::MakeCall(m_helper, id, key);
        m_load.Add(id, communicator, m_algorithms->Select(call, communicator.dimension), call);
    }
    m_load.Finish();
}

Sent
TrafficCounter::Plan(uint32_t id, const CollectivePlan& plan, CollectiveCall call) const
{
    Sent sent;
    const auto& ranks = m_workload->GetCommunicators()[id].ranks;
    const auto samples = std::min(SAMPLES, call.size);
    call = plan.Complete(call);
    for (uint32_t i = 0; i < samples; ++i)
    {
        // Members stand in groups of powers of two: the golden ratio meets all places of these.
        call.index = static_cast<uint32_t>(std::fmod(i * 0.6180339887, 1.0) * call.size);
        uint32_t number = 0;
        std::set<std::pair<uint32_t, uint32_t>> peers;
        for (const auto& pipeline : plan.algorithm->Plan(call))
        {
            CollectiveStep step;
            while (pipeline->Next(step))
            {
                for (const auto& transfer : step)
                {
                    if (transfer.IsSend())
                    {
                        // A switch that takes part in collectives is the next node.
                        const bool isSwitch = transfer.UsesSwitch() || transfer.UsesNetworkSwitch();
                        const auto hops =
                            isSwitch ? 1 : m_load.GetHops(ranks[call.index], ranks[transfer.peer]);
                        const auto size = plan.GetWireBytes(call, transfer);
                        sent.AddMessage(static_cast<double>(size), hops, m_cut);
                        peers.emplace(transfer.peer, number);
                    }
                }
                step.clear();
            }
            ++number;
        }
        sent.queuePairs += static_cast<double>(peers.size());
    }
    // The mean of the members that were planned.
    for (auto* value : {&sent.messages,
                        &sent.bytes,
                        &sent.packets,
                        &sent.packetHops,
                        &sent.trainHops,
                        &sent.sharingHops,
                        &sent.queuePairs})
    {
        *value /= samples;
    }
    return sent;
}

std::pair<const Sent, double>&
TrafficCounter::FindShape(uint32_t id, const CollectiveCall& call)
{
    const auto plan = m_algorithms->Select(call, m_workload->GetCommunicators()[id].dimension);
    const ShapeKey key{plan.algorithm,
                       call.kind,
                       call.bytes,
                       call.size,
                       call.placement ? call.placement->GetServers().size() : 0,
                       call.placement ? call.placement->GetLargestServer() : 0,
                       call.splits};
    auto found = m_shapes.find(key);
    if (found == m_shapes.end())
    {
        found = m_shapes.emplace(key, std::pair<const Sent, double>(Plan(id, plan, call), 0)).first;
    }
    return found->second;
}

void
TrafficCounter::Add(const Sent& sent,
                    double times,
                    double simulated,
                    const CommunicatorLoad::Meeting& meeting)
{
    m_sum.messages += times * sent.messages;
    m_sum.bytes += times * sent.bytes;
    m_sum.packets += times * sent.packets;
    m_sum.packetHops += times * sent.packetHops;
    m_sum.ownMessages += simulated * sent.messages;
    // A fluid separates no hosts of a switch from others there.
    m_sum.fluidMessages += (meeting.isAllOfSwitch ? simulated : times) * sent.messages;
    if (meeting.sharesPort || m_cut.longest <= 1)
    {
        m_sum.singleHops += simulated * sent.packetHops;
    }
    else
    {
        m_sum.trainHops += simulated * (meeting.overloaded * sent.sharingHops +
                                        (1 - meeting.overloaded) * sent.trainHops);
    }
    // Within a server all ports are alike, and hardly a queue stands.
    if (!meeting.inServer)
    {
        // Bits of all queue pairs at the rate of the NIC, in seconds, times what slows them down.
        m_sum.congestedTime += times * meeting.overloaded * meeting.slowdown * sent.queuePairs * 8 *
                               sent.bytes / m_nicRate;
    }
}

void
TrafficCounter::AddCalls(uint32_t rank, bool reuses)
{
    const auto& slots = m_workload->GetCommunicatorSlots(rank);
    const auto& program = m_workload->GetProgram(rank);
    for (const auto& [key, count] : Summarise(program).calls)
    {
        const auto id = slots[std::get<0>(key)];
        const auto call = ProgramCalls::MakeCall(m_helper, id, key);
        auto& [sent, seen] = FindShape(id, call);
        const auto& meeting = m_load.Get(id);
        const bool isReused = reuses && meeting.isSingleSwitch && CollectiveReuse::CanReuse(call);
        const bool isMet = !meeting.inServer && !Summarise(program).sends.empty();
        const double least = isMet ? MET_BY_MESSAGES * count : 0;
        // The first calls of a shape are simulated, SIMULATED by each member, whichever
        // communicator makes them.
        const double first = std::min(count, std::max(0.0, SIMULATED * call.size - seen));
        Add(sent, count, isReused ? std::max(first, least) : count, meeting);
        seen += count;
        m_sum.calls += count;
        // Calls of a communicator use the same queue pairs.
        auto& pairs = m_queuePairs[{id, rank}];
        pairs = std::max(pairs, sent.queuePairs);
    }
}

void
TrafficCounter::AddSends(uint32_t rank)
{
    const auto& slots = m_workload->GetCommunicatorSlots(rank);
    const auto& sends = Summarise(m_workload->GetProgram(rank)).sends;
    std::set<uint32_t> peers;
    for (const auto& [key, count] : sends)
    {
        const auto& ranks = m_workload->GetCommunicators()[slots[std::get<0>(key)]].ranks;
        const auto peer = ranks[std::get<1>(key)];
        // GOAL has messages to oneself, which stay in memory.
        if (peer == rank)
        {
            continue;
        }
        peers.insert(peer);
        const auto hops = m_load.GetHops(rank, peer);
        Sent sent;
        sent.AddMessage(static_cast<double>(std::get<2>(key)), hops, m_cut);
        sent.queuePairs = 1;
        CommunicatorLoad::Meeting meeting;
        // With two hops both ends are at one switch, and the path has no link between switches.
        meeting.overloaded = hops > 2 ? MET_BETWEEN_SWITCHES : 0;
        Add(sent, count, count, meeting);
    }
    m_sum.queuePairs += static_cast<double>(peers.size());
}

TrafficForecast
TrafficCounter::Count(bool reuses)
{
    LoadLinks();
    m_sum.ranks = m_workload->GetLayout().world;
    for (uint32_t rank = 0; rank < m_sum.ranks; ++rank)
    {
        m_sum.ops += static_cast<double>(m_workload->GetProgram(rank).GetOps().size());
        AddCalls(rank, reuses);
        AddSends(rank);
    }
    for (const auto& [place, count] : m_queuePairs)
    {
        m_sum.queuePairs += count;
    }
    return m_sum;
}

} // namespace

TrafficForecast
ForecastTraffic(const NetworkOptions& options,
                const TopologyGraph& graph,
                std::shared_ptr<const Workload> workload,
                bool reuses)
{
    return TrafficCounter(options, graph, std::move(workload)).Count(reuses);
}

} // namespace ns3
