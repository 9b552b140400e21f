/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef NETWORK_OPTIONS_H
#define NETWORK_OPTIONS_H

#include "collective-choice.h"
#include "link-failure.h"
#include "log-gops-choice.h"
#include "traffic-class-choice.h"

#include "ns3/fabric-parameters.h"
#include "ns3/nccl-graph.h"
#include "ns3/nstime.h"
#include "ns3/workload-error.h"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace ns3
{

/// Most ranks of a job; more is a slip of the keyboard, and would fill the memory.
constexpr uint32_t MAX_WORLD = 1000000;

/**
 * @ingroup workload-replay
 * @brief What the user of a program asks for, whatever runs on the network: fabric, transport,
 *        collectives, random numbers.
 *
 * Set by name through the table that AddFabricOptions() and its like fill, which has the help.
 * Where a value has no meaning unless it was given, IsGiven() says.
 */
struct NetworkOptions
{
    std::string topology{"auto"};          //!< KIND, KIND:KEY=VALUE,... or a file
    bool dryRun{false};                    //!< print what the fabric is, simulate nothing
    std::string fabricSet;                 //!< named set or file; empty = none
    FabricParameters fabric;               //!< servers and links
    std::vector<LinkFailure> linkFailures; //!< cables that are cut during the run
    std::string circuits;                  //!< file of links that change in time; empty = none
    std::string transport{"rdma"};         //!< name of a TransportKind
    std::string nvlink{"packets"};         //!< rdma: packets, ideal: what messages within a server
                                           //!< are
    std::string cc;                        //!< as the transport calls it; empty = its default
    std::string flowControl{"pfc"};        //!< rdma: see RdmaNetDevice
    std::string reuse{"on"};               //!< on, off: rdma: collectives may be reused
    std::string exact{"off"};              //!< on, off: rdma: simulate every packet by itself
    uint32_t maxTrain{0};                  //!< rdma: see RdmaNic; only if given
    std::string routing{"ecmp"};           //!< name of an RdmaRouting: how packets choose a path
    std::vector<TrafficClassChoice> trafficClasses; //!< rdma: by dimension
    bool hasTcpBeside{false};                       //!< rdma: background traffic goes over TCP
    std::vector<CollectiveChoice> collectives;      //!< algorithms asked for; the rest is automatic
    std::shared_ptr<const NcclGraphs> ncclGraph;    //!< channels from a file; null = searched for
    std::optional<LogGopsChoice> logGops;           //!< costs of messages of schedules
    uint32_t channels{0};   //!< parallel rings, trees or chains; only if given
    uint64_t chunkBytes{0}; //!< largest message of those; only if given
    Time stepLatency;       //!< see CollectiveAlgorithm; only if given
    Time launchLatency;     //!< see CollectiveAlgorithm; only if given
    uint32_t seed{0};       //!< RngSeed; 0 = not given
    uint64_t run{0};        //!< RngRun; only if given
    bool help{false};       //!< print the help and do nothing else

    std::vector<std::string> ns3Arguments;       //!< NAME=VALUE, for ApplyNs3Arguments()
    std::map<std::string, SourceLocation> given; //!< options that were given, and where
    std::set<std::string> switchedOff;           //!< those of them whose value is "off"
    std::vector<std::string> configNotes;        //!< what of configuration files was left
    std::set<std::string> fromFabric;            //!< options that the named set of the fabric sets

    /**
     * @param name name of an option
     * @return true if the command line or the configuration file sets it
     */
    bool IsGiven(const std::string& name) const;

    /**
     * @param name name of an option
     * @return true if it was given, or the named set of the fabric sets it
     */
    bool IsSet(const std::string& name) const;

    /**
     * @param name name of an option
     * @return where it was given, or the option itself if it was not
     */
    SourceLocation Locate(const std::string& name) const;

    /**
     * Refuse options that would do nothing. One that is switched off asks for nothing, so that a
     * sweep over transports may say --reuse=off.
     *
     * @param names names of options that would do nothing
     * @param reason why, to follow the name, such as " with a barrier, which moves no bytes"
     * @throws WorkloadError naming the first of them that was given, and not as "off"
     */
    void Refuse(const std::vector<std::string>& names, const std::string& reason) const;
};

} // namespace ns3

#endif /* NETWORK_OPTIONS_H */
