/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "model-calibration.h"

#include <cmath>
#include <sstream>

namespace ns3
{

namespace
{

/// Replays after which the search ends.
constexpr uint32_t MAX_REPLAYS = 12;

/// Efficiencies beyond have nothing to do with an accelerator.
constexpr double MAX_EFFICIENCY = 10;

} // namespace

ModelCalibration
CalibrateEfficiency(Time measured, const std::function<Time(double)>& replay)
{
    const double target = measured.GetSeconds();
    ModelCalibration calibration;
    // The search is for the inverse, in which the time is nearly a straight line.
    double inverse = 1;
    double lastInverse = 0;
    double lastSeconds = 0;
    while (calibration.replays < MAX_REPLAYS)
    {
        calibration.efficiency = 1 / inverse;
        calibration.iteration = replay(calibration.efficiency);
        ++calibration.replays;
        const double seconds = calibration.iteration.GetSeconds();
        calibration.hasConverged = std::abs(seconds - target) <= CALIBRATION_TOLERANCE * target;
        if (seconds == 0 || calibration.hasConverged)
        {
            break;
        }
        const double slope =
            calibration.replays == 1 ? seconds : (seconds - lastSeconds) / (inverse - lastInverse);
        lastInverse = inverse;
        lastSeconds = seconds;
        inverse += (target - seconds) / slope;
        if (!(inverse > 1 / MAX_EFFICIENCY))
        {
            break;
        }
    }
    return calibration;
}

std::string
DescribeCalibration(const ModelCalibration& calibration, Time measured)
{
    std::ostringstream text;
    text.precision(4);
    text << "with an efficiency of " << calibration.efficiency
         << " (--efficiency) an iteration takes ";
    text.precision(9);
    text << calibration.iteration.GetSeconds() << " s; " << measured.GetSeconds()
         << " s were measured (--stepTime)";
    return text.str();
}

} // namespace ns3
