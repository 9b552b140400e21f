/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

/**
 * @file
 * @ingroup workload-replay
 *
 * Routing: of two ports that the hash of a packet draws, the one at which less waits
 * (M. Mitzenmacher, "The power of two choices", IEEE TPDS 12(10), 2001).
 */

#include "ns3/rdma-net-device.h"
#include "ns3/rdma-packet.h"
#include "ns3/rdma-routing.h"
#include "ns3/strategy-registry.h"

#include <cstdint>
#include <memory>

namespace ns3
{

/// What one node does under TwoChoicesRouting.
class TwoChoices : public RdmaPathChoice
{
  public:
    /**
     * @param salt differs by node, so that nodes draw different ports
     */
    explicit TwoChoices(uint64_t salt)
        : m_salt(salt)
    {
    }

    uint32_t Choose(const RdmaPacket& packet, const RdmaNextHops& hops) override
    {
        // Multiplied by an odd number with many bits (SplitMix64), so that all bits count.
        const uint64_t draw =
            (packet.flowHash + packet.sequence + m_salt) * 0x9e3779b97f4a7c15ULL >> 32;
        const auto first = static_cast<uint32_t>(draw % hops.size());
        const auto second =
            static_cast<uint32_t>((first + 1 + (draw >> 16) % (hops.size() - 1)) % hops.size());
        const bool isSecond = hops[second]->GetAllQueuedBytes() < hops[first]->GetAllQueuedBytes();
        return hops.SkipDown(isSecond ? second : first);
    }

  private:
    uint64_t m_salt; //!< differs by node
};

/// Routing: the shorter of two queues.
class TwoChoicesRouting : public RdmaRouting
{
  public:
    /// @return the object TypeId
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("ns3::TwoChoicesRouting")
                                .SetParent<RdmaRouting>()
                                .AddConstructor<TwoChoicesRouting>();
        return tid;
    }

    bool Reorders() const override
    {
        return true; // packets of a flow take different ports, so that NICs repeat selectively
    }

    std::unique_ptr<RdmaPathChoice> Create(uint32_t node [[maybe_unused]],
                                           uint64_t salt) const override
    {
        return std::make_unique<TwoChoices>(salt);
    }
};

NS_STRATEGY_ENSURE_REGISTERED(TwoChoicesRouting, "two-choices", "the shorter of two queues");

} // namespace ns3
