/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef PYTORCH_COSTS_H
#define PYTORCH_COSTS_H

#include "accelerator.h"
#include "pytorch-node.h"

#include <cstdint>
#include <optional>
#include <string>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief Says what operators of PyTorch want of an accelerator, by their names and tensors.
 *
 * - Products of matrices (mm, addmm, bmm, baddbmm, linear and the like): 2 FLOP for each element of
 *   the result and of the dimension that is summed up.
 * - Convolutions: 2 FLOP for each element of the result and weight of its channel; backward the
 * same for each gradient.
 * - Fused attention: two such products, half of them where it is causal; backward two and a half
 *   times as many (T. Dao, FlashAttention-2, arXiv 2307.08691, 2.3.2).
 * - All others: the bytes of their tensors.
 *
 * Products in a format that the accelerator has no matrix units for, such as fp32, are those of its
 * vector units, which do half as many in 4 bytes as in 2 (H100 white paper 1.04, table 3).
 */
class PytorchCosts
{
  public:
    /**
     * @param accelerator the accelerator; must outlive this object
     */
    explicit PytorchCosts(const Accelerator& accelerator);

    /**
     * @param node a node
     * @return whether it is fused attention, whose parts do not count
     */
    static bool IsAttention(const PytorchNode& node);

    /// What an operator does on an accelerator. Of two of which one is a part of the other, the
    /// outer one counts only if it does more.
    enum Part : uint8_t
    {
        NOTHING, //!< it only looks at tensors in another way, or works on the host
        KERNEL,  //!< it has a kernel
        PRODUCT  //!< it multiplies matrices, convolves, or is fused attention
    };

    /**
     * @param node an operator
     * @return what it does
     */
    static Part FindPart(const PytorchNode& node);

    /**
     * @param node an operator with a kernel
     * @return what it wants
     */
    OperatorCost Find(const PytorchNode& node) const;

  private:
    /**
     * @param node an operator
     * @return FLOP of products that it computes; none = it is no such operator, or its shapes are
     *         not said
     */
    static std::optional<double> CountProduct(const PytorchNode& node);

    /**
     * @param node an operator
     * @return likewise of a convolution
     */
    static std::optional<double> CountConvolution(const PytorchNode& node);

    /**
     * @param node an operator
     * @param [in,out] cost takes what it wants, if it is fused attention of shapes that are said
     * @return whether it is
     */
    static bool SetAttention(const PytorchNode& node, OperatorCost& cost);

    /**
     * @param node an operator
     * @return number format of its first tensor; none = no matrix units compute in it
     */
    std::optional<Precision> FindPrecision(const PytorchNode& node) const;

    const Accelerator& m_accelerator; //!< the accelerator
};

} // namespace ns3

#endif /* PYTORCH_COSTS_H */
