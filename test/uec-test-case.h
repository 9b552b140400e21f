/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef UEC_TEST_CASE_H
#define UEC_TEST_CASE_H

#include "rdma-routing-test-case.h"

#include <cstdint>
#include <string>

namespace ns3
{

/**
 * @ingroup workload-replay-tests
 * @brief Messages over a leaf-spine by UecProtocol.
 *
 * A full packet takes 5000 bytes on the wire: 4916 of payload, 64 of headers, 20 of preamble and
 * gap; so 400 ns at 100 Gb/s. Every link has a delay of 1 us.
 */
class UecTestCase : public RdmaRoutingTestCase
{
  public:
    using RdmaRoutingTestCase::RdmaRoutingTestCase;

  protected:
    /// Payload of a full packet, bytes.
    static constexpr uint32_t PAYLOAD = 4916;

    /**
     * @param control congestion control: Nscc, Rccc or NoCongestionControl
     */
    void InstallUec(const std::string& control)
    {
        InstallProtocol("ns3::UecProtocol", "ns3::Rdma" + control, PAYLOAD);
    }

    /**
     * @return packets that switches have trimmed
     */
    uint64_t GetTrims() const
    {
        uint64_t trims = 0;
        for (uint32_t node = 0; node < m_graph.GetNNodes(); ++node)
        {
            const auto forwarding = m_fabric->GetSwitch(node);
            trims += forwarding ? forwarding->GetTrims() : 0;
        }
        return trims;
    }

    /**
     * @param host a host
     * @return most bytes that have waited for it at its leaf
     */
    uint64_t GetLastQueue(uint32_t host) const
    {
        const uint32_t leaf = GetLeaf(host / m_shape.hostsPerLeaf);
        return m_fabric->GetDevice(host, leaf)->GetCounters().maxQueue;
    }

    /// @return when the last message has arrived
    Time GetEnd() const
    {
        Time end;
        for (const auto& fate : m_fates)
        {
            end = Max(end, fate.arrivedAt);
        }
        return end;
    }
};

} // namespace ns3

#endif /* UEC_TEST_CASE_H */
