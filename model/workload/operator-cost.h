/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef OPERATOR_COST_H
#define OPERATOR_COST_H

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief Number formats of matrix operations.
 */
enum class Precision : uint8_t
{
    BF16, //!< bfloat16, 2 bytes
    FP16, //!< IEEE 754 half, 2 bytes
    FP8,  //!< E4M3 or E5M2, 1 byte
};

/**
 * @ingroup workload-replay
 * @return names of the number formats by their value: bf16, fp16, fp8
 */
const std::vector<std::string>& GetPrecisionNames();

/**
 * @ingroup workload-replay
 * @brief Kinds of operators, of which each has a curve of its own on a measured accelerator.
 */
enum class OperatorKind : uint8_t
{
    OTHER,        //!< none of these
    PRODUCT,      //!< a matrix multiplication
    EXPERTS,      //!< one for each of many experts, in one call
    ATTENTION,    //!< fused attention
    ROUTING,      //!< the choice of experts
    NORM,         //!< a norm
    NONLINEARITY, //!< an activation function, gated or not
    ROTARY,       //!< rotation of queries and keys
    ELEMENTWISE,  //!< sums, copies and the like
    PERMUTATION,  //!< tokens in the order of their experts, and back
    LOSS,         //!< cross entropy
    OPTIMIZER,    //!< the update of weights
    LINEAR_STATE  //!< states of linear attention, chunk by chunk
};

/**
 * @ingroup workload-replay
 * @return names of kinds of operators that memory bounds, from NORM on, in the order of the kinds
 */
const std::vector<std::string>& GetMemoryKindNames();

/**
 * @ingroup workload-replay
 * @brief Libraries of fused attention.
 */
enum class AttentionKernel : uint8_t
{
    FA2,   //!< FlashAttention-2
    FA3,   //!< FlashAttention-3
    CUDNN, //!< cuDNN
    TRITON //!< FlashAttention in Triton
};

/**
 * @ingroup workload-replay
 * @return names of the libraries by their value: fa2, fa3, cudnn, triton
 */
const std::vector<std::string>& GetAttentionKernelNames();

/**
 * @ingroup workload-replay
 * @brief What an operator, such as a matrix multiplication, wants of an accelerator.
 *
 * A multiplication with its addition counts as two floating-point operations (FLOP).
 */
struct OperatorCost
{
    /// Kernels of a cast to one byte: the largest element, the scale, the cast itself.
    static constexpr double CAST_KERNELS{3};

    double matrixFlops{0};                  //!< FLOP of matrix units (tensor cores)
    double vectorFlops{0};                  //!< FLOP of vector units (CUDA cores)
    double memoryBytes{0};                  //!< bytes read from memory and written to it
    Precision precision{Precision::BF16};   //!< number format of the matrix operations
    OperatorKind kind{OperatorKind::OTHER}; //!< its kind
    double addedBytes{0};      //!< bytes of sums that a product or a piece of attention is added to
    double castElements{0};    //!< elements that are written in one byte before, memoryBytes aside
    double transposedBytes{0}; //!< bytes that this takes more where factors must be transposed, too
    double launches{1};        //!< kernels that the host launches for it
    double tokens{0};          //!< of EXPERTS: tokens of one of them; of ROUTING: of all
    double depth{0};           //!< of PRODUCT, EXPERTS: terms that a result sums up; 0 = not known
    double headSize{0};        //!< of ATTENTION: size of a head
    double length{0};          //!< of ATTENTION: tokens of the sequence
    bool isBackward{false};    //!< of ATTENTION: its direction
    AttentionKernel attention{AttentionKernel::CUDNN}; //!< of ATTENTION: its library

    /**
     * @return the same for elements that have been cast before
     */
    OperatorCost WithoutCast() const
    {
        auto cost = *this;
        cost.castElements = 0;
        cost.transposedBytes = 0;
        cost.launches -= castElements > 0 ? CAST_KERNELS : 0;
        return cost;
    }
};

} // namespace ns3

#endif /* OPERATOR_COST_H */
