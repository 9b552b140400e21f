/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef COLLECTIVE_SELECTION_H
#define COLLECTIVE_SELECTION_H

#include "collective-algorithm.h"
#include "collective-costs.h"

#include "ns3/ptr.h"

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief How a collective is carried out.
 */
struct CollectivePlan
{
    const CollectiveAlgorithm* algorithm{nullptr};           //!< the algorithm; never null
    CollectiveProtocol protocol{CollectiveProtocol::SIMPLE}; //!< the protocol
    bool hasCosts{
        false}; //!< whether protocols cost anything, else there is nothing to report of them
    CollectiveTerms terms; //!< what it costs beside the payload; of a call with splits without the
                           //!< share of NVLink that a message uses, as that is up to its length

    /**
     * @return name in reports: ALGORITHM, or ALGORITHM/PROTOCOL where protocols have costs
     */
    std::string GetName() const;

    /**
     * @param call a collective
     * @return the same with the protocol of the plan
     */
    CollectiveCall Complete(const CollectiveCall& call) const;

    /**
     * Both ends of a message come to the same.
     *
     * @param call the collective that the plan is for
     * @param transfer a transfer of the member that calls it
     * @return what goes over the wire, bytes
     */
    uint64_t GetWireBytes(const CollectiveCall& call, const CollectiveTransfer& transfer) const;
};

/**
 * @ingroup workload-replay
 * @brief Says which algorithm carries out a collective, and with which protocol.
 *
 * A choice for the kind in the dimension wins over one for the kind, and that over the automatic
 * choice. Of an all-to-all with splits a choice is not looked at that cannot do it, nor one that
 * leaves what it cannot do to others, see CollectiveAlgorithm::LeavesUnsupported().
 *
 * With costs the automatic choice is NCCL's (tuning.cc): every algorithm that supports the kind
 * says how long it would take with each protocol, see CollectiveAlgorithm::Estimate(), and the
 * shortest time wins; of equal times the first. An algorithm that was chosen without protocol
 * takes its fastest one.
 *
 * Without costs, and where no algorithm gives an estimate, the kind decides:
 *
 * - all-reduce, all-gather, reduce-scatter: ring;
 * - all-to-all, gather, scatter, shift: direct; shift in a tensor parallel group of servers: copy;
 * - broadcast, reduce: chain from ChainBytes on, tree below;
 * - barrier: halving-doubling.
 *
 * Where that one was not added, the first algorithm added that supports the kind.
 *
 * One object serves all ranks of a job, and the choice depends on nothing that members see
 * differently, so that the members of a communicator agree.
 */
class CollectiveSelection : public Object
{
  public:
    /// What chooses as if nothing had been chosen, which a dimension may ask for itself.
    static constexpr const char* AUTO = "auto";

    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    CollectiveSelection();
    ~CollectiveSelection() override;

    /**
     * @param algorithm an algorithm to choose from; its name must be new
     */
    void Add(Ptr<const CollectiveAlgorithm> algorithm);

    /**
     * @param kind a kind of collective
     * @return names of the algorithms that support it, in the order they were added
     */
    std::vector<std::string> GetNames(CollectiveKind kind) const;

    /**
     * @param kind a kind of collective
     * @param name name of an algorithm, or of its TypeId
     * @return the algorithm; null if none of that name was added or it does not support the kind
     */
    const CollectiveAlgorithm* Find(CollectiveKind kind, const std::string& name) const;

    /**
     * Choose the algorithm of a kind of collective. A later choice for the same takes its place.
     *
     * @param kind the kind
     * @param dimension the dimension whose communicators are meant; nullopt = all that have no
     *                  choice of their own
     * @param name name of an algorithm that was added and supports the kind, or AUTO; else it
     *             aborts
     * @param protocol the protocol; nullopt = the fastest, as AUTO has it
     */
    void Choose(CollectiveKind kind,
                std::optional<Dimension> dimension,
                const std::string& name,
                std::optional<CollectiveProtocol> protocol = std::nullopt);

