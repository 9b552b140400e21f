/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "uec-protocol.h"

#include "rdma-enum-attribute.h"
#include "rdma-queue-pair-host.h"
#include "uec-receiver.h"
#include "uec-sender.h"

#include "ns3/boolean.h"
#include "ns3/double.h"
#include "ns3/log.h"
#include "ns3/strategy-registry.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <map>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("UecProtocol");

NS_STRATEGY_ENSURE_REGISTERED(UecProtocol,
                              "uec",
                              "in the manner of Ultra Ethernet, packets sprayed over all paths and "
                              "trimmed where queues are long",
                              1);

TypeId
UecProtocol::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::UecProtocol")
            .SetParent<RdmaProtocol>()
            .SetGroupName("WorkloadReplay")
            .AddConstructor<UecProtocol>()
            .AddAttribute("Spraying",
                          "How the entropy value of a packet is chosen: reps = values that met no "
                          "congestion again, else any (REPS, arXiv 2407.21625), oblivious = any, "
                          "round-robin = one after another.",
                          EnumValue(RdmaPathSelector::REPS),
                          MakeRdmaEnumAccessor(&UecProtocol::m_spraying),
                          MakeEnumChecker(RdmaPathSelector::REPS,
                                          "reps",
                                          RdmaPathSelector::OBLIVIOUS,
                                          "oblivious",
                                          RdmaPathSelector::ROUND_ROBIN,
                                          "round-robin"))
            .AddAttribute("Entropies",
                          "Number of entropy values, at each port of a host. 1 = all packets of a "
                          "queue pair take one path. "
                          "The default is that of htsim's library (uec_base.h and uec.cpp had 256; "
                          "its program takes 64).",
                          UintegerValue(256),
                          MakeUintegerAccessor(&UecProtocol::m_entropies),
                          MakeUintegerChecker<uint32_t>(1, 16384))
            .AddAttribute("AckBytes",
                          "Payload per acknowledgement, bytes, of packets that are not marked. 0 = "
                          "every packet is acknowledged, which REPS takes for granted (section 3); "
                          "htsim has 16384 (uec.cpp, _bytes_unacked_threshold).",
                          UintegerValue(0),
                          MakeUintegerAccessor(&UecProtocol::m_ackBytes),
                          MakeUintegerChecker<uint64_t>())
            .AddAttribute(
                "RetransmissionTimeout",
                "How long to wait for the acknowledgement of a packet; doubles after each "
                "timeout without one in between. The default is that of htsim (uec.h, "
                "DEFAULT_UEC_RTO_MIN).",
                TimeValue(MicroSeconds(100)),
                MakeTimeAccessor(&UecProtocol::m_timeout),
                MakeTimeChecker(Time(1)))
            .AddAttribute("LossThreshold",
                          "A packet counts as lost when one that was sent so many first windows "
                          "later has arrived. 0 = only the receiver and timeouts show losses. "
                          "The default is that of htsim (uec.cpp, loss_retx_factor).",
                          DoubleValue(1.5),
                          MakeDoubleAccessor(&UecProtocol::m_lossThreshold),
                          MakeDoubleChecker<double>(0))
            .AddAttribute("Lossless",
                          "Whether switches pause their neighbours, by priority flow control, and "
                          "neither drop nor trim. The specification asks for no lossless network.",
                          BooleanValue(false),
                          MakeBooleanAccessor(&UecProtocol::m_isLossless),
                          MakeBooleanChecker())
            .AddAttribute("MarkFrom",
                          "Queue from which on switches mark packets, in longest round trips of "
                          "the fabric at the port's rate; all are from MarkAll on. The default is "
                          "that of htsim (main_uec.cpp, ecn_low).",
                          DoubleValue(0.2),
                          MakeDoubleAccessor(&UecProtocol::m_markFrom),
                          MakeDoubleChecker<double>(0))
            .AddAttribute("MarkAll",
                          "Queue from which on switches mark all packets, likewise. The default is "
                          "that of htsim (main_uec.cpp, ecn_high).",
                          DoubleValue(0.8),
                          MakeDoubleAccessor(&UecProtocol::m_markAll),
                          MakeDoubleChecker<double>(0))
            .AddAttribute(
                "Trim",
                "Queue at which switches trim packets, likewise. 0 = they drop what finds "
                "no room. The default is that of htsim (main_uec.cpp, "
                "DEFAULT_TRIMMING_QUEUESIZE_FACTOR).",
                DoubleValue(1),
                MakeDoubleAccessor(&UecProtocol::m_trim),
                MakeDoubleChecker<double>(0));
    return tid;
}

