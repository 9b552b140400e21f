/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_ROUTING_TEST_CASE_H
#define RDMA_ROUTING_TEST_CASE_H

#include "transport-test-case.h"

#include "ns3/rdma-fabric-helper.h"
#include "ns3/topology-graph.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief Messages over a leaf-spine without congestion control; base of the cases of routing.
 *
 * A full packet takes 5000 bytes on the wire, so 400 ns at 100 Gb/s. Every link has a delay of 1 us
 * unless the case says otherwise.
 */
class RdmaRoutingTestCase : public TransportTestCase
{
  public:
    /**
     * @param name name of the case
     */
    RdmaRoutingTestCase(const std::string& name);

  protected:
    /// Payload of a full packet, bytes: with 62 of headers and 20 of preamble and gap 5000.
    static constexpr uint32_t MTU = 4918;

    /// A leaf-spine: hosts leaf after leaf, then the leaves, then the spines.
    struct Shape
    {
        uint32_t leaves{2};       //!< leaves
        uint32_t hostsPerLeaf{1}; //!< hosts of each
        uint32_t spines{4};       //!< spines
        uint64_t nicGbps{100};    //!< rate of hosts' links, Gb/s; uplinks have 100
        Time delayStep;           //!< how much longer the links of each next spine are
        uint64_t bufferSize{0};   //!< of switches, bytes; 0 = the default
    };

    void DoTeardown() override;

    /**
     * @param counts how often each of several equally likely things has happened
     * @return Pearson's chi-square statistic
     */
    static double ChiSquare(const std::vector<uint64_t>& counts);

    /**
     * Build a leaf-spine, which Install() is to make.
     *
     * @param shape what it is like
     */
    void Build(const Shape& shape);

    /**
     * Make the fabric of m_graph.
     *
     * @param routing how its nodes choose: as in RdmaEcmpRouting: Ecmp, Spray, ...
     */
    void Install(const std::string& routing);

    /**
     * Make the fabric of m_graph, with ECMP.
     *
     * @param protocol how queue pairs bring messages to their peer, a TypeId name
     * @param control congestion control, a TypeId name
     * @param mtu payload of a full packet, bytes
     */
    void InstallProtocol(const std::string& protocol, const std::string& control, uint32_t mtu);

    /**
     * @param leaf a leaf
     * @return its node
     */
    uint32_t GetLeaf(uint32_t leaf) const;

    /**
     * @param leaf a leaf
     * @param spine a spine
     * @return link between them
     */
    uint32_t GetUplink(uint32_t leaf, uint32_t spine) const;

    /**
     * @param link a link
     * @param node node at one of its ends
     * @return packets that the node has sent over it
     */
    uint64_t GetPackets(uint32_t link, uint32_t node) const;

    /**
     * @param leaf a leaf
     * @return packets that it has sent up, by spine
     */
    std::vector<uint64_t> GetUplinkPackets(uint32_t leaf) const;

    /**
     * Have a node choose for a data packet.
     *
     * @param node the node
     * @param destination node that the packet goes to
     * @param flow number of its flow
     * @param priority its priority
     * @return the port chosen
     */
    Ptr<RdmaNetDevice> Route(uint32_t node,
                             uint32_t destination,
                             uint32_t flow,
                             uint8_t priority) const;

    /**
     * Simulate messages between four hosts of a leaf and four of another one, all ways over two
     * spines, while the uplinks of one leaf fail one after the other and come back: all arrive.
     *
     * @param routing how nodes choose
     * @param leaf the leaf
     */
    void RunThroughFailures(const std::string& routing, uint32_t leaf);

    /**
     * Simulate for a while.
     *
     * @param until when to stop
     */
    void RunUntil(Time until);

    TopologyGraph m_graph;                      //!< the fabric
    Shape m_shape;                              //!< what it is like
    std::unique_ptr<RdmaFabricHelper> m_fabric; //!< the fabric made
    uint64_t m_retransmissions{0};              //!< packets sent again
    uint64_t m_lost{0};                         //!< data packets lost

  private:
    /// Make the fabric of m_graph as m_fabric is set, and listen to it.
    void InstallFabric();

    /**
     * @param packet packet that is sent again
     */
    void CountRetransmission(const RdmaPacket& packet);

    /**
     * @param packet packet that is lost
     */
    void CountLoss(const RdmaPacket& packet);
};

/**
 * @ingroup workload-replay
 * @brief Make the cases of choices that depend on the state of flows and ports.
 *
 * @return new test cases, which the caller owns
 */
std::vector<TestCase*> MakeRdmaRoutingStateTestCases();

/**
 * @ingroup workload-replay
 * @brief Make the cases of choices that look at whole paths.
 *
 * @return new test cases, which the caller owns
 */
std::vector<TestCase*> MakeRdmaRoutingPathTestCases();

/**
 * @ingroup workload-replay
 * @brief Make the cases of what ConWeave's last switches put in order.
 *
 * @return new test cases, which the caller owns
 */
std::vector<TestCase*> MakeRdmaConweaveOrderTestCases();

/**
 * @ingroup workload-replay
 * @brief Make the cases of the paths that ConWeave's first switches choose.
 *
 * @return new test cases, which the caller owns
 */
std::vector<TestCase*> MakeRdmaConweavePathTestCases();

/**
 * @ingroup workload-replay
 * @brief Make the cases in which links fail or lose packets.
 *
 * @return new test cases, which the caller owns
 */
std::vector<TestCase*> MakeRdmaRoutingLossTestCases();

/**
 * @ingroup workload-replay
 * @brief Make the cases of paths that are not shortest.
 *
 * @return new test cases, which the caller owns
 */
std::vector<TestCase*> MakeRdmaDetourTestCases();

/**
 * @ingroup workload-replay
 * @brief Make the cases of virtual channels.
 *
 * @return new test cases, which the caller owns
 */
std::vector<TestCase*> MakeRdmaVirtualChannelTestCases();

} // namespace ns3

#endif /* RDMA_ROUTING_TEST_CASE_H */
