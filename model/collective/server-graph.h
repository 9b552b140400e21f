/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef SERVER_GRAPH_H
#define SERVER_GRAPH_H

#include "ns3/server-description.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <tuple>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief A server as NCCL reckons with it: what stands where, and how fast NCCL believes it to be.
 *
 * Rates are in MB/s (10^6 bytes per second). They are the constants of NCCL, not those of the
 * simulated links: what the search and the choice of algorithms go by.
 */
struct ServerModel
{
    ServerDescription layout;    //!< GPUs and NICs
    uint32_t generation{90};     //!< compute capability of the GPUs times 10: 80 Ampere, 90 Hopper
    int64_t nvlinkRate{160000};  //!< NVLink of a GPU, all links: 20000 each (topo.h, SM80, SM90)
    int64_t pcieRate{48000};     //!< a PCIe slot: 48000 of 16 lanes at 32 GT/s (topo.cc)
    int64_t nicRate{50000};      //!< a NIC: its link's rate
    int64_t interCpuRate{10000}; //!< between CPUs: 10000 of Intel since Skylake (topo.h)
    bool hasIntelCpus{true};     //!< traffic of GPUs through the CPU takes 6/5 of PCIe (search.cc)

    /**
     * @param other another server
     * @return whether NCCL takes both for the same
     */
    bool operator==(const ServerModel& other) const
    {
        const auto tie = [](const ServerModel& m) {
            return std::tie(m.layout.gpus,
                            m.layout.nics,
                            m.generation,
                            m.nvlinkRate,
                            m.pcieRate,
                            m.nicRate,
                            m.interCpuRate,
                            m.hasIntelCpus);
        };
        return tie(*this) == tie(other);
    }
};

/**
 * @ingroup workload-replay
 * @brief How two parts of a server reach each other, nearest first (NCCL, topo.h, PATH_...).
 */
enum class ServerPathType : uint8_t
{
    LOC, //!< the same
    NVL, //!< NVLink
    NVB, //!< NVLink through another GPU
    PIX, //!< one PCIe switch
    PXB, //!< several PCIe switches
    PXN, //!< NVLink to a GPU that has the NIC on its PCIe switch
    PHB, //!< through the CPU, and so through host memory
    SYS, //!< through both CPUs
    NONE //!< not at all
};

/**
 * @ingroup workload-replay
 * @param type a type of path
 * @return the next worse one
 */
ServerPathType GetWorse(ServerPathType type);

/**
 * @ingroup workload-replay
 * @param value a number
 * @param count a power of 2
 * @return those bits of the number that are below count, in reverse order: how NCCL spreads things
 */
uint32_t MirrorBits(uint32_t value, uint32_t count);

/**
 * @ingroup workload-replay
 * @brief The parts of a server that a communicator uses, the links between them and the paths that
 *        NCCL takes (src/graph/topo.cc and paths.cc, version 2.18.6).
 */
class ServerGraph
{
  public:
    /// Kinds of parts.
    enum Kind : uint8_t
    {
        GPU,
        PCI,
        NVS,
        CPU,
        NIC,
        NET,
        N_KINDS
    };

    /// A link from a part to another one, in one direction.
    struct Link
    {
        uint32_t to;  //!< where it leads
        int64_t rate; //!< what it carries, MB/s; the search takes from it and gives back
        bool isPcie;  //!< a link of PCIe
    };

    /// The links that lead from a part to another one.
    struct Path
    {
        /// Part and which of its links, from the first to the last.
        std::vector<std::pair<uint32_t, uint32_t>> links;
        int64_t rate{0};                           //!< that of the slowest link; 0 = no path
        ServerPathType type{ServerPathType::NONE}; //!< its worst part
    };

    /**
     * @param model the server
     * @param gpus the GPUs that the communicator uses, ascending; only these are in the graph
     * @param hasNetwork whether it uses other servers too; if not, there are no NICs
     */
    ServerGraph(const ServerModel& model, const std::vector<uint32_t>& gpus, bool hasNetwork);

    /**
     * @return the server
     */
    const ServerModel& GetModel() const;

    /**
     * @param kind a kind
     * @return number of parts of the kind
     */
    uint32_t Count(Kind kind) const;

    /**
     * @param gpu a GPU of the graph
     * @return its number in the server
     */
    uint32_t GetDevice(uint32_t gpu) const;

    /**
     * @param kind kind of the part at the beginning
     * @param index which of them
     * @param toKind kind of the part at the end
     * @param to which of them
     * @return the path; without links if there is none or if both are the same
     */
    const Path& GetPath(Kind kind, uint32_t index, Kind toKind, uint32_t to) const;

