/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef NVLS_TEST_JOB_H
#define NVLS_TEST_JOB_H

#include "ns3/application-container.h"
#include "ns3/collective-algorithm.h"
#include "ns3/fabric-endpoints.h"
#include "ns3/node-container.h"
#include "ns3/nstime.h"
#include "ns3/nvls-collective.h"
#include "ns3/rdma-fabric-helper.h"
#include "ns3/replay-helper.h"
#include "ns3/replay-records.h"
#include "ns3/tcp-fabric-helper.h"
#include "ns3/topology-graph.h"
#include "ns3/workload.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay-tests
 * @brief A job whose collectives are carried out by switches, on a network of any kind.
 *
 * Either each server has its NVSwitches, to which all of its ranks are linked, and with several
 * servers all ranks are linked to one switch as well; or the graph is any, and the switches of the
 * network take part as well. Each rank runs the collectives of each communicator in a
 * stream of its own, in the order in which they are added. Line n of its program is its n-th call.
 */
class NvlsTestJob
{
  public:
    /// Payload that makes a data packet take 4050 bytes on the wire: 324 ns at 100 Gb/s.
    static constexpr uint32_t MTU = 4050 - 62 - 20;

    /// What the job runs on.
    struct Fabric
    {
        std::vector<uint32_t> servers; //!< ranks of each server
        std::string rate;              //!< rate of an NVLink link
        Time delay;                    //!< its delay
        std::string nicRate{"1Gbps"};  //!< rate of a link to the switch between servers
        uint32_t nSwitches{1};         //!< NVSwitches of a server
    };

    /**
     * @param fabric what the job runs on
     */
    explicit NvlsTestJob(const Fabric& fabric);

    /**
     * @param graph what the job runs on; switches of the network take part
     */
    explicit NvlsTestJob(const TopologyGraph& graph);
    ~NvlsTestJob();

    /**
     * @param ranks ranks of a communicator
     * @return its index
     */
    uint32_t AddCommunicator(const std::vector<uint32_t>& ranks);

    /**
     * Have all members of a communicator call a collective.
     *
     * @param communicator index of the communicator
     * @param kind the collective
     * @param bytes its bytes
     * @param root index of its root, if it has one
     */
    void CallAll(uint32_t communicator, CollectiveKind kind, uint64_t bytes, uint32_t root = 0);

    /**
     * Have one member of a communicator call a collective.
     *
     * @param rank the member
     * @param communicator index of the communicator
     * @param kind the collective
     * @param bytes its bytes
     * @param root index of its root, if it has one
     */
    void Call(uint32_t rank,
              uint32_t communicator,
              CollectiveKind kind,
              uint64_t bytes,
              uint32_t root = 0);

    /**
     * Cut a link for a time. There must be packets.
     *
     * @param link number of the link in the graph
     * @param down when it goes down
     * @param up when it comes up again; 0 = never
     */
    void FailLink(uint32_t link, Time down, Time up);

    /**
     * Run the job to its end. Call it once.
     *
     * @param transport ideal, rdma or tcp
     * @param algorithm carries out the collectives
     */
    void Run(const std::string& transport, Ptr<const CollectiveAlgorithm> algorithm);

    /**
     * @return a link of the fabric: those of the NVSwitches by rank, first switch first, then those
     *         to the switch between servers by rank
     */
    const TopologyGraph& GetGraph() const;

    std::vector<CollectiveRecord> collectives; //!< finished collectives in their order
    std::vector<std::string> faults;           //!< contradictions found
    std::vector<std::string> waits;            //!< what ReplayHelper::DescribeWaits() said
    std::vector<uint64_t> expectedBytes;       //!< by rank: bytes foretold
    std::vector<uint64_t> receivedBytes;       //!< by rank: bytes received at the end
    std::vector<uint64_t> upPayload;           //!< rdma, by link: data bytes sent by the rank
    std::vector<uint64_t> downPayload;         //!< rdma, by link: data bytes sent to the rank
    std::size_t pendingReductions{0};          //!< what switches wait for at the end
    std::vector<uint64_t> heldBytes;           //!< by switch of the network: most it has held
    uint64_t retransmissions{0};               //!< rdma: packets that hosts and switches sent again
    Time end;                                  //!< when the last collective ended

  private:
    /// A link that fails.
    struct Failure
    {
        uint32_t link; //!< its number
        Time down;     //!< when it goes down
        Time up;       //!< when it comes up; 0 = never
    };

    /// A call that a rank makes.
    struct RankCall
    {
        uint32_t communicator; //!< index of the communicator
        CollectiveKind kind;   //!< the collective
        uint64_t bytes;        //!< its bytes
        uint32_t root;         //!< index of its root
    };

    /// Make the workload of the calls.
    void BuildWorkload();

    /**
     * Make the network.
     *
     * @param transport ideal, rdma or tcp
     */
    void BuildNetwork(const std::string& transport);

    /// Make the ideal network.
    void BuildIdeal();

    /// Make the rdma network, and count what its links carry.
    void BuildRdma();

    /// Make the tcp network.
    void BuildTcp();

    /**
     * @return the nodes that messages go to
     */
    FabricEndpoints FindEndpoints() const;

    /**
     * Trace sink: a packet is sent again.
     *
     * @param packet the packet
     */
    void CountRetransmission(const RdmaPacket& packet);

    /**
     * Trace sink: a packet begins to be sent.
     *
     * @param payload where to count its data
     * @param packet the packet
     */
    static void CountPayload(uint64_t* payload, const RdmaPacket& packet);

    /**
     * @param record a finished collective
     */
    void CollectiveFinished(const CollectiveRecord& record);

    /**
     * @param fault a contradiction
     */
    void Failed(const ReplayFault& fault);

    TopologyGraph m_graph;                           //!< what the job runs on
    bool m_withNetwork{false};                       //!< switches of the network take part
    std::vector<Failure> m_failures;                 //!< links that fail
    std::vector<std::vector<uint32_t>> m_ranks;      //!< ranks by communicator
    std::vector<std::vector<RankCall>> m_calls;      //!< calls by rank
    std::shared_ptr<Workload> m_workload;            //!< the job
    RdmaFabricHelper m_rdma;                         //!< network of rdma
    TcpFabricHelper m_tcp;                           //!< network of tcp
    NodeContainer m_hosts;                           //!< by rank
    NodeContainer m_switches;                        //!< NVSwitches by address
    std::vector<Ptr<MessageTransport>> m_transports; //!< by rank
    std::vector<Ptr<MessageTransport>> m_switchSide; //!< of the NVSwitches
};

} // namespace ns3

#endif /* NVLS_TEST_JOB_H */
