/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef REPLAY_HELPER_H
#define REPLAY_HELPER_H

#include "ns3/application-container.h"
#include "ns3/callback.h"
#include "ns3/collective-selection.h"
#include "ns3/message-transport.h"
#include "ns3/node-container.h"
#include "ns3/object-factory.h"
#include "ns3/replay-application.h"
#include "ns3/workload.h"

#include <memory>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief Installs the ranks of a workload on nodes.
 */
class ReplayHelper
{
  public:
    /**
     * @param workload the job to replay
     */
    explicit ReplayHelper(std::shared_ptr<const Workload> workload);

    /**
     * Set an attribute of the applications to be created.
     *
     * @param name name of an attribute of ReplayApplication
     * @param value its value
     */
    void SetAttribute(const std::string& name, const AttributeValue& value);

    /**
     * Set how collectives are carried out. Without a call: ring with its default attributes for
     * all-reduce, all-gather and reduce-scatter, direct for the rest.
     *
     * @param algorithms the algorithms to choose from
     */
    void SetAlgorithms(Ptr<const CollectiveSelection> algorithms);

    /**
     * Install rank i on node i.
     *
     * @param nodes at least as many nodes as the workload has ranks; a node may appear repeatedly
     * @param transports the transport of each rank
     * @return the applications by rank
     */
    ApplicationContainer Install(const NodeContainer& nodes,
                                 const std::vector<Ptr<MessageTransport>>& transports) const;

    /**
     * Install rank i on node i, over TCP with default attributes, when the nodes have an internet
     * stack, addresses and routes. The rank's address is the first one that is not loopback.
     *
     * @param nodes at least as many nodes as the workload has ranks; a node may appear repeatedly
     * @return the applications by rank
     */
    ApplicationContainer InstallTcp(const NodeContainer& nodes) const;

    /**
     * Tell what keeps a replay from finishing; to be called after Simulator::Run().
     *
     * @param applications applications installed by this helper, by rank
     * @return one line for each unfinished rank and stream, then the cycle of ranks that wait for
     *         each other if there is one; empty if all ranks have finished
     */
    static std::vector<std::string> DescribeWaits(const ApplicationContainer& applications);

    /**
     * @return the algorithms used when none are set
     */
    static Ptr<CollectiveSelection> CreateDefaultAlgorithms();

  private:
    std::shared_ptr<const Workload> m_workload;  //!< the job
    ObjectFactory m_factory;                     //!< makes the applications
    Ptr<const CollectiveSelection> m_algorithms; //!< how collectives are carried out
};

} // namespace ns3

#endif /* REPLAY_HELPER_H */