    /**
     * @param gpu a GPU of the graph
     * @param channel a channel: where several NICs are equally near they are taken in turn
     * @return the NIC that NCCL prefers for it; there must be NICs
     */
    uint32_t FindLocalNet(uint32_t gpu, uint32_t channel) const;

    /**
     * @param net a NIC
     * @return the first GPU that prefers it; UINT32_MAX = none does
     */
    uint32_t FindLocalGpu(uint32_t net) const;

    /**
     * @param gpu a GPU of the graph
     * @param net a NIC
     * @return the GPU that passes on what the GPU sends through the NIC (PXN), or the GPU itself
     */
    uint32_t FindRelay(uint32_t gpu, uint32_t net) const;

    /**
     * @param gpu a GPU of the graph
     * @param receiver the GPU that is in its server what the receiver is in another one
     * @param channel channel of a point-to-point message
     * @return the GPU that passes the message on (PXN), or the GPU itself: that beside the NIC that
     *         the receiver prefers
     */
    uint32_t FindSender(uint32_t gpu, uint32_t receiver, uint32_t channel) const;

    /**
     * @param gpu a GPU of the graph
     * @return what is left of the slower direction of its PCIe slot, MB/s
     */
    int64_t GetPcieRest(uint32_t gpu) const;

    /**
     * @param path a path
     * @param rate what to take from each of its links, MB/s; negative = give back
     * @param steps how many of its links, from the first one on
     * @param isFromGpu whether it begins at a GPU
     * @return how many links could give as much: if fewer than steps, the next one could not
     */
    uint32_t Take(const Path& path, int64_t rate, std::size_t steps, bool isFromGpu);

  private:
    /// A part.
    struct Node
    {
        Kind kind;               //!< what it is
        uint32_t index;          //!< which of its kind
        std::vector<Link> links; //!< from it, the fastest first, the one to its CPU last
        std::array<std::vector<Path>, N_KINDS> paths; //!< by kind and index of the other end
    };

    /**
     * @param kind kind of a new part
     * @return the part
     */
    uint32_t Add(Kind kind);

    /**
     * Add links in both directions.
     *
     * @param a a part
     * @param b another one
     * @param rate rate of each direction, MB/s
     * @param isPcie whether they are links of PCIe
     */
    void Connect(uint32_t a, uint32_t b, int64_t rate, bool isPcie);

    /**
     * Move the link to where a part hangs to the end of its links, and so on below it.
     *
     * @param node a part
     * @param above the part above it; UINT32_MAX = none
     */
    void SortLinks(uint32_t node, uint32_t above);

    /**
     * Find the paths of all parts to one.
     *
     * @param base that part
     */
    void FindPaths(uint32_t base);

    /**
     * Look at a link backwards: whether the part it leads to reaches the base over it.
     *
     * @param base where paths lead
     * @param from a part whose path is known
     * @param link one of its links
     * @return whether that is a better path for the part at its end
     */
    bool Extend(uint32_t base, uint32_t from, const Link& link);

    /**
     * Add a PCIe switch, and what is behind it.
     *
     * @param bridge its number in the server
     * @param gpus GPUs of the server that take part
     * @param hasNetwork whether NICs do
     * @return the switch
     */
    uint32_t AddBridge(uint32_t bridge, const std::vector<uint32_t>& gpus, bool hasNetwork);

    /// Connect GPUs by NVLink, and CPUs with each other.
    void ConnectAlike();

    /// Find the paths from all parts to all others.
    void FindAllPaths();

    /// Let GPUs reach NICs through other GPUs or host memory, as NCCL would have them do.
    void DivertNetPaths();

    /**
     * Lead a path by way of another part.
     *
     * @param from where it begins
     * @param via by way of what
     * @param to where it ends
     */
    void Divert(uint32_t from, uint32_t via, uint32_t to);

    /**
     * @param kind kind of a part
     * @param index which of them
     * @param other another kind
     * @return those of the other kind that are nearest to it
     */
    std::vector<uint32_t> FindNearest(Kind kind, uint32_t index, Kind other) const;

    /**
     * @param gpu a GPU
     * @return its CPU
     */
    uint32_t FindCpu(uint32_t gpu) const;

    ServerModel m_model;                                //!< the server
    std::vector<uint32_t> m_devices;                    //!< number of each GPU in the server
    std::vector<Node> m_nodes;                          //!< all parts
    std::array<std::vector<uint32_t>, N_KINDS> m_kinds; //!< parts by kind
    /// What FindLocalNet() returns, by GPU and channel; empty = not all paths are known.
    std::vector<std::vector<uint32_t>> m_localNets;
};

} // namespace ns3

#endif /* SERVER_GRAPH_H */
