/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef TOPOLOGY_DRAWING_H
#define TOPOLOGY_DRAWING_H

#include "ns3/topology-graph.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief A topology as it is drawn: boxes, the lines between them, and where they are.
 *
 * Lengths are in pixels, from the upper left corner. Parallel links of a rate are one line. Above
 * MAX_HOSTS hosts, all hosts of a server are one box, with their NVSwitches; hosts in no server are
 * one box for each node that they are linked to.
 */
struct TopologyDrawing
{
    /// Most hosts that have a box each.
    static constexpr uint32_t MAX_HOSTS = 128;

    /// What a box stands for.
    enum BoxKind
    {
        HOST,    //!< a host
        SERVER,  //!< hosts that share a box
        SWITCH,  //!< a switch
        NVSWITCH //!< an NVSwitch
    };

    /// A box.
    struct Box
    {
        BoxKind kind;     //!< what it stands for
        uint32_t server;  //!< server it stands in, or TopologyGraph::NO_SERVER
        std::string name; //!< its name
        uint32_t hosts;   //!< hosts in it
        double x{0};      //!< its middle
        double y{0};      //!< its middle
        double width{0};  //!< its width
        double height{0}; //!< its height
    };

    /// A line.
    struct Line
    {
        uint32_t a;           //!< box at one end
        uint32_t b;           //!< box at the other end, a higher one
        bool nvlink;          //!< whether it is NVLink
        uint64_t rate;        //!< rate of a link, bit/s
        uint32_t count;       //!< links in it
        bool isCurved{false}; //!< whether it bends towards the point below
        double bendX{0};      //!< control point of a quadratic curve
        double bendY{0};      //!< control point of a quadratic curve
    };

    /// The frame of a server.
    struct Frame
    {
        double x;      //!< its left side
        double y;      //!< its upper side
        double width;  //!< its width
        double height; //!< its height
    };

    /// A text.
    struct Text
    {
        double x;         //!< where it begins
        double y;         //!< its base line
        std::string text; //!< what it says
    };

    /**
     * Draw a topology.
     *
     * @param graph the topology
     */
    explicit TopologyDrawing(const TopologyGraph& graph);

    std::vector<Box> boxes;    //!< boxes: servers or hosts by rank, then the rest by index
    std::vector<Line> lines;   //!< lines, by box
    std::vector<Frame> frames; //!< frames, behind all boxes
    std::vector<Text> texts;   //!< texts beside the boxes
    double width{0};           //!< width of it all
    double height{0};          //!< height of it all

  private:
    /**
     * Make a box for each node, or server.
     *
     * @param graph the topology
     * @return box of each node
     */
    std::vector<uint32_t> MakeBoxes(const TopologyGraph& graph);

    /**
     * Make the lines.
     *
     * @param graph the topology
     * @param boxOf box of each node
     */
    void MakeLines(const TopologyGraph& graph, const std::vector<uint32_t>& boxOf);
};

} // namespace ns3

#endif /* TOPOLOGY_DRAWING_H */
