/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "model-linear-attention.h"

namespace ns3
{

namespace
{

/// Tokens of a chunk (flash-linear-attention, ops/gated_delta_rule/chunk.py).
constexpr double CHUNK = 64;

/// KIMI_DELTA: gates of channels, of what these forget and of the output.
constexpr uint32_t KIMI_GATES = 2;

/// What a token's head moves through memory, in elements of each kind.
struct HeadTraffic
{
    double keys;    //!< elements of a key, in 2 bytes
    double values;  //!< elements of a value, in 2 bytes
    double states;  //!< states of a chunk, of which a token has its share, in 2 bytes
    double squares; //!< bytes for each token of its chunk
    double gates;   //!< elements of what a channel forgets, in 4 bytes (KIMI_DELTA)
    double norms;   //!< elements of a key for each head of keys, in 2 bytes, as of norms
    double kernels; //!< kernels
};

/// SUM, forward: a kernel reads keys and values and writes states; one reads these with queries,
/// keys and values, and writes the output (flash-linear-attention, ops/simple_gla/chunk.py).
constexpr HeadTraffic SUM_FORWARD{3, 3, 2, 0, 0, 0, 2};

/// SUM, backward: states again; gradients of states from queries and those of the output; those of
/// queries, keys and values from all of these.
constexpr HeadTraffic SUM_BACKWARD{6, 5, 4, 0, 0, 0, 3};

/**
 * Delta rules, forward (ops/gated_delta_rule/chunk_fwd.py, ops/common/chunk_delta_h.py and
 * chunk_o.py). Keys: squares of a chunk (1), corrected keys (read and written, 2), states (keys and
 * corrected ones, 2), output (queries and keys, 2). Values: corrected (2), states (2), output (2).
 * Squares: written in 4 bytes, read, written inverted in 2, read. A channel's gates: summed up (2),
 * read by three kernels, and written into keys once in 2 bytes. Norms of queries and keys are read
 * and written (4).
 */
constexpr HeadTraffic DELTA_FORWARD{7, 6, 2, 12, 6, 4, 8};

/**
 * Delta rules, backward (chunk_bwd.py of both). Keys: corrected again (2), states again (2),
 * gradients within a chunk (2), of states (3), of queries, keys and corrected keys (read and
 * written, 6), of what corrected them (3), sums of both gradients of keys (3). Values likewise: 2,
 * 2, 2, 3, 3, 3. Squares: the inverted ones are read twice in 2 bytes. Norms: 6.
 */
constexpr HeadTraffic DELTA_BACKWARD{21, 15, 4, 4, 9, 6, 11};

/// MAMBA_2, forward (state-spaces/mamba, ops/triton/ssd_combined.py): values are read by the
/// kernels of states and of the output, which is written; states are written in 4 bytes, read,
/// passed on and read again. Keys of a group: products of a chunk, states, output, and the square,
/// of 4 bytes.
constexpr HeadTraffic MAMBA_FORWARD{0, 3, 8, 0, 0, 8, 5};

/// MAMBA_2, backward: states again, gradients of states, of values and of keys.
constexpr HeadTraffic MAMBA_BACKWARD{0, 10, 20, 0, 0, 24, 10};

/// Tokens of its chunk (chunk_size of Nemotron 3).
constexpr double MAMBA_CHUNK = 128;

/// MAMBA_1, forward (state-spaces/mamba, csrc/selective_scan): values, steps and gates are read,
/// the output is written before and behind the gate; of keys and queries each element is read from
/// memory once. A state and the product of what it has forgotten stand in 4 bytes for each chunk.
constexpr HeadTraffic SCAN_FORWARD{0, 5, 4, 0, 0, 2, 1};

/// MAMBA_1, backward: the output and its gradient besides, and gradients of values, steps and
/// gates; gradients of keys and queries in 4 bytes.
constexpr HeadTraffic SCAN_BACKWARD{0, 9, 4, 0, 0, 6, 1};

/// Tokens of its chunk (selective_scan_fwd_kernel.cuh).
constexpr double SCAN_CHUNK = 2048;

/// CONVOLUTION: kernels of its own do all there is (see ModelStepMaker).
constexpr HeadTraffic NO_STATES{0, 0, 0, 0, 0, 0, 0};

/// FLOP of vector units in the time of an exponential: an H100 takes 3.9 T of these in a second (J.
/// Shah et al., FlashAttention-3, arXiv 2407.08608, section 3.1), and has 133.8 T FLOP in 2 bytes.
constexpr double EXPONENTIAL = 133.8 / 3.9;

/// MAMBA_1: FLOP of an element of a state (Megatron-LM, training.py, mamba_layer_flops()). What it
/// forgets is a weight, and has two more.
constexpr double SCAN_FLOPS = 7;

/**
 * @param rule a rule
 * @param isBackward whether gradients are computed
 * @return what a token's head moves
 */
const HeadTraffic&
GetTraffic(LinearRule rule, bool isBackward)
{
    switch (rule)
    {
    case LinearRule::SUM:
        return isBackward ? SUM_BACKWARD : SUM_FORWARD;
    case LinearRule::MAMBA_2:
        return isBackward ? MAMBA_BACKWARD : MAMBA_FORWARD;
    case LinearRule::MAMBA_1:
        return isBackward ? SCAN_BACKWARD : SCAN_FORWARD;
    case LinearRule::CONVOLUTION:
        return NO_STATES;
    default:
        return isBackward ? DELTA_BACKWARD : DELTA_FORWARD;
    }
}

/**
 * @param rule a rule
 * @return tokens of a chunk, for each of which a state is written
 */
double
GetChunk(LinearRule rule)
{
    return rule == LinearRule::MAMBA_2   ? MAMBA_CHUNK
           : rule == LinearRule::MAMBA_1 ? SCAN_CHUNK
                                         : CHUNK;
}

} // namespace

const std::vector<std::string>&
GetLinearRuleNames()
{
    static const std::vector<std::string> names{"sum",
                                                "gated-delta",
                                                "kimi-delta",
                                                "mamba-2",
                                                "mamba-1",
                                                "convolution"};
    return names;
}

uint64_t
ModelLinearAttention::GetKeys() const
{
    return uint64_t{keyHeads} * keySize;
}

uint64_t
ModelLinearAttention::GetValues() const
{
    return uint64_t{valueHeads} * valueSize;
}

uint64_t
ModelLinearAttention::GetConvolved() const
{
    const bool isValues = rule == LinearRule::MAMBA_1 || rule == LinearRule::CONVOLUTION;
    return isValues ? GetValues() : 2 * GetKeys() + GetValues();
}

double
ModelLinearAttention::CountConvolutionKernels() const
{
    return rule == LinearRule::CONVOLUTION ? 3 : 1;
}

double
ModelLinearAttention::GetConvolutionBytes(bool isBackward) const
{
    // A few tokens of each channel, and the activation behind them, in one kernel: an element is
    // read and written, backward the gradient read besides. Gates have kernels of their own
    // (transformers, models/lfm2), each of which reads two and writes one; backward they read three
    // and write two.
    const double gates = isBackward ? 2 * 5 : 2 * 3;
    const double elements = (isBackward ? 3 : 2) + (rule == LinearRule::CONVOLUTION ? gates : 0);
    return 2 * elements;
}

bool
ModelLinearAttention::HasGatedNorm() const
{
    return rule != LinearRule::CONVOLUTION && rule != LinearRule::MAMBA_1;
}

uint64_t
ModelLinearAttention::GetSelection() const
{
    return rule == LinearRule::MAMBA_1 ? stepRank + 2 * GetKeys() : 0;
}

uint64_t
ModelLinearAttention::GetProjected() const
{
    const auto inputs = 2 * GetKeys() + GetValues();
    switch (rule)
    {
    case LinearRule::SUM:
        return inputs + GetValues();
    case LinearRule::GATED_DELTA:
        // The output's gate, and two gates of a head: how much it forgets, and how much it learns.
        return inputs + GetValues() + 2 * uint64_t{valueHeads};
    case LinearRule::MAMBA_2:
        // The output's gate, and the step of a head.
        return inputs + GetValues() + valueHeads;
    case LinearRule::MAMBA_1:
        // Values and the output's gate alone.
        return 2 * GetValues();
    case LinearRule::CONVOLUTION:
        // Values, and a gate before and behind the convolution.
        return 3 * GetValues();
    default:
        return inputs + (KIMI_GATES - narrowGates) * GetValues() + valueHeads;
    }
}

uint32_t
ModelLinearAttention::GetSharedHeads() const
{
    const bool hasOwnKeys = rule != LinearRule::MAMBA_2 && rule != LinearRule::MAMBA_1 &&
                            rule != LinearRule::CONVOLUTION;
    return hasOwnKeys ? keyHeads : valueHeads;
}

uint32_t
ModelLinearAttention::CountLowRankGates() const
{
    return rule == LinearRule::KIMI_DELTA ? narrowGates : 0;
}

uint64_t
ModelLinearAttention::CountWeights(uint64_t hidden) const
{
    uint64_t weights = hidden * (GetProjected() + GetValues()) + convolution * GetConvolved() +
                       CountLowRankGates() * keySize * (hidden + GetValues());
    if (rule == LinearRule::MAMBA_1)
    {
        // What each channel forgets, and its bias, the one of its step and the share that goes
        // round the state.
        weights += GetValues() * (GetSelection() + stepRank + keySize + 3);
    }
    return weights;
}

double
ModelLinearAttention::GetStateFlops() const
{
    if (rule == LinearRule::CONVOLUTION)
    {
        return 0;
    }
    if (rule == LinearRule::MAMBA_1)
    {
        return SCAN_FLOPS * valueHeads * keySize * valueSize;
    }
    // The outer product, and the product with the query; for a delta rule that with the key, too.
    const bool isSum = rule == LinearRule::SUM || rule == LinearRule::MAMBA_2;
    const double products = isSum ? 2 : 3;
    return 2 * products * valueHeads * keySize * valueSize;
}

uint64_t
ModelLinearAttention::CountKept() const
{
    switch (rule)
    {
    case LinearRule::MAMBA_1:
        // What both linear layers put out, and the output; the rest is computed again
        // (state-spaces/mamba, ops/selective_scan_interface.py, MambaInnerFn).
        return GetProjected() + GetSelection() + GetValues();
    case LinearRule::CONVOLUTION:
        // What the linear layer puts out, the values behind their gate, behind the convolution, and
        // behind its gate.
        return GetProjected() + 3 * GetValues();
    default:
        // What the linear layer puts out, queries, keys and values behind the convolution, and the
        // output before and after its gate; states are computed again.
        return GetProjected() + 2 * GetKeys() + 3 * GetValues();
    }
}

double
ModelLinearAttention::GetStateBytes(bool isBackward) const
{
    const auto& traffic = GetTraffic(rule, isBackward);
    const double chunk = GetChunk(rule);
    const double state = static_cast<double>(keySize) * valueSize / chunk;
    const double gates = rule == LinearRule::KIMI_DELTA ? 4 * traffic.gates * keySize : 0;
    const double head =
        2 * (traffic.keys * keySize + traffic.values * valueSize + traffic.states * state) +
        traffic.squares * chunk + gates;
    return valueHeads * head + 2 * traffic.norms * static_cast<double>(GetKeys());
}

double
ModelLinearAttention::CountKernels(bool isBackward) const
{
    return GetTraffic(rule, isBackward).kernels;
}

double
ModelLinearAttention::GetExponentials(bool isBackward) const
{
    if (rule != LinearRule::MAMBA_1)
    {
        return 0;
    }
    // Backward goes through the states of a chunk once more, then back.
    return (isBackward ? 2 : 1) * EXPONENTIAL * valueHeads * keySize * valueSize;
}

} // namespace ns3
