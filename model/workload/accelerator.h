/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef ACCELERATOR_H
#define ACCELERATOR_H

#include "operator-curves.h"

#include "ns3/workload-error.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief Which share of a peak rate an operator reaches by its size: steps, as measured.
 */
class EfficiencyCurve
{
  public:
    /// From a size on, up to the next larger step, operators reach a share of the peak.
    struct Step
    {
        double atLeast{0}; //!< smallest size, FLOP or bytes, at least 0
        double share{1};   //!< share of the peak, above 0, at most 1
    };

    /**
     * @param steps the steps in any order, of different sizes, one of them from 0 on; none = 1 at
     *              every size
     */
    EfficiencyCurve(std::vector<Step> steps = {});

    /**
     * @param size a size, FLOP or bytes, at least 0
     * @return share of the peak that an operator of the size reaches
     */
    double GetShare(double size) const;

  private:
    std::vector<Step> m_steps; //!< the steps, largest first
};

/**
 * @ingroup workload-replay
 * @brief How long an accelerator takes for operators.
 *
 * The model of Calculon (M. Isaev et al., "Calculon: a Methodology and Tool for High-Level
 * Codesign of Systems and Large Language Models", SC'23; calculon/processor.py, memory.py and
 * system.py): each of matrix units, vector units and memory works at its peak rate times the share
 * that operations of that size reach. Times of computation and of memory add up, or the longer one
 * counts.
 */
class Accelerator
{
  public:
    /// How the times of computation and of memory make the time of an operator.
    enum Combination
    {
        SUM, //!< they add up: no overlap, pessimistic (Calculon's no_overlap)
        MAX, //!< the longer one counts: the roofline, optimistic
    };

    /// What an accelerator is like. Rates are peaks.
    struct Parameters
    {
        std::string name;                        //!< name, for people
        std::map<Precision, double> matrixFlops; //!< FLOP/s of matrix units without sparsity; a
                                                 //!< format that is not there cannot be had
        double vectorFlops{0};                   //!< FLOP/s of vector units, above 0
        double memoryBandwidth{0};               //!< bytes/s of memory, above 0
        uint64_t memoryBytes{0};                 //!< capacity of memory, bytes; 0 = not known
        EfficiencyCurve matrixEfficiency;        //!< by FLOP of matrix units of an operator
        EfficiencyCurve vectorEfficiency;        //!< by FLOP of vector units of an operator
        EfficiencyCurve memoryEfficiency;        //!< by bytes of an operator
        Combination combination{SUM};            //!< how computation and memory combine
        uint32_t multiprocessors{0};             //!< streaming multiprocessors; 0 = not known
        double serverShare{0};                   //!< share of the accelerator that a collective
                                                 //!< within a server takes where nobody knows its
                                                 //!< multiprocessors, [0, 1)
        double networkShare{0};                  //!< likewise one that uses the network, [0, 1)
        uint64_t launchLatency{0};               //!< time of every operator beside its work, ps
        std::optional<OperatorCurves> operators; //!< how long measured operators take; none = all
                                                 //!< follow the shares above
    };

    /**
     * @param parameters what the accelerator is like
     */
    explicit Accelerator(const Parameters& parameters);

    /**
     * @return what the accelerator is like
     */
    const Parameters& GetParameters() const;

    /**
     * @param efficiency what all times are divided by, above 0; 1 = the curves as they are
     */
    void SetEfficiency(double efficiency);

    /**
     * @return what all times are divided by
     */
    double GetEfficiency() const;

    /**
     * @param name name of a number format
     * @return the format
     * @throws WorkloadError if there is no such format, or the accelerator cannot compute in it
     */
    Precision FindPrecision(const TextField& name) const;

    /**
     * @param cost an operator; the accelerator has its precision, if it has matrix operations
     * @return how long it takes, rounded to ps
     */
    uint64_t GetTime(const OperatorCost& cost) const;

    /**
     * @param cost an operator
     * @return time that the host takes to launch its kernels, ps; 0 = never longer than they run
     */
    uint64_t GetLaunchTime(const OperatorCost& cost) const;

  private:
    /**
     * @param cost an operator
     * @return how long it takes by the shares of the peaks, ps
     */
    double GetPeakTime(const OperatorCost& cost) const;

    Parameters m_parameters; //!< what the accelerator is like
    double m_efficiency{1};  //!< what all times are divided by
};

} // namespace ns3

#endif /* ACCELERATOR_H */
