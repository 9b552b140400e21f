/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "pytorch-costs.h"

#include "ns3/input-values.h"

#include <algorithm>
#include <functional>
#include <map>
#include <numeric>
#include <set>
#include <utility>
#include <vector>

namespace ns3
{

namespace
{

/// FLOP of vector units in 2 bytes in the time of one in 4.
constexpr double WIDE_FLOP = 2;

/// Where the factors of products stand among the tensors of an operator.
const std::map<std::string, std::size_t> FIRST_FACTORS{{"mm", 0},
                                                       {"bmm", 0},
                                                       {"matmul", 0},
                                                       {"mv", 0},
                                                       {"dot", 0},
                                                       {"linear", 0},
                                                       {"_scaled_mm", 0},
                                                       {"_int_mm", 0},
                                                       {"addmm", 1},
                                                       {"addmm_", 1},
                                                       {"_addmm_activation", 1},
                                                       {"addmv", 1},
                                                       {"baddbmm", 1},
                                                       {"baddbmm_", 1}};

/// Kinds of other operators, by a word in their names; the first one that fits counts.
const std::vector<std::pair<std::string, OperatorKind>> KIND_WORDS{
    {"_norm", OperatorKind::NORM},
    {"softmax", OperatorKind::LOSS},
    {"loss", OperatorKind::LOSS},
    {"cross_entropy", OperatorKind::LOSS},
    {"relu", OperatorKind::NONLINEARITY},
    {"gelu", OperatorKind::NONLINEARITY},
    {"silu", OperatorKind::NONLINEARITY},
    {"sigmoid", OperatorKind::NONLINEARITY},
    {"tanh", OperatorKind::NONLINEARITY},
    {"threshold", OperatorKind::NONLINEARITY},
    {"clamp_min", OperatorKind::NONLINEARITY},
    {"index", OperatorKind::PERMUTATION},
    {"gather", OperatorKind::PERMUTATION},
    {"scatter", OperatorKind::PERMUTATION},
    {"embedding", OperatorKind::PERMUTATION},
    {"_foreach_", OperatorKind::OPTIMIZER},
    {"_fused_", OperatorKind::OPTIMIZER},
    {"addcmul", OperatorKind::OPTIMIZER},
    {"addcdiv", OperatorKind::OPTIMIZER}};

/// Operators that write to their first tensor without reading it.
const std::set<std::string> WRITTEN_ONLY{"copy_", "fill_", "zero_"};

/// Operators without a kernel whose schema does not say so: memory alone, or facts of tensors.
const std::set<std::string> WITHOUT_KERNEL{"empty",
                                           "empty_like",
                                           "empty_strided",
                                           "new_empty",
                                           "new_empty_strided",
                                           "resize_",
                                           "set_",
                                           "detach_",
                                           "_unsafe_view",
                                           "result_type",
                                           "is_same_size",
                                           "is_pinned",
                                           "record_stream"};

/**
 * @param node an operator
 * @return its name without the library: mm of aten::mm
 */
std::string
GetShortName(const PytorchNode& node)
{
    const auto colons = node.name.rfind("::");
    return colons == std::string::npos ? node.name : node.name.substr(colons + 2);
}

/**
 * @param node an operator
 * @param word a word
 * @return whether its name has it
 */
bool
HasWord(const PytorchNode& node, const std::string& word)
{
    return node.name.find(word) != std::string::npos;
}

/**
 * @param shape lengths
 * @return their product
 */
double
MultiplyLengths(const std::vector<uint64_t>& shape)
{
    return std::accumulate(shape.begin(), shape.end(), 1.0, std::multiplies<>());
}

/**
 * @param tensors tensors
 * @return bytes of those in the memory of accelerators
 */
double
CountDeviceBytes(const std::vector<PytorchTensor>& tensors)
{
    double bytes = 0;
    for (const auto& tensor : tensors)
    {
        bytes += tensor.onDevice ? static_cast<double>(tensor.bytes) : 0;
    }
    return bytes;
}

} // namespace

PytorchCosts::PytorchCosts(const Accelerator& accelerator)
    : m_accelerator(accelerator)
{
}

bool
PytorchCosts::IsAttention(const PytorchNode& node)
{
    const auto isOne = [&node](const std::string& word) { return HasWord(node, word); };
    const bool isOperator = !node.schema.empty() || node.isKernel;
    return isOperator && (isOne("scaled_dot_product") || isOne("flash_attn") ||
                          isOne("_flash_attention") || isOne("_efficient_attention"));
}

PytorchCosts::Part
PytorchCosts::FindPart(const PytorchNode& node)
{
    // Spans of the host have no schema. Communication is in nodes of its own.
    if ((node.schema.empty() && !node.isKernel) || HasWord(node, "c10d"))
    {
        return NOTHING;
    }
    // What gives back memory that it was given, without writing there, is a view of it.
    const auto result = node.schema.find("->");
    const bool isView =
        result != std::string::npos && node.schema.find("(a)", result) != std::string::npos;
    const auto isOnDevice = [](const auto& tensor) { return tensor.onDevice; };
    const bool isDevice = std::any_of(node.inputs.begin(), node.inputs.end(), isOnDevice) ||
                          std::any_of(node.outputs.begin(), node.outputs.end(), isOnDevice);
    if (isView || !isDevice || WITHOUT_KERNEL.count(GetShortName(node)) > 0)
    {
        return NOTHING;
    }
    return CountProduct(node) || CountConvolution(node) || IsAttention(node) ? PRODUCT : KERNEL;
}

OperatorCost
PytorchCosts::Find(const PytorchNode& node) const
{
    OperatorCost cost;
    // What is changed in place is an input and an output.
    cost.memoryBytes = CountDeviceBytes(node.inputs) + CountDeviceBytes(node.outputs);
    if (WRITTEN_ONLY.count(GetShortName(node)) > 0 && !node.inputs.empty())
    {
        cost.memoryBytes -= CountDeviceBytes({node.inputs.front()});
    }
    const auto precision = FindPrecision(node);
    const auto product = CountProduct(node);
    const auto flops = product ? product : CountConvolution(node);
    if (flops && precision)
    {
        cost.matrixFlops = *flops;
        cost.precision = *precision;
        if (product)
        {
            const auto& left = node.inputs[FIRST_FACTORS.at(GetShortName(node))];
            cost.depth = static_cast<double>(left.shape.back());
        }
        cost.kind = OperatorKind::PRODUCT;
    }
    else if (flops)
    {
        // The type has 4 or 8 bytes, or the accelerator's matrix units do not multiply it.
        cost.vectorFlops = WIDE_FLOP * *flops;
    }
    else if (!precision || !SetAttention(node, cost))
    {
        const auto name = GetShortName(node);
        const auto found =
            std::find_if(KIND_WORDS.begin(), KIND_WORDS.end(), [&name](const auto& word) {
                return name.find(word.first) != std::string::npos;
            });
        cost.kind = found == KIND_WORDS.end() ? OperatorKind::ELEMENTWISE : found->second;
    }
    else
    {
        cost.precision = *precision;
    }
    return cost;
}

std::optional<double>
PytorchCosts::CountProduct(const PytorchNode& node)
{
    const auto first = FIRST_FACTORS.find(GetShortName(node));
    if (first == FIRST_FACTORS.end() || node.inputs.size() <= first->second + 1)
    {
        return std::nullopt;
    }
    const auto& left = node.inputs[first->second].shape;
    const auto& right = node.inputs[first->second + 1].shape;
    if (left.empty() || right.empty())
    {
        return std::nullopt;
    }
    // The last length of the left factor is summed up. Weights of layers stand transposed, the
    // matrices of a batch have the batch's own.
    const double columns = right.size() == 1          ? 1
                           : first->first == "linear" ? static_cast<double>(right.front())
                                                      : static_cast<double>(right.back());
    return 2 * MultiplyLengths(left) * columns;
}

std::optional<double>
PytorchCosts::CountConvolution(const PytorchNode& node)
{
    const auto name = GetShortName(node);
    const bool isBackward = name.find("backward") != std::string::npos;
    const std::size_t weight = isBackward ? 2 : 1;
    if ((name.find("convolution") == std::string::npos && name.find("conv") != 0) ||
        node.inputs.size() <= weight || node.inputs[weight].shape.empty())
    {
        return std::nullopt;
    }
    const bool isTransposed = node.isTransposed || name.find("transpose") != std::string::npos;
    // Each element on the narrow end meets all weights of its channel. Forward a result is the
    // first output, backward its gradient the first input.
    const auto& result = isBackward ? node.inputs : node.outputs;
    const auto& narrow = isTransposed     ? node.inputs[isBackward ? 1 : 0]
                         : result.empty() ? node.inputs[0]
                                          : result[0];
    const auto& weights = node.inputs[weight].shape;
    const auto channels = std::max<uint64_t>(weights[0], 1);
    const double once = 2 * static_cast<double>(narrow.elements) * MultiplyLengths(weights) /
                        static_cast<double>(channels);
    if (!isBackward)
    {
        return once;
    }
    // Gradients of the input and of the weights; what is not asked for is not defined.
    const auto gradients = std::count_if(
        node.outputs.begin(),
        node.outputs.begin() +
            std::min<std::ptrdiff_t>(2, static_cast<std::ptrdiff_t>(node.outputs.size())),
        [](const auto& tensor) { return tensor.elements > 0; });
    return once * static_cast<double>(gradients);
}

bool
PytorchCosts::SetAttention(const PytorchNode& node, OperatorCost& cost)
{
    const bool isBackward = HasWord(node, "backward") || HasWord(node, "_bwd");
    // Backward the gradient of the result comes first.
    const std::size_t query = isBackward ? 1 : 0;
    if (!IsAttention(node) || node.inputs.size() < query + 3)
    {
        return false;
    }
    const auto& q = node.inputs[query].shape;
    const auto& k = node.inputs[query + 1].shape;
    const auto& v = node.inputs[query + 2].shape;
    if (q.size() != 4 || k.size() != 4 || v.size() != 4)
    {
        return false;
    }
    // Batch, heads, tokens, size of a head; in the kernels' own calls tokens before heads.
    const std::size_t tokens = HasWord(node, "scaled_dot_product") ? 2 : 1;
    const auto length = static_cast<double>(k[tokens]);
    const auto sizes = static_cast<double>(q[3]) + static_cast<double>(v[3]);
    // Queries meet keys, and scores meet values, each with a multiplication and an addition.
    const double all = 2 * static_cast<double>(q[0]) * static_cast<double>(q[1]) *
                       static_cast<double>(q[2]) * length * sizes;
    cost.kind = OperatorKind::ATTENTION;
    // A causal mask leaves half of the scores. Forward has 2 products, backward 5
    // (FlashAttention-2).
    cost.matrixFlops = all * (node.isCausal ? 0.5 : 1) * (isBackward ? 2.5 : 1);
    cost.headSize = std::max(sizes / 2, 1.0);
    cost.length = std::max(length, 1.0);
    cost.isBackward = isBackward;
    cost.attention = HasWord(node, "cudnn") ? AttentionKernel::CUDNN : AttentionKernel::FA2;
    return true;
}

std::optional<Precision>
PytorchCosts::FindPrecision(const PytorchNode& node) const
{
    // PyTorch multiplies factors of the same precision only, so that the first one says it.
    const auto type = node.inputs.empty() ? std::string() : node.inputs.front().type;
    std::optional<Precision> precision;
    for (const auto& [word, format] :
         std::vector<std::pair<std::string, Precision>>{{"bfloat16", Precision::BF16},
                                                        {"half", Precision::FP16},
                                                        {"float8", Precision::FP8}})
    {
        if (type.find(word) != std::string::npos)
        {
            precision = format;
        }
    }
    const auto& formats = m_accelerator.GetParameters().matrixFlops;
    return precision && formats.count(*precision) > 0 ? precision : std::nullopt;
}

} // namespace ns3
