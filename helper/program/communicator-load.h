/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef COMMUNICATOR_LOAD_H
#define COMMUNICATOR_LOAD_H

#include "ns3/collective-selection.h"
#include "ns3/ecmp-route-table.h"
#include "ns3/workload.h"

#include <cstdint>
#include <map>
#include <set>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief Puts the queue pairs of communicators on links, to find which of them share one.
 *
 * Paths are those of a hash, as by ECMP, not those that a replay will take; all communicators of a
 * dimension are taken to be busy at once, and those of different dimensions at different times.
 */
class CommunicatorLoad
{
  public:
    /**
     * @param graph the topology; host of rank i is its i-th host
     * @param isSpread whether packets of a flow take all paths, so that hashes do not matter
     */
    CommunicatorLoad(const TopologyGraph& graph, bool isSpread);

    /**
     * Add a communicator.
     *
     * @param id its id
     * @param communicator it
     * @param plan how it carries out its largest collective
     * @param call that collective
     */
    void Add(uint32_t id,
             const Communicator& communicator,
             const CollectivePlan& plan,
             const CollectiveCall& call);

    /// What the queue pairs of a communicator meet.
    struct Meeting
    {
        bool isSingleSwitch{false}; //!< all members are two links from each other by one switch
        bool isAllOfSwitch{false};  //!< and the switch has no other links
        bool inServer{false};       //!< all members stand in one server
        bool sharesPort{false};     //!< queue pairs of a member share a port
        double overloaded{0};       //!< part of the queue pairs that cross an overloaded link
        double slowdown{1}; //!< load of the most overloaded link, in its capacity; at least 1
    };

    /**
     * @param id id of a communicator that was added, when all have been
     * @return what its queue pairs meet
     */
    const Meeting& Get(uint32_t id) const;

    /**
     * @param source a rank
     * @param destination another one
     * @return links between them
     */
    uint32_t GetHops(uint32_t source, uint32_t destination) const;

    /// Put the queue pairs of all on links; to be called once, when all were added.
    void Finish();

  private:
    /// A queue pair.
    struct Edge
    {
        uint32_t source;      //!< rank
        uint32_t destination; //!< rank
        uint32_t pipeline;    //!< pipeline
    };

    /// A communicator.
    struct Entry
    {
        Dimension dimension;                            //!< its dimension
        std::vector<Edge> edges;                        //!< its queue pairs, or some of them
        double weight{1};                               //!< queue pairs that each stands for
        Meeting meeting;                                //!< what they meet
        std::map<uint32_t, std::set<uint32_t>> sources; //!< who sends, by the last link of paths
    };

    /**
     * @param edge a queue pair
     * @return directed links of its path
     */
    std::vector<uint32_t> GetPath(const Edge& edge) const;

    /**
     * @param edge a queue pair
     * @param rate at which it sends, bit/s
     * @param [in,out] load loads of directed links, bit/s
     */
    void AddLoad(const Edge& edge, double rate, std::vector<double>& load) const;

    /**
     * @param communicator a communicator
     * @return whether its members are two links from each other, by one switch
     */
    bool IsSingleSwitch(const Communicator& communicator) const;

    /**
     * @param communicator a communicator whose members are two links from each other
     * @return links of the switch that joins them
     */
    std::size_t CountLinks(const Communicator& communicator) const;

    EcmpRouteTable m_table;              //!< finds paths
    bool m_isSpread;                     //!< whether packets take all paths
    std::map<uint32_t, Entry> m_entries; //!< by id
};

} // namespace ns3

#endif /* COMMUNICATOR_LOAD_H */
