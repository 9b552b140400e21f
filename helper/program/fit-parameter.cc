/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "fit-parameter.h"

#include "ns3/abort.h"
#include "ns3/double.h"
#include "ns3/nstime.h"
#include "ns3/type-id.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace ns3
{

namespace
{

/// Names of the attributes that are fitted.
/// @{
const std::string LAUNCH = "ns3::CollectiveCosts::LaunchLatency";
const std::string FLOW_LATENCY = "ns3::PointToPointFlow::Latency";
const std::string SERVER_SCALE = "ns3::CollectiveCosts::ServerLatencyScale";
const std::string NETWORK_EXTRA = "ns3::CollectiveCosts::NetworkExtraLatency";
const std::string LL_SHARE = "ns3::CollectiveCosts::LlShare";
const std::string LL_NETWORK_SHARE = "ns3::CollectiveCosts::LlNetworkShare";
const std::string NVLS_SHARE = "ns3::CollectiveCosts::NvlsShare";
const std::string NVLS_TREE_SHARE = "ns3::CollectiveCosts::NvlsTreeShare";
/// @}

/// Longest latencies that a machine in order has, us: launches of the slowest programs in public
/// logs take some 100.
constexpr double LONGEST_LATENCY = 200;

/// Least that LL carries of what its flags leave.
constexpr double LEAST_LL = 0.1;

/**
 * @tparam Value kind of its value
 * @param attribute full name of an attribute
 * @return the value that objects are made with
 */
template <typename Value>
Value
GetInitialValue(const std::string& attribute)
{
    const auto colons = attribute.rfind("::");
    TypeId::AttributeInformation info;
    const bool isFound = TypeId::LookupByName(attribute.substr(0, colons))
                             .LookupAttributeByName(attribute.substr(colons + 2), &info);
    NS_ABORT_MSG_UNLESS(isFound, "no attribute " << attribute);
    const auto value = DynamicCast<const Value>(info.initialValue);
    NS_ABORT_MSG_UNLESS(value, attribute << " is of another type");
    return *value;
}

/**
 * @param value a number
 * @param unit what follows it
 * @return both, with six digits
 */
std::string
FormatValue(double value, const std::string& unit)
{
    char text[32];
    std::snprintf(text, sizeof(text), "%.6g", value);
    return text + unit;
}

/**
 * What arrives of a rate does not change what NCCL reckons with.
 *
 * @param name name of an option that is a rate
 * @param reckoned full name of the attribute by which NCCL chooses, which otherwise follows
 * @param label what it is, for people
 * @param rate its value in the fabric that the fit starts from
 * @param shares least and most that it may be, as a share of that
 * @param bounds why these are the bounds
 * @return the parameter, Gb/s
 */
FitParameter
MakeRate(const std::string& name,
         const std::string& reckoned,
         const std::string& label,
         const DataRate& rate,
         const std::pair<double, double>& shares,
         const std::string& bounds)
{
    const double base = static_cast<double>(rate.GetBitRate()) * 1e-9;
    return {label,
            base,
            shares.first * base,
            shares.second * base,
            0,
            bounds,
            [name, reckoned, rate](double value) {
                // The rate that arrives is fitted. That by which NCCL chooses algorithms stays, as
                // NCCL does not measure it.
                std::vector<FabricSet::Value> values{{name, FormatValue(value, "Gbps")}};
                if (!reckoned.empty())
                {
                    values.push_back({reckoned, std::to_string(rate.GetBitRate()) + "bps"});
                }
                return values;
            }};
}

/**
 * @param attribute full name of an attribute that is a number
 * @param label what it is, for people
 * @param range least and most
 * @param bounds why these are the bounds
 * @return the parameter
 */
FitParameter
MakeNumber(const std::string& attribute,
           const std::string& label,
           const std::pair<double, double>& range,
           const std::string& bounds)
{
    const double base = GetInitialValue<DoubleValue>(attribute).Get();
    return {label,
            base,
            std::min(base, range.first),
            std::max(base, range.second),
            0,
            bounds,
            [attribute](double value) {
                return std::vector<FabricSet::Value>{{attribute, FormatValue(value, "")}};
            }};
}

/**
 * @param attribute full name of an attribute that is a duration
 * @param label what it is, for people
 * @param follower full name of another one that grows by as much; empty = none does
 * @return the parameter, us
 */
FitParameter
MakeLatency(const std::string& attribute, const std::string& label, const std::string& follower)
{
    const auto base = GetInitialValue<TimeValue>(attribute).Get().ToDouble(Time::US);
    // What follows keeps its distance.
    const double beside =
        follower.empty() ? 0 : GetInitialValue<TimeValue>(follower).Get().ToDouble(Time::US) - base;
    return {label,
            base,
            0,
            std::max(base, LONGEST_LATENCY),
            1,
            "no call waits longer on a machine in order",
            [attribute, follower, beside](double value) {
                std::vector<FabricSet::Value> values{{attribute, FormatValue(value, "us")}};
                if (!follower.empty())
                {
                    values.push_back({follower, FormatValue(std::max(0.0, value + beside), "us")});
                }
                return values;
            }};
}

/**
 * @return what protocol LL carries, as a multiple of what it would without anything but its flags
 */
FitParameter
MakeFlags()
{
    const double server = GetInitialValue<DoubleValue>(LL_SHARE).Get();
    const double network = GetInitialValue<DoubleValue>(LL_NETWORK_SHARE).Get();
    return {"LL, x the rate that its flags leave",
            1,
            LEAST_LL,
            1,
            0,
            "flags take their part",
            [server, network](double value) {
                return std::vector<FabricSet::Value>{
                    {LL_SHARE, FormatValue(server * value, "")},
                    {LL_NETWORK_SHARE, FormatValue(network * value, "")}};
            }};
}

} // namespace

double
FitParameter::GetValue(int step) const
{
    // Steps in proportion to the value. The offset lets a latency of 0 take steps, too.
    return step == 0 ? base
                     : std::clamp((base + offset) * std::exp(step * LATTICE) - offset, least, most);
}

std::pair<int, int>
FitParameter::GetSteps() const
{
    // Outwards, as GetValue() keeps within the bounds.
    const auto count = [this](double value) {
        return std::log((value + offset) / (base + offset)) / LATTICE;
    };
    return {static_cast<int>(std::floor(count(least))), static_cast<int>(std::ceil(count(most)))};
}

std::vector<FitParameter>
ListFitParameters(const NetworkOptions& options)
{
    std::vector<FitParameter> parameters;
    parameters.push_back(MakeLatency(LAUNCH, "launch of a call, us", FLOW_LATENCY));
    parameters.push_back(MakeNumber(SERVER_SCALE,
                                    "step in a server, x NCCL's latency",
                                    {0.25, 8},
                                    "a CPU between GPUs takes some 8 times as long as NVLink"));
    parameters.push_back(MakeLatency(NETWORK_EXTRA, "network beyond NCCL's latency, us", ""));
    const auto follows = [&options](const std::string& attribute) {
        return options.IsSet(attribute) ? "" : attribute;
    };
    parameters.push_back(MakeRate("nvlinkRate",
                                  follows("ns3::CollectiveCosts::NvlinkRate"),
                                  "NVLink of a GPU, Gb/s",
                                  options.fabric.nvlinkRate,
                                  {0.3, 1.25},
                                  "data sheets have a quarter more than arrives"));
    parameters.push_back(MakeRate("nicRate",
                                  follows("ns3::CollectiveCosts::NicRate"),
                                  "NIC, Gb/s",
                                  options.fabric.nicRate,
                                  {0.1, 1},
                                  "the line's rate"));
    parameters.push_back(MakeFlags());
    // 0 = switches that do not add.
    if (GetInitialValue<DoubleValue>(NVLS_SHARE).Get() > 0)
    {
        const std::string bounds = "a share";
        parameters.push_back(MakeNumber(NVLS_SHARE, "NVLS, share of NVLink", {0.3, 1}, bounds));
        parameters.push_back(MakeNumber(NVLS_TREE_SHARE,
                                        "NVLS of several servers, share of NVLink",
                                        {0.2, 1},
                                        bounds));
    }
    return parameters;
}

} // namespace ns3
