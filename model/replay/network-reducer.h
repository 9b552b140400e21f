/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef NETWORK_REDUCER_H
#define NETWORK_REDUCER_H

#include "switch-reducer.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief What a switch of the network does in collectives (SHARP): adds up what comes from below
 *        in a tree of switches and sends it on up, and sends what comes from above on down.
 *
 * The groups that it knows are the trees that it is in, see ReductionTree. A chunk takes a slot of
 * the switch from its first contribution until its result has been handed to all ports below: how
 * many, the window of the collective's algorithm bounds.
 */
class NetworkReducer : public SwitchReducer
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    NetworkReducer();
    ~NetworkReducer() override;

    std::vector<uint32_t> GetAwaited(uint64_t context) const override;
    std::size_t CountPendingReductions() const override;

    /**
     * @return most bytes of sums that it has held at a time
     */
    uint64_t GetMaxHeldBytes() const;

  private:
    /// The chunk of a pipeline that the switch holds.
    struct Sum
    {
        uint32_t channel{0}; //!< channel of the pipeline
        uint64_t bytes{0};   //!< its length
        /// By child: line of the program that its contribution is from; none = it is awaited.
        std::vector<std::optional<uint32_t>> origins;
    };

    /// A collective of which the switch holds something.
    struct PendingReduction
    {
        CollectiveSignature signature; //!< what the first message says that it is
        std::map<uint32_t, Sum> sums;  //!< by pipeline
    };

    void DoReceive(const Message& message) override;

    /**
     * Check that there is room for the group of a message. If not, that is reported.
     *
     * @param message a message from below
     * @return whether there is
     */
    bool Admit(const Message& message);

    /**
     * @param message a message from below
     * @return what the member says from whom it is
     */
    CollectiveSignature Sign(const Message& message) const;

    /**
     * Add a contribution, and send the sum on if it is complete.
     *
     * @param message the contribution
     * @param place place of the switch in the tree
     */
    void Add(const Message& message, const ReductionTree::Place& place);

    /**
     * Send a result to all below, and forget it.
     *
     * @param message a message of the collective
     * @param place place of the switch in the tree
     */
    void SendDown(Message message, const ReductionTree::Place& place);

    uint32_t m_maxGroups; //!< groups that it serves; 0 = any number
    std::set<std::pair<uint32_t, uint32_t>>
        m_groups; //!< those that have come: communicator, channel
    std::unordered_map<uint64_t, PendingReduction> m_pending; //!< by context; never iterated
    uint64_t m_heldBytes{0};                                  //!< bytes of the sums that it holds
    uint64_t m_maxHeldBytes{0};                               //!< the most so far
};

} // namespace ns3

#endif /* NETWORK_REDUCER_H */
