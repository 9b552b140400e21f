/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-adaptive-routing.h"

#include "ns3/ecmp-hash.h"
#include "ns3/log.h"
#include "ns3/simulator.h"
#include "ns3/strategy-registry.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <limits>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("RdmaAdaptiveRouting");

NS_STRATEGY_ENSURE_REGISTERED(RdmaAdaptiveRouting, "adaptive", "the least queued port", 4);

namespace
{

/// @brief The port that is sent empty first; a hash among equals.
class Choice : public RdmaPathChoice
{
  public:
    /**
     * @param view what the node knows of its ports
     * @param salt salt of the node
     */
    Choice(const RdmaAdaptiveRouting::View& view, uint64_t salt)
        : m_view(view),
          m_salt(salt)
    {
    }

    /**
     * Have the node report to others what waits, and use their reports.
     *
     * @param graph the fabric
     * @param leaves leaf of each host
     * @param node number of the node
     */
    void Connect(const TopologyGraph& graph, RdmaRouting::Leaves leaves, uint32_t node)
    {
        m_graph = graph;
        m_leaves = leaves;
        m_node = node;
    }

    bool Forward(RdmaPacket& packet, uint32_t link, RdmaNetDevice& port) override
    {
        if (m_graph.GetNode(m_node).kind != TopologyGraph::SWITCH)
        {
            return true;
        }
        const int64_t now = Simulator::Now().GetTimeStep();
        RdmaPathTag& tag = packet.pathTag;
        // What the rest of a train reports may have been written here.
        if (tag.about != RdmaPathTag::NONE && !packet.isTrainRest)
        {
            // Kept by the port that it came in by: packets to the leaf that leave there meet that
            // queue.
            m_reported[{tag.about, packet.ingress}] = {now + m_view.remoteSteps, tag.reported};
        }
        // A report holds for one hop; this node writes its own.
        tag.about = RdmaPathTag::NONE;
        if (m_graph.GetNode(m_graph.GetPeer(link, m_node)).kind == TopologyGraph::SWITCH)
        {
            Report(tag, now);
            // The port that packets to the leaf have taken last is the one that is reported to
            // others.
            m_towards[(*m_leaves)[packet.destination]] = &port;
        }
        return true;
    }

    uint32_t Choose(const RdmaPacket& packet, const RdmaNextHops& hops) override
    {
        const int64_t now = Simulator::Now().GetTimeStep();
        const uint32_t leaf = m_leaves ? (*m_leaves)[packet.destination] : RdmaPathTag::NONE;
        // Compared in order: a live link, no pause, little in the queue.
        std::tuple<bool, bool, int64_t> least;
        m_best.clear();
        for (uint32_t i = 0; i < hops.size(); ++i)
        {
            RdmaNetDevice& port = *hops[i];
            const std::tuple<bool, bool, int64_t> rank(!port.IsLinkUp(),
                                                       port.IsPaused(packet.priority),
                                                       GetLoad(port, now) +
                                                           GetReported(leaf, port, now));
            if (m_best.empty() || rank < least)
            {
                least = rank;
                m_best.assign(1, i);
            }
            else if (rank == least)
            {
                m_best.push_back(i);
            }
        }
        // A queue pair never sends two packets at the same time.
        const uint64_t hash = packet.flowHash ^ EcmpMix(static_cast<uint64_t>(packet.sentAt));
        return m_best[EcmpChoose(hash, m_salt, static_cast<uint32_t>(m_best.size()))];
    }

  private:
    /// A look at a port.
    struct Look
    {
        int64_t until{0}; //!< time step from which on it is out of date
        int64_t load{0};  //!< what was seen
    };

    /**
     * @param port a port of the node
     * @param now time step
     * @return how much it has to send, as far as the node knows: time steps, or a grade
     */
    int64_t GetLoad(RdmaNetDevice& port, int64_t now)
    {
        if (m_view.updateSteps == 0)
        {
            return Measure(port, now);
        }
        if (port.GetIndex() >= m_looks.size())
        {
            // Ports that are never a choice need no entry.
            m_looks.resize(port.GetIndex() + 1);
        }
        Look& look = m_looks[port.GetIndex()];
        if (now >= look.until)
        {
            look = {now + m_view.updateSteps, Measure(port, now)};
        }
        return look.load;
    }

    /**
     * @param leaf a leaf; NONE = nothing is reported of it
     * @param port a port of the node
     * @param now time step
     * @return how much waits behind the port for the leaf, as far as others have reported
     */
    int64_t GetReported(uint32_t leaf, const RdmaNetDevice& port, int64_t now) const
    {
        if (leaf == RdmaPathTag::NONE)
        {
            return 0;
        }
        const auto found = m_reported.find({leaf, port.GetIndex()});
        return found != m_reported.end() && now < found->second.until ? found->second.load : 0;
    }

