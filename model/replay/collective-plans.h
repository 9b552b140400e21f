/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef COLLECTIVE_PLANS_H
#define COLLECTIVE_PLANS_H

#include "rank-messenger.h"

#include "ns3/collective-message-count.h"
#include "ns3/collective-selection.h"
#include "ns3/ptr.h"
#include "ns3/workload-program.h"

#include <cstdint>
#include <map>
#include <tuple>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief How a rank's collectives are carried out, and what it receives by them.
 *
 * A program repeats few calls, and CollectiveSelection estimates every algorithm with every
 * protocol to plan one. So each is planned once.
 */
class CollectivePlans
{
  public:
    /**
     * @param messenger speaks for the rank; must outlive this
     */
    explicit CollectivePlans(const RankMessenger& messenger);

    /**
     * @param algorithms chooses algorithms; null = nothing is planned from now on
     */
    void SetSelection(Ptr<const CollectiveSelection> algorithms);

    /**
     * @param op a collective of the rank's program
     * @param call its call, as RankMessenger::MakeCall() makes it
     * @return how it is carried out
     */
    CollectivePlan Find(const WorkloadOp& op, const CollectiveCall& call) const;

    /**
     * @param program the rank's program
     * @return bytes that an iteration of the rank receives
     */
    uint64_t CountExpectedBytes(const WorkloadProgram& program) const;

    /**
     * @param program the rank's program
     * @param [in,out] counts counts messages of collectives; to be shared by the ranks of a job
     * @return messages that an iteration of the rank receives, as near as counts allows
     */
    uint64_t CountExpectedMessages(const WorkloadProgram& program,
                                   CollectiveMessageCount& counts) const;

  private:
    /// What distinguishes the calls of a rank, but for their splits: slot of the communicator,
    /// kind, bytes, root.
    using Key = std::tuple<uint32_t, CollectiveKind, uint64_t, uint32_t>;

    /**
     * @param op a collective
     * @param call its call
     * @return what distinguishes it
     */
    static Key MakeKey(const WorkloadOp& op, const CollectiveCall& call);

    const RankMessenger& m_messenger;              //!< speaks for the rank
    Ptr<const CollectiveSelection> m_algorithms;   //!< chooses algorithms
    mutable std::map<Key, CollectivePlan> m_plans; //!< made so far, of calls without splits
};

} // namespace ns3

#endif /* COLLECTIVE_PLANS_H */
