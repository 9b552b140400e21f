/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef REPLAY_WORK_H
#define REPLAY_WORK_H

#include "ns3/application-container.h"
#include "ns3/message-transport.h"
#include "ns3/ptr.h"
#include "ns3/replay-application.h"
#include "ns3/replay-result.h"
#include "ns3/replay-statistics.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief Work of ranks, as what it costs to simulate it.
 */
struct WorkAmount
{
    uint64_t ops{0};      //!< ops
    uint64_t messages{0}; //!< messages received
    uint64_t bytes{0};    //!< their payload
};

/**
 * @ingroup workload-replay
 * @brief Reports which share of a replay is done, so that the time it took foretells the rest.
 *
 * The simulated time is no measure: a second of computing costs nothing, and how long a replay
 * will take in it is what the replay is to find out. What a replay costs the machine are its ops,
 * its messages and, where there are packets, the packets of their payload; all three are known
 * before it begins. It is only looked at, so a replay takes the same course with and without.
 */
class ReplayWork
{
  public:
    /**
     * Foretell the work. Takes time in proportion to the ops of all ranks.
     *
     * @param applications applications of ReplayHelper
     * @param transports their transports
     * @param statistics what has listened to all of them from the start
     * @param fabric the network
     */
    ReplayWork(const ApplicationContainer& applications,
               const std::vector<Ptr<MessageTransport>>& transports,
               std::shared_ptr<const ReplayStatistics> statistics,
               const FabricDescription& fabric);

    /**
     * @return share done, 0 to 1; 1 if there is nothing to do
     */
    double GetShare() const;

    /**
     * The cost of a packet over two or three links is the unit, about 1 us of a processor of 2020;
     * an op costs as much, and a message twice as much besides its packets. Measured with
     * the files of examples/workloads.
     *
     * @param work an amount of work
     * @param packetBytes payload that the network moves at once; 0 = there are no packets
     * @return what it costs to simulate it
     */
    static double GetCost(const WorkAmount& work, uint64_t packetBytes);

  private:
    std::vector<Ptr<ReplayApplication>> m_applications;   //!< the ranks
    std::vector<Ptr<MessageTransport>> m_transports;      //!< their transports
    std::shared_ptr<const ReplayStatistics> m_statistics; //!< listens to them
    uint64_t m_packetBytes; //!< payload that moves at once; 0 = no packets
    WorkAmount m_expected;  //!< work of all ranks
};

} // namespace ns3

#endif /* REPLAY_WORK_H */
