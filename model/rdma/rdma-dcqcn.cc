/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-dcqcn.h"

#include "rdma-dcqcn-reaction-point.h"
#include "rdma-enum-attribute.h"

#include "ns3/assert.h"
#include "ns3/double.h"
#include "ns3/integer.h"
#include "ns3/log.h"
#include "ns3/strategy-registry.h"

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("RdmaDcqcn");

NS_STRATEGY_ENSURE_REGISTERED(RdmaDcqcn, "dcqcn", "marks and notifications", 0);

TypeId
RdmaDcqcn::GetTypeId()
{
    using P = RdmaDcqcnParameters;
    static TypeId tid =
        TypeId("ns3::RdmaDcqcn")
            .SetParent<RdmaCongestionControl>()
            .SetGroupName("WorkloadReplay")
            .AddConstructor<RdmaDcqcn>()
            .AddAttribute("Preset",
                          "What the other attributes are that are not set: nic = the defaults of "
                          "the firmware of NVIDIA ConnectX-4 and later (NVIDIA DOCA "
                          "documentation, DCQCN CC Parameters; mlxconfig), paper = the paper on "
                          "DCQCN (SIGCOMM 2015), reference = the simulator of the HPCC family "
                          "(conweave-ns3, run.py). Rates of paper (40 Gb/s) and reference (100 "
                          "Gb/s) are in proportion to the port's; what is set by itself holds for "
                          "any port.",
                          EnumValue(RdmaDcqcnPreset::NIC),
                          MakeRdmaEnumAccessor(&RdmaDcqcn::m_preset),
                          MakeEnumChecker(RdmaDcqcnPreset::NIC,
                                          "nic",
                                          RdmaDcqcnPreset::PAPER,
                                          "paper",
                                          RdmaDcqcnPreset::REFERENCE,
                                          "reference"))
            .AddAttribute("Gain",
                          "g, weight of a sample in alpha, 1/1024 to 1. Below 0 = as the preset "
                          "says: nic 5/1024 (DCE_TCP_G 1019), paper and reference 1/256.",
                          DoubleValue(-1),
                          MakeDoubleAccessor(&RdmaDcqcn::Set<double, &P::gain>,
                                             &RdmaDcqcn::Get<double, &P::gain>),
                          MakeDoubleChecker<double>(-1, 1))
            .AddAttribute("InitialAlpha",
                          "Alpha at the first notification, 0 to 1; 0 = the first cut is none. "
                          "Below 0 = as the preset says: nic 1023/1024 (INITIAL_ALPHA_VALUE), "
                          "paper and reference 1.",
                          DoubleValue(-1),
                          MakeDoubleAccessor(&RdmaDcqcn::Set<double, &P::initialAlpha>,
                                             &RdmaDcqcn::Get<double, &P::initialAlpha>),
                          MakeDoubleChecker<double>(-1, 1))
            .AddAttribute("AlphaPeriod",
                          "K, time between samples of alpha. Below 0 = as the preset says: nic "
                          "and reference 1 us (DCE_TCP_RTT), paper 55 us.",
                          TimeValue(NanoSeconds(-1)),
                          MakeTimeAccessor(&RdmaDcqcn::Set<Time, &P::alphaPeriod>,
                                           &RdmaDcqcn::Get<Time, &P::alphaPeriod>),
                          MakeTimeChecker())
            .AddAttribute("AlphaByTimer",
                          "1 = alpha is sampled by its own timer: it grows once per AlphaPeriod "
                          "in which a notification came, else it shrinks. 0 = each notification "
                          "makes it grow at once, and AlphaPeriod begins anew. -1 = as the preset "
                          "says: nic and reference 1, paper 0.",
                          IntegerValue(-1),
                          MakeIntegerAccessor(&RdmaDcqcn::Set<int64_t, &P::alphaByTimer>,
                                              &RdmaDcqcn::Get<int64_t, &P::alphaByTimer>),
                          MakeIntegerChecker<int64_t>(-1, 1))
            .AddAttribute("CutPeriod",
                          "Time between cuts of the rate, at the end of which there is one if a "
                          "notification came. 0 = every notification cuts at once. Below 0 = as "
                          "the preset says: nic and reference 4 us (RATE_REDUCE_MONITOR_PERIOD), "
                          "paper 0.",
                          TimeValue(NanoSeconds(-1)),
                          MakeTimeAccessor(&RdmaDcqcn::Set<Time, &P::cutPeriod>,
                                           &RdmaDcqcn::Get<Time, &P::cutPeriod>),
                          MakeTimeChecker())
            .AddAttribute("FirstCutAtOnce",
                          "When CutPeriod is above 0: 1 = a notification cuts at once if the last "
                          "cut is a CutPeriod ago, 0 = every cut waits for the end of a "
                          "CutPeriod, the first of which begins with the first notification. -1 = "
                          "as the preset says: nic and reference 0 (help of mlxconfig: the rate "
                          "is reduced at the beginning of the next period), paper 1.",
                          IntegerValue(-1),
                          MakeIntegerAccessor(&RdmaDcqcn::Set<int64_t, &P::firstCutAtOnce>,
                                              &RdmaDcqcn::Get<int64_t, &P::firstCutAtOnce>),
                          MakeIntegerChecker<int64_t>(-1, 1))
            .AddAttribute("ClampTarget",
                          "1 = every cut sets the target to the rate before it. 0 = only a cut "
                          "that follows an increase does, see ClampAfterTimer. -1 = as the preset "
                          "says: nic and reference 0 (CLAMP_TGT_RATE), paper 1.",
                          IntegerValue(-1),
                          MakeIntegerAccessor(&RdmaDcqcn::Set<int64_t, &P::clampTarget>,
                                              &RdmaDcqcn::Get<int64_t, &P::clampTarget>),
                          MakeIntegerChecker<int64_t>(-1, 1))
            .AddAttribute("ClampAfterTimer",
                          "When ClampTarget is 0: 1 = a cut sets the target if the rate was "
                          "increased since the last one, 0 = only if it was by the byte counter. "
                          "-1 = as the preset says: 1 in all (CLAMP_TGT_RATE_AFTER_TIME_INC).",
                          IntegerValue(-1),
                          MakeIntegerAccessor(&RdmaDcqcn::Set<int64_t, &P::clampAfterTimer>,
                                              &RdmaDcqcn::Get<int64_t, &P::clampAfterTimer>),
                          MakeIntegerChecker<int64_t>(-1, 1))
            .AddAttribute("MinDecreaseFactor",
                          "Least share of the rate that a cut leaves, 0 to 1; 0 = no bound, 1 = "
                          "no cuts. Below 0 = as the preset says: 0.5 in all (RPG_MIN_DEC_FAC).",
                          DoubleValue(-1),
                          MakeDoubleAccessor(&RdmaDcqcn::Set<double, &P::minDecreaseFactor>,
                                             &RdmaDcqcn::Get<double, &P::minDecreaseFactor>),
                          MakeDoubleChecker<double>(-1, 1))
            .AddAttribute("Release",
                          "1 = a queue pair back at line rate is no longer limited, and its next "
                          "notification is a first one again. 0 = it is for good what the first "
                          "notification has made of it. -1 = as the preset says: nic 1 (help of "
                          "mlxconfig on RPG_MAX_RATE), paper and reference 0.",
                          IntegerValue(-1),
                          MakeIntegerAccessor(&RdmaDcqcn::Set<int64_t, &P::release>,
                                              &RdmaDcqcn::Get<int64_t, &P::release>),
                          MakeIntegerChecker<int64_t>(-1, 1))
            .AddAttribute("Timer",
                          "T, time between steps of increase. Below 0 = as the preset says: nic "
                          "and reference 300 us (RPG_TIME_RESET), paper 55 us, which it "
                          "recommends for stability.",
                          TimeValue(NanoSeconds(-1)),
                          MakeTimeAccessor(&RdmaDcqcn::Set<Time, &P::timer>,
                                           &RdmaDcqcn::Get<Time, &P::timer>),
                          MakeTimeChecker())
            .AddAttribute("ByteCounter",
                          "B, bytes sent between steps of increase, 1000 at least; 0 = none by "
                          "bytes. Below 0 = as the preset says: nic 2 MB (RPG_BYTE_RESET 32767 in "
                          "units of 64 bytes, as Google's simulator isekai has it; 2 MB is also "
                          "the default of Spirent's DCQCN profile), paper 10 MB, reference 0.",
                          IntegerValue(-1),
                          MakeIntegerAccessor(&RdmaDcqcn::Set<int64_t, &P::byteCounter>,
                                              &RdmaDcqcn::Get<int64_t, &P::byteCounter>),
                          MakeIntegerChecker<int64_t>(-1))
            .AddAttribute("FastRecovery",
                          "F, steps of fast recovery; 0 = the first step is additive. -1 = as the "
                          "preset says: nic and reference 1 (RPG_THRESHOLD), paper 5.",
                          IntegerValue(-1),
                          MakeIntegerAccessor(&RdmaDcqcn::Set<int64_t, &P::fastRecovery>,
                                              &RdmaDcqcn::Get<int64_t, &P::fastRecovery>),
                          MakeIntegerChecker<int64_t>(-1, 1000))
            .AddAttribute("RateAi",
                          "R_AI, additive increase of the target per step. 0 = as the preset "
                          "says: nic 5 Mb/s (RPG_AI_RATE), paper 40 Mb/s at 40 Gb/s, reference 40 "
                          "Mb/s at 100 Gb/s.",
                          DataRateValue(DataRate(0)),
                          MakeDataRateAccessor(&RdmaDcqcn::Set<DataRate, &P::rateAi>,
                                               &RdmaDcqcn::Get<DataRate, &P::rateAi>),
                          MakeDataRateChecker())
            .AddAttribute("RateHai",
                          "R_HAI, hyper increase of the target per step, at least RateAi. 0 = as "
                          "the preset says: nic 50 Mb/s (RPG_HAI_RATE); reference 100 Mb/s at 100 "
                          "Gb/s; the paper gives none, and is taken to have ten times RateAi, as "
                          "the defaults of IEEE 802.1Q QCN are to each other.",
                          DataRateValue(DataRate(0)),
                          MakeDataRateAccessor(&RdmaDcqcn::Set<DataRate, &P::rateHai>,
                                               &RdmaDcqcn::Get<DataRate, &P::rateHai>),
                          MakeDataRateChecker())
            .AddAttribute("MinRate",
                          "Lowest rate, up to the port's. 0 = as the preset says: nic 1 Mb/s "
                          "(RPG_MIN_RATE), reference 100 Mb/s at 100 Gb/s; the paper gives none, "
                          "and is taken to have the same.",
                          DataRateValue(DataRate(0)),
                          MakeDataRateAccessor(&RdmaDcqcn::Set<DataRate, &P::minRate>,
                                               &RdmaDcqcn::Get<DataRate, &P::minRate>),
                          MakeDataRateChecker());
    return tid;
}

