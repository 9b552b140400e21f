/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef COLLECTIVE_SELECTION_H
#define COLLECTIVE_SELECTION_H

#include "collective-algorithm.h"

#include "ns3/ptr.h"

#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief Says which algorithm carries out a collective.
 *
 * One object serves all ranks of a job, so that the members of a communicator agree.
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
     * @param algorithm an algorithm to choose from; earlier ones are preferred
     */
    void Add(Ptr<const CollectiveAlgorithm> algorithm);

    /**
     * @param kind a kind of collective
     * @return the first algorithm added that supports it; aborts if there is none
     */
    const CollectiveAlgorithm& Select(CollectiveKind kind) const;

  private:
    std::vector<Ptr<const CollectiveAlgorithm>> m_algorithms; //!< in the order of preference
};

} // namespace ns3

#endif /* COLLECTIVE_SELECTION_H */
