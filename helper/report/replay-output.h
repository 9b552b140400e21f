/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef REPLAY_OUTPUT_H
#define REPLAY_OUTPUT_H

#include "replay-result.h"

#include "ns3/message-transport.h"
#include "ns3/nstime.h"
#include "ns3/object.h"
#include "ns3/ptr.h"
#include "ns3/replay-records.h"
#include "ns3/topology-graph.h"
#include "ns3/workload.h"

#include <ostream>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief A file of results beside those of ReplayFiles, which the option files names.
 *
 * It registers itself with NS_STRATEGY_ENSURE_REGISTERED(), under the name of its file, such as
 * steps.csv, and is written like all others where there is an outputDir: under that name when it is
 * complete, compressed if the user asks for NAME.gz. It is notified of what it wants, in the order
 * of time, the same in one process and in several. To notify it of something means that this
 * happens one by one: who wants messages turns reuse of collectives off.
 */
class ReplayOutput : public Object
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    ReplayOutput();
    ~ReplayOutput() override;

    /// @return whether it wants to be notified of ops; here not
    virtual bool WantsOps() const;

    /// @return whether it wants to be notified of collectives; here not
    virtual bool WantsCollectives() const;

    /// @return whether it wants to be notified of messages; here not
    virtual bool WantsMessages() const;

    /**
     * The run begins.
     *
     * @param os where the content goes, during the run
     * @param workload the job
     * @param graph the topology that it runs on
     */
    virtual void Begin(std::ostream& os, const Workload& workload, const TopologyGraph& graph) = 0;

    /**
     * @param record an op that has finished
     */
    virtual void AddOp(const OpRecord& record);

    /**
     * @param record a collective that a member is done with
     */
    virtual void AddCollective(const CollectiveRecord& record);

    /**
     * @param message a message
     * @param arrival when it has arrived
     */
    virtual void AddMessage(const Message& message, Time arrival);

    /**
     * The run has ended, or was stopped.
     *
     * @param result the result, which need not be complete
     */
    virtual void End(const ReplayResult& result);
};

} // namespace ns3

#endif /* REPLAY_OUTPUT_H */
