/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef MODEL_CALIBRATION_H
#define MODEL_CALIBRATION_H

#include "replay-options.h"

#include <functional>
#include <string>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief An efficiency of an accelerator, and how well it meets a measured iteration time.
 */
struct ModelCalibration
{
    double efficiency{1};     //!< what the speed of all operators is multiplied by
    Time iteration;           //!< time that an iteration takes with it
    bool hasConverged{false}; //!< whether that is what was measured, within CALIBRATION_TOLERANCE
    uint32_t replays{0};      //!< replays that it took
};

/// Share of the measured time that a calibrated one may differ by.
constexpr double CALIBRATION_TOLERANCE = 0.001;

/**
 * @ingroup workload-replay
 * @brief Find the efficiency with which an iteration takes the time that was measured.
 *
 * An iteration is a sum of parts that change with the inverse of the efficiency and parts that do
 * not, nearly, so that the secant through two replays finds it in few steps.
 *
 * @param measured time of an iteration, above 0
 * @param replay runs the job with an efficiency; returns the time of an iteration, 0 = it did not
 *        finish
 * @return what was found; not converged if a replay did not finish, or no efficiency up to 10 is
 *         fast enough
 */
ModelCalibration CalibrateEfficiency(Time measured, const std::function<Time(double)>& replay);

/**
 * @param calibration what was found
 * @param measured time that was to be met
 * @return it as one sentence
 */
std::string DescribeCalibration(const ModelCalibration& calibration, Time measured);

} // namespace ns3

#endif /* MODEL_CALIBRATION_H */
