/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef REPLAY_OPTIONS_H
#define REPLAY_OPTIONS_H

#include "collective-choice.h"
#include "link-failure.h"
#include "option-values.h"

#include "ns3/fabric-parameters.h"
#include "ns3/nstime.h"
#include "ns3/parallel-layout.h"
#include "ns3/workload-error.h"

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief A rank that computes at another speed than the rest.
 */
struct Straggler
{
    double factor{1};     //!< its compute times as a multiple of the others', above 0
    SourceLocation where; //!< where it was given
};

/**
 * @ingroup workload-replay
 * @brief What the user of wl-replay asks for.
 *
 * Set by name through the table of CreateReplayOptionTable(). Where a value has no meaning unless
 * it was given, IsGiven() tells.
 */
struct ReplayOptions
{
    std::string workload;          //!< file or directory to replay; empty = none was given
    std::string format{"auto"};    //!< its format: auto, simai, megatron, op-table
    LayoutRequest layout;          //!< shape of the job, as far as the user gives it
    std::string schedule{"1f1b"};  //!< pipeline schedule: 1f1b, gpipe, interleaved
    std::string order{"megatron"}; //!< layer files: see LayerFileOptions
    uint64_t ppBytes{0};           //!< bytes of a message between stages; 0 = from the file
    double backwardScale{0};       //!< op tables: see OpTableOptions
    RowRepeat repeat;              //!< op tables: rows to repeat
    uint64_t elementBytes{4};      //!< op tables: bytes of an element
    uint32_t iterations{1};        //!< iterations to run
    double computeScale{1};        //!< factor of all compute times; only if given
    std::map<uint32_t, Straggler> stragglers;  //!< by rank
    double jitter{0};                          //!< deviation of compute times; only if given
    std::string topology{"auto"};              //!< KIND, KIND:KEY=VALUE,... or a file
    bool dryRun{false};                        //!< tell what the fabric is, simulate nothing
    std::string fabricSet;                     //!< named set or file; empty = none
    FabricParameters fabric;                   //!< servers and links
    std::vector<LinkFailure> linkFailures;     //!< cables that are cut during the run
    std::string transport{"rdma"};             //!< rdma, tcp, ideal
    std::string cc;                            //!< rdma: its name; tcp: its TypeId; empty = default
    std::string routing;                       //!< rdma: how packets choose a path; empty = default
    uint32_t maxTrain{0};                      //!< rdma: see RdmaNic; only if given
    std::vector<CollectiveChoice> collectives; //!< algorithms asked for; the rest is automatic
    uint32_t channels{0};                      //!< parallel rings, trees or chains; only if given
    uint64_t chunkBytes{0};                    //!< largest message of those; only if given
    Time stepLatency;                          //!< see CollectiveAlgorithm; only if given
    Time launchLatency;                        //!< see CollectiveAlgorithm; only if given
    std::string outputDir;                     //!< where files go; empty = no files
    std::string progress{"auto"};              //!< auto, on, off
    uint32_t seed{0};                          //!< RngSeed; 0 = not given
    uint64_t run{0};                           //!< RngRun; only if given
    bool help{false};                          //!< print the help and do nothing else

    std::vector<std::string> ns3Arguments;       //!< NAME=VALUE, for ApplyNs3Arguments()
    std::map<std::string, SourceLocation> given; //!< options that were given, and where
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
};

/**
 * @ingroup workload-replay
 * @brief Read the command line and the configuration file it names.
 *
 * The command line wins over the configuration file, both win over the set that the option fabric
 * names, and of one option given twice the last. An
 * option that may be given several times, such as straggler, keeps a value for each rank.
 *
 * @param arguments the arguments without the program's name
 * @return what they ask for, contradictions not checked
 * @throws WorkloadError if an argument is no option, or a value is wrong
 */
ReplayOptions ParseReplayOptions(const std::vector<std::string>& arguments);

/**
 * @ingroup workload-replay
 * @brief Find what is missing, and options that contradict each other or would do nothing.
 *
 * @param options what the user asks for
 * @throws WorkloadError naming the option at fault
 */
void CheckReplayOptions(const ReplayOptions& options);

} // namespace ns3

#endif /* REPLAY_OPTIONS_H */
