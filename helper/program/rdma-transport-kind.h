/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_TRANSPORT_KIND_H
#define RDMA_TRANSPORT_KIND_H

#include "transport-kind.h"

#include "ns3/rdma-protocol.h"

#include <memory>
#include <string>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief Queue pairs of a protocol, over ports and switches of the module.
 */
class RdmaTransportKind : public TransportKind
{
  public:
    /**
     * @param protocol TypeId of the RdmaProtocol that queue pairs go by
     */
    explicit RdmaTransportKind(TypeId protocol);

    std::string FindUnsupportedReason(Use use) const override;
    std::unique_ptr<ReplayFabric> Create(const NetworkOptions& options,
                                         const TopologyGraph& graph) const override;
    void Check(const NetworkOptions& options) const override;
    std::string ParseCongestionControl(const TextField& cc) const override;
    std::string FindAttributeRemedy(const NetworkOptions& options,
                                    TypeId type,
                                    const std::string& attribute) const override;
    std::string GetAllPortsOption() const override;
    std::string GetName() const override;

  private:
    Ptr<const RdmaProtocol> m_protocol; //!< what queue pairs go by
};

} // namespace ns3

#endif /* RDMA_TRANSPORT_KIND_H */
