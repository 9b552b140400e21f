/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef ACCURACY_CASES_H
#define ACCURACY_CASES_H

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace ns3
{

/// How a case is run.
struct AccuracyRun
{
    uint32_t maxTrain;  //!< most packets of a train
    uint32_t seed;      //!< RngRun
    std::string folder; //!< where it may write files
};

/// A workload whose runs are compared.
struct AccuracyCase
{
    std::string name;                              //!< what it is
    uint32_t seeds;                                //!< runs; more than one = with start jitter
    bool quick;                                    //!< belongs to the small set
    std::function<void(const AccuracyRun&)> start; //!< runs it and writes its files
    double largest{1e18}; //!< bytes of the largest message whose time counts
};

/**
 * @param files folder of the example workloads
 * @return all cases
 */
std::vector<AccuracyCase> MakeAccuracyCases(const std::string& files);

} // namespace ns3

#endif // ACCURACY_CASES_H
