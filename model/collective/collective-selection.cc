/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "collective-selection.h"

#include "ns3/abort.h"
#include "ns3/log.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <iomanip>
#include <sstream>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("CollectiveSelection");

NS_OBJECT_ENSURE_REGISTERED(CollectiveSelection);

namespace
{

/**
 * @param a a candidate
 * @param b another one
 * @return whether the first takes less time
 */
bool
IsFaster(const CollectiveSelection::Candidate& a, const CollectiveSelection::Candidate& b)
{
    return a.seconds < b.seconds;
}

/**
 * @param call an all-to-all
 * @return whether NCCL would send it along the rails (PXN), and whoever passes blocks on knows them
 */
bool
IsByRail(const CollectiveCall& call)
{
    return call.placement && call.placement->GetChannels() && !call.splits &&
           call.placement->GetServers().size() > 1 && call.placement->GetLargestServer() > 1;
}

/**
 * Tensor parallel ranks shift what a layer of Transformer Engine works on meanwhile (userbuffers).
 *
 * @param call a collective
 * @param dimension dimension of its communicator
 * @return whether copy engines carry it out, if they can; ranks alone in their servers have none
 *         that reach others
 */
bool
IsCopied(const CollectiveCall& call, Dimension dimension)
{
    const auto layout = CollectiveLayout::Of(call);
    return call.kind == CollectiveKind::SHIFT && dimension == Dimension::TP &&
           (layout.servers == 1 || layout.perServer > 1);
}

/**
 * @param call a collective
 * @return whether it is carried out along the dimensions of a torus, in fewer steps than by one
 * ring or between all members, and over all links
 */
bool
IsByDimensions(const CollectiveCall& call)
{
    const bool isMeant = call.kind == CollectiveKind::ALL_REDUCE ||
                         call.kind == CollectiveKind::ALL_GATHER ||
                         call.kind == CollectiveKind::REDUCE_SCATTER ||
                         (call.kind == CollectiveKind::ALL_TO_ALL && !call.splits);
    return isMeant && call.placement && call.placement->GetGrid();
}

/**
 * @param call a collective
 * @param chainBytes size from which on broadcast and reduce use the chain, bytes
 * @return name of the algorithm that suits its kind
 */
std::string
GetNameByKind(const CollectiveCall& call, uint64_t chainBytes)
{
    switch (call.kind)
    {
    case CollectiveKind::ALL_REDUCE:
    case CollectiveKind::ALL_GATHER:
    case CollectiveKind::REDUCE_SCATTER:
        return "ring";
    case CollectiveKind::BROADCAST:
    case CollectiveKind::REDUCE:
        return call.bytes < chainBytes ? "tree" : "chain";
    case CollectiveKind::BARRIER:
        return "halving-doubling";
    case CollectiveKind::ALL_TO_ALL:
        return IsByRail(call) ? "pxn" : "direct";
    case CollectiveKind::SHIFT:
    case CollectiveKind::GATHER:
    case CollectiveKind::SCATTER:
        break;
    }
    return "direct";
}

} // namespace

std::string
CollectivePlan::GetName() const
{
    return hasCosts ? algorithm->GetName() + "/" + ToString(protocol) : algorithm->GetName();
}

CollectiveCall
CollectivePlan::Complete(const CollectiveCall& call) const
{
    auto complete = call;
    complete.protocol = protocol;
    return complete;
}

uint64_t
CollectivePlan::GetWireBytes(const CollectiveCall& call, const CollectiveTransfer& transfer) const
{
    const bool isNetwork = call.IsNetwork(transfer);
    if (call.splits && hasCosts && !isNetwork)
    {
        // Messages of different lengths use different shares of NVLink: each has its own terms.
        auto own = terms;
        own.serverShare *= algorithm->GetUsedShare(Complete(call.GetShared(transfer.bytes)));
        return own.GetWireBytes(transfer.bytes, false);
    }
    const auto* channels = isNetwork && call.placement ? call.placement->GetChannels() : nullptr;
    // What the wire carries depends on the NIC of the sender.
    const bool isOwn = transfer.IsSend() || transfer.UsesNetworkSwitch();
    return terms.GetWireBytes(transfer.bytes,
                              isNetwork,
                              channels && channels->HasNic(isOwn ? call.index : transfer.peer));
}

TypeId
CollectiveSelection::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::CollectiveSelection")
            .SetParent<Object>()
            .SetGroupName("WorkloadReplay")
            .AddConstructor<CollectiveSelection>()
            .AddAttribute("ChainBytes",
                          "Size from which on broadcast and reduce use the chain instead of the "
                          "tree, bytes. The default is about what a 400 Gb/s link carries in 3 us, "
                          "the cost of a step: below it steps count, above it bytes. 0 = always "
                          "the chain.",
                          UintegerValue(128 * 1024),
                          MakeUintegerAccessor(&CollectiveSelection::m_chainBytes),
                          MakeUintegerChecker<uint64_t>())
            .AddAttribute("NvlsMembers",
                          "Members of a communicator in one server from which on all-reduce uses "
                          "NVLS whatever the size, if collectives have costs. 0 = only where it is "
                          "estimated to be faster.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&CollectiveSelection::m_nvlsMembers),
                          MakeUintegerChecker<uint32_t>());
    return tid;
}

