/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

// The part of ModelStepMaker that makes linear attention.

#include "model-steps.h"

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
        cost.kind = OperatorKind::LINEAR_STATE;
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
    if (linear.convolution > 0)
    {
        // A few tokens of each channel, and the activation behind them, in one kernel.
        const auto channels = 2 * linear.GetKeys() + linear.GetValues();
        constexpr auto kind = OperatorKind::NONLINEARITY;
        add("attention.convolution", kind, channels, 2 * ACTIVATION, 3 * ACTIVATION);
    }
    if (linear.rule == LinearRule::GATED_DELTA && linear.valueHeads > linear.keyHeads)
    {
        // Queries and keys are read as they are and written for each head of values; backward adds
        // up what these give back (Megatron-Core, ssm/gated_delta_net.py).
        const uint64_t repeated = 2 * uint64_t{linear.valueHeads} * linear.keySize;
        const double bytes =
            ACTIVATION * (1 + static_cast<double>(linear.keyHeads) / linear.valueHeads);
        add("attention.repeat", OperatorKind::ELEMENTWISE, repeated, bytes, bytes);
    }
    steps.push_back(MakeStates(m_job));
    AddSequenceExchange(m_job, steps[first], steps.back());
    // The output of each head has a norm, and a gate of its size.
    const auto values = linear.GetValues();
    add("attention.gated-norm", OperatorKind::NORM, values, 3 * ACTIVATION, 5 * ACTIVATION);
    steps.push_back(MakeLinear("attention.projection", Split::ROW, values, model.hidden));
}

} // namespace ns3
