/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef REPLAY_LISTENER_H
#define REPLAY_LISTENER_H

#include "output-selection.h"
#include "replay-sink.h"
#include "trace-selection.h"

#include "ns3/application-container.h"
#include "ns3/message-transport.h"
#include "ns3/nstime.h"
#include "ns3/ptr.h"

#include <cstdint>
#include <variant>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief Listens to the ranks of a replay and reports to a sink what happens, in the sink's order:
 * what happens at one time is kept until that time is over.
 */
class ReplayListener
{
  public:
    /**
     * @param sink what is notified; must outlive this
     */
    explicit ReplayListener(ReplaySink& sink);

    /**
     * Listen to ranks: their collectives and iterations. This object must outlive the simulation.
     *
     * @param applications applications of ReplayHelper
     */
    void ConnectApplications(const ApplicationContainer& applications);

    /**
     * Listen to the ops of ranks, too.
     *
     * @param applications applications of ReplayHelper
     * @param shown has the ranks that are listened to; null = all of them
     */
    void ConnectOps(const ApplicationContainer& applications, const TraceSelection* shown);

    /**
     * Listen to transports. This object must outlive the simulation.
     *
     * @param transports transports of ranks, or of NVSwitches that take part in collectives; null
     *                   ones are left out
     */
    void ConnectTransports(const std::vector<Ptr<MessageTransport>>& transports);

    /**
     * Listen to what files need of ops and messages, and to nothing else.
     *
     * @param files which files are written
     * @param shown what trace.json shows; null = it is not written
     * @param applications applications of ReplayHelper
     * @param transports all transports
     */
    void ConnectFiles(const OutputSelection& files,
                      const TraceSelection* shown,
                      const ApplicationContainer& applications,
                      const std::vector<Ptr<MessageTransport>>& transports);

    /// Report what is kept: nothing more happens at this time.
    void Flush();

  private:
    /// What happens.
    using Record = std::variant<OpRecord, CollectiveRecord, IterationRecord, Message>;

    /// What happens, and where.
    struct Entry
    {
        uint32_t address; //!< rank, or address of an NVSwitch
        Record record;    //!< what happens
    };

    /**
     * @param record an op that has finished
     */
    void HandleOp(const OpRecord& record);

    /**
     * @param record a collective that a member is done with
     */
    void HandleCollective(const CollectiveRecord& record);

    /**
     * @param record an iteration that a rank has finished
     */
    void HandleIteration(const IterationRecord& record);

    /**
     * @param message a message that arrives
     */
    void HandleMessage(const Message& message);

    /**
     * Keep what happens now.
     *
     * @param address where
     * @param record what
     */
    void Add(uint32_t address, Record record);

    ReplaySink& m_sink;           //!< what is notified
    Time m_time;                  //!< when that is which is kept
    std::vector<Entry> m_entries; //!< what is kept
};

} // namespace ns3

#endif /* REPLAY_LISTENER_H */
