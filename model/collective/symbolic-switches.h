/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef SYMBOLIC_SWITCHES_H
#define SYMBOLIC_SWITCHES_H

#include "symbolic-connections.h"

#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief The sums that switches make of the messages of a SymbolicRun.
 */
class SymbolicSwitches
{
  public:
    /// What comes of a contribution. A fault has no step: its pipeline is that of the contribution.
    struct Outcome
    {
        std::shared_ptr<SymbolicMessage> total;         //!< the sum; null = it is not complete
        std::vector<SymbolicConnections::Route> routes; //!< where it goes
        std::optional<CollectiveFault> fault;           //!< what is wrong; none = nothing
    };

    /**
     * Do as an NVSwitch does: add up what all members of a server have sent.
     *
     * @param message what one contributes
     * @param route how the sum goes, to the member that gets it
     * @param placement where members are
     * @param sums sets of members
     * @return what comes of it
     */
    Outcome AddInServer(const std::shared_ptr<SymbolicMessage>& message,
                        const SymbolicConnections::Route& route,
                        const CollectivePlacement& placement,
                        SymbolicSums& sums);

    /**
     * Do as a tree of network switches does: add up what the heads of all servers have sent, to
     * send it to all of them.
     *
     * @param message what one contributes
     * @param placement where members are
     * @param sums sets of members
     * @return what comes of it
     */
    Outcome AddInNetwork(const std::shared_ptr<SymbolicMessage>& message,
                         const CollectivePlacement& placement,
                         SymbolicSums& sums);

    /**
     * @return what is wrong with sums that are not complete; none = there are none
     */
    std::optional<CollectiveFault> FindLeft() const;

  private:
    /// Contributions to the sum that a switch makes.
    struct SwitchSum
    {
        std::vector<std::list<std::shared_ptr<SymbolicMessage>>> given; //!< by who contributes
    };

    /**
     * @param sum contributions, one of each at least
     * @param sums sets of members
     * @return the sum of the first of each, which are gone then; or a fault, if they do not fit
     *         each other
     */
    static Outcome AddUp(SwitchSum& sum, SymbolicSums& sums);

    /// By server, receiver and pipeline.
    std::map<SymbolicConnections::Route, SwitchSum> m_sums;
    std::map<uint32_t, std::set<uint32_t>> m_heads; //!< who speaks to the network, by pipeline
};

} // namespace ns3

#endif /* SYMBOLIC_SWITCHES_H */
