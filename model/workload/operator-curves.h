/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef OPERATOR_CURVES_H
#define OPERATOR_CURVES_H

#include "operator-cost.h"

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief How long operators take on an accelerator, by their kinds, as somebody has measured them.
 *
 * - Matrix multiplications: a launch, and the longer one of FLOP over a share of the peak and bytes
 *   over a share of the memory's rate (roofline). A tile's loop over the terms of its results fills
 *   its pipeline before, and writes the results after it, during which it multiplies nothing: FLOP
 *   count 1 + halfDepth / depth times. In fp8 what comes in 2 bytes is cast before: its
 *   largest element is found (2 bytes an element), then it is written in one byte (2 + 1), on
 * Hopper once more transposed (1), as its matrix units multiply bytes of one order only
 * (Transformer Engine, is_non_tn_fp8_gemm_supported). What a product is added to, such as gradients
 * of weights in fp32, is read and written at its end, when there is nothing left to multiply
 * meanwhile.
 * - Experts: likewise, with the rows of each expert padded to whole tiles.
 * - Fused attention: FLOP over rate / (1 + halfLength / length); what a ring adds up from one piece
 *   to the next, as sums of elements.
 * - All others: a launch, and bytes over a share of the memory's rate.
 *
 * Matrix units get slower as the accelerator comes to the limit of its power, by a share. The host
 * launches kernels one after another; where that takes longer than they run, it counts.
 */
struct OperatorCurves
{
    /// Matrix multiplications of a number format.
    struct Product
    {
        double launch{0};      //!< s
        double flopShare{1};   //!< share of the matrix units' peak
        double memoryShare{1}; //!< share of the memory's rate
        double tileRows{1};    //!< rows of a tile, of experts
        double halfDepth{0};   //!< terms of a result at which half of flopShare is reached
    };

    /// A kernel of attention.
    struct Attention
    {
        AttentionKernel kernel{AttentionKernel::CUDNN}; //!< library
        double headSize{0};                             //!< size of a head
        double forwardFlops{0};                         //!< FLOP/s of long sequences, forward
        double forwardHalf{0};                          //!< tokens at which half of it is reached
        double backwardFlops{0};                        //!< likewise backward
        double backwardHalf{0};                         //!< likewise
    };

    std::map<Precision, Product> products;       //!< matrix multiplications
    std::map<Precision, Product> experts;        //!< those of experts
    std::vector<Attention> attention;            //!< kernels of attention
    std::map<OperatorKind, double> memoryShares; //!< share of the memory's rate by kind
    double castShare{0};      //!< share of the memory's rate that casts reach; 0 = none are there
    bool transposes{true};    //!< factors of one byte an element must be transposed in memory
    double kernelLaunch{0};   //!< s from one kernel to the next on the device
    double hostLaunch{0};     //!< s from one kernel to the next on the host
    double tokenRouting{0};   //!< s to choose the experts of a token
    double powerShare{1};     //!< share of the matrix units' rate at sustained power
    double attentionPower{1}; //!< likewise of fused attention

    /**
     * @param cost an operator
     * @param matrixPeak FLOP/s of matrix units in its number format; 0 = it has none
     * @param memoryPeak bytes/s of memory
     * @return how long it takes, s; none = nobody has measured its kind
     */
    std::optional<double> GetTime(const OperatorCost& cost,
                                  double matrixPeak,
                                  double memoryPeak) const;

  private:
    /**
     * @param cost a matrix multiplication
     * @param product how it is computed
     * @param matrixPeak FLOP/s of matrix units
     * @param memoryPeak bytes/s of memory
     * @return how long it takes, s
     */
    double GetProductTime(const OperatorCost& cost,
                          const Product& product,
                          double matrixPeak,
                          double memoryPeak) const;

    /**
     * @param cost fused attention
     * @param memoryPeak bytes/s of memory
     * @return how long it takes, s; none = nobody has measured any
     */
    std::optional<double> GetAttentionTime(const OperatorCost& cost, double memoryPeak) const;
};

} // namespace ns3

#endif /* OPERATOR_CURVES_H */
