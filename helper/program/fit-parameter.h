/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef FIT_PARAMETER_H
#define FIT_PARAMETER_H

#include "fabric-set.h"
#include "network-options.h"

#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief What of a fabric is fitted to measured tables.
 *
 * Values lie on a lattice that is even in the logarithm of value + offset, with the value of the
 * fabric that the fit starts from as its origin.
 */
struct FitParameter
{
    /// From one point of the lattice to the next, of ln(value + offset).
    static constexpr double LATTICE = 0.02;

    std::string name;   //!< what it is, with its unit
    double base{0};     //!< value of the fabric that the fit starts from
    double least{0};    //!< least value that is possible
    double most{0};     //!< greatest value that is possible
    double offset{0};   //!< above 0 for values that may be 0
    std::string bounds; //!< why these are the bounds
    /// Gives what a value sets in a fabric.
    std::function<std::vector<FabricSet::Value>(double value)> write;

    /**
     * @param step steps from the origin of the lattice
     * @return the value there
     */
    double GetValue(int step) const;

    /**
     * @return least and greatest step of the lattice within the bounds; the origin is among them
     */
    std::pair<int, int> GetSteps() const;
};

/**
 * @ingroup workload-replay
 * @param options what the user asks for, with the fabric that the fit starts from; its attributes
 *        are the defaults of ns-3
 * @return what may be fitted
 */
std::vector<FitParameter> ListFitParameters(const NetworkOptions& options);

} // namespace ns3

#endif /* FIT_PARAMETER_H */
