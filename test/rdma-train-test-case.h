/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_TRAIN_TEST_CASE_H
#define RDMA_TRAIN_TEST_CASE_H

#include "rdma-test-case.h"

#include "ns3/uinteger.h"

#include <algorithm>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay-tests
 * @brief Base of the cases about packet trains: watches what hosts send.
 */
class RdmaTrainTestCase : public RdmaTestCase
{
  public:
    using RdmaTestCase::RdmaTestCase;

  protected:
    /// A full packet on a link of 100 Gb/s, ns.
    static constexpr int64_t PACKET = 324;

    /// A full packet on a link of 400 Gb/s, ns.
    static constexpr int64_t FAST = 81;

    /// Propagation delay of all links, ns.
    static constexpr int64_t DELAY = 500;

    /// An acknowledgement on a link of 100 Gb/s, ns: 86 bytes take 6.88.
    static constexpr int64_t ANSWER = 7;

    /// Frame of a full packet, bytes.
    static constexpr uint64_t FRAME = 4050 - 20;

    /// Frame of an acknowledgement, bytes: Ethernet 14 + 4, IPv4 20, UDP 8, base transport header
    /// 12, extended one 4, invariant checksum 4.
    static constexpr uint64_t ANSWER_FRAME = 66;

    /// Headroom of a port of 100 Gb/s, bytes: what is on its way, three packets, a pause frame.
    static constexpr uint64_t HEADROOM = 2 * DELAY * 100 / 8 + 3 * 4050 + 64 + 20;

    /// What a host has sent as one: packets of data.
    struct Unit
    {
        Time at;           //!< when
        uint64_t sequence; //!< number of the first packet
        uint32_t count;    //!< packets
    };

    /**
     * Begin a fabric anew, without congestion control.
     *
     * @param maxTrain most packets of a train
     * @param maxQueuedTrain the same where queues are
     */
    void Begin(uint32_t maxTrain, uint32_t maxQueuedTrain = 1)
    {
        Reset();
        m_units.clear();
        m_repeated.clear();
        m_fabric->SetNicAttribute("MaxTrain", UintegerValue(maxTrain));
        m_fabric->SetNicAttribute("MaxQueuedTrain", UintegerValue(maxQueuedTrain));
    }

    /**
     * Make the fabric, and watch what rank 0 sends and what any rank sends again.
     *
     * @param graph the fabric
     */
    void InstallAndWatch(const TopologyGraph& graph)
    {
        Install(graph);
        m_fabric->GetDevice(0, 0)->TraceConnectWithoutContext(
            "PhyTxBegin",
            MakeCallback(&RdmaTrainTestCase::NoteUnit, this));
        for (uint32_t rank = 0; rank < m_transports.size(); ++rank)
        {
            m_fabric->GetNic(rank)->TraceConnectWithoutContext(
                "Retransmission",
                MakeCallback(&RdmaTrainTestCase::NoteRepeat, this));
        }
    }

    /**
     * @param rates rate of each link of a chain from rank 0 to rank 1
     * @return the chain; link i comes in order, nodes 0 and 1 are the hosts
     */
    static TopologyGraph MakeChain(const std::vector<std::string>& rates)
    {
        TopologyGraph graph;
        uint32_t from = graph.AddHost("h0");
        const uint32_t last = graph.AddHost("h1");
        for (uint32_t link = 0; link < rates.size(); ++link)
        {
            const bool isLast = link + 1 == rates.size();
            const uint32_t to = isLast ? last : graph.AddSwitch("s" + std::to_string(link));
            graph.AddLink(from, to, DataRate(rates[link]), NanoSeconds(DELAY));
            from = to;
        }
        return graph;
    }

    /**
     * @param from time from which on units count
     * @param to time before which they count
     * @return most packets that rank 0 has sent as one
     */
    uint32_t GetLongest(Time from, Time to) const
    {
        uint32_t longest = 0;
        for (const Unit& unit : m_units)
        {
            longest = unit.at >= from && unit.at < to ? std::max(longest, unit.count) : longest;
        }
        return longest;
    }

    /**
     * @param sequence number of a packet
     * @return the unit in which rank 0 has sent it first
     */
    Unit FindUnit(uint64_t sequence) const
    {
        for (const Unit& unit : m_units)
        {
            if (unit.sequence <= sequence && sequence < unit.sequence + unit.count)
            {
                return unit;
            }
        }
        return {};
    }

    /// Check that no switch has anything left and that none has lost a lossless packet.
    void ExpectEmpty()
    {
        for (uint32_t node = 0; node < m_fabric->GetNetwork()->GetGraph().GetNNodes(); ++node)
        {
            if (const auto forwarding = m_fabric->GetSwitch(node))
            {
                NS_TEST_EXPECT_MSG_EQ(forwarding->GetBuffer().GetStored(), 0, "left at " << node);
                NS_TEST_EXPECT_MSG_EQ(forwarding->GetLosslessDrops(), 0, "no headroom " << node);
            }
        }
    }

    /**
     * @return packets that were lost, at all ports
     */
    uint64_t GetDrops() const
    {
        uint64_t drops = 0;
        const TopologyGraph& graph = m_fabric->GetNetwork()->GetGraph();
        for (uint32_t link = 0; link < graph.GetNLinks(); ++link)
        {
            drops += m_fabric->GetDevice(link, graph.GetLink(link).a)->GetCounters().drops;
            drops += m_fabric->GetDevice(link, graph.GetLink(link).b)->GetCounters().drops;
        }
        return drops;
    }

    std::vector<Unit> m_units;        //!< what rank 0 has sent
    std::vector<uint64_t> m_repeated; //!< packets that were sent again, by all ranks

  private:
    /**
     * @param packet what rank 0 sends
     */
    void NoteUnit(const RdmaPacket& packet)
    {
        if (packet.type == RdmaPacket::DATA)
        {
            m_units.push_back({Simulator::Now(), packet.sequence, packet.train.count});
        }
    }

    /**
     * @param packet what is sent again
     */
    void NoteRepeat(const RdmaPacket& packet)
    {
        NS_TEST_EXPECT_MSG_EQ(packet.train.count, 1, "packets are sent again one by one");
        m_repeated.push_back(packet.sequence);
    }
};

} // namespace ns3

#endif /* RDMA_TRAIN_TEST_CASE_H */
