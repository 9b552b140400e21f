/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "congestion-reference.h"

#include "ns3/rdma-packet.h"

#include <algorithm>
#include <string>

namespace ns3
{

namespace
{

/// Payload of a packet, bytes.
constexpr uint32_t PAYLOAD = 1000;

/// What a packet takes on the wire there, bytes.
constexpr double WIRE_BYTES = 1048;

/// Rate of the links there, bit/s.
constexpr double RATE = 400e9;

/**
 * @param rate a rate there, bit/s
 * @return the rate here, at which as many packets go
 */
DataRate
Convert(double rate)
{
    return DataRate(
        static_cast<uint64_t>(rate * CongestionRun::GetWireBytes(PAYLOAD) / WIRE_BYTES));
}

/**
 * @param mbps a rate there, Mb/s
 * @return the rate here, as the value of an attribute
 */
std::string
ToRate(double mbps)
{
    return std::to_string(Convert(mbps * 1e6).GetBitRate()) + "bps";
}

/**
 * @param clamp whether every cut sets the target
 * @param alphaUs time between samples of alpha, us
 * @param cutUs time between cuts, us
 * @param timerUs time between steps of increase, us
 * @param recovery steps of fast recovery
 * @param aiMbps additive increase, Mb/s
 * @param haiMbps hyper increase, Mb/s
 * @return attributes of DCQCN
 */
CongestionRun::Settings
MakeDcqcn(bool clamp,
          uint32_t alphaUs,
          uint32_t cutUs,
          uint32_t timerUs,
          uint32_t recovery,
          double aiMbps,
          double haiMbps)
{
    const auto us = [](uint32_t time) { return std::to_string(time) + "us"; };
    return {{"Dcqcn::Preset", "reference"},
            {"Dcqcn::ClampTarget", clamp ? "1" : "0"},
            {"Dcqcn::AlphaPeriod", us(alphaUs)},
            {"Dcqcn::CutPeriod", us(cutUs)},
            {"Dcqcn::Timer", us(timerUs)},
            {"Dcqcn::FastRecovery", std::to_string(recovery)},
            {"Dcqcn::RateAi", ToRate(aiMbps)},
            {"Dcqcn::RateHai", ToRate(haiMbps)},
            {"Dcqcn::MinRate", ToRate(400)}};
}

} // namespace

std::vector<CongestionReference>
CongestionReference::GetAll()
{
    // N = 100 makes the additive step 200 Mb/s times the base RTT, as there.
    return {
        {"HPCC", "Hpcc", {{"Hpcc::Flows", "100"}}, 1600000, {3004.0, 3095.2, 1679.5, 1700}},
        {"DCQCN, no clamp",
         "Dcqcn",
         MakeDcqcn(false, 55, 50, 55, 5, 400, 4000),
         1600000,
         {2969.1, 3360.6, 1581.5, 1592}},
        {"DCQCN, clamp",
         "Dcqcn",
         MakeDcqcn(true, 55, 50, 55, 5, 400, 4000),
         1600000,
         {4048.7, 4310.4, 0, 0}},
        {"DCQCN, clamp, HAI = AI",
         "Dcqcn",
         MakeDcqcn(true, 55, 50, 55, 5, 400, 400),
         1600000,
         {5037.6, 5046.1, 4281, 4730}},
        {"the same, alpha 5, cut 4 us",
         "Dcqcn",
         MakeDcqcn(true, 5, 4, 55, 5, 400, 400),
         1600000,
         {4731.0, 4743.6, 8511, 9294}},
        {"vendor-like: preset reference",
         "Dcqcn",
         {{"Dcqcn::Preset", "reference"}},
         100000,
         {3884.5, 4056.3, 2188, 2278}},
    };
}

CongestionReference::Times
CongestionReference::Run(uint32_t seed) const
{
    Times times;
    {
        CongestionRun incast(MakeCase(16, seed));
        for (uint32_t sender = 0; sender < 16; ++sender)
        {
            incast.Post(sender, 8388608, Time(0));
        }
        incast.RunAll();
        for (const auto& [sender, time] : incast.GetCompletions())
        {
            times.incastMean += time / 16;
            times.incastLast = std::max(times.incastLast, time);
        }
    }
    CongestionRun two(MakeCase(2, seed));
    two.Post(0, 40000000, Time(0));
    two.Post(1, 40000000, MicroSeconds(200));
    two.RunAll();
    for (const auto& [sender, time] : two.GetCompletions())
    {
        times.twoMean += time / 2;
        times.twoLast = std::max(times.twoLast, time);
    }
    return times;
}

CongestionRun::Case
CongestionReference::MakeCase(uint32_t senders, uint32_t seed) const
{
    // Frames wait without preamble and gap.
    const double frame = RdmaLinkLayer::ETHERNET.GetDataBytes(PAYLOAD);
    const DataRate rate = Convert(RATE);
    const double kminNs = kminBytes / WIRE_BYTES * frame * 8e9 / rate.GetBitRate();
    const auto ns = [](double time) { return std::to_string(static_cast<uint64_t>(time)) + "ns"; };
    CongestionRun::Case what;
    what.control = control;
    what.senders = senders;
    what.rate = rate;
    what.delay = MicroSeconds(1);
    what.seed = seed;
    what.settings = own;
    const CongestionRun::Settings common{
        {"Nic::Mtu", std::to_string(PAYLOAD)},
        {"Nic::MaxTrain", "1"},
        {"Nic::AckInterval", "1"},
        {"EcnMarker::Kmin", ns(kminNs)},
        {"EcnMarker::Kmax", ns(4 * kminNs)},
        {"EcnMarker::Pmax", "0.2"},
        {"Switch::BufferSize",
         std::to_string(static_cast<uint64_t>(32 * 1024 * 1024 / WIRE_BYTES * frame))},
        {"Switch::IngressAlpha", "0.0625"}};
    what.settings.insert(what.settings.end(), common.begin(), common.end());
    return what;
}

} // namespace ns3
