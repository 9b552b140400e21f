/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

// The part of ModelStepMaker that makes layers of experts.

#include "model-steps.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace ns3
{

namespace
{

/// Bytes of an activation.
constexpr double ACTIVATION = 2;

/// Kernels that choose experts, in each direction: scores, the largest ones, their weights, counts
/// of tokens, and the loss that balances loads (Megatron-Core, transformer/moe/moe_utils.py).
constexpr double ROUTING_LAUNCHES = 20;

/// Time of a launch for each expert from one call of Transformer Engine (GroupedLinear: a
/// multiplication and casts for each), which goes without Python, in launches.
constexpr double EXPERT_LAUNCH = 0.25;

/// Kernels that bring tokens into the order of experts, or back: counts, map of rows, copy.
constexpr double PERMUTATION_LAUNCHES = 6;

/// Kernels that bring tokens of all ranks into the order of a rank's experts, or back.
constexpr double SORTING_LAUNCHES = 3;

/// Bytes that an element of the experts' results moves while biases are added, each times the
/// probability of its token, by a kernel for each operation and expert (Megatron-Core 0.15 to 0.17,
/// transformer/moe/experts.py, _apply_bias). Forward: the product (2), the sum (2 + 2 + 2), and the
/// parts of experts put together (2 + 2). Backward: products of gradients with probabilities and
/// with biases, and the sums of both (2 x (2 + 2 + 2)), and the parts put together (2 + 2).
/// @{
constexpr double BIAS_FORWARD_BYTES = 12;
constexpr double BIAS_BACKWARD_BYTES = 16;
/// @}

/// Multiprocessors that the kernels of DeepEP occupy, which send tokens by groups of experts
/// (DeepSeek-V3, arXiv 2412.19437, section 3.2.2; deepseek-ai/DeepEP, Buffer.num_sms).
constexpr uint16_t DEEPEP_MULTIPROCESSORS = 20;

/// Kernels of these for an expert.
/// @{
constexpr double BIAS_FORWARD_LAUNCHES = 2;
constexpr double BIAS_BACKWARD_LAUNCHES = 4;

/// @}

/**
 * @param [in,out] step a step
 * @param launches kernels that it launches in each direction
 */
void
SetLaunches(ModelStep& step, double launches)
{
    step.forward.launches = launches;
    step.inputGradient.launches = launches;
}

/**
 * @param [in,out] router the choice of experts
 * @param tokens tokens for which they are chosen
 */
void
SetRoutingCosts(ModelStep& router, double tokens)
{
    for (auto* cost : {&router.forward, &router.inputGradient})
    {
        cost->kind = OperatorKind::ROUTING;
        cost->tokens = tokens;
    }
    SetLaunches(router, ROUTING_LAUNCHES);
}

/**
 * @param way a way, of tokens to experts
 * @return the way back, on which forward and backward change places
 */
std::vector<ModelTransfer>
TurnAround(std::vector<ModelTransfer> way)
{
    std::reverse(way.begin(), way.end());
    for (auto& transfer : way)
    {
        std::swap(transfer.forwardBytes, transfer.backwardBytes);
        std::swap(transfer.forwardSplits, transfer.backwardSplits);
    }
    return way;
}

/**
 * @param [in,out] step a linear layer of experts
 * @param tokens tokens of an expert
 * @param experts experts of a rank
 */
void
SetExpertCosts(ModelStep& step, double tokens, double experts)
{
    for (auto* cost : {&step.forward, &step.inputGradient, &step.weightGradient})
    {
        cost->kind = OperatorKind::EXPERTS;
        cost->tokens = tokens;
        cost->launches *= 1 + EXPERT_LAUNCH * experts;
    }
    // Gradients of an expert's weights are sums over its own tokens.
    step.weightGradient.depth = tokens;
}

/**
 * What comes from each rank is in the order of the experts there; a rank that has several sorts it
 * by its own experts, and back before it returns (Megatron-Core, MoEAlltoAllTokenDispatcher,
 * sort_chunks_by_idxs). Dispatchers by group leave out the permutation before they send instead.
 *
 * @param job a job of a model with experts
 * @return whether tokens are permuted again between two ranks
 */
bool
SortsTokens(const ModelJob& job)
{
    return job.layout.ep > 1 && job.model.experts->count > job.layout.ep &&
           job.training.dispatchGroups == 0;
}

/**
 * @param [in,out] up the first linear layer of experts, before which their tensor parallel ranks
 *        gather tokens
 * @param [in,out] down the last one, after which they add up results
 * @param bytes bytes of all tokens of theirs
 */
void
ShareAmongExpertRanks(ModelStep& up, ModelStep& down, uint64_t bytes)
{
    ModelTransfer gather;
    gather.slot = EXPERT_TENSOR_SLOT;
    gather.forward = CollectiveKind::ALL_GATHER;
    gather.backward = CollectiveKind::REDUCE_SCATTER;
    gather.forwardBytes = bytes;
    gather.backwardBytes = bytes;
    up.before.push_back(gather);
    std::swap(gather.forward, gather.backward);
    down.after.insert(down.after.begin(), gather);
}

/**
 * @param [in,out] transfer the way of tokens to experts; receives its bytes and parts
 * @param loads share of the tokens that each expert parallel rank is sent
 * @param rank number of this rank among them
 * @param bytes bytes that a rank sends out
 * @param backBytes bytes of gradients that it gets back
 */
void
SetUnevenSplits(ModelTransfer& transfer,
                const std::vector<double>& loads,
                uint32_t rank,
                double bytes,
                double backBytes)
{
    const auto splitsOf = [&](double size) {
        AllToAllSplits splits;
        for (const auto load : loads)
        {
            splits.send.push_back(static_cast<uint64_t>(std::llround(size * load)));
        }
        // All ranks send alike, so that this one receives the same from each.
        splits.receive.assign(loads.size(), splits.send[rank]);
        return splits;
    };
    const auto out = splitsOf(bytes);
    auto back = splitsOf(backBytes);
    // Backward gives back what came in.
    std::swap(back.send, back.receive);
    const auto sum = [](const std::vector<uint64_t>& parts) {
        return std::accumulate(parts.begin(), parts.end(), uint64_t{0});
    };
    transfer.forwardBytes = sum(out.send);
    transfer.backwardBytes = sum(back.send);
    // All ranks send the same out and get the same back, so they agree on whether that is nothing.
    if (sum(out.send) > 0)
    {
        transfer.forwardSplits = std::make_shared<AllToAllSplits>(out);
    }
    if (sum(back.receive) > 0)
    {
        transfer.backwardSplits = std::make_shared<AllToAllSplits>(back);
    }
}

/**
 * @param job a job whose tokens go by groups of ranks
 * @return groups that a token goes to in the mean: those that have experts of its, as if each
 *         expert were as likely as another, or those that the model limits it to
 */
double
GetGroupsOfToken(const ModelJob& job)
{
    const auto& experts = *job.model.experts;
    const double groups = job.training.dispatchGroups;
    // Experts of a token, drawn one after another: none of them is of a group.
    const double others = experts.count * (1 - 1 / groups);
    double none = 1;
    for (uint32_t i = 0; i < experts.topK; ++i)
    {
        none *= std::max(0., others - i) / (experts.count - i);
    }
    const double expected = groups * (1 - none);
    if (experts.groupLimit == 0)
    {
        return expected;
    }
    // Of as many groups as the model has, the limit is what tokens go to.
    const double limit = std::min(experts.groupLimit, experts.topK);
    return groups == experts.groups
               ? limit
               : std::min(expected, limit * std::ceil(groups / experts.groups));
}

} // namespace

std::vector<double>
ModelStepMaker::GetRankLoads() const
{
    const auto& training = m_job.training;
    const uint32_t ranks = m_job.layout.ep;
    const uint32_t count = m_job.model.experts->count;
    std::vector<double> loads(ranks, 1. / ranks);
    if (training.HasUnevenExperts())
    {
        std::fill(loads.begin(), loads.end(), 0);
        for (uint32_t expert = 0; expert < count; ++expert)
        {
            // What exceeds an expert's capacity is dropped; consecutive experts are on one rank.
            const double most = training.expertCapacity > 0 ? training.expertCapacity / count : 1;
            loads[expert / (count / ranks)] += std::min(training.expertLoads[expert], most);
        }
    }
    return loads;
}

std::vector<ModelTransfer>
ModelStepMaker::MakeDispatch(double bytes, double backBytes) const
{
    const auto& model = m_job.model;
    const auto& experts = *model.experts;
    // Elements that a rank sends out: a copy of each token for each of its experts.
    const double copies = static_cast<double>(m_job.GetSharedTokens() * experts.topK *
                                              experts.GetInput(model.hidden));
    const auto transferOf = [&](uint32_t slot, double share) {
        ModelTransfer transfer;
        transfer.slot = slot;
        transfer.forward = CollectiveKind::ALL_TO_ALL;
        transfer.backward = CollectiveKind::ALL_TO_ALL;
        transfer.forwardBytes = static_cast<uint64_t>(std::llround(copies * share * bytes));
        transfer.backwardBytes = static_cast<uint64_t>(std::llround(copies * share * backBytes));
        return transfer;
    };
    if (m_job.training.dispatchGroups > 0)
    {
        // A token goes once to the rank of its own number in each group that has experts of its,
        // and from there to those experts.
        auto rail = transferOf(EXPERT_RAIL_SLOT, GetGroupsOfToken(m_job) / experts.topK);
        auto group = transferOf(EXPERT_GROUP_SLOT, 1);
        rail.multiprocessors = group.multiprocessors = DEEPEP_MULTIPROCESSORS;
        return {rail, group};
    }
    auto transfer = transferOf(static_cast<uint32_t>(Dimension::EP), 1);
    if (m_job.training.HasUnevenExperts())
    {
        SetUnevenSplits(transfer, GetRankLoads(), m_expertRank, copies * bytes, copies * backBytes);
    }
    return {transfer};
}

std::pair<ModelStep, ModelStep>
ModelStepMaker::MakeExpertLayers(double tokens, double inner) const
{
    const auto& model = m_job.model;
    const auto& experts = *model.experts;
    const double perRank = experts.count / m_job.layout.ep;
    const double matrices = model.gated ? 2 : 1;
    const auto input = static_cast<double>(experts.GetInput(model.hidden));
    ModelStep up;
    up.name = "moe.fc1";
    SetMatrixCosts(up,
                   tokens,
                   input,
                   matrices * inner,
                   perRank * input * matrices * inner,
                   m_job.training.precision);
    ModelStep down;
    down.name = "moe.fc2";
    SetMatrixCosts(down, tokens, inner, input, perRank * input * inner, m_job.training.precision);
    SetExpertCosts(up, tokens / perRank, perRank);
    SetExpertCosts(down, tokens / perRank, perRank);
    // Tokens go out in fp8 if the model says so, both they and their gradients; results and sums of
    // gradients come back in bf16 (DeepSeek-V3, arXiv 2412.19437, section 3.3.2).
    const bool isNarrow = m_job.training.precision == Precision::FP8 && experts.dispatchBytes > 0;
    const double outBytes = isNarrow ? experts.dispatchBytes : ACTIVATION;
    if (m_job.layout.ep > 1)
    {
        up.before = MakeDispatch(outBytes, ACTIVATION);
        down.after = TurnAround(MakeDispatch(outBytes, ACTIVATION));
    }
    if (m_job.layout.etp > 1)
    {
        const double bytes = tokens * input * ACTIVATION;
        ShareAmongExpertRanks(up, down, static_cast<uint64_t>(std::llround(bytes)));
    }
    return {std::move(up), std::move(down)};
}

void
ModelStepMaker::AddExpertResults(ModelSteps& steps, ModelStep down, double tokens) const
{
    const auto& experts = *m_job.model.experts;
    if (!experts.bias)
    {
        steps.push_back(std::move(down));
        return;
    }
    const double perRank = experts.count / m_job.layout.ep;
    auto bias = MakeElementwise("moe.bias",
                                OperatorKind::ELEMENTWISE,
                                tokens * static_cast<double>(experts.GetInput(m_job.model.hidden)),
                                2,
                                4,
                                BIAS_FORWARD_BYTES,
                                BIAS_BACKWARD_BYTES);
    bias.forward.launches = 1 + BIAS_FORWARD_LAUNCHES * perRank;
    bias.inputGradient.launches = 1 + BIAS_BACKWARD_LAUNCHES * perRank;
    // Results go back to their tokens with the biases.
    std::swap(bias.after, down.after);
    steps.push_back(std::move(down));
    steps.push_back(std::move(bias));
}

void
ModelStepMaker::AddExperts(ModelSteps& steps) const
{
    const auto& model = m_job.model;
    const auto& experts = *model.experts;
    const uint32_t etp = m_job.layout.etp;
    const auto tokens = static_cast<double>(m_job.GetSharedTokens());
    // What arrives at this rank, of what all expert parallel ranks send.
    const double received = tokens * experts.topK * m_job.layout.ep * GetRankLoads()[m_expertRank];
    steps.push_back(MakeNorm("ffn.norm", GetHiddenElements()));
    auto router = MakeLinear("moe.router", Split::NONE, model.hidden, experts.count);
    SetRoutingCosts(router, tokens);
    steps.push_back(std::move(router));
    const bool isSorted = SortsTokens(m_job);
    if (experts.latent > 0)
    {
        steps.push_back(MakeLinear("moe.latent-down", Split::NONE, model.hidden, experts.latent));
    }
    const double copied = (tokens * experts.topK + (isSorted ? received * etp : 0)) *
                          static_cast<double>(experts.GetInput(model.hidden));
    const double permuteLaunches = PERMUTATION_LAUNCHES + (isSorted ? SORTING_LAUNCHES : 0);
    constexpr auto copy = OperatorKind::PERMUTATION;
    constexpr double copyBytes = 2 * ACTIVATION;
    steps.push_back(MakeElementwise("moe.permute", copy, copied, 0, 1, copyBytes, copyBytes));
    SetLaunches(steps.back(), permuteLaunches);

    const double inner = static_cast<double>(experts.ffn) / etp;
    // The ranks of an expert's tensor-parallel group work on the tokens of all of them.
    const double worked = received * etp;
    auto [up, down] = MakeExpertLayers(worked, inner);
    steps.push_back(std::move(up));
    steps.push_back(MakeActivation("moe.activation", worked * inner));
    AddExpertResults(steps, std::move(down), worked);
    steps.push_back(MakeElementwise("moe.unpermute", copy, copied, 2, 1, copyBytes, copyBytes));
    SetLaunches(steps.back(), permuteLaunches);
    if (experts.latent > 0)
    {
        steps.push_back(MakeLinear("moe.latent-up", Split::NONE, experts.latent, model.hidden));
    }
    if (experts.sharedFfn > 0)
    {
        AddFeedForward(steps, "shared", experts.sharedFfn);
    }
}

} // namespace ns3
