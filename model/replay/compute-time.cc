/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "compute-time.h"

#include "ns3/abort.h"

#include <cmath>
#include <limits>

namespace ns3
{

ComputeTime::ComputeTime()
    : m_factor(CreateObject<LogNormalRandomVariable>())
{
}

void
ComputeTime::SetStream(int64_t stream)
{
    m_factor->SetStream(stream);
}

uint64_t
ComputeTime::Draw(const WorkloadProgram& program, const WorkloadOp& op)
{
    double factor = scale;
    if (deviation > 0)
    {
        // A log-normal variable of mean 1: mu = -sigma^2 / 2, sigma^2 = ln(1 + deviation^2).
        const double sigma2 = std::log1p(deviation * deviation);
        factor *= m_factor->GetValue(-sigma2 / 2, std::sqrt(sigma2));
    }
    uint64_t picoseconds = op.amount;
    if (factor != 1)
    {
        const double scaled = std::round(static_cast<double>(picoseconds) * factor);
        NS_ABORT_MSG_IF(scaled >= static_cast<double>(std::numeric_limits<int64_t>::max()),
                        program.GetOrigin(op) << " computes for " << scaled * 1e-12
                                              << " s, more than ns3::Time can count");
        picoseconds = static_cast<uint64_t>(scaled);
    }
    return picoseconds;
}

} // namespace ns3
