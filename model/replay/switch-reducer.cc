/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "switch-reducer.h"

#include "ns3/abort.h"
#include "ns3/log.h"
#include "ns3/pointer.h"

#include <utility>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("SwitchReducer");

NS_OBJECT_ENSURE_REGISTERED(SwitchReducer);

TypeId
SwitchReducer::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::SwitchReducer")
            .SetParent<Application>()
            .SetGroupName("WorkloadReplay")
            .AddAttribute("Transport",
                          "What moves the messages of the switch, for Config paths.",
                          TypeId::ATTR_GET,
                          PointerValue(),
                          MakePointerAccessor(&SwitchReducer::m_transport),
                          MakePointerChecker<MessageTransport>());
    return tid;
}

SwitchReducer::SwitchReducer()
{
    NS_LOG_FUNCTION(this);
}

SwitchReducer::~SwitchReducer()
{
    NS_LOG_FUNCTION(this);
}

void
SwitchReducer::Setup(std::shared_ptr<const Workload> workload,
                     std::shared_ptr<const RankPlacement> placement,
                     uint32_t address,
                     Ptr<MessageTransport> transport)
{
    NS_LOG_FUNCTION(this << address << transport);
    m_workload = std::move(workload);
    m_placement = std::move(placement);
    m_address = address;
    m_transport = transport;
    m_transport->SetCallbacks(MakeCallback(&SwitchReducer::MessageArrived, this),
                              MakeCallback(&SwitchReducer::MessageSent, this));
}

void
SwitchReducer::SetFaultCallback(FaultCallback callback)
{
    m_fault = callback;
}

void
SwitchReducer::DoDispose()
{
    NS_LOG_FUNCTION(this);
    m_failed = true;
    m_transport = nullptr;
    m_placement = nullptr;
    m_fault = FaultCallback();
    Application::DoDispose();
}

const Workload&
SwitchReducer::GetWorkload() const
{
    return *m_workload;
}

const RankPlacement&
SwitchReducer::GetPlacement() const
{
    return *m_placement;
}

uint32_t
SwitchReducer::GetAddress() const
{
    return m_address;
}

bool
SwitchReducer::HasFailed() const
{
    return m_failed;
}

void
SwitchReducer::Send(const Message& message)
{
    m_transport->Send(message);
}

void
SwitchReducer::MessageArrived(const Message& message)
{
    NS_LOG_FUNCTION(this << message.source << message.bytes);
    if (!m_failed)
    {
        DoReceive(message);
    }
}

void
SwitchReducer::MessageSent(uint64_t cookie [[maybe_unused]])
{
    // Nothing waits for it.
}

bool
SwitchReducer::Agree(uint64_t context,
                     const CollectiveSignature& signature,
                     const CollectiveSignature& other)
{
    if (other.Matches(signature))
    {
        return true;
    }
    Fail(signature.rank, DescribeContradiction(*m_workload, context, signature, other));
    return false;
}

void
SwitchReducer::Fail(uint32_t rank, const std::string& text)
{
    m_failed = true;
    NS_LOG_INFO(text);
    NS_ABORT_MSG_IF(m_fault.IsNull(), text);
    m_fault({rank, text});
}

} // namespace ns3
