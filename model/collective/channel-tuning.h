/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef CHANNEL_TUNING_H
#define CHANNEL_TUNING_H

#include "collective-latencies.h"
#include "communicator-channels.h"

#include <cstdint>
#include <optional>

namespace ns3
{

class CollectiveCosts;
struct ChannelBundle;
struct CollectiveCall;

/**
 * @ingroup workload-replay
 * @brief What NCCL believes its algorithms to reach on the channels that it has found
 *        (src/graph/tuning.cc and src/enqueue.cc, version 2.18.6).
 */
class ChannelTuning
{
  public:
    /// Algorithms of NCCL.
    enum Algorithm : uint8_t
    {
        TREE,     //!< trees; all-reduce only
        RING,     //!< rings
        NVLS,     //!< NVSwitches of one server; all-reduce only
        NVLS_TREE //!< NVSwitches of several servers; all-reduce only
    };

    /**
     * @param call a collective whose placement knows its channels; must outlive this
     * @param costs latencies; must outlive this
     */
    ChannelTuning(const CollectiveCall& call, const CollectiveCosts& costs);

    /**
     * @param algorithm an algorithm
     * @param protocol how it runs
     * @return bytes of the buffer per second, of long calls; 0 = NCCL does not use it so
     */
    double GetRate(Algorithm algorithm, CollectiveProtocol protocol) const;

    /**
     * @param algorithm an algorithm
     * @param protocol how it runs
     * @return time of a call of no bytes, seconds
     */
    double GetLatency(Algorithm algorithm, CollectiveProtocol protocol) const;

    /**
     * @param algorithm an algorithm
     * @param protocol how it runs
     * @return time of the call, seconds; nullopt = NCCL does not use it so
     */
    std::optional<double> Estimate(Algorithm algorithm, CollectiveProtocol protocol) const;

    /**
     * @param protocol a protocol
     * @param bytes bytes of a call
     * @return what the rate of trees is multiplied by, so that the estimate fits medium sizes
     */
    static double GetTreeCorrection(CollectiveProtocol protocol, uint64_t bytes);

    /**
     * Short calls use fewer channels, so that each thread of a channel has enough to do.
     *
     * @param call a collective with its protocol, whose placement knows its channels
     * @param algorithm TREE or RING
     * @return channels that it uses
     */
    static uint32_t CountChannels(const CollectiveCall& call, Algorithm algorithm);

    /**
     * @param call a collective with its protocol
     * @param algorithm TREE or RING
     * @return channels that it uses, each on a multiprocessor; nullopt = its placement does not
     *         know its channels
     */
    static std::optional<uint32_t> FindChannels(const CollectiveCall& call, Algorithm algorithm);

    /**
     * @param call a collective with its protocol
     * @param algorithm TREE or RING
     * @return channels that it uses as a share of all; 1 = its placement does not know its channels
     */
    static double GetUsedShare(const CollectiveCall& call, Algorithm algorithm);

    /**
     * NCCL cuts what a channel has to do into chunks, those of rings with Simple into two slices,
     * each of which is a message.
     *
     * @param call a collective with its protocol, whose placement knows its channels
     * @param algorithm TREE or RING
     * @return pieces that a channel's share is cut into: of a ring what goes in one step
     */
    static uint64_t CountPieces(const CollectiveCall& call, Algorithm algorithm);

    /**
     * A message to another server goes when the thread blocks of the channels have written all of
     * it, but with LL.
     *
     * @param call a collective with its protocol
     * @param algorithm TREE or RING
     * @param pipelines channels in the simulation
     * @return what each of them stands for
     */
    static ChannelBundle GetBundle(const CollectiveCall& call,
                                   Algorithm algorithm,
                                   uint32_t pipelines);

  private:
    /**
     * @param algorithm an algorithm
     * @return channels of the algorithm and their rates
     */
    const CommunicatorChannels::Rates& GetRates(Algorithm algorithm) const;

    /**
     * @param algorithm an algorithm
     * @param protocol how it runs
     * @return whether NCCL uses the one with the other here
     */
    bool IsEnabled(Algorithm algorithm, CollectiveProtocol protocol) const;

    /**
     * @param protocol how it runs
     * @return bytes per second on all channels of the rings
     */
    double GetRingBusRate(CollectiveProtocol protocol) const;

    /**
     * @param protocol how it runs
     * @return bytes per second on all channels of the trees
     */
    double GetTreeBusRate(CollectiveProtocol protocol) const;

    /**
     * @param protocol how it runs
     * @return time of a ring of no bytes beside its base, seconds
     */
    double GetRingLatency(CollectiveProtocol protocol) const;

    const CollectiveCall& m_call;           //!< the collective
    const CollectiveCosts& m_costs;         //!< latencies
    const CommunicatorChannels& m_channels; //!< its channels
    uint32_t m_servers;                     //!< number of servers
};

} // namespace ns3

#endif /* CHANNEL_TUNING_H */
