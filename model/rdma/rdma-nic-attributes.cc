/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

/**
 * @file
 * @ingroup workload-replay
 * What can be set of an RdmaNic, and what its queue pairs make of it.
 */

#include "rdma-enum-attribute.h"
#include "rdma-nic.h"

#include "ns3/double.h"
#include "ns3/log.h"
#include "ns3/pointer.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <limits>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("RdmaNicAttributes");

NS_OBJECT_ENSURE_REGISTERED(RdmaNic);

TypeId
RdmaNic::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::RdmaNic")
            .SetParent<Object>()
            .SetGroupName("WorkloadReplay")
            .AddConstructor<RdmaNic>()
            .AddAttribute("Mtu",
                          "Payload of a full packet, bytes. The default is the largest of the "
                          "InfiniBand specification.",
                          UintegerValue(4096),
                          MakeUintegerAccessor(&RdmaNic::m_mtu),
                          MakeUintegerChecker<uint32_t>(1, MAX_MTU))
            .AddAttribute("AckInterval",
                          "Data packets per acknowledgement. The last packet of a message is "
                          "acknowledged at once. Congestion control may ask for 1.",
                          UintegerValue(4),
                          MakeUintegerAccessor(&RdmaNic::m_ackInterval),
                          MakeUintegerChecker<uint32_t>(1))
            .AddAttribute(
                "MaxTrain",
                "Most packets of a message that go through the fabric as one unit where "
                "their path is idle. Where much waits they go on in parts of MaxQueuedTrain. "
                "1 = every packet goes by itself, as it does where packets gather telemetry.",
                UintegerValue(1024),
                MakeUintegerAccessor(&RdmaNic::m_maxTrain),
                MakeUintegerChecker<uint32_t>(1, 4096))
            .AddAttribute("MaxSharedTrain",
                          "The same where others have just sent by the same port, or have been met "
                          "on the way: who comes just after a train has begun waits for all of it.",
                          UintegerValue(64),
                          MakeUintegerAccessor(&RdmaNic::m_maxSharedTrain),
                          MakeUintegerChecker<uint32_t>(1, 4096))
            .AddAttribute("MaxQueuedTrain",
                          "The same of a queue pair that congestion control has slowed down and "
                          "whose packets have met a queue just now, and of longer trains where "
                          "much waits: so many packets wait as a whole. No more than go with one "
                          "acknowledgement (AckInterval, or 1 where congestion control asks for "
                          "every one), and in an eighth of CnpInterval. The default is that of "
                          "AckInterval.",
                          UintegerValue(4),
                          MakeUintegerAccessor(&RdmaNic::m_maxQueuedTrain),
                          MakeUintegerChecker<uint32_t>(1, 4096))
            .AddAttribute("TrainsPerMessage",
                          "A train has no more packets than this share of its message.",
                          UintegerValue(8),
                          MakeUintegerAccessor(&RdmaNic::m_trainsPerMessage),
                          MakeUintegerChecker<uint32_t>(1))
            .AddAttribute(
                "TrainsPerSharingMessage",
                "The same where others have just sent by the same port: long trains would "
                "keep the messages of rings bunched. While others wait for the port there "
                "are no trains.",
                UintegerValue(128),
                MakeUintegerAccessor(&RdmaNic::m_trainsPerSharingMessage),
                MakeUintegerChecker<uint32_t>(1))
            .AddAttribute("TrainsPerWindow",
                          "A train has no more packets than this share of the window: it is "
                          "acknowledged when its last packet has come, and holds up the window "
                          "until then.",
                          UintegerValue(32),
                          MakeUintegerAccessor(&RdmaNic::m_trainsPerWindow),
                          MakeUintegerChecker<uint32_t>(1))
            .AddAttribute("SharingMemory",
                          "Time for which a queue pair that has sent by a port counts as one that "
                          "shares it: who comes just after a train has begun waits for all of it. "
                          "0 = only who waits for its turn shares the port.",
                          TimeValue(MicroSeconds(200)),
                          MakeTimeAccessor(&RdmaNic::m_sharingMemory),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("AckPriority",
                          "Priority of acknowledgements and congestion notifications, 0 to 7.",
                          UintegerValue(7),
                          MakeUintegerAccessor(&RdmaNic::m_ackPriority),
                          MakeUintegerChecker<uint8_t>(0, 7))
            .AddAttribute(
                "CnpInterval",
                "Least time between congestion notifications of a queue pair; 0 = one for "
                "each marked packet; negative = as congestion control says, which for "
                "RdmaDcqcn goes by its Preset: nic 4 us (MIN_TIME_BETWEEN_CNPS of NVIDIA "
                "ConnectX), paper 50 us (SIGCOMM 2015, section 3.1), reference 0.",
                TimeValue(NanoSeconds(-1)),
                MakeTimeAccessor(&RdmaNic::m_cnpInterval),
                MakeTimeChecker())
            .AddAttribute("CnpDelay",
                          "From the arrival of a marked packet to the departure of the congestion "
                          "notification that it causes: what the NIC takes to make it. The default "
                          "is that of the simulators of DCQCN's and HPCC's authors, which respond "
                          "at once (ReceiveUdp() of rdma-hw.cc); on NICs 55 us were measured "
                          "(aliyun/ns-3-alibabacloud, issue 12).",
                          TimeValue(Time(0)),
                          MakeTimeAccessor(&RdmaNic::m_cnpDelay),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("LossRecovery",
                          "What is sent again after a loss: go-back-n = all from the first missing "
                          "packet on, selective-repeat = only what is missing, auto = "
                          "selective-repeat where packets of a flow take different paths, else "
                          "go-back-n. Alike on all hosts.",
                          EnumValue(AUTO),
                          MakeRdmaEnumAccessor(&RdmaNic::m_lossRecovery),
                          MakeEnumChecker(AUTO,
                                          "auto",
                                          GO_BACK_N,
                                          "go-back-n",
                                          SELECTIVE_REPEAT,
                                          "selective-repeat"))
            .AddAttribute("ReorderDistance",
                          "Selective repeat: a packet counts as lost when one that was sent this "
                          "many packets later has arrived. 0 = as soon as a later one has.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&RdmaNic::m_reorderDistance),
                          MakeUintegerChecker<uint32_t>())
            .AddAttribute("ReorderTime",
                          "Selective repeat: ReorderDistance grows by the full packets that the "
                          "port can send in this time: about the most by which the delays of "
                          "paths differ. 0 = it does not; negative = where packets of a flow take "
                          "different ways, by twice the longest queue that ECN leaves standing "
                          "(Kmax of RdmaEcnMarker: 2 x 128 us), one on the way up and one on the "
                          "way down; elsewhere it does not.",
                          TimeValue(NanoSeconds(-1)),
                          MakeTimeAccessor(&RdmaNic::m_reorderTime),
                          MakeTimeChecker())
            .AddAttribute("RetransmissionTimeout",
                          "How long to wait for an acknowledgement; doubles after each timeout. "
                          "The default is 4.096 us x 2^20, 4.3 s: local ACK timeout 20 (InfiniBand "
                          "specification, 9.7.6.1.3), as NCCL sets it (src/transport/net_ib.cc, "
                          "NCCL_IB_TIMEOUT).",
                          TimeValue(NanoSeconds(4096LL * 1024 * 1024)),
                          MakeTimeAccessor(&RdmaNic::m_retransmissionTimeout),
                          MakeTimeChecker(Time(1)))
            .AddAttribute("ShortTimeout",
                          "RetransmissionTimeout while at most ShortTimeoutPackets are on their "
                          "way. 0 = the same. IRN has 100 us, besides a RetransmissionTimeout of "
                          "320 us (R. Mittal et al., Revisiting Network Support for RDMA, SIGCOMM "
                          "2018, sections 3.1 and 4.1); NICs have one timeout.",
                          TimeValue(Time(0)),
                          MakeTimeAccessor(&RdmaNic::m_shortTimeout),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("ShortTimeoutPackets",
                          "Packets in flight up to which ShortTimeout counts; IRN has 3.",
                          UintegerValue(3),
                          MakeUintegerAccessor(&RdmaNic::m_shortTimeoutPackets),
                          MakeUintegerChecker<uint32_t>())
            .AddAttribute("InFlightLimit",
                          "Most that a queue pair has on its way, in bandwidth-delay products of "
                          "its path without queues. 0 = what congestion control allows. IRN has 1 "
                          "(section 3.2: BDP-FC).",
                          DoubleValue(0),
                          MakeDoubleAccessor(&RdmaNic::m_inFlightLimit),
                          MakeDoubleChecker<double>(0))
            .AddAttribute(
                "RetryLimit",
                "Retries in a row after which a timeout ends a queue pair. The default is "
                "that of NCCL (src/transport/net_ib.cc, NCCL_IB_RETRY_CNT), and the most that "
                "the 3 bits of the InfiniBand specification allow.",
                UintegerValue(7),
                MakeUintegerAccessor(&RdmaNic::m_retryLimit),
                MakeUintegerChecker<uint32_t>())
            .AddAttribute("PairRate",
                          "Rate above which no queue pair sends, whatever its congestion control "
                          "says: one channel of a collective library moves no more than its few "
                          "thread blocks can copy, which on NVLink is less than the port's rate. "
                          "0 = the port's rate.",
                          DataRateValue(DataRate(0)),
                          MakeDataRateAccessor(&RdmaNic::m_pairRate),
                          MakeDataRateChecker())
            .AddAttribute(
                "CongestionControl",
                "Congestion control of the queue pairs.",
                PointerValue(),
                MakePointerAccessor(&RdmaNic::SetCongestionControl, &RdmaNic::GetCongestionControl),
                MakePointerChecker<RdmaCongestionControl>())
            .AddAttribute("Network",
                          "The fabric that it belongs to, for Config paths.",
                          TypeId::ATTR_GET,
                          PointerValue(),
                          MakePointerAccessor(&RdmaNic::m_network),
                          MakePointerChecker<RdmaNetwork>())
            .AddTraceSource("Rate",
                            "The rate at which a queue pair is to send has changed, bit/s. Changes "
                            "are seen when it sends or hears of its packets.",
                            MakeTraceSourceAccessor(&RdmaNic::rateTrace),
                            "ns3::RdmaNic::ControlTracedCallback")
            .AddTraceSource("Window",
                            "The window of a queue pair has changed, bytes of payload; 2^64 = it "
                            "has none.",
                            MakeTraceSourceAccessor(&RdmaNic::windowTrace),
                            "ns3::RdmaNic::ControlTracedCallback")
            .AddTraceSource("Retransmission",
                            "A packet is sent again.",
                            MakeTraceSourceAccessor(&RdmaNic::retransmissionTrace),
                            "ns3::RdmaNetDevice::PacketTracedCallback")
            .AddTraceSource("TimedOut",
                            "A queue pair has waited for an acknowledgement in vain, for so long.",
                            MakeTraceSourceAccessor(&RdmaNic::timeoutTrace),
                            "ns3::RdmaNic::TimeoutTracedCallback")
            .AddTraceSource("QueuePairFailed",
                            "A queue pair has given up: RetryLimit retries in a row timed out.",
                            MakeTraceSourceAccessor(&RdmaNic::failureTrace),
                            "ns3::RdmaNic::FailureTracedCallback");
    return tid;
}

RdmaQueuePairConfig
RdmaNic::MakeQueuePairConfig() const
{
    NS_ASSERT_MSG(m_control, "a NIC needs congestion control, be it RdmaNoCongestionControl");
    const bool reorders = m_protocol->Reorders() || m_network->GetRouting()->Reorders();
    RdmaQueuePairConfig config;
    if (!m_ports.empty())
    {
        config.linkLayer = &m_ports.front()->GetFlowControl().GetLinkLayer();
    }
    config.mtu = m_mtu;
    config.ackInterval = m_control->NeedsEveryAck() ? 1 : m_ackInterval;
    config.ackPriority = m_ackPriority;
    config.selectiveRepeat = m_lossRecovery == AUTO ? reorders : m_lossRecovery == SELECTIVE_REPEAT;
    config.reorderDistance = m_reorderDistance;
    config.reorderTime = m_reorderTime;
    if (m_reorderTime.IsStrictlyNegative())
    {
        config.reorderTime = reorders ? MicroSeconds(2 * 128) : Time(0);
    }
    config.retransmissionTimeout = m_retransmissionTimeout;
    config.shortTimeout = m_shortTimeout;
    config.shortTimeoutPackets = m_shortTimeoutPackets;
    config.inFlightLimit = m_inFlightLimit;
    config.retryLimit = m_retryLimit;
    config.maxRate = m_pairRate.GetBitRate() > 0 ? static_cast<double>(m_pairRate.GetBitRate())
                                                 : std::numeric_limits<double>::infinity();
    config.usesCnp = m_control->UsesCnp();
    config.cnpInterval =
        m_cnpInterval.IsStrictlyNegative() ? m_control->GetCnpInterval() : m_cnpInterval;
    config.cnpDelay = m_cnpDelay;
    config.usesTelemetry = m_control->UsesTelemetry();
    // Credits are for single packets.
    const bool usesCredits = !m_ports.empty() && m_ports.front()->UsesCredits();
    config.trains.maxTrain = config.usesTelemetry || usesCredits ? 1 : m_maxTrain;
    config.trains.maxSharedTrain = std::min(m_maxSharedTrain, config.trains.maxTrain);
    config.trains.maxQueuedTrain =
        std::min({m_maxQueuedTrain, config.trains.maxTrain, config.ackInterval});
    config.trains.trainsPerMessage = m_trainsPerMessage;
    config.trains.trainsPerSharingMessage = m_trainsPerSharingMessage;
    config.trains.trainsPerWindow = m_trainsPerWindow;
    config.trains.sharingMemory = m_sharingMemory.GetTimeStep();
    return config;
}

} // namespace ns3
