/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef ATTRIBUTE_SCENARIO_TEST_CASE_H
#define ATTRIBUTE_SCENARIO_TEST_CASE_H

#include "rdma-test-case.h"
#include "replay-test-job.h"

#include "ns3/collective-selection.h"
#include "ns3/inet-socket-address.h"
#include "ns3/tcp-fabric-helper.h"

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay-tests
 * @brief Base of cases that look at what an attribute does in a small scenario.
 *
 * A scenario is a line of words: its name, then KEY=VALUE, then defaults of other attributes as
 * TYPE::ATTRIBUTE=VALUE, without the name space. Arguments of wl-replay begin with dashes.
 */
class AttributeScenarioTestCase : public RdmaTestCase
{
  public:
    using RdmaTestCase::RdmaTestCase;

  protected:
    /// What a scenario has come to, by name, such as end (ns), hops, marks, pauses or drops.
    using Observation = std::map<std::string, double>;

    /// An attribute and its value, as text.
    struct Setting
    {
        std::string type;      //!< the TypeId, without the name space; empty = there is none
        std::string attribute; //!< name of the attribute
        std::string value;     //!< its value
    };

    /**
     * Run a scenario; all attributes have their defaults afterwards.
     *
     * @param scenario the scenario
     * @param setting what is set beside what the scenario says: as a default, and in wl-replay as
     *                an argument
     * @param byHelper what is set by the helper that makes objects of its type
     * @return what has come of it
     * @throws WorkloadError if the setting is refused
     */
    Observation Observe(const std::string& scenario,
                        const Setting& setting,
                        const Setting& byHelper = {});

    /**
     * @param type a TypeId, without the name space
     * @return whether a helper sets attributes of the objects of that type that it makes
     */
    static bool HasHelper(const std::string& type);

  private:
    void DoTeardown() override;

    /// The words KEY=VALUE of the scenario under way.
    using Words = std::map<std::string, std::string>;

    /**
     * @param key a key
     * @param absent what it stands for if the scenario does not say
     * @return its value
     */
    std::string Get(const std::string& key, const std::string& absent) const;

    /**
     * Set what the words of a scenario say.
     *
     * @param scenario the scenario
     */
    void Read(const std::string& scenario);

    /**
     * @param setting an attribute to set by the helper of the rdma fabric, or one of another type
     */
    void SetByHelper(const Setting& setting);

    /**
     * @param setting an attribute to set by the fabric's helper, or none
     */
    void RunRdma(const Setting& setting);

    /// Hosts at a switch, put together without a helper.
    void RunByHand();

    /// Messages over TCP.
    void RunTcp();

    /// Give the hosts of the fabric of TCP their transports.
    void MakeTcpRanks();

    /**
     * Have rank 0 send a message to rank 1, which receives it late.
     *
     * @param job the job
     */
    void MakePipeline(ReplayTestJob& job);

    /**
     * Have all ranks but the last begin a collective with a root long before that one.
     *
     * @param job the job
     */
    void MakeLatecomer(ReplayTestJob& job);

    /**
     * @param setting an attribute to set by the helper of applications, or none
     */
    void RunCollective(const Setting& setting);

    /// Two ranks with CPUs and NICs, on the network of the LogGOPS model.
    void RunSchedule();

    /// A collective of four ranks that their NVSwitch carries out.
    void RunNvls();

    /// An all-reduce of four servers that a switch of the network carries out.
    void RunCollnet();

    /**
     * wl-replay in this process.
     *
     * @param setting an attribute to set by an argument, or none
     */
    void RunProgram(const Setting& setting);

    /**
     * @return the graph of the scenario
     */
    TopologyGraph MakeGraph() const;

    /**
     * @return four hosts, two at each of two leaves under two spines, of which the second is
     *         farther away; links 4 and 5 are those of the first leaf to the spines
     */
    static TopologyGraph MakeClos();

    /**
     * @return three hosts of a server at their NVSwitch
     */
    static TopologyGraph MakeNvlinkStar();

    /// Post the messages of the scenario.
    void PostMessages();

    /**
     * @return how the scenario has its collective carried out
     */
    Ptr<CollectiveSelection> MakeAlgorithms() const;

    /// Run the simulation, and note when messages arrived.
    void Simulate();

    /**
     * Note what the ports of an rdma fabric have counted.
     *
     * @param network the fabric
     */
    void ReadPorts(const RdmaNetwork& network);

    /**
     * Trace sink: a packet goes out again.
     *
     * @param packet the packet
     */
    void Retransmit(const RdmaPacket& packet);

    /**
     * Trace sink: a queue pair has given up.
     *
     * @param node where
     * @param peer its other end
     */
    void GiveUp(uint32_t node, uint32_t peer);

    /**
     * Trace sink: a segment goes out again.
     *
     * @param rank the rank
     * @param peer the rank that it sends to
     * @param bytes data in the segment
     */
    void RetransmitSegment(uint32_t rank, uint32_t peer, uint32_t bytes);

    /**
     * Trace sink: a connection has failed.
     *
     * @param rank the rank
     * @param peer the rank that it sends to
     * @param reason what went wrong
     */
    void Disconnect(uint32_t rank, uint32_t peer, const std::string& reason);

    std::string m_name;    //!< name of the scenario under way
    std::string m_traffic; //!< what is sent in it: the name without "tcp-" or "hand-"
    Words m_words;         //!< its words
    std::vector<std::string> m_arguments;   //!< its arguments
    Observation m_observed;                 //!< what has come of it
    std::unique_ptr<TcpFabricHelper> m_tcp; //!< the fabric of TCP
};

} // namespace ns3

#endif /* ATTRIBUTE_SCENARIO_TEST_CASE_H */