    /**
     * Report the next leaf.
     *
     * @param tag what a packet reports
     * @param now time step
     */
    void Report(RdmaPathTag& tag, int64_t now)
    {
        if (m_towards.empty())
        {
            return;
        }
        // Leaves in turn, so that each is reported about in the end.
        auto next = m_towards.upper_bound(m_lastReported);
        if (next == m_towards.end())
        {
            next = m_towards.begin();
        }
        m_lastReported = next->first;
        const int64_t most = std::numeric_limits<uint32_t>::max();
        tag.about = next->first;
        // The tag has 32 bits: more is cut off.
        tag.reported = static_cast<uint32_t>(std::min(GetLoad(*next->second, now), most));
    }

    /**
     * @param port a port of the node
     * @param now time step
     * @return how much it has to send: time steps, or a grade
     */
    int64_t Measure(RdmaNetDevice& port, int64_t now) const
    {
        const int64_t steps = port.GetBacklogSteps(now);
        return m_view.gradeSteps == 0 ? steps
                                      // Switches compare grades of a few bits, not bytes; the
                                      // highest grade has no bound.
                                      : std::min(steps / m_view.gradeSteps, m_view.grades - 1);
    }

    RdmaAdaptiveRouting::View m_view; //!< what the node knows of its ports
    std::vector<Look> m_looks;        //!< by number of the port; empty = views do not last
    TopologyGraph m_graph;            //!< the fabric, if nodes report to each other
    RdmaRouting::Leaves m_leaves;     //!< leaf of each host, likewise; else null
    uint32_t m_node{0};               //!< number of the node, likewise
    std::map<std::pair<uint32_t, uint32_t>, Look> m_reported; //!< by leaf and number of the port
    std::map<uint32_t, RdmaNetDevice*> m_towards;             //!< port last used towards each leaf
    uint32_t m_lastReported{0};                               //!< leaf that was reported last
    uint64_t m_salt;                                          //!< salt of the node
    std::vector<uint32_t> m_best; //!< ports that are equally good; kept for its memory
};

} // namespace

TypeId
RdmaAdaptiveRouting::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::RdmaAdaptiveRouting")
            .SetParent<RdmaRouting>()
            .SetGroupName("WorkloadReplay")
            .AddConstructor<RdmaAdaptiveRouting>()
            .AddAttribute("GradeTime",
                          "Queues that differ by less than this, in time to send them, may be of "
                          "one grade and are then equal. 0 = queues are compared exactly, as the "
                          "best that any chip could do.",
                          TimeValue(Time(0)),
                          MakeTimeAccessor(&RdmaAdaptiveRouting::m_gradeTime),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("Grades",
                          "Number of grades where GradeTime is not 0; all longer queues are of "
                          "the last. The default is that of the link quality, 0 to 7, of "
                          "Broadcom's dynamic load balancing.",
                          UintegerValue(8),
                          MakeUintegerAccessor(&RdmaAdaptiveRouting::m_grades),
                          MakeUintegerChecker<uint32_t>(2))
            .AddAttribute("UpdateInterval",
                          "For how long a switch goes by what it has seen of the queue of a port. "
                          "Whether a link is up or paused it knows at once. 0 = it looks for each "
                          "packet, as DRILL assumes (SIGCOMM 2017, section 3).",
                          TimeValue(Time(0)),
                          MakeTimeAccessor(&RdmaAdaptiveRouting::m_updateInterval),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("RemoteTime",
                          "For how long a switch goes by what another one has reported of its "
                          "queues. 0 = switches report nothing to each other, as in DRILL.",
                          TimeValue(Time(0)),
                          MakeTimeAccessor(&RdmaAdaptiveRouting::m_remoteTime),
                          MakeTimeChecker(Time(0)));
    return tid;
}

RdmaAdaptiveRouting::RdmaAdaptiveRouting()
{
    NS_LOG_FUNCTION(this);
}

RdmaAdaptiveRouting::~RdmaAdaptiveRouting()
{
    NS_LOG_FUNCTION(this);
}

bool
RdmaAdaptiveRouting::Reorders() const
{
    return true;
}

bool
RdmaAdaptiveRouting::WritesPackets() const
{
    return m_remoteTime.IsStrictlyPositive();
}

void
RdmaAdaptiveRouting::SetGraph(const TopologyGraph& graph)
{
    NS_LOG_FUNCTION(this);
    if (WritesPackets())
    {
        m_graph = graph;
        m_leaves = FindLeaves(graph);
    }
}

std::unique_ptr<RdmaPathChoice>
RdmaAdaptiveRouting::Create(uint32_t node, uint64_t salt) const
{
    View view;
    view.gradeSteps = m_gradeTime.GetTimeStep();
    view.grades = m_grades;
    view.updateSteps = m_updateInterval.GetTimeStep();
    view.remoteSteps = m_remoteTime.GetTimeStep();
    auto choice = std::make_unique<Choice>(view, salt);
    if (WritesPackets())
    {
        choice->Connect(m_graph, m_leaves, node);
    }
    return choice;
}

} // namespace ns3
