/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "lattice-search.h"

#include <algorithm>
#include <limits>

namespace ns3
{

LatticePoint
SearchLattice(const std::vector<std::pair<int, int>>& bounds,
              LatticePoint start,
              int step,
              const std::function<double(const LatticePoint& point, double best)>& evaluate)
{
    auto best = std::move(start);
    double value = evaluate(best, std::numeric_limits<double>::infinity());
    const auto isBetter = [&](LatticePoint point) {
        for (std::size_t i = 0; i < bounds.size(); ++i)
        {
            point[i] = std::clamp(point[i], bounds[i].first, bounds[i].second);
        }
        const double other = point == best ? value : evaluate(point, value);
        if (other < value)
        {
            best = std::move(point);
            value = other;
            return true;
        }
        return false;
    };
    for (; step > 0; step /= 2)
    {
        bool isMoving = true;
        while (isMoving)
        {
            const auto from = best;
            for (std::size_t i = 0; i < bounds.size(); ++i)
            {
                auto up = best;
                up[i] += step;
                auto down = best;
                down[i] -= step;
                if (!isBetter(up))
                {
                    isBetter(down);
                }
            }
            isMoving = best != from;
            auto further = best;
            for (std::size_t i = 0; i < bounds.size(); ++i)
            {
                further[i] += best[i] - from[i];
            }
            isBetter(further);
        }
    }
    return best;
}

} // namespace ns3
