/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef CHANNEL_SEARCH_H
#define CHANNEL_SEARCH_H

#include "server-graph.h"

#include <cstdint>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief Shape of the channels that are looked for (NCCL, graph.h, NCCL_TOPO_PATTERN_...).
 */
enum class ChannelPattern : uint8_t
{
    BALANCED_TREE = 1, //!< chain; the first two GPUs share the traffic of the NIC
    TREE = 3,          //!< chain; the first GPU has all of it
    RING = 4,          //!< ring, or from NIC to NIC through all GPUs
    NVLS = 5           //!< one GPU that the NVSwitch reduces to and multicasts for
};

/**
 * @ingroup workload-replay
 * @brief Channels of a server, as NCCL finds them.
 */
struct ChannelGraph
{
    ChannelPattern pattern{ChannelPattern::RING};  //!< their shape
    uint32_t channels{0};                          //!< how many; 0 = none found
    int64_t rateIntra{0};                          //!< of each inside the server, MB/s
    int64_t rateInter{0};                          //!< of each between servers, MB/s
    ServerPathType typeIntra{ServerPathType::NVL}; //!< worst path inside
    ServerPathType typeInter{ServerPathType::PIX}; //!< worst path to a NIC
    bool crossNic{false};                          //!< may leave by another NIC than enter
    bool sameChannels{true};                       //!< all visit the GPUs in one order
    int64_t hops{0};                               //!< links of all channels
    std::vector<uint32_t> gpus;                    //!< of each channel in order, one after another
    std::vector<std::pair<uint32_t, uint32_t>> nets; //!< NICs of each: it enters, leaves

    /**
     * @param channel a channel
     * @param place a place in its order
     * @return number in the server of the GPU there
     */
    uint32_t GetGpu(uint32_t channel, uint32_t place) const;

    /**
     * @return number of GPUs in each channel
     */
    uint32_t CountGpus() const;
};

/**
 * @ingroup workload-replay
 * @param what what they are, such as rings
 * @param given channels that were written
 * @param searched channels that the search finds in the same server
 * @return a sentence that says whether they are the same, and in what they differ
 */
std::string CompareChannels(const std::string& what,
                            const ChannelGraph& given,
                            const ChannelGraph& searched);

/**
 * @ingroup workload-replay
 * @brief Looks for channels in a server by NCCL's rules (src/graph/search.cc, version 2.18.6).
 *
 * From the highest rate down it adds channel after channel, GPU after GPU, taking the channel's
 * rate from each link on the way and going back where there is not enough; if need be over worse
 * paths and with different NICs for entering and leaving. The order in which things are tried, the
 * limits on how long, and what counts as better decide which GPUs and NICs the channels get.
 */
class ChannelSearch
{
  public:
    /**
     * @param graph the server; must outlive the search, which leaves it as it was
     */
    explicit ChannelSearch(ServerGraph& graph);

    /**
     * @param pattern shape of the channels; with one GPU trees are always simple
     * @param least fewest channels
     * @param most most channels
     * @return the best channels
     */
    ChannelGraph Find(ChannelPattern pattern, uint32_t least, uint32_t most);

  private:
    static constexpr int64_t FOUND = -1; //!< budget after the most channels were found

    /// Which GPUs are tried next.
    enum class Order : uint8_t
    {
        ANY,   //!< all that are left
        FIXED, //!< by number
        REPLAY //!< as in the channel before
    };

    /// Where a channel returns to.
    struct Way
    {
        int32_t toNet;   //!< place at which it goes to the NIC; -1 = it does not
        int32_t toFirst; //!< place from which it goes back to the first GPU; -1 = it does not
        Order order;     //!< which GPUs are tried next
    };

    /// Rates, fastest first, and which of them is tried.
    struct Speeds
    {
        std::vector<int64_t> rates; //!< MB/s
        std::size_t index{0};       //!< the one that is tried
    };

    /**
     * @return the rates to try and the first of them that the server could carry
     */
    Speeds MakeSpeeds() const;

    /**
     * Set out to search.
     *
     * @param pattern what to find
     * @param least fewest channels
     * @param most most channels
     */
    void Begin(ChannelPattern pattern, uint32_t least, uint32_t most);

    /// Search with what m_trial says, and keep what is better.
    void Search();

    /**
     * Change what m_trial says to what is tried after it has been searched.
     *
     * @param [in,out] speeds rates to try
     * @param wanted the pattern asked for
     * @return whether to search again
     */
    bool Relax(Speeds& speeds, ChannelPattern wanted);

    /**
     * Let m_trial take worse paths, or, if there are none, the best ones again.
     *
     * @return whether there are
     */
    bool RelaxPaths();

    /**
     * Let m_trial take the next lower rate.
     *
     * @param [in,out] speeds rates to try
     * @return whether there is one, and what was found is not better than that allows
     */
    bool Lower(Speeds& speeds);

