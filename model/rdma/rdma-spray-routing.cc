/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-spray-routing.h"

#include "ns3/ecmp-hash.h"
#include "ns3/log.h"
#include "ns3/strategy-registry.h"

#include <vector>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("RdmaSprayRouting");

NS_STRATEGY_ENSURE_REGISTERED(RdmaSprayRouting, "spray", "each packet its own", 3);

namespace
{

/// Destinations whose turns a node remembers, at most. They take 8 KiB.
constexpr std::size_t PLACES = 1024;

/// @brief In turn, by destination.
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
        return hops.SkipDown(FindTurn(packet).next++ % hops.size());
    }

  private:
    /// Whose turns a place of the table holds, if anybody's.
    static constexpr uint32_t NOBODY = UINT32_MAX;

    /// Whose turn it is among the ports that lead to one destination.
    struct Turn
    {
        uint32_t key{NOBODY}; //!< destination, and whether it is data; or NOBODY
        uint32_t next{0};     //!< the turn, by the number of ports
    };

    /**
     * @param packet a packet
     * @return its turn
     */
    Turn& FindTurn(const RdmaPacket& packet)
    {
        if (m_turns.empty())
        {
            m_turns.resize(PLACES);
        }
        const uint32_t key = packet.destination << 1 | (packet.type == RdmaPacket::DATA ? 1U : 0U);
        const uint64_t hash = EcmpMix(key ^ m_salt);
        Turn& turn = m_turns[hash % PLACES];
        if (turn.key != key)
        {
            turn.key = key;
            // What was there before makes the start another one each time.
            turn.next = static_cast<uint32_t>(EcmpMix(hash ^ turn.next));
        }
        return turn;
    }

    uint64_t m_salt;           //!< salt of the node
    std::vector<Turn> m_turns; //!< by hash of the key; empty = not needed yet
};

} // namespace

TypeId
RdmaSprayRouting::GetTypeId()
{
    static TypeId tid = TypeId("ns3::RdmaSprayRouting")
                            .SetParent<RdmaRouting>()
                            .SetGroupName("WorkloadReplay")
                            .AddConstructor<RdmaSprayRouting>();
    return tid;
}

RdmaSprayRouting::RdmaSprayRouting()
{
    NS_LOG_FUNCTION(this);
}

RdmaSprayRouting::~RdmaSprayRouting()
{
    NS_LOG_FUNCTION(this);
}

bool
RdmaSprayRouting::Reorders() const
{
    return true;
}

std::unique_ptr<RdmaPathChoice>
RdmaSprayRouting::Create(uint32_t node [[maybe_unused]], uint64_t salt) const
{
    return std::make_unique<Choice>(salt);
}

} // namespace ns3
