/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef REPLAY_OPTIONS_H
#define REPLAY_OPTIONS_H

#include "network-options.h"

#include "ns3/keyed-values.h"
#include "ns3/model-reader.h"
#include "ns3/output-selection.h"
#include "ns3/parallel-layout.h"
#include "ns3/time-series.h"
#include "ns3/trace-selection.h"
#include "ns3/workload-error.h"

#include <cstdint>
#include <map>
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
 * Set by name through the table of CreateReplayOptionTable(), which has the help. Where a value has
 * no meaning unless it was given, IsGiven() says.
 */
struct ReplayOptions : NetworkOptions
{
    std::string workload;            //!< file or directory to replay; empty = none was given
    std::vector<KeyedField> jobs;    //!< several jobs at once, see ReadJobs(); empty = workload
    TextField placement{"auto", {}}; //!< auto, in-order, whole, or hosts such as 0-7+16-23
    std::string format{"auto"};      //!< its format: auto, simai, megatron, op-table,
                                     //!< chakra, goal, model
    LayoutRequest layout;            //!< shape of the job, as far as the user gives it
    std::string schedule{"1f1b"};    //!< pipeline schedule
    std::string order{"megatron"};   //!< layer files: see LayerFileOptions
    uint64_t ppBytes{0};             //!< bytes of a message between stages; 0 = from the file
    double bytesScale{1};            //!< rank traces: factor of all recorded bytes
    std::string profile{"recorded"}; //!< rank traces: recorded or robust, see RankTraceOptions
    double backwardScale{0};         //!< op tables: see OpTableOptions
    RowRepeat repeat;                //!< op tables: rows to repeat
    uint64_t elementBytes{4};        //!< op tables: bytes of an element; Chakra traces: if given
    std::string commGroups;          //!< Chakra traces: JSON file of groups; empty = none was given
    std::string controlDependencies{"auto"};  //!< Chakra traces: see ChakraOptions
    std::string astraZeroIsWorld{"auto"};     //!< Chakra traces: see ChakraOptions
    double peakFlops{0};                      //!< Chakra traces: operations per second; 0 = unknown
    double memoryBandwidth{0};                //!< Chakra traces: bytes per second; 0 = unknown
    ModelOptions model;                       //!< models: see there; the layout stands above
    Time stepTime;                            //!< models: iteration time to be met; 0 = none is
    std::string calibration;                  //!< models: how stepTime was met; empty = not asked
    std::string sizes{"strict"};              //!< schedules: strict or lenient, see LogGopsHost
    uint32_t iterations{1};                   //!< iterations to run
    double computeScale{1};                   //!< factor of all compute times; only if given
    std::map<uint32_t, Straggler> stragglers; //!< by rank
    double jitter{0};                         //!< deviation of compute times; only if given
    double speedSpread{0};                    //!< deviation of the ranks' compute times
    CommunicationShare communicationShare;    //!< slows compute; only if given
    std::vector<KeyedField> background;       //!< traffic beside the jobs, see MakeBackground()
    std::string alone{"on"};                  //!< on, off: run each of several jobs alone, too
    std::string outputDir;                    //!< where files go; empty = no files
    OutputSelection files;                    //!< which of them are written
    std::string flowPaths{"off"};             //!< on, off: write paths in flows.csv
    TraceRequest trace;                       //!< what trace.json shows
    TimeSeriesRequest timeSeries;             //!< what timeseries.csv shows
    std::string progress{"auto"};             //!< auto, on, off
    uint32_t processes{1};                    //!< processes that somebody else is to start
    std::string exportChakra;                 //!< DIRECTORY/NAME of Chakra traces to write instead
                                              //!< of a replay; empty = none

    /**
     * @return what else is asked for that needs every message, so that no collective is reused;
     *         empty = nothing
     */
    std::string FindReuseUnsupportedReason() const;

    /**
     * @return whether nobody looks at single messages or at what happens between them, so that
     *         collectives may be reused
     */
    bool MayReuse() const;
};

} // namespace ns3

#endif /* REPLAY_OPTIONS_H */