    /**
     * @param costs what collectives cost; null = nothing but the attributes of the algorithms
     */
    void SetCosts(Ptr<const CollectiveCosts> costs);

    /**
     * @param call a collective; which member calls it makes no difference
     * @param dimension dimension of its communicator
     * @return how it is carried out; aborts if no algorithm was added that supports the kind
     */
    CollectivePlan Select(const CollectiveCall& call, Dimension dimension) const;

    /**
     * @param call a collective; which member calls it makes no difference
     * @param dimension dimension of its communicator
     * @return the algorithm that was asked for and leaves the call to the automatic choice, see
     *         CollectiveAlgorithm::LeavesUnsupported(); null = none
     */
    const CollectiveAlgorithm* FindLeft(const CollectiveCall& call, Dimension dimension) const;

    /// How long a collective would take.
    struct Candidate
    {
        const CollectiveAlgorithm* algorithm{nullptr};           //!< with which algorithm
        CollectiveProtocol protocol{CollectiveProtocol::SIMPLE}; //!< and protocol
        double seconds{0};                                       //!< the estimate
    };

    /**
     * @param call a collective
     * @return what the automatic choice chooses from, fastest first; empty without costs, or if no
     *         algorithm gives an estimate for the kind
     */
    std::vector<Candidate> GetCandidates(const CollectiveCall& call) const;

    /**
     * @param call a collective
     * @return the same in one line for people: "ring/ll 35.1 us, tree/ll 36.0 us, ..."
     */
    std::string Describe(const CollectiveCall& call) const;

  private:
    /// What was chosen for a scope.
    struct Choice
    {
        const CollectiveAlgorithm* algorithm{nullptr}; //!< the algorithm; null = as without choice
        std::optional<CollectiveProtocol> protocol;    //!< the protocol; nullopt = the fastest
    };

    /**
     * @param call a collective
     * @param dimension dimension of its communicator
     * @return what was chosen for it; null = nothing
     */
    const Choice* FindChoice(const CollectiveCall& call, Dimension dimension) const;

    /**
     * @param call a collective
     * @return the algorithm that suits its kind
     */
    const CollectiveAlgorithm* FindByKind(const CollectiveCall& call) const;

    /**
     * @param plan algorithm and protocol
     * @param call a collective
     * @return what the call costs beside the payload
     */
    CollectiveTerms GetTerms(const CollectivePlan& plan, const CollectiveCall& call) const;

    /**
     * @param isMeant whether an algorithm is meant
     * @return the first one added that is meant; null = none is
     */
    const CollectiveAlgorithm* FindIf(
        const std::function<bool(const CollectiveAlgorithm&)>& isMeant) const;

    /**
     * @param call a collective
     * @return the algorithm in which NVSwitches reduce, if NvlsMembers asks for it; else null
     */
    const CollectiveAlgorithm* FindAskedReducer(const CollectiveCall& call) const;

    /**
     * @param kind a kind of collective
     * @return the algorithm by which copy engines carry it out; null = none was added
     */
    const CollectiveAlgorithm* FindCopier(CollectiveKind kind) const;

    /**
     * @param call a collective
     * @param algorithm an algorithm
     * @param [in,out] candidates where to add it with each protocol, if it gives an estimate
     */
    void AddCandidates(const CollectiveCall& call,
                       const CollectiveAlgorithm* algorithm,
                       std::vector<Candidate>& candidates) const;

    /// A kind and a dimension; nullopt = all dimensions.
    using Scope = std::pair<CollectiveKind, std::optional<Dimension>>;

    std::vector<Ptr<const CollectiveAlgorithm>> m_algorithms; //!< in the order they were added
    std::map<Scope, Choice> m_choices;                        //!< what was chosen
    Ptr<const CollectiveCosts> m_costs; //!< what collectives cost; null = nothing
    uint64_t m_chainBytes;              //!< size from which on chain is used
    uint32_t m_nvlsMembers;             //!< members from which on NVLS is used; 0 = by time
};

} // namespace ns3

#endif /* COLLECTIVE_SELECTION_H */
