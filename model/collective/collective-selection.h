/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef COLLECTIVE_SELECTION_H
#define COLLECTIVE_SELECTION_H

#include "collective-algorithm.h"

#include "ns3/ptr.h"

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief Says which algorithm carries out a collective.
 *
 * A choice for the kind in the dimension wins over one for the kind, and that over the automatic
 * choice:
 *
 * - all-reduce, all-gather, reduce-scatter: ring;
 * - all-to-all, shift, gather, scatter: direct;
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
     * @return names of all algorithms in the order they were added
     */
    std::vector<std::string> GetNames() const;

    /**
     * @param kind a kind of collective
     * @return names of the algorithms that support it, in the order they were added
     */
    std::vector<std::string> GetNames(CollectiveKind kind) const;

    /**
     * Choose the algorithm of a kind of collective. A later choice for the same takes its place.
     *
     * @param kind the kind
     * @param dimension the dimension whose communicators are meant; nullopt = all that have no
     *                  choice of their own
     * @param name name of an algorithm that was added and supports the kind; else it aborts
     */
    void Choose(CollectiveKind kind, std::optional<Dimension> dimension, const std::string& name);

    /**
     * @param call a collective; which member calls it makes no difference
     * @param dimension dimension of its communicator
     * @return the algorithm; aborts if none was added that supports the kind
     */
    const CollectiveAlgorithm& Select(const CollectiveCall& call, Dimension dimension) const;

  private:
    /**
     * @param kind a kind of collective
     * @param name name of an algorithm
     * @return the algorithm; null if none of that name was added or it does not support the kind
     */
    const CollectiveAlgorithm* Find(CollectiveKind kind, const std::string& name) const;

    /**
     * @param call a collective
     * @return name of the algorithm that suits it
     */
    std::string GetAutomaticName(const CollectiveCall& call) const;

    /// A kind and a dimension; nullopt = all dimensions.
    using Scope = std::pair<CollectiveKind, std::optional<Dimension>>;

    std::vector<Ptr<const CollectiveAlgorithm>> m_algorithms;    //!< in the order they were added
    std::map<Scope, const CollectiveAlgorithm*> m_choices;       //!< what was chosen
    uint64_t m_chainBytes;                                       //!< size from which on chain is used
};

} // namespace ns3

#endif /* COLLECTIVE_SELECTION_H */
