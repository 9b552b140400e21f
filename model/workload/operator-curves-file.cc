/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "operator-curves-file.h"

#include "ns3/input-values.h"

#include <utility>

namespace ns3
{

namespace
{

/// Key of what nothing is computed with.
const std::string SOURCE = "source";

/**
 * @param section an object
 * @param key a key that it may have
 * @param [in,out] share the share; kept if the object does not have it
 */
void
ReadCurveShare(const JsonSection& section, const std::string& key, double& share)
{
    if (section.Has(key))
    {
        const auto field = section.GetNumber(key);
        share = ParseFraction(field, "a share");
        if (share == 0)
        {
            throw WorkloadError(field, "a share above 0");
        }
    }
}

/**
 * @param section an object
 * @param key a key that it may have
 * @param [in,out] seconds the time; kept if the object does not have it
 */
void
ReadCurveTime(const JsonSection& section, const std::string& key, double& seconds)
{
    if (section.Has(key))
    {
        seconds = ParseDuration(section.GetText(key)).GetSeconds();
    }
}

/**
 * @param section an object
 * @param key a key that it must have
 * @param what what it is
 * @return the number there, above 0
 */
double
ReadCurveNumber(const JsonSection& section, const std::string& key, const std::string& what)
{
    const auto field = section.GetNumber(key);
    const auto number = ParseNonNegative(field, what);
    if (number == 0)
    {
        throw WorkloadError(field, what + " above 0");
    }
    return number;
}

/**
 * @param section the object operators
 * @param key products or experts
 * @param [in,out] products receives what is there
 */
void
ReadProducts(const JsonSection& section,
             const std::string& key,
             std::map<Precision, OperatorCurves::Product>& products)
{
    auto names = GetPrecisionNames();
    names.push_back(SOURCE);
    const auto table = section.GetObject(key, names);
    std::vector<std::string> keys{"launch", "share", "memory", "halfDepth", SOURCE};
    if (key == "experts")
    {
        keys.push_back("tileRows");
    }
    for (std::size_t i = 0; i < GetPrecisionNames().size(); ++i)
    {
        const auto& name = GetPrecisionNames()[i];
        if (!table.Has(name))
        {
            continue;
        }
        const auto entry = table.GetObject(name, keys);
        auto& product = products[static_cast<Precision>(i)];
        ReadCurveTime(entry, "launch", product.launch);
        ReadCurveShare(entry, "share", product.flopShare);
        ReadCurveShare(entry, "memory", product.memoryShare);
        if (entry.Has("halfDepth"))
        {
            product.halfDepth = ParseNonNegative(entry.GetNumber("halfDepth"), "a depth");
        }
        if (entry.Has("tileRows"))
        {
            product.tileRows = entry.GetWhole("tileRows", 1, 65536);
        }
    }
}

/**
 * @param section the object operators
 * @return the kernels of attention that it lists
 */
std::vector<OperatorCurves::Attention>
ReadAttention(const JsonSection& section)
{
    std::vector<OperatorCurves::Attention> kernels;
    const auto& names = GetAttentionKernelNames();
    for (const auto& entry :
         section.GetList("attention", {"kernel", "headSize", "forward", "backward", SOURCE}))
    {
        OperatorCurves::Attention kernel;
        kernel.kernel = static_cast<AttentionKernel>(
            FindWord(entry.GetText("kernel"), names, JoinWords(names)));
        kernel.headSize = entry.GetWhole("headSize", 1, 65536);
        const auto read = [&entry](const std::string& key, double& flops, double& half) {
            const auto direction = entry.GetObject(key, {"flops", "halfLength"});
            flops = ReadCurveNumber(direction, "flops", "floating-point operations per second");
            half = ParseNonNegative(direction.GetNumber("halfLength"), "a length");
        };
        read("forward", kernel.forwardFlops, kernel.forwardHalf);
        read("backward", kernel.backwardFlops, kernel.backwardHalf);
        kernels.push_back(kernel);
    }
    return kernels;
}

/**
 * @param section the object operators
 * @param [in,out] shares receives the shares of the memory's rate
 */
void
ReadMemoryShares(const JsonSection& section, std::map<OperatorKind, double>& shares)
{
    const auto& names = GetMemoryKindNames();
    auto keys = names;
    keys.push_back(SOURCE);
    const auto table = section.GetObject("memoryBound", keys);
    for (std::size_t i = 0; i < names.size(); ++i)
    {
        if (table.Has(names[i]))
        {
            const auto first = static_cast<std::size_t>(OperatorKind::NORM);
            ReadCurveShare(table, names[i], shares[static_cast<OperatorKind>(first + i)]);
        }
    }
}

} // namespace

const std::vector<std::string>&
GetOperatorCurveKeys()
{
    static const std::vector<std::string> keys{"products",
                                               "experts",
                                               "casts",
                                               "attention",
                                               "memoryBound",
                                               "launch",
                                               "routing",
                                               "power",
                                               SOURCE};
    return keys;
}

void
ReadOperatorCurves(const JsonSection& section, OperatorCurves& curves)
{
    if (section.Has("products"))
    {
        ReadProducts(section, "products", curves.products);
    }
    if (section.Has("experts"))
    {
        ReadProducts(section, "experts", curves.experts);
    }
    if (section.Has("casts"))
    {
        const auto casts = section.GetObject("casts", {"memory", "transposed", SOURCE});
        ReadCurveShare(casts, "memory", curves.castShare);
        if (casts.Has("transposed"))
        {
            curves.transposes = casts.GetWhole("transposed", 0, 1) == 1;
        }
    }
    if (section.Has("attention"))
    {
        curves.attention = ReadAttention(section);
    }
    if (section.Has("memoryBound"))
    {
        ReadMemoryShares(section, curves.memoryShares);
    }
    if (section.Has("launch"))
    {
        const auto launch = section.GetObject("launch", {"device", "host", SOURCE});
        ReadCurveTime(launch, "device", curves.kernelLaunch);
        ReadCurveTime(launch, "host", curves.hostLaunch);
    }
    if (section.Has("routing"))
    {
        ReadCurveTime(section.GetObject("routing", {"token", SOURCE}),
                      "token",
                      curves.tokenRouting);
    }
    if (section.Has("power"))
    {
        const auto power = section.GetObject("power", {"products", "attention", SOURCE});
        ReadCurveShare(power, "products", curves.powerShare);
        ReadCurveShare(power, "attention", curves.attentionPower);
    }
}

} // namespace ns3
