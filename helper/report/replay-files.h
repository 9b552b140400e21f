/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef REPLAY_FILES_H
#define REPLAY_FILES_H

#include "collective-file.h"
#include "flow-file.h"
#include "op-file.h"
#include "replay-result.h"
#include "trace-file.h"

#include "ns3/application-container.h"
#include "ns3/message-transport.h"
#include "ns3/ptr.h"
#include "ns3/topology-graph.h"
#include "ns3/workload.h"

#include <memory>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief Listens to the ranks of a replay and writes all its files.
 *
 * Rows are written as things happen, so that memory does not grow with the length of the run.
 * Equal runs give equal files, but for the object "run" of summary.json.
 */
class ReplayFiles
{
  public:
    /**
     * @param directory where the files go; PrepareOutputDirectory() has found nothing wrong with it
     * @param workload the job
     * @param graph the topology it runs on
     */
    ReplayFiles(const std::string& directory,
                std::shared_ptr<const Workload> workload,
                const TopologyGraph& graph);

    /**
     * Listen to ranks and transports. This object must outlive the simulation.
     *
     * @param applications applications of ReplayHelper
     * @param transports their transports
     */
    void Connect(const ApplicationContainer& applications,
                 const std::vector<Ptr<MessageTransport>>& transports);

    /**
     * Close all files, and give them their names; summary.json comes last, so that the others are
     * complete where it says so.
     *
     * @param result the result, which need not be complete
     * @return what could not be written, one line each
     */
    std::vector<std::string> Finish(const ReplayResult& result);

  private:
    /**
     * Trace sink: an op has finished.
     *
     * @param record the op
     */
    void AddOp(const OpRecord& record);

    /**
     * Trace sink: a member is done with a collective.
     *
     * @param record the collective
     */
    void AddCollective(const CollectiveRecord& record);

    /**
     * Trace sink: a message has arrived.
     *
     * @param message the message
     */
    void AddMessage(const Message& message);

    std::string m_directory;      //!< where the files go
    OpFile m_ops;                 //!< ops.csv
    CollectiveFile m_collectives; //!< collectives.csv
    FlowFile m_flows;             //!< flows.csv
    TraceFile m_trace;            //!< trace.json
};

} // namespace ns3

#endif /* REPLAY_FILES_H */
