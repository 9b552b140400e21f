/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef MAX_FLOW_H
#define MAX_FLOW_H

#include <cstddef>
#include <cstdint>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief Largest flow between two vertices of an undirected graph, which is its smallest cut.
 *
 * Dinic's algorithm: E. A. Dinic, "Algorithm for solution of a problem of maximum flow in a network
 * with power estimation", Soviet Mathematics Doklady 11 (1970). Every phase saturates all shortest
 * paths; there are at most as many phases as vertices, and in networks of few tiers a handful.
 */
class MaxFlow
{
  public:
    /**
     * @param nVertices number of vertices
     */
    explicit MaxFlow(uint32_t nVertices);

    /**
     * Add an edge.
     *
     * @param a vertex at one end
     * @param b vertex at the other end
     * @param capacity what it carries in either direction; the sum of all must stay below 2^63
     */
    void AddEdge(uint32_t a, uint32_t b, uint64_t capacity);

    /**
     * Find the flow; to be called once.
     *
     * @param source vertex that it comes from
     * @param sink vertex that it goes to, another one
     * @return the flow
     */
    uint64_t Solve(uint32_t source, uint32_t sink);

  private:
    /// One direction of an edge; its other direction has the index with the lowest bit flipped.
    struct Arc
    {
        uint32_t to;       //!< vertex that it leads to
        uint64_t residual; //!< what it can still carry
    };

    /**
     * Find how far from the source every vertex is.
     *
     * @param source vertex that the flow comes from
     * @param sink vertex that it goes to
     * @return whether the sink is reached
     */
    bool Search(uint32_t source, uint32_t sink);

    /**
     * Send as much as one shortest path takes.
     *
     * @param source vertex that the flow comes from
     * @param sink vertex that it goes to
     * @return what was sent; 0 = no such path is left
     */
    uint64_t Augment(uint32_t source, uint32_t sink);

    std::vector<Arc> m_arcs;                   //!< both directions of all edges
    std::vector<std::vector<uint32_t>> m_from; //!< arcs by the vertex that they start from
    std::vector<uint32_t> m_distance;          //!< arcs from the source, by vertex
    std::vector<std::size_t> m_next;           //!< by vertex: first arc not known to be useless
};

} // namespace ns3

#endif /* MAX_FLOW_H */
