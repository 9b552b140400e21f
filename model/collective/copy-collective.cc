/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "copy-collective.h"

#include "ns3/log.h"
#include "ns3/strategy-registry.h"

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("CopyCollective");

NS_STRATEGY_ENSURE_REGISTERED(CopyCollective, CopyCollective::NAME, "copy engines", 11);

namespace
{

/**
 * A copy to the next member, and one from the member before.
 */
class CopyPipeline : public SteppedPipeline
{
  public:
    /// @param call the shift
    explicit CopyPipeline(const CollectiveCall& call)
        : SteppedPipeline(PipelineItems(), 1),
          m_call(call)
    {
    }

  private:
    void MakeStep(CollectiveStep& step, uint64_t /* item */, uint64_t /* turn */) override
    {
        // A shift moves the whole buffer by one place, so that the receiver finds it at the same
        // offset.
        const BufferPart buffer{0, m_call.bytes};
        AddTransfer(step, CollectiveTransfer::SEND, m_call.GetMemberAfter(1), buffer);
        AddTransfer(step,
                    CollectiveTransfer::RECV_COPY,
                    m_call.GetMemberAfter(m_call.size - 1),
                    buffer);
    }

    CollectiveCall m_call; //!< the shift
};

} // namespace

TypeId
CopyCollective::GetTypeId()
{
    static TypeId tid = TypeId("ns3::CopyCollective")
                            .SetParent<CollectiveAlgorithm>()
                            .SetGroupName("WorkloadReplay")
                            .AddConstructor<CopyCollective>();
    return tid;
}

CopyCollective::CopyCollective()
    : CollectiveAlgorithm(NAME, {CollectiveKind::SHIFT})
{
    NS_LOG_FUNCTION(this);
}

bool
CopyCollective::RunsKernels() const
{
    // Copy engines need no streaming multiprocessor, so that no kernel is launched for the copy.
    return false;
}

std::string
CopyCollective::FindUnsupportedReason(const CollectiveCall& call) const
{
    const auto servers = call.placement ? call.placement->GetServers().size() : 1;
    return servers > 1 ? "its members stand in " + std::to_string(servers) +
                             " servers, and copy engines reach the memories of one"
                       : "";
}

std::vector<CollectiveProtocol>
CopyCollective::GetProtocols() const
{
    // LL and LL128 are stores of a kernel with flags among the data, which a copy engine does not
    // write.
    return {CollectiveProtocol::SIMPLE};
}

ChunkPipelines
CopyCollective::DoPlan(const CollectiveCall& call) const
{
    ChunkPipelines pipelines;
    pipelines.push_back(std::make_unique<CopyPipeline>(call));
    return pipelines;
}

} // namespace ns3