    /**
     * Raise the rate inside the server as far as it goes, for other patterns than rings.
     *
     * @param [in,out] speeds rates to try
     */
    void RaiseIntra(Speeds& speeds);

    /// Split fast channels in two.
    void Duplicate();

    /// Look for the next channel.
    void NextChannel();

    /// Look for the next channel of a communicator of several servers.
    void NextNetChannel();

    /**
     * Look for a channel that enters through a NIC.
     *
     * @param net the NIC
     * @param way where it returns to
     * @param rate its rate, MB/s, rounded down to GB/s
     */
    void EnterNet(uint32_t net, const Way& way, int64_t rate);

    /**
     * Go on at a GPU.
     *
     * @param gpu the GPU
     * @param step its place in the channel; number of GPUs = the channel is complete
     * @param way where the channel returns to
     */
    void Visit(uint32_t gpu, uint32_t step, const Way& way);

    /// A channel is complete: keep it if that is better, and look for the next one.
    void Complete();

    /**
     * Leave through a NIC, and go on.
     *
     * @param gpu the GPU that sends to it
     * @param step its place
     * @param way where the channel returns to
     */
    void LeaveByNet(uint32_t gpu, uint32_t step, const Way& way);

    /**
     * Go to the next GPU.
     *
     * @param gpu the GPU
     * @param step its place
     * @param way where the channel returns to
     */
    void GoOn(uint32_t gpu, uint32_t step, const Way& way);

    /**
     * Let the NVSwitch reduce to a GPU and multicast for it.
     *
     * @param gpu the GPU
     */
    void ReduceInSwitch(uint32_t gpu);

    /**
     * Follow a path to a GPU and go on there.
     *
     * @param kind kind of where the channel is; N_KINDS = nowhere yet
     * @param index which of them
     * @param gpu the GPU
     * @param step its place
     * @param way where the channel returns to
     */
    void TryGpu(ServerGraph::Kind kind,
                uint32_t index,
                uint32_t gpu,
                uint32_t step,
                const Way& way);

    /**
     * Take the channel's rate from the links of a path, or give it back.
     *
     * @param kind kind of the part at the beginning
     * @param index which of them
     * @param toKind kind of the part at the end
     * @param to which of them
     * @param factor times the rate; negative = give back
     * @return whether the path is good enough and had as much
     */
    bool Follow(ServerGraph::Kind kind,
                uint32_t index,
                ServerGraph::Kind toKind,
                uint32_t to,
                int32_t factor);

    /// To the NIC: rate and slot, fast first, and hops; to the GPU: rate and hops; then the turn.
    using Score = std::tuple<int64_t, int64_t, int64_t, int64_t, int64_t, uint32_t>;

    /**
     * @param path path to a GPU that may be next
     * @param other that GPU
     * @param turn whose turn it is if all else is alike
     * @param hasNet whether the channel returns to a NIC
     * @return the lower, the sooner it is tried
     */
    Score Rate(const ServerGraph::Path& path, uint32_t other, uint32_t turn, bool hasNet) const;

    /**
     * @param gpu a GPU
     * @param step its place
     * @param way where the channel returns to
     * @return the GPUs to try next, in that order
     */
    std::vector<uint32_t> ListNext(uint32_t gpu, uint32_t step, const Way& way) const;

    /**
     * @param gpu a GPU; UINT32_MAX = any
     * @return the NICs to try, in that order
     */
    std::vector<uint32_t> ListNets(uint32_t gpu) const;

    /**
     * @param net a NIC
     * @return the GPUs that are as near to it as any and whose path is no slower
     */
    std::vector<uint32_t> ListNearGpus(uint32_t net) const;

    /**
     * @param gpu a GPU
     * @return what is left of the slower direction of its PCIe slot, GB/s, rounded down
     */
    int64_t GetPcieRest(uint32_t gpu) const;

    /**
     * @return whether m_trial is better than m_best
     */
    bool IsBetter() const;

    ServerGraph& m_graph;           //!< the server
    uint32_t m_gpus;                //!< number of GPUs
    uint32_t m_nets;                //!< number of NICs
    int64_t m_maxRate{0};           //!< fastest path that a channel could take, MB/s
    int64_t m_totalRate{0};         //!< most that a GPU sends, MB/s
    uint32_t m_least{1};            //!< fewest channels
    uint32_t m_most{1};             //!< most channels
    bool m_mayCross{false};         //!< whether channels may leave by another NIC
    ChannelGraph m_trial;           //!< what is tried
    ChannelGraph m_best;            //!< the best so far
    std::vector<uint64_t> m_used;   //!< by GPU a bit for each channel that has it
    std::vector<int64_t> m_netRest; //!< what is left of each NIC, MB/s
    int64_t m_budget{0};            //!< visits left in this search; -1 = found the most channels
    int64_t m_totalBudget{0};       //!< visits left in all
    bool m_retried{false};          //!< the search has been repeated with different channels
};

} // namespace ns3

#endif /* CHANNEL_SEARCH_H */
