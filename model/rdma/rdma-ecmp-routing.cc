/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-ecmp-routing.h"

#include "ns3/ecmp-hash.h"
#include "ns3/strategy-registry.h"

namespace ns3
{

NS_STRATEGY_ENSURE_REGISTERED(RdmaEcmpRouting, "ecmp", "by flow", 0);
NS_STRATEGY_ENSURE_REGISTERED(RdmaEnhancedEcmpRouting, "e-ecmp", "and queue pair", 1);

namespace
{

/// @brief By a hash of the flow.
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
        return EcmpChoose(packet.flowHash, m_salt, hops.size());
    }

  private:
    uint64_t m_salt; //!< salt of the node
};

/// @brief By a hash of the flow and its queue pair.
class EnhancedChoice : public RdmaPathChoice
{
  public:
    /**
     * @param salt salt of the node
     */
    explicit EnhancedChoice(uint64_t salt)
        : m_salt(salt)
    {
    }

    uint32_t Choose(const RdmaPacket& packet, const RdmaNextHops& hops) override
    {
        const bool hasQp = packet.senderQp != RdmaPacket::UNKNOWN;
        const uint64_t hash = packet.flowHash ^ (hasQp ? EcmpMix(packet.senderQp) : 0);
        return EcmpChoose(hash, m_salt, hops.size());
    }

  private:
    uint64_t m_salt; //!< salt of the node
};

} // namespace

TypeId
RdmaEcmpRouting::GetTypeId()
{
    static TypeId tid = TypeId("ns3::RdmaEcmpRouting")
                            .SetParent<RdmaRouting>()
                            .SetGroupName("WorkloadReplay")
                            .AddConstructor<RdmaEcmpRouting>();
    return tid;
}

bool
RdmaEcmpRouting::Reorders() const
{
    return false;
}

std::string
RdmaEcmpRouting::FindOtherPaths() const
{
    return "";
}

std::unique_ptr<RdmaPathChoice>
RdmaEcmpRouting::Create(uint32_t node [[maybe_unused]], uint64_t salt) const
{
    return std::make_unique<Choice>(salt);
}

TypeId
RdmaEnhancedEcmpRouting::GetTypeId()
{
    static TypeId tid = TypeId("ns3::RdmaEnhancedEcmpRouting")
                            .SetParent<RdmaEcmpRouting>()
                            .SetGroupName("WorkloadReplay")
                            .AddConstructor<RdmaEnhancedEcmpRouting>();
    return tid;
}

std::string
RdmaEnhancedEcmpRouting::FindOtherPaths() const
{
    return RdmaRouting::FindOtherPaths();
}

std::unique_ptr<RdmaPathChoice>
RdmaEnhancedEcmpRouting::Create(uint32_t node [[maybe_unused]], uint64_t salt) const
{
    return std::make_unique<EnhancedChoice>(salt);
}

} // namespace ns3