RdmaDcqcn::RdmaDcqcn()
{
    NS_LOG_FUNCTION(this);
}

RdmaDcqcn::~RdmaDcqcn()
{
    NS_LOG_FUNCTION(this);
}

RdmaDcqcnParameters
RdmaDcqcn::GetParameters(DataRate lineRate) const
{
    RdmaDcqcnParameters parameters = RdmaDcqcnPreset::Get(m_preset).GetFor(lineRate);
    parameters.Override(m_own);
    return parameters;
}

void
RdmaDcqcn::CheckParameters() const
{
    RdmaDcqcnParameters parameters = RdmaDcqcnPreset::Get(m_preset).parameters;
    parameters.Override(m_own);
    parameters.Check();
}

std::unique_ptr<RdmaRateControl>
RdmaDcqcn::Create(const RdmaPath& path) const
{
    static_assert(sizeof(RdmaDcqcnReactionPoint) <= 128, "there may be millions of queue pairs");
    NS_ASSERT_MSG(path.lineRate.GetBitRate() > 0, "a queue pair needs a port with a rate");
    const RdmaDcqcnParameters parameters = GetParameters(path.lineRate);
    // Queue pairs of ports of one rate share their parameters: there may be millions.
    if (!m_latest || !(*m_latest == parameters))
    {
        m_latest = std::make_shared<const RdmaDcqcnParameters>(parameters);
    }
    return std::make_unique<RdmaDcqcnReactionPoint>(
        m_latest,
        static_cast<double>(path.lineRate.GetBitRate()));
}

bool
RdmaDcqcn::UsesCnp() const
{
    return true;
}

Time
RdmaDcqcn::GetCnpInterval() const
{
    return RdmaDcqcnPreset::Get(m_preset).cnpInterval;
}

} // namespace ns3