CollectiveSelection::CollectiveSelection()
{
    NS_LOG_FUNCTION(this);
}

CollectiveSelection::~CollectiveSelection()
{
    NS_LOG_FUNCTION(this);
}

void
CollectiveSelection::Add(Ptr<const CollectiveAlgorithm> algorithm)
{
    NS_LOG_FUNCTION(this << algorithm);
    for (const auto& other : m_algorithms)
    {
        NS_ABORT_MSG_IF(other->GetName() == algorithm->GetName(),
                        "there is a collective algorithm " << other->GetName() << " already");
    }
    m_algorithms.push_back(algorithm);
}

std::vector<std::string>
CollectiveSelection::GetNames(CollectiveKind kind) const
{
    std::vector<std::string> names;
    for (const auto& algorithm : m_algorithms)
    {
        if (algorithm->Supports(kind))
        {
            names.push_back(algorithm->GetName());
        }
    }
    return names;
}

void
CollectiveSelection::Choose(CollectiveKind kind,
                            std::optional<Dimension> dimension,
                            const std::string& name,
                            std::optional<CollectiveProtocol> protocol)
{
    NS_LOG_FUNCTION(this << ToString(kind) << name);
    const auto* algorithm = Find(kind, name);
    NS_ABORT_MSG_UNLESS(algorithm || name == AUTO,
                        "no collective algorithm " << name << " was added that does "
                                                   << ToString(kind));
    // A null algorithm is AUTO: an automatic choice in this dimension, whatever others are asked
    // for.
    m_choices[{kind, dimension}] = {algorithm, protocol};
}

void
CollectiveSelection::SetCosts(Ptr<const CollectiveCosts> costs)
{
    NS_LOG_FUNCTION(this << costs);
    m_costs = costs;
}

CollectivePlan
CollectiveSelection::Select(const CollectiveCall& call, Dimension dimension) const
{
    CollectivePlan plan;
    std::vector<Candidate> candidates;
    // In this order: what was asked for, NvlsMembers, the job's dimension, a torus, the estimates.
    const auto* choice = FindChoice(call, dimension);
    [[maybe_unused]] const char* reason = "as asked for"; // NS_LOG alone reads it
    if (choice)
    {
        plan.algorithm = choice->algorithm;
        AddCandidates(call, plan.algorithm, candidates);
    }
    else if (const auto* reducer = FindAskedReducer(call))
    {
        plan.algorithm = reducer;
        reason = "by NvlsMembers";
    }
    else if (const auto* suited = IsCopied(call, dimension) ? FindCopier(call.kind)
                                  : IsByDimensions(call)    ? Find(call.kind, "bucket")
                                                            : nullptr)
    {
        plan.algorithm = suited;
        reason = "by dimension";
    }
    else
    {
        candidates = GetCandidates(call);
        plan.algorithm = candidates.empty() ? FindByKind(call) : candidates.front().algorithm;
        reason = candidates.empty() ? "by kind" : "the fastest";
    }
    if (!candidates.empty())
    {
        plan.protocol = std::min_element(candidates.begin(), candidates.end(), IsFaster)->protocol;
    }
    if (choice && choice->protocol)
    {
        plan.protocol = *choice->protocol;
    }
    plan.hasCosts = m_costs != nullptr;
    plan.terms = GetTerms(plan, call);
    if (!plan.algorithm->RunsKernels())
    {
        plan.terms.launch = Time(0); // stands in a stream ahead of its time, as computations do
    }
    NS_LOG_INFO(ToString(call.kind) << " of " << call.bytes << " bytes on " << call.size << " in "
                                    << ToString(dimension) << ": " << plan.GetName() << ", "
                                    << reason << "; estimates: " << Describe(call));
    return plan;
}

CollectiveTerms
CollectiveSelection::GetTerms(const CollectivePlan& plan, const CollectiveCall& call) const
{
    if (m_costs)
    {
        const auto layout = CollectiveLayout::Of(call);
        auto terms = plan.algorithm->GetTerms(plan.protocol, layout, *m_costs);
        const auto complete = plan.Complete(call);
        // Splits differ from message to message, see CollectivePlan::GetWireBytes().
        terms.serverShare *= call.splits ? 1 : plan.algorithm->GetUsedShare(complete);
        m_costs->AddBundle(terms, plan.protocol, plan.algorithm->GetBundle(complete));
        const auto* channels = call.placement ? call.placement->GetChannels() : nullptr;
        if (channels && plan.protocol == CollectiveProtocol::LL)
        {
            terms.nicShare = m_costs->GetLlHostShare();
        }
        return terms;
    }
    CollectiveTerms terms;
    // Without costs, what the attributes of the algorithm say.
    terms.launch = plan.algorithm->GetLaunchLatency();
    terms.serverLatency = plan.algorithm->GetStepLatency();
    terms.networkLatency = plan.algorithm->GetStepLatency();
    return terms;
}

