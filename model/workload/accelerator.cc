/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "accelerator.h"

#include "ns3/abort.h"
#include "ns3/assert.h"
#include "ns3/input-values.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace ns3
{

namespace
{

/// Picoseconds in a second.
constexpr double PS_PER_S = 1e12;

/**
 * @param size work of an operator, FLOP or bytes
 * @param peak peak rate, FLOP/s or bytes/s; not used if there is no work
 * @param curve share of the peak by size
 * @return time of the work, s
 */
double
GetWorkTime(double size, double peak, const EfficiencyCurve& curve)
{
    return size > 0 ? size / (peak * curve.GetShare(size)) : 0;
}

} // namespace

const std::vector<std::string>&
GetPrecisionNames()
{
    static const std::vector<std::string> names{"bf16", "fp16", "fp8"};
    return names;
}

EfficiencyCurve::EfficiencyCurve(std::vector<Step> steps)
    : m_steps(std::move(steps))
{
    if (m_steps.empty())
    {
        m_steps.emplace_back();
    }
    // Largest size first: GetShare() takes the first step that a size reaches.
    std::sort(m_steps.begin(), m_steps.end(), [](const auto& a, const auto& b) {
        return a.atLeast > b.atLeast;
    });
    NS_ASSERT_MSG(m_steps.back().atLeast == 0, "a curve begins at size 0");
}

double
EfficiencyCurve::GetShare(double size) const
{
    const auto step = std::find_if(m_steps.begin(), m_steps.end(), [size](const auto& candidate) {
        return size >= candidate.atLeast;
    });
    NS_ASSERT_MSG(step != m_steps.end(), "sizes are at least 0");
    return step->share;
}

Accelerator::Accelerator(const Parameters& parameters)
    : m_parameters(parameters)
{
    NS_ASSERT_MSG(parameters.vectorFlops > 0 && parameters.memoryBandwidth > 0,
                  "rates of an accelerator are above 0");
}

const Accelerator::Parameters&
Accelerator::GetParameters() const
{
    return m_parameters;
}

void
Accelerator::SetEfficiency(double efficiency)
{
    NS_ASSERT_MSG(efficiency > 0, "an efficiency is above 0");
    m_efficiency = efficiency;
}

double
Accelerator::GetEfficiency() const
{
    return m_efficiency;
}

Precision
Accelerator::FindPrecision(const TextField& name) const
{
    const auto& all = GetPrecisionNames();
    const auto precision = static_cast<Precision>(FindWord(name, all, JoinWords(all)));
    if (m_parameters.matrixFlops.count(precision) == 0)
    {
        std::vector<std::string> own;
        for (const auto& entry : m_parameters.matrixFlops)
        {
            own.push_back(all[static_cast<std::size_t>(entry.first)]);
        }
        throw WorkloadError(name,
                            JoinWords(own) + ", in which " + m_parameters.name + " can compute");
    }
    return precision;
}

double
Accelerator::GetPeakTime(const OperatorCost& cost) const
{
    const auto& p = m_parameters;
    const auto matrix = p.matrixFlops.find(cost.precision);
    const double matrixPeak = matrix == p.matrixFlops.end() ? 0 : matrix->second;
    const double compute = GetWorkTime(cost.matrixFlops, matrixPeak, p.matrixEfficiency) +
                           GetWorkTime(cost.vectorFlops, p.vectorFlops, p.vectorEfficiency);
    // What is cast is read in 2 bytes and written in one.
    const double memory = GetWorkTime(cost.memoryBytes + cost.addedBytes + 3 * cost.castElements,
                                      p.memoryBandwidth,
                                      p.memoryEfficiency);
    // SUM: arithmetic and memory follow each other; MAX: they overlap, as in a roofline.
    const double work = p.combination == SUM ? compute + memory : std::max(compute, memory);
    return work * PS_PER_S + static_cast<double>(p.launchLatency);
}

uint64_t
Accelerator::GetTime(const OperatorCost& cost) const
{
    const auto& p = m_parameters;
    const auto matrix = p.matrixFlops.find(cost.precision);
    NS_ABORT_MSG_IF(cost.matrixFlops > 0 && matrix == p.matrixFlops.end(),
                    p.name << " cannot compute in "
                           << GetPrecisionNames()[static_cast<std::size_t>(cost.precision)]);
    std::optional<double> measured;
    if (p.operators)
    {
        const double matrixPeak = matrix == p.matrixFlops.end() ? 0 : matrix->second;
        measured = p.operators->GetTime(cost, matrixPeak, p.memoryBandwidth);
    }
    // The efficiency scales all of it, the launch included.
    const double time = (measured ? *measured * PS_PER_S : GetPeakTime(cost)) / m_efficiency;
    NS_ABORT_MSG_UNLESS(time < static_cast<double>(std::numeric_limits<int64_t>::max()),
                        "an operator takes " << time / PS_PER_S
                                             << " s, more than ns3::Time can count");
    return static_cast<uint64_t>(std::llround(time));
}

uint64_t
Accelerator::GetLaunchTime(const OperatorCost& cost) const
{
    const auto& curves = m_parameters.operators;
    const double seconds = curves ? cost.launches * curves->hostLaunch : 0;
    return static_cast<uint64_t>(std::llround(seconds * PS_PER_S / m_efficiency));
}

} // namespace ns3
