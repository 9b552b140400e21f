/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef FLOW_LIST_H
#define FLOW_LIST_H

#include "flow-file.h"

#include "ns3/nstime.h"
#include "ns3/workload-error.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief Flows of a list of another simulator.
 */
struct FlowList
{
    /// Most hosts of a list.
    static constexpr uint32_t MAX_HOSTS = 1000000;

    /// Longest flow, bytes.
    static constexpr uint64_t MAX_BYTES = 1ULL << 50;

    /// Latest start, s, which ns3::Time can count in picoseconds.
    static constexpr double LATEST_START = 1e6;

    /// A flow.
    struct Flow
    {
        uint32_t source{0};                 //!< host that sends
        uint32_t destination{0};            //!< another host
        uint64_t bytes{0};                  //!< payload, at least 1
        Time start;                         //!< when it begins at the earliest
        std::optional<uint32_t> trigger;    //!< what must happen before it begins, see triggers
        std::vector<uint32_t> whenSent;     //!< triggers that it acts on when all is acknowledged
        std::vector<uint32_t> whenReceived; //!< triggers that it acts on when all has arrived
        uint64_t id{0};                     //!< number that the file gives it; 0 = none
        bool isMessage{false};              //!< those of a pair with the same id share a connection
        uint32_t line{0};                   //!< its line
    };

    /**
     * @param flow a flow
     * @param where its place
     * @throws WorkloadError if it goes nowhere
     */
    static void CheckEnds(const Flow& flow, const SourceLocation& where);

    std::string file;        //!< path of the file
    bool byNode{false};      //!< hosts are numbers of nodes of a topology, not of hosts
    bool startsLate{false};  //!< an idle time comes before the first flow
    uint32_t hosts{0};       //!< number of hosts, or highest number of a node and one
    std::vector<Flow> flows; //!< the flows, at least one
    std::map<uint32_t, uint32_t> triggers; //!< by number, of how many flows each needs the end
    std::vector<std::string> notes;        //!< what of the file was left
};

/**
 * @ingroup workload-replay
 * @brief Put numbers of hosts in place of numbers of nodes.
 *
 * @param [in,out] list a list with byNode
 * @param hosts numbers of the nodes that are hosts, ascending
 * @throws WorkloadError if a flow begins or ends at another node
 */
void NumberByHost(FlowList& list, const std::vector<uint32_t>& hosts);

/**
 * @ingroup workload-replay
 * @brief Make background traffic of a flow list. The first flow of HPCC or conweave begins at once:
 *        their simulations begin with an idle time.
 *
 * @param list the flows, with numbers of hosts
 * @return the flows in the order of their starts, of the file where those are equal
 * @throws WorkloadError if flows wait for each other, which background traffic cannot
 */
std::vector<BackgroundFlow> MakeBackgroundFlows(const FlowList& list);

} // namespace ns3

#endif /* FLOW_LIST_H */
