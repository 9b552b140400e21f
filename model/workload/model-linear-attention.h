/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef MODEL_LINEAR_ATTENTION_H
#define MODEL_LINEAR_ATTENTION_H

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief How linear attention takes a token into its state.
 */
enum class LinearRule : uint8_t
{
    SUM,         //!< the product of key and value is added to what is left of the state (lightning
                 //!< attention, arXiv 2501.08313, section 2.2)
    GATED_DELTA, //!< what the state says of the key is taken off first (Gated DeltaNet, arXiv
                 //!< 2412.06464)
    KIMI_DELTA,  //!< likewise, and each channel of a key forgets by itself (Kimi Delta Attention,
                 //!< arXiv 2510.26692)
    MAMBA_2,     //!< a sum whose keys and queries are shared by groups of heads (Mamba-2, arXiv
                 //!< 2405.21060, section 7)
    MAMBA_1,     //!< each channel is a head with a value of one element, which forgets each element
                 //!< of its state by itself; keys, queries and steps come of the channels (Mamba,
                 //!< arXiv 2312.00752, section 3)
    CONVOLUTION  //!< no state: a convolution over a few tokens between two gates (LFM2, arXiv
                 //!< 2511.23404, section 2)
};

/**
 * @ingroup workload-replay
 * @return names of the rules by their value: sum, gated-delta, kimi-delta, mamba-2, mamba-1,
 *         convolution
 */
const std::vector<std::string>& GetLinearRuleNames();

/**
 * @ingroup workload-replay
 * @brief Linear attention of a layer: a matrix for each head sums up the tokens before.
 *
 * Kernels work on chunks of 64 tokens (fla-org/flash-linear-attention), 128 with Mamba: a state is
 * written for each chunk, and what tokens of a chunk are to each other is a small square. All that
 * goes through memory between kernels, which is what bounds them: measured kernels of Gated
 * DeltaNet and of Kimi Delta Attention reach the same share of the memory's rate by these bytes.
 * Mamba-1 goes through all tokens in one kernel that keeps states on chip; what bounds it are
 * exponentials, one for each element of the state.
 */
struct ModelLinearAttention
{
    LinearRule rule{LinearRule::GATED_DELTA}; //!< how a token goes into the state
    uint32_t keyHeads{0};                     //!< heads of queries and keys
    uint32_t valueHeads{0};                   //!< heads of values and states, a multiple of these
    uint32_t keySize{0};                      //!< elements of a head's key
    uint32_t valueSize{0};                    //!< elements of a head's value
    uint32_t convolution{0};                  //!< tokens that a convolution over queries, keys and
                                              //!< values takes; 0 = there is none
    /// KIMI_DELTA: gates, of what is forgotten and of the output, that are two matrices whose rank
    /// is that of a head; others have all weights
    uint32_t narrowGates{2};
    /// MAMBA_1: rank of the steps, how much of a token goes into the state of each channel
    uint32_t stepRank{0};

    /// @return elements of all keys of a token
    uint64_t GetKeys() const;

    /// @return elements of all values of a token
    uint64_t GetValues() const;

    /// @return elements of a token that the convolution takes
    uint64_t GetConvolved() const;

    /// @return kernels of the convolution, with those of the gates around it if it stands alone
    double CountConvolutionKernels() const;

    /**
     * @param isBackward whether gradients are computed
     * @return bytes that these read and write of an element
     */
    double GetConvolutionBytes(bool isBackward) const;

    /// @return whether a kernel of its own makes a norm of the output of each head, and its gate
    bool HasGatedNorm() const;

    /// @return MAMBA_1: outputs of the linear layer behind the convolution: queries, keys and what
    ///         steps are made of
    uint64_t GetSelection() const;

    /// @return outputs of the linear layer before: queries, keys, values and gates
    uint64_t GetProjected() const;

    /// @return heads of which a rank has whole ones: of keys, or of values where keys are copied or
    ///         each channel is a head
    uint32_t GetSharedHeads() const;

    /// @return pairs of matrices of low rank for gates; their rank is the size of a key
    uint32_t CountLowRankGates() const;

    /**
     * @param hidden size of a token's activation
     * @return weights of a layer, from the linear layer before to the one after
     */
    uint64_t CountWeights(uint64_t hidden) const;

    /// @return FLOP of a token's states, forward: each product with a state is one of a vector
    double GetStateFlops() const;

    /// @return elements of a token that forward keeps for backward
    uint64_t CountKept() const;

    /**
     * @param isBackward whether gradients are computed
     * @return bytes that the kernels of a token's states read and write
     */
    double GetStateBytes(bool isBackward) const;

    /**
     * @param isBackward whether gradients are computed
     * @return kernels of the states
     */
    double CountKernels(bool isBackward) const;

    /**
     * @param isBackward whether gradients are computed
     * @return FLOP of vector units in whose time a token's exponentials are taken; 0 = others than
     *         these bound the kernels
     */
    double GetExponentials(bool isBackward) const;
};

} // namespace ns3

#endif /* MODEL_LINEAR_ATTENTION_H */