UecProtocol::UecProtocol()
{
    NS_LOG_FUNCTION(this);
}

UecProtocol::~UecProtocol()
{
    NS_LOG_FUNCTION(this);
}

bool
UecProtocol::Reorders() const
{
    return true;
}

std::string
UecProtocol::GetUnsupportedReason(const RdmaCongestionControl& control) const
{
    if (m_isLossless && control.GetMessagePriorities())
    {
        return "with ns3::UecProtocol::Lossless switches pause the priority of connections, not "
               "those of messages";
    }
    return control.GetSprayingUnsupportedReason();
}

std::string
UecProtocol::GetDefaultCongestionControl() const
{
    return "nscc";
}

std::string
UecProtocol::FindUnsupportedReason(Feature feature) const
{
    switch (feature)
    {
    case Feature::TRAINS:
        return ", of which every packet takes a path of its own";
    case Feature::FLOW_CONTROL:
        return ", whose switches trim packets instead";
    case Feature::FLOW_PATHS:
        return ", which does not report paths";
    case Feature::TIME_SLOTS:
        return "; only ports of rdma wait for time slots";
    case Feature::OTHER_TRAFFIC:
        return ", whose switches trim packets";
    case Feature::CAPTURE:
        return ", whose packets have no frames";
    case Feature::REUSE:
        // What is reused is traffic within servers, and its last packets come in another order
        // among the acknowledgements of that time step (doc/reuse-of-collectives.rst).
        return ", most packets of which go between servers and cannot be reused";
    default:
        break;
    }
    return "";
}

std::string
UecProtocol::FindReplacement(const std::string& attribute) const
{
    static const std::map<std::string, std::string> replacements{
        {"ns3::RdmaEcnMarker::Kmin", "ns3::UecProtocol::MarkFrom"},
        {"ns3::RdmaEcnMarker::Kmax", "ns3::UecProtocol::MarkAll"},
        {"ns3::RdmaEcnMarker::Pmax", "ns3::UecProtocol::MarkAll"},
        {"ns3::RdmaSwitch::LosslessPriorities", "ns3::UecProtocol::Lossless"},
    };
    const auto found = replacements.find(attribute);
    return found != replacements.end() ? found->second : "";
}

std::string
UecProtocol::GetTimeoutAttribute() const
{
    return "ns3::UecProtocol::RetransmissionTimeout";
}

RdmaProtocol::SwitchSettings
UecProtocol::GetSwitchSettings(Time networkRtt) const
{
    SwitchSettings settings;
    settings.isGiven = true;
    settings.isLossy = !m_isLossless;
    settings.markFrom = networkRtt * m_markFrom;
    settings.markAll = networkRtt * m_markAll;
    settings.trim = m_isLossless ? Time(0) : networkRtt * m_trim;
    return settings;
}

UecParameters
UecProtocol::GetParameters() const
{
    UecParameters parameters;
    parameters.spraying = m_spraying;
    parameters.entropies = m_entropies;
    parameters.ackBytes = m_ackBytes;
    parameters.retransmissionTimeout = m_timeout;
    parameters.lossThreshold = m_lossThreshold;
    return parameters;
}

std::unique_ptr<RdmaSender>
UecProtocol::CreateSender(RdmaQueuePairHost& nic,
                          uint32_t number,
                          uint32_t peer,
                          uint16_t udpSourcePort,
                          uint8_t priority) const
{
    return std::make_unique<UecSender>(nic, number, peer, udpSourcePort, priority, GetParameters());
}

std::unique_ptr<RdmaReceiver>
UecProtocol::CreateReceiver(RdmaQueuePairHost& nic, uint32_t number, const RdmaPacket& packet) const
{
    return std::make_unique<UecReceiver>(nic, number, packet, GetParameters());
}

} // namespace ns3
