/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "accelerator-file.h"

#include "operator-curves-file.h"

#include "ns3/input-json.h"
#include "ns3/input-values.h"
#include "ns3/json-section.h"
#include "ns3/preset-folder.h"
#include "ns3/workload-text.h"

#include <algorithm>
#include <filesystem>
#include <set>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

namespace ns3
{

namespace
{

/// What their files end in.
const std::string ACCELERATOR_FILE = ".json";

/// The keys of a file.
const std::vector<std::string> KEYS{"accelerator",
                                    "name",
                                    "source",
                                    "matrixFlops",
                                    "vectorFlops",
                                    "memoryBandwidth",
                                    "memory",
                                    "multiprocessors",
                                    "matrixEfficiency",
                                    "vectorEfficiency",
                                    "memoryEfficiency",
                                    "combination",
                                    "communicationShare",
                                    "launchLatency",
                                    "operators"};

/**
 * @return where the accelerators that have a name are
 */
const std::filesystem::path&
GetFolder()
{
    static const std::filesystem::path folder = GetPresetFolder(WORKLOAD_REPLAY_ACCELERATORS);
    return folder;
}

/**
 * @param section an object
 * @param key a key of it
 * @return the number there, above 0
 */
double
ReadFlops(const JsonSection& section, const std::string& key)
{
    const auto field = section.GetNumber(key);
    const auto flops = ParseNonNegative(field, "floating-point operations per second");
    if (flops == 0)
    {
        throw WorkloadError(field, "floating-point operations per second above 0");
    }
    return flops;
}

/**
 * @param section the file
 * @param key a curve that it may have
 * @param [in,out] curve the curve; kept if the file does not have it
 */
void
ReadCurve(const JsonSection& section, const std::string& key, EfficiencyCurve& curve)
{
    if (!section.Has(key))
    {
        return;
    }
    std::vector<EfficiencyCurve::Step> steps;
    std::set<double> sizes;
    for (const auto& entry : section.GetList(key, {"atLeast", "share"}))
    {
        const auto size = entry.GetNumber("atLeast");
        const auto share = entry.GetNumber("share");
        steps.push_back({ParseNonNegative(size, "a size"), ParseFraction(share, "a share")});
        if (!sizes.insert(steps.back().atLeast).second)
        {
            throw WorkloadError(size, "a size that no other step has");
        }
        if (steps.back().share == 0)
        {
            throw WorkloadError(share, "a share above 0");
        }
    }
    if (sizes.count(0) == 0)
    {
        throw WorkloadError(section.Locate(key),
                            "a step with \"atLeast\": 0, so that every size has a share",
                            "none");
    }
    curve = EfficiencyCurve(std::move(steps));
}

/**
 * @param section the object communicationShare
 * @param key server or network
 * @param [in,out] share the share; kept if the object does not have it
 */
void
ReadShare(const JsonSection& section, const std::string& key, double& share)
{
    if (section.Has(key))
    {
        const auto field = section.GetNumber(key);
        share = ParseFraction(field, "a share");
        // The largest that ComputeClock distinguishes from 1.
        if (share > 0.999999999)
        {
            throw WorkloadError(field, "a share below 1, so that computation goes on");
        }
    }
}

/**
 * @param section the file
 * @param [in,out] p gets the rates and the capacity that the file has
 */
void
ReadPeaks(const JsonSection& section, Accelerator::Parameters& p)
{
    // Without a set to start from these must be there, and the readers below say so.
    const bool isWhole = p.matrixFlops.empty();
    if (isWhole || section.Has("matrixFlops"))
    {
        const auto& names = GetPrecisionNames();
        const auto flops = section.GetObject("matrixFlops", names);
        p.matrixFlops.clear();
        for (std::size_t i = 0; i < names.size(); ++i)
        {
            if (flops.Has(names[i]))
            {
                p.matrixFlops[static_cast<Precision>(i)] = ReadFlops(flops, names[i]);
            }
        }
        if (p.matrixFlops.empty())
        {
            throw WorkloadError(section.Locate("matrixFlops"),
                                "at least one of the keys " + JoinWords(names),
                                "none");
        }
    }
    if (isWhole || section.Has("vectorFlops"))
    {
        p.vectorFlops = ReadFlops(section, "vectorFlops");
    }
    if (isWhole || section.Has("memoryBandwidth"))
    {
        const auto rate = ParseRate(section.GetText("memoryBandwidth"), 8, "a memory bandwidth");
        p.memoryBandwidth = static_cast<double>(rate.GetBitRate()) / 8;
    }
    if (section.Has("memory"))
    {
        p.memoryBytes = ParseBytes(section.GetText("memory"), 1);
    }
}

/**
 * @param section the file
 * @param [in,out] p gets what communication takes, as far as the file says it
 */
void
ReadCommunication(const JsonSection& section, Accelerator::Parameters& p)
{
    const bool isCounted = section.Has("multiprocessors");
    if (isCounted)
    {
        p.multiprocessors = section.GetWhole("multiprocessors", 1, UINT16_MAX);
    }
    if (section.Has("communicationShare"))
    {
        // Who says shares alone wants them, whatever the accelerator has that is named.
        p.multiprocessors = isCounted ? p.multiprocessors : 0;
        const auto shares = section.GetObject("communicationShare", {"server", "network"});
        ReadShare(shares, "server", p.serverShare);
        ReadShare(shares, "network", p.networkShare);
    }
}

/**
 * @param section the file
 * @param [in,out] p gets how work becomes time, as far as the file says it
 */
void
ReadModel(const JsonSection& section, Accelerator::Parameters& p)
{
    ReadCurve(section, "matrixEfficiency", p.matrixEfficiency);
    ReadCurve(section, "vectorEfficiency", p.vectorEfficiency);
    ReadCurve(section, "memoryEfficiency", p.memoryEfficiency);
    if (section.Has("combination"))
    {
        const auto index = FindWord(section.GetText("combination"), {"sum", "max"}, "sum or max");
        p.combination = index == 0 ? Accelerator::SUM : Accelerator::MAX;
    }
    if (section.Has("launchLatency"))
    {
        const auto latency = ParseDuration(section.GetText("launchLatency"));
        p.launchLatency = static_cast<uint64_t>(latency.GetPicoSeconds());
    }
    if (section.Has("operators"))
    {
        p.operators = p.operators ? p.operators : OperatorCurves();
        ReadOperatorCurves(section.GetObject("operators", GetOperatorCurveKeys()), *p.operators);
    }
}

Accelerator::Parameters FindNamed(const TextField& value, const std::string& otherwise);

/**
 * @param file path of a file
 * @return the accelerator that it describes
 */
Accelerator::Parameters
ReadAcceleratorFile(const std::string& file)
{
    const auto value = ParseJson(WorkloadText(file, {ForeignFile::ACCELERATOR}));
    const JsonSection section(value, {file, 0, 0, ""}, KEYS);
    Accelerator::Parameters parameters;
    // What the file leaves out is that of the accelerator which it names.
    if (section.Has("accelerator"))
    {
        parameters = FindNamed(section.GetText("accelerator"), "");
    }
    parameters.name = section.Has("name") ? section.GetText("name").text : file;
    ReadPeaks(section, parameters);
    ReadModel(section, parameters);
    ReadCommunication(section, parameters);
    return parameters;
}

/**
 * @param value name of an accelerator
 * @param otherwise what else the value may be, for the message; empty = nothing
 * @return the accelerator
 * @throws WorkloadError with the nearest name if there is none of that name
 */
Accelerator::Parameters
FindNamed(const TextField& value, const std::string& otherwise)
{
    const auto names = GetAcceleratorNames();
    const auto index = FindWord(value, names, JoinWords(names) + otherwise);
    return ReadAcceleratorFile((GetFolder() / (names[index] + ACCELERATOR_FILE)).string());
}

} // namespace

std::vector<std::string>
GetAcceleratorNames()
{
    std::vector<std::string> names;
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator(GetFolder(), error))
    {
        if (entry.path().extension() == ACCELERATOR_FILE)
        {
            names.push_back(entry.path().stem().string());
        }
    }
    std::sort(names.begin(), names.end());
    return names;
}

Accelerator
FindAccelerator(const TextField& value)
{
    const auto& end = ACCELERATOR_FILE;
    const auto& text = value.text;
    if (text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0)
    {
        return Accelerator(ReadAcceleratorFile(text));
    }
    return Accelerator(FindNamed(value, ", or a file that ends in .json"));
}

} // namespace ns3
