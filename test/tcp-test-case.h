/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef TCP_TEST_CASE_H
#define TCP_TEST_CASE_H

#include "transport-test-case.h"

#include "ns3/ipv4-interface-container.h"
#include "ns3/net-device-container.h"
#include "ns3/node-container.h"
#include "ns3/nstime.h"
#include "ns3/object-factory.h"
#include "ns3/queue-disc-container.h"
#include "ns3/test.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief Ranks on two hosts with a link between them.
 */
class TcpTestCase : public TransportTestCase
{
  public:
    using TransportTestCase::TransportTestCase;

  protected:
    void DoSetup() override;

    /**
     * @param rate rate of the link
     * @param delay delay of the link
     */
    void MakeHosts(const std::string& rate = "10Gbps", Time delay = MicroSeconds(1));

    /**
     * Put ranks on the hosts in turn.
     *
     * @param ranks number of ranks
     */
    void MakeRanks(uint32_t ranks);

    /**
     * Have each host lose packets that reach it.
     *
     * @param share share of packets lost
     */
    void LosePackets(double share);

    void DoTeardown() override;

    ObjectFactory m_factory;      //!< makes the transports
    uint16_t m_mtu{9000};         //!< MTU of the link
    double m_redThreshold{0};     //!< queue length where RED marks, packets; 0 = a long plain queue
    NodeContainer m_nodes;        //!< the hosts
    NetDeviceContainer m_devices; //!< their devices
    QueueDiscContainer m_queueDiscs;     //!< RED of the devices, if any
    Ipv4InterfaceContainer m_interfaces; //!< their addresses
    std::vector<std::string> m_failures; //!< failed connections, as "rank-peer: reason"
    uint32_t m_retransmissions{0};       //!< segments retransmitted
    uint64_t m_retransmittedBytes{0};    //!< data in them

  private:
    /**
     * Trace sink.
     *
     * @param rank a rank
     * @param peer whom it sends to
     * @param reason why the connection has failed
     */
    void Fail(uint32_t rank, uint32_t peer, const std::string& reason);

    /**
     * Trace sink.
     *
     * @param rank a rank
     * @param peer whom it sends to
     * @param bytes data in the segment
     */
    void Retransmit(uint32_t rank, uint32_t peer, uint32_t bytes);
};

/**
 * @ingroup workload-replay-tests
 * @brief Make the cases about lost packets, queues and connections that fail.
 *
 * @return new test cases, which the caller owns
 */
std::vector<TestCase*> MakeTcpLossTestCases();

} // namespace ns3

#endif /* TCP_TEST_CASE_H */
