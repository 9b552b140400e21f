/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-adaptive-routing.h"

#include "ns3/ecmp-hash.h"
#include "ns3/log.h"
#include "ns3/simulator.h"

#include <tuple>
#include <vector>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("RdmaAdaptiveRouting");

NS_OBJECT_ENSURE_REGISTERED(RdmaAdaptiveRouting);

namespace
{

/// @brief The port that is sent empty first; a hash among equals.
class Choice : public RdmaPathChoice
{
  public:
    /**
     * @param salt salt of the node
     */
    explicit Choice(uint64_t salt)
        : m_salt(salt)
    {
    }

    uint32_t Choose(const RdmaPacket& packet, const RdmaNextHops& hops) override
    {
        const int64_t now = Simulator::Now().GetTimeStep();
        std::tuple<bool, bool, int64_t> least;
        m_best.clear();
        for (uint32_t i = 0; i < hops.size(); ++i)
        {
            RdmaNetDevice& port = *hops[i];
            const std::tuple<bool, bool, int64_t> rank(!port.IsLinkUp(),
                                                       port.IsPaused(packet.priority),
                                                       port.GetBacklogSteps(now));
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
    uint64_t m_salt;              //!< salt of the node
    std::vector<uint32_t> m_best; //!< ports that are equally good; kept for its memory
};

} // namespace

TypeId
RdmaAdaptiveRouting::GetTypeId()
{
    static TypeId tid = TypeId("ns3::RdmaAdaptiveRouting")
                            .SetParent<RdmaRouting>()
                            .SetGroupName("WorkloadReplay")
                            .AddConstructor<RdmaAdaptiveRouting>();
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

std::string
RdmaAdaptiveRouting::GetName() const
{
    return "adaptive";
}

bool
RdmaAdaptiveRouting::Reorders() const
{
    return true;
}

std::unique_ptr<RdmaPathChoice>
RdmaAdaptiveRouting::Create(uint64_t salt) const
{
    return std::make_unique<Choice>(salt);
}

} // namespace ns3
