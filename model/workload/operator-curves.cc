/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "operator-curves.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace ns3
{

namespace
{

/// Bytes read and written to cast an element: twice read in 2, and written.
constexpr double CAST_BYTES = 5;

/**
 * @param curves curves of an accelerator
 * @param cost an operator
 * @param memoryPeak bytes/s of its memory
 * @return time in which its result is added to what is there, s
 */
double
GetSumTime(const OperatorCurves& curves, const OperatorCost& cost, double memoryPeak)
{
    const auto found = curves.memoryShares.find(OperatorKind::ELEMENTWISE);
    const double share = found == curves.memoryShares.end() ? 1 : found->second;
    return cost.addedBytes / (share * memoryPeak);
}

} // namespace

const std::vector<std::string>&
GetMemoryKindNames()
{
    static const std::vector<std::string> names{"norm",
                                                "activation",
                                                "rotary",
                                                "elementwise",
                                                "permutation",
                                                "loss",
                                                "optimizer",
                                                "linearAttention"};
    return names;
}

const std::vector<std::string>&
GetAttentionKernelNames()
{
    static const std::vector<std::string> names{"fa2", "fa3", "cudnn", "triton"};
    return names;
}

std::optional<double>
OperatorCurves::GetTime(const OperatorCost& cost, double matrixPeak, double memoryPeak) const
{
    std::optional<double> time;
    if (cost.kind == OperatorKind::ATTENTION)
    {
        time = GetAttentionTime(cost, memoryPeak);
    }
    else if (cost.kind == OperatorKind::PRODUCT || cost.kind == OperatorKind::EXPERTS)
    {
        const auto& table = cost.kind == OperatorKind::PRODUCT ? products : experts;
        const auto found = table.find(cost.precision);
        if (found != table.end())
        {
            time = GetProductTime(cost, found->second, matrixPeak, memoryPeak);
        }
    }
    else if (cost.kind == OperatorKind::ROUTING && tokenRouting > 0)
    {
        time = cost.tokens * tokenRouting;
    }
    else if (const auto share = memoryShares.find(cost.kind); share != memoryShares.end())
    {
        time = kernelLaunch + cost.memoryBytes / (share->second * memoryPeak);
    }
    if (time)
    {
        // What an operator launches besides its main kernel.
        *time += std::max(0., cost.launches - 1) * kernelLaunch;
    }
    return time;
}

double
OperatorCurves::GetProductTime(const OperatorCost& cost,
                               const Product& product,
                               double matrixPeak,
                               double memoryPeak) const
{
    double flops = cost.matrixFlops;
    const double share = product.flopShare * powerShare;
    if (cost.tokens > 0 && product.tileRows > 1)
    {
        // The last tile of each expert is computed whole.
        flops *= std::ceil(cost.tokens / product.tileRows) * product.tileRows / cost.tokens;
    }
    if (cost.depth > 0)
    {
        flops *= 1 + product.halfDepth / cost.depth;
    }
    const double memoryRate = product.memoryShare * memoryPeak;
    const double work = std::max(flops / (share * matrixPeak), cost.memoryBytes / memoryRate) +
                        GetSumTime(*this, cost, memoryPeak);
    const double bytes = cost.castElements * CAST_BYTES + (transposes ? cost.transposedBytes : 0);
    const double cast = castShare > 0 ? bytes / (castShare * memoryPeak) : 0;
    return product.launch + work + cast;
}

std::optional<double>
OperatorCurves::GetAttentionTime(const OperatorCost& cost, double memoryPeak) const
{
    // The library that is asked for before another one, then the nearest size of heads.
    const auto distance = [&cost](const Attention& kernel) {
        return std::make_pair(kernel.kernel == cost.attention ? 0 : 1,
                              std::abs(std::log(kernel.headSize / cost.headSize)));
    };
    const auto best =
        std::min_element(attention.begin(), attention.end(), [&](const auto& a, const auto& b) {
            return distance(a) < distance(b);
        });
    if (best == attention.end())
    {
        return {};
    }
    const double rate = cost.isBackward ? best->backwardFlops : best->forwardFlops;
    const double half = cost.isBackward ? best->backwardHalf : best->forwardHalf;
    return kernelLaunch + cost.matrixFlops * (1 + half / cost.length) / (rate * attentionPower) +
           GetSumTime(*this, cost, memoryPeak);
}

} // namespace ns3
