/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-dcqcn-parameters.h"

#include "ns3/workload-error.h"

#include <algorithm>
#include <array>
#include <sstream>
#include <string>
#include <tuple>

namespace ns3
{

namespace
{

/**
 * @param parameters parameters of DCQCN, constant or not
 * @return references to all of them, in order
 */
template <typename Parameters>
auto
Tie(Parameters& parameters)
{
    return std::tie(parameters.gain,
                    parameters.initialAlpha,
                    parameters.alphaPeriod,
                    parameters.alphaByTimer,
                    parameters.cutPeriod,
                    parameters.firstCutAtOnce,
                    parameters.clampTarget,
                    parameters.clampAfterTimer,
                    parameters.minDecreaseFactor,
                    parameters.release,
                    parameters.timer,
                    parameters.byteCounter,
                    parameters.fastRecovery,
                    parameters.rateAi,
                    parameters.rateHai,
                    parameters.minRate);
}

/**
 * @param value a number or a time
 * @return whether it is set
 */
template <typename Value>
bool
IsSet(const Value& value)
{
    return value >= Value(0);
}

/**
 * @param rate a rate
 * @return whether it is set
 */
bool
IsSet(const DataRate& rate)
{
    return rate.GetBitRate() > 0;
}

/**
 * @param [in,out] parameter a parameter
 * @param other what it becomes, if that is set
 */
template <typename Value>
void
Override(Value& parameter, const Value& other)
{
    if (IsSet(other))
    {
        parameter = other;
    }
}

/**
 * @param isRight whether an attribute is right
 * @param attribute its name
 * @param expected what was expected of it
 * @param found its value
 * @throws WorkloadError if it is not right
 */
template <typename Value>
void
Expect(bool isRight, const char* attribute, const char* expected, const Value& found)
{
    if (!isRight)
    {
        std::ostringstream text;
        text << found;
        SourceLocation where;
        where.source = std::string("ns3::RdmaDcqcn::") + attribute;
        throw WorkloadError(where, expected, text.str());
    }
}

/**
 * @return the firmware defaults of ConnectX-4 and later
 */
RdmaDcqcnParameters
MakeNic()
{
    RdmaDcqcnParameters nic;
    nic.gain = 5.0 / 1024;
    nic.initialAlpha = 1023.0 / 1024;
    nic.alphaPeriod = MicroSeconds(1);
    nic.alphaByTimer = 1;
    nic.cutPeriod = MicroSeconds(4);
    nic.firstCutAtOnce = 0;
    nic.clampTarget = 0;
    nic.clampAfterTimer = 1;
    nic.minDecreaseFactor = 0.5;
    nic.release = 1;
    nic.timer = MicroSeconds(300);
    nic.byteCounter = 32767 * 64;
    nic.fastRecovery = 1;
    nic.rateAi = DataRate("5Mbps");
    nic.rateHai = DataRate("50Mbps");
    nic.minRate = DataRate("1Mbps");
    return nic;
}

/**
 * @return what the paper on DCQCN says, at its 40 Gb/s; what it leaves open as said in RdmaDcqcn
 */
RdmaDcqcnParameters
MakePaper()
{
    RdmaDcqcnParameters paper;
    paper.gain = 1.0 / 256;
    paper.initialAlpha = 1;
    paper.alphaPeriod = MicroSeconds(55);
    paper.alphaByTimer = 0;
    paper.cutPeriod = Time(0);
    paper.firstCutAtOnce = 1;
    paper.clampTarget = 1;
    paper.clampAfterTimer = 1;
    paper.minDecreaseFactor = 0.5;
    paper.release = 0;
    paper.timer = MicroSeconds(55);
    paper.byteCounter = 10000000;
    paper.fastRecovery = 5;
    paper.rateAi = DataRate("40Mbps");
    paper.rateHai = DataRate("400Mbps");
    paper.minRate = DataRate("40Mbps");
    return paper;
}

/**
 * @return what the simulator of the HPCC family goes by, at 100 Gb/s
 */
RdmaDcqcnParameters
MakeReference()
{
    RdmaDcqcnParameters reference;
    reference.gain = 1.0 / 256;
    reference.initialAlpha = 1;
    reference.alphaPeriod = MicroSeconds(1);
    reference.alphaByTimer = 1;
    reference.cutPeriod = MicroSeconds(4);
    reference.firstCutAtOnce = 0;
    reference.clampTarget = 0;
    reference.clampAfterTimer = 1;
    reference.minDecreaseFactor = 0.5;
    reference.release = 0;
    reference.timer = MicroSeconds(300);
    reference.byteCounter = 0;
    reference.fastRecovery = 1;
    reference.rateAi = DataRate("40Mbps");
    reference.rateHai = DataRate("100Mbps");
    reference.minRate = DataRate("100Mbps");
    return reference;
}

} // namespace

bool
RdmaDcqcnParameters::operator==(const RdmaDcqcnParameters& other) const
{
    return Tie(*this) == Tie(other);
}

void
RdmaDcqcnParameters::Override(const RdmaDcqcnParameters& others)
{
    std::apply(
        [&others](auto&... mine) {
            std::apply([&mine...](const auto&... other) { (ns3::Override(mine, other), ...); },
                       Tie(others));
        },
        Tie(*this));
}

void
RdmaDcqcnParameters::Check() const
{
    // Below that alpha would take long to be caught up with.
    Expect(gain >= 1.0 / 1024, "Gain", "1/1024 to 1, or below 0 for the preset's", gain);
    Expect(alphaPeriod.IsStrictlyPositive(),
           "AlphaPeriod",
           "more than 0 s, or less for the preset's",
           alphaPeriod.As(Time::US));
    Expect(timer.IsStrictlyPositive(),
           "Timer",
           "more than 0 s, or less for the preset's",
           timer.As(Time::US));
    Expect(byteCounter == 0 || byteCounter >= 1000,
           "ByteCounter",
           "at least 1000 bytes, 0 for none, or below 0 for the preset's",
           byteCounter);
    Expect(rateHai >= rateAi, "RateHai", "at least RateAi", rateHai);
}

RdmaDcqcnParameters
RdmaDcqcnPreset::GetFor(DataRate rate) const
{
    RdmaDcqcnParameters scaled = parameters;
    if (lineRate.GetBitRate() > 0)
    {
        const double share =
            static_cast<double>(rate.GetBitRate()) / static_cast<double>(lineRate.GetBitRate());
        for (DataRate* each : {&scaled.rateAi, &scaled.rateHai, &scaled.minRate})
        {
            const double scaledRate = static_cast<double>(each->GetBitRate()) * share;
            *each = DataRate(static_cast<uint64_t>(std::max(scaledRate, 1.0)));
        }
    }
    return scaled;
}

const RdmaDcqcnPreset&
RdmaDcqcnPreset::Get(Name name)
{
    // In the order of the names.
    static const std::array<RdmaDcqcnPreset, REFERENCE + 1> presets{
        {{DataRate(0), MicroSeconds(4), MakeNic()},
         {DataRate("40Gbps"), MicroSeconds(50), MakePaper()},
         {DataRate("100Gbps"), Time(0), MakeReference()}}};
    return presets[name];
}

} // namespace ns3
