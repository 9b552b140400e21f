/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_CONWEAVE_TEST_CASE_H
#define RDMA_CONWEAVE_TEST_CASE_H

#include "rdma-routing-test-case.h"

#include "ns3/rdma-conweave-routing.h"

#include <cstdint>
#include <string>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief A flow between two leaves, whose path the last switch pauses for a while; base of the
 * cases.
 *
 * All links have 100 Gb/s and 1 us, a packet takes 400 ns. Packet i, from 0 on, is at the first
 * leaf at 1400 + 400 i ns, at the spine 1400 ns later, and at the last leaf after 1400 ns more. A
 * reply or a pause takes 7 ns and 1 us from switch to switch, so that a path has a round trip of
 * 4814 ns; replies are late 4000 ns after that. Every 13th packet begins an epoch.
 *
 * The pause reaches the spine after packet 45 has begun to leave it, at 20800 ns, and before packet
 * 46 has come there. Packet 52 asks for a reply at 22200 ns, which is late from 31014 ns on: packet
 * 75, there at 31400 ns, is the last one by the path. Packet 76 is at the last leaf at 34600 ns.
 */
class RdmaConweaveTestCase : public RdmaRoutingTestCase
{
  public:
    using RdmaRoutingTestCase::RdmaRoutingTestCase;

  protected:
    /// The last packet by the first path.
    static constexpr uint32_t TAIL = 75;

    /// Packets of the message.
    static constexpr uint32_t PACKETS = 300;

    /**
     * Post the message, and pause the path that it takes from 20 us on.
     *
     * @param routing how nodes choose
     * @param bufferSize buffer of switches, bytes; 0 = the default
     * @param flows how many such messages there are, each of a queue pair of its own
     */
    void Begin(const std::string& routing, uint64_t bufferSize = 0, uint32_t flows = 1)
    {
        DoTeardown();
        Shape shape;
        shape.spines = 2;
        shape.bufferSize = bufferSize;
        Build(shape);
        Install(routing);
        for (uint32_t flow = 0; flow < flows; ++flow)
        {
            Post(Time(0), 0, 1, PACKETS * MTU, flow);
        }
        RunUntil(MicroSeconds(20));
        const auto loads = GetUplinkPackets(0);
        m_spine = loads[0] > 0 ? 0 : 1;
        Pause(true);
    }

    /**
     * @param isPaused whether the path is paused from now on
     */
    void Pause(bool isPaused)
    {
        m_fabric->GetDevice(GetUplink(1, m_spine), GetLeaf(1))->SendPause(3, isPaused);
    }

    /**
     * @param leaf a leaf
     * @return how it chooses
     */
    const RdmaConweaveRouting::Choice& GetChoice(uint32_t leaf) const
    {
        const auto& choice = m_fabric->GetNetwork()->GetPathChoice(GetLeaf(leaf));
        return dynamic_cast<const RdmaConweaveRouting::Choice&>(choice);
    }

    /// @return what the last leaf has done
    const RdmaConweaveDestination::Counters& GetCounters() const
    {
        return GetChoice(1).GetDestination().GetCounters();
    }

    /**
     * @param leaf a leaf
     * @return its switch
     */
    Ptr<RdmaSwitch> GetSwitch(uint32_t leaf) const
    {
        return m_fabric->GetNodes().Get(GetLeaf(leaf))->GetObject<RdmaSwitch>();
    }

    /// Simulate to the end: nothing is left anywhere.
    void Finish()
    {
        Simulator::Run();
        ExpectAllDelivered();
        for (uint32_t leaf = 0; leaf < 2; ++leaf)
        {
            NS_TEST_EXPECT_MSG_EQ(GetSwitch(leaf)->GetBuffer().GetStored(), 0, "stored at the end");
            NS_TEST_EXPECT_MSG_EQ(GetSwitch(leaf)->GetLosslessDrops(), 0, "lost for want of room");
        }
    }

    uint32_t m_spine{0}; //!< spine of the path that is paused
};

} // namespace ns3

#endif /* RDMA_CONWEAVE_TEST_CASE_H */
