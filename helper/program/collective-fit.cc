/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "collective-fit.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace ns3
{

namespace
{

/// Residual, as a logarithm, from which on it counts by its amount rather than by its square: what
/// repeated measurements of a row differ by.
constexpr double FIT_NOISE = 0.05;

/// What a step of the lattice away from the start costs: decides where rows do not.
constexpr double FIT_INERTIA = 1e-4;

/// Change of a row, as a logarithm, below which it does not depend on a parameter.
constexpr double FIT_EFFECT = 0.005;

/// First steps on the lattice, of which 35 are a factor of two: of the fit, and of fits again
/// without a row, which differ little.
/// @{
constexpr int FIRST_STEP = 32;
constexpr int REFIT_STEP = 4;
/// @}

} // namespace

CollectiveFit::CollectiveFit(CollectiveFitModel& model)
    : m_model(model),
      m_base(model.GetParameters().size(), 0),
      m_point(m_base),
      m_isDetermined(m_base.size(), false)
{
    for (const auto& row : model.GetRows())
    {
        m_rows.push_back({row, {}, {}, {}});
    }
}

double
CollectiveFit::GetLoss(const LatticePoint& point, std::size_t skipped, double most)
{
    // The way from the start decides where rows do not.
    double loss = 0;
    for (const auto step : point)
    {
        loss += FIT_INERTIA * std::abs(step);
    }
    // A point that is worse than the best one is not replayed to the end, since replays take the
    // time.
    for (std::size_t row = 0; row < m_rows.size() && loss <= most; ++row)
    {
        if (row != skipped)
        {
            const auto time = m_model.Get(point, row).microseconds;
            // Twice and half as long are errors of the same size.
            const double residual = std::log(time / m_rows[row].measured.microseconds);
            loss += std::hypot(residual, FIT_NOISE) - FIT_NOISE;
        }
    }
    return loss;
}

bool
CollectiveFit::IsDetermined(std::size_t index)
{
    const auto [least, most] = m_model.GetParameters()[index].GetSteps();
    // The ends of the range show the most that it can do.
    for (const auto step : {least, most})
    {
        auto point = m_base;
        point[index] = step;
        for (std::size_t row = 0; row < m_rows.size(); ++row)
        {
            const double time = m_model.Get(point, row).microseconds;
            if (std::fabs(std::log(time / m_rows[row].base.microseconds)) > FIT_EFFECT)
            {
                return true;
            }
        }
    }
    return false;
}

LatticePoint
CollectiveFit::Search(std::size_t skipped, int step)
{
    // What no row depends on stays where it is.
    std::vector<std::pair<int, int>> bounds;
    for (std::size_t i = 0; i < m_base.size(); ++i)
    {
        bounds.push_back(m_isDetermined[i] ? m_model.GetParameters()[i].GetSteps()
                                           : std::pair(0, 0));
    }
    // From the best point that is known all over: a fit without a row has been near it.
    auto start = m_point;
    double least = GetLoss(start, skipped, std::numeric_limits<double>::infinity());
    for (const auto& point : m_model.ListWholePoints())
    {
        const double loss = GetLoss(point, skipped, least);
        if (loss < least)
        {
            start = point;
            least = loss;
        }
    }
    return SearchLattice(bounds, start, step, [this, skipped](const auto& point, double most) {
        return GetLoss(point, skipped, most);
    });
}

void
CollectiveFit::Fit()
{
    for (std::size_t row = 0; row < m_rows.size(); ++row)
    {
        m_rows[row].base = m_model.Get(m_base, row);
    }
    for (std::size_t i = 0; i < m_base.size(); ++i)
    {
        m_isDetermined[i] = IsDetermined(i);
    }
    m_point = Search(NO_ROW, FIRST_STEP);
    for (std::size_t row = 0; row < m_rows.size(); ++row)
    {
        m_rows[row].fitted = m_model.Get(m_point, row);
    }
}

void
CollectiveFit::LeaveOut()
{
    for (std::size_t row = 0; row < m_rows.size(); ++row)
    {
        m_rows[row].leftOut = m_model.Get(Search(row, REFIT_STEP), row);
    }
}

const LatticePoint&
CollectiveFit::GetPoint() const
{
    return m_point;
}

const std::vector<bool>&
CollectiveFit::GetDetermined() const
{
    return m_isDetermined;
}

const std::vector<CollectiveFit::Row>&
CollectiveFit::GetRows() const
{
    return m_rows;
}

} // namespace ns3
