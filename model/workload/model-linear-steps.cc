/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

// The part of ModelStepMaker that makes linear attention.

#include "model-steps.h"

#include <utility>

namespace ns3
{

namespace
{

/// Bytes of an activation.
constexpr double ACTIVATION = 2;

/**
 * @param job a job
 * @param size elements of a token that all tensor parallel ranks have together
 * @return elements that a rank has of all of its tokens
 */
double
CountRankElements(const ModelJob& job, uint64_t size)
{
    return static_cast<double>(job.GetTokens()) * static_cast<double>(size) / job.layout.tp;
}

/**
 * A state knows all tokens before: context parallel ranks exchange parts of the sequence for heads,
 * all that the linear layer has put out, and the output back (Megatron-Core,
 * ssm/gated_delta_net.py).
 *
 * @param job a job
 * @param first what linear attention begins with; receives what they exchange before
 * @param last what it ends with; receives what they exchange after
 */
void
AddSequenceExchange(const ModelJob& job, ModelStep& first, ModelStep& last)
{
    if (job.layout.cp == 1)
    {
        return;
    }
    const auto make = [&job](uint64_t size) {
        ModelTransfer transfer;
        transfer.slot = static_cast<uint32_t>(Dimension::CP);
        transfer.forward = CollectiveKind::ALL_TO_ALL;
        transfer.backward = CollectiveKind::ALL_TO_ALL;
        transfer.forwardBytes = 2 * job.GetTokens() * size / job.layout.tp;
        transfer.backwardBytes = transfer.forwardBytes;
        return transfer;
    };
    const auto& linear = *job.model.reach.linear;
    first.before.push_back(make(linear.GetProjected()));
    last.after.push_back(make(linear.GetValues()));
}

/**
 * @param job a job
 * @return the kernels of the states
 */
ModelStep
MakeStates(const ModelJob& job)
{
    const auto& linear = *job.model.reach.linear;
    ModelStep states;
    states.name = "attention.states";
    const double tokens = static_cast<double>(job.GetTokens()) / job.layout.tp;
    const auto set = [&](OperatorCost& cost, bool isBackward) {
        cost.vectorFlops = tokens * linear.GetExponentials(isBackward);
        // What is not bound by memory has no share of its rate.
        cost.kind = cost.vectorFlops > 0 ? OperatorKind::OTHER : OperatorKind::LINEAR_STATE;
        cost.memoryBytes = tokens * linear.GetStateBytes(isBackward);
        cost.launches = linear.CountKernels(isBackward);
    };
    set(states.forward, false);
    set(states.inputGradient, true);
    states.againShare = 0;
    return states;
}

} // namespace

void
ModelStepMaker::AddConvolution(ModelSteps& steps) const
{
    const auto& linear = *m_job.model.reach.linear;
    if (linear.convolution > 0)
    {
        steps.push_back(MakeElementwise("attention.convolution",
                                        OperatorKind::NONLINEARITY,
                                        CountRankElements(m_job, linear.GetConvolved()),
                                        0,
                                        0,
                                        linear.GetConvolutionBytes(false),
                                        linear.GetConvolutionBytes(true)));
        steps.back().forward.launches = linear.CountConvolutionKernels();
        steps.back().inputGradient.launches = linear.CountConvolutionKernels();
    }
    if (linear.GetSelection() == 0)
    {
        return;
    }
    const uint64_t tp = m_job.layout.tp;
    const auto tokens = static_cast<double>(m_job.GetTokens());
    const auto add = [&](const std::string& name, uint64_t inputs, uint64_t outputs) {
        ModelStep step;
        step.name = name;
        const auto in = static_cast<double>(inputs);
        const auto out = static_cast<double>(outputs);
        SetMatrixCosts(step, tokens, in, out, in * out, m_job.training.precision);
        steps.push_back(std::move(step));
    };
    const auto channels = linear.GetValues() / tp;
    add("attention.selection", channels, linear.GetSelection());
    if (tp > 1)
    {
        // Each rank has a part of the channels, of all of which these come: their sum forward, that
        // of their gradients backward (T. Dao and A. Gu, arXiv 2405.21060, section 8.1).
        ModelTransfer sum;
        sum.slot = static_cast<uint32_t>(Dimension::TP);
        sum.forwardBytes = 2 * m_job.GetTokens() * linear.GetSelection();
        sum.backwardBytes = sum.forwardBytes;
        steps.back().after.push_back(sum);
    }
    add("attention.steps", linear.stepRank, channels);
}

void
ModelStepMaker::AddLinearAttention(ModelSteps& steps) const
{
    const auto& model = m_job.model;
    const auto& linear = *model.reach.linear;
    // size: elements of a token that all tensor parallel ranks have together.
    const auto add = [&](const auto& name, auto kind, uint64_t size, double bytes, double back) {
        const auto elements = CountRankElements(m_job, size);
        steps.push_back(MakeElementwise(name, kind, elements, 0, 0, bytes, back));
    };
    steps.push_back(
        MakeLinear("attention.linear-in", Split::COLUMN, model.hidden, linear.GetProjected()));
    if (const uint64_t gates = linear.CountLowRankGates(); gates > 0)
    {
        // Every rank makes the small side of all gates, and the wide one of its own heads.
        const uint64_t rank = linear.keySize;
        steps.push_back(
            MakeLinear("attention.gates-down", Split::NONE, model.hidden, gates * rank));
        steps.push_back(
            MakeLinear("attention.gates-up", Split::COLUMN, rank, gates * linear.GetValues()));
    }
    const auto first = steps.size();
    AddConvolution(steps);
    if (linear.rule == LinearRule::GATED_DELTA && linear.valueHeads > linear.keyHeads)
    {
        // Queries and keys are read as they are and written for each head of values; backward adds
        // up what these give back (Megatron-Core, ssm/gated_delta_net.py).
        const uint64_t repeated = 2 * uint64_t{linear.valueHeads} * linear.keySize;
        const double bytes =
            ACTIVATION * (1 + static_cast<double>(linear.keyHeads) / linear.valueHeads);
        add("attention.repeat", OperatorKind::ELEMENTWISE, repeated, bytes, bytes);
    }
    if (linear.CountKernels(false) > 0)
    {
        steps.push_back(MakeStates(m_job));
    }
    AddSequenceExchange(m_job, steps[first], steps.back());
    const auto values = linear.GetValues();
    if (linear.HasGatedNorm())
    {
        // The output of each head has a norm, and a gate of its size.
        add("attention.gated-norm", OperatorKind::NORM, values, 3 * ACTIVATION, 5 * ACTIVATION);
    }
    steps.push_back(MakeLinear("attention.projection", Split::ROW, values, model.hidden));
}

} // namespace ns3
