/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef FLOW_FILE_H
#define FLOW_FILE_H

#include "ideal-message-time.h"
#include "output-file.h"

#include "ns3/message-transport.h"
#include "ns3/topology-graph.h"
#include "ns3/workload.h"

#include <memory>
#include <string>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief Writes flows.csv: a row for each message, in the order in which they arrive.
 *
 * A message begins when the sender hands it to its transport, so that waiting for earlier messages
 * of the same connection is part of its time. The column path is empty: the packets of a message
 * need not all take the same one, and no transport watches each of them.
 */
class FlowFile
{
  public:
    /**
     * @param directory where the file goes
     * @param workload the job
     * @param graph the topology it runs on
     */
    FlowFile(const std::string& directory,
             std::shared_ptr<const Workload> workload,
             const TopologyGraph& graph);

    /**
     * @param message a message that arrives now
     */
    void Add(const Message& message);

    /**
     * @return what OutputFile::Finish() returns
     */
    std::string Finish();

  private:
    OutputFile m_file;                          //!< the file
    std::shared_ptr<const Workload> m_workload; //!< the job
    IdealMessageTime m_idealTime;               //!< for the column ideal_ns
};

} // namespace ns3

#endif /* FLOW_FILE_H */
