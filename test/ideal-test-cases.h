/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef IDEAL_TEST_CASES_H
#define IDEAL_TEST_CASES_H

#include "transport-test-case.h"

#include "ns3/ideal-message-transport.h"
#include "ns3/ideal-network.h"
#include "ns3/test.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay-tests
 * @brief Ranks with a port each in an ideal network; 8 Gbit/s is one byte per ns.
 */
class IdealTestCase : public TransportTestCase
{
  public:
    using TransportTestCase::TransportTestCase;

  protected:
    /// Delay of all paths.
    static inline const Time DELAY = NanoSeconds(500);

    /**
     * @param rates rate of each rank's port
     * @return the network
     */
    Ptr<IdealNetwork> MakeRanks(const std::vector<std::string>& rates)
    {
        auto network = CreateObject<IdealNetwork>();
        network->SetPathFinder(MakeCallback(&IdealTestCase::FindPath));
        for (uint32_t rank = 0; rank < rates.size(); rank++)
        {
            network->AddPort(DataRate(rates[rank]));
            auto transport = CreateObject<IdealMessageTransport>();
            transport->SetNetwork(network, rank);
            AddRank(transport);
        }
        return network;
    }

    /**
     * Check when a message was sent, and that it arrived the delay later.
     *
     * @param number the message
     * @param sent when it was to be sent, ns
     */
    void ExpectSent(uint32_t number, int64_t sent)
    {
        ExpectTimes(number, NanoSeconds(sent), NanoSeconds(sent) + DELAY);
    }

  private:
    /**
     * @param source a rank
     * @param destination a rank
     * @return the path between their ports
     */
    static IdealPath FindPath(uint32_t source, uint32_t destination)
    {
        return {source, destination, DELAY};
    }
};

/**
 * @ingroup workload-replay-tests
 * @return cases of the order in which messages are sent and arrive; the caller owns them
 */
std::vector<TestCase*> MakeIdealOrderTestCases();

/**
 * @ingroup workload-replay-tests
 * @return cases of parts that IdealNetwork carries together; the caller owns them
 */
std::vector<TestCase*> MakeIdealTrainTestCases();

} // namespace ns3

#endif /* IDEAL_TEST_CASES_H */
