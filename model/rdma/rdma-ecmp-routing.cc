/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-ecmp-routing.h"

#include "ns3/ecmp-hash.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(RdmaEcmpRouting);

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

std::string
RdmaEcmpRouting::GetName() const
{
    return "ecmp";
}

bool
RdmaEcmpRouting::Reorders() const
{
    return false;
}

std::unique_ptr<RdmaPathChoice>
RdmaEcmpRouting::Create(uint64_t salt) const
{
    return std::make_unique<Choice>(salt);
}

} // namespace ns3