const CollectiveAlgorithm*
CollectiveSelection::FindLeft(const CollectiveCall& call, Dimension dimension) const
{
    for (const auto& scope : {Scope(call.kind, dimension), Scope(call.kind, std::nullopt)})
    {
        const auto choice = m_choices.find(scope);
        const auto* algorithm = choice == m_choices.end() ? nullptr : choice->second.algorithm;
        if (algorithm && !algorithm->Suits(call) && algorithm->LeavesUnsupported(call))
        {
            return algorithm;
        }
    }
    return nullptr;
}

std::vector<CollectiveSelection::Candidate>
CollectiveSelection::GetCandidates(const CollectiveCall& call) const
{
    std::vector<Candidate> candidates;
    for (const auto& algorithm : m_algorithms)
    {
        if (algorithm->Supports(call.kind))
        {
            AddCandidates(call, PeekPointer(algorithm), candidates);
        }
    }
    // Stable: of equal estimates the algorithm added first.
    std::stable_sort(candidates.begin(), candidates.end(), IsFaster);
    return candidates;
}

std::string
CollectiveSelection::Describe(const CollectiveCall& call) const
{
    std::ostringstream text;
    text << std::fixed << std::setprecision(1);
    const char* separator = "";
    for (const auto& candidate : GetCandidates(call))
    {
        // Estimates are in seconds, printed in microseconds.
        text << separator << candidate.algorithm->GetName() << "/" << ToString(candidate.protocol)
             << " " << 1e6 * candidate.seconds << " us";
        separator = ", ";
    }
    return text.str();
}

const CollectiveAlgorithm*
CollectiveSelection::Find(CollectiveKind kind, const std::string& name) const
{
    return FindIf([kind, &name](const CollectiveAlgorithm& algorithm) {
        return algorithm.Supports(kind) &&
               (algorithm.GetName() == name || algorithm.GetInstanceTypeId().GetName() == name);
    });
}

const CollectiveAlgorithm*
CollectiveSelection::FindIf(const std::function<bool(const CollectiveAlgorithm&)>& isMeant) const
{
    const auto found =
        std::find_if(m_algorithms.begin(), m_algorithms.end(), [&isMeant](const auto& algorithm) {
            return isMeant(*algorithm);
        });
    return found != m_algorithms.end() ? PeekPointer(*found) : nullptr;
}

const CollectiveSelection::Choice*
CollectiveSelection::FindChoice(const CollectiveCall& call, Dimension dimension) const
{
    // The choice for the dimension goes before that for all dimensions.
    for (const auto& scope : {Scope(call.kind, dimension), Scope(call.kind, std::nullopt)})
    {
        const auto choice = m_choices.find(scope);
        if (choice == m_choices.end())
        {
            continue;
        }
        // AUTO for a dimension, though one was asked for in all others.
        if (!choice->second.algorithm)
        {
            return nullptr;
        }
        // Parts of different lengths are for algorithms that do not relay them.
        const auto& algorithm = *choice->second.algorithm;
        if ((!call.splits && !algorithm.LeavesUnsupported(call)) || algorithm.Suits(call))
        {
            return &choice->second;
        }
    }
    return nullptr;
}

const CollectiveAlgorithm*
CollectiveSelection::FindByKind(const CollectiveCall& call) const
{
    if (const auto* suited = Find(call.kind, GetNameByKind(call, m_chainBytes)))
    {
        return suited;
    }
    const auto* any = FindIf(
        [&call](const CollectiveAlgorithm& algorithm) { return algorithm.Supports(call.kind); });
    NS_ABORT_MSG_UNLESS(any,
                        "no collective algorithm was added that does "
                            << ToString(call.kind) << "; see CollectiveSelection::Add");
    return any;
}

const CollectiveAlgorithm*
CollectiveSelection::FindAskedReducer(const CollectiveCall& call) const
{
    const bool isAsked = m_costs && m_nvlsMembers > 0 && call.size >= m_nvlsMembers &&
                         call.kind == CollectiveKind::ALL_REDUCE &&
                         CollectiveLayout::Of(call).servers == 1;
    return FindIf([&call, isAsked](const CollectiveAlgorithm& algorithm) {
        return isAsked && algorithm.GetSwitches() == CollectiveAlgorithm::Switches::NVLINK &&
               algorithm.Supports(call.kind) && algorithm.Suits(call);
    });
}

const CollectiveAlgorithm*
CollectiveSelection::FindCopier(CollectiveKind kind) const
{
    return FindIf([kind](const CollectiveAlgorithm& algorithm) {
        return !algorithm.RunsKernels() && algorithm.Supports(kind);
    });
}

void
CollectiveSelection::AddCandidates(const CollectiveCall& call,
                                   const CollectiveAlgorithm* algorithm,
                                   std::vector<Candidate>& candidates) const
{
    // Nothing is estimated without costs, and one member communicates with nobody.
    if (!m_costs || call.size == 1)
    {
        return;
    }
    for (const auto protocol : GetCollectiveProtocols())
    {
        const auto seconds = algorithm->Estimate(call, protocol, *m_costs);
        if (seconds)
        {
            candidates.push_back({algorithm, protocol, *seconds});
        }
    }
}

} // namespace ns3
