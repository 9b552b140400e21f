/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef PEER_CHANNELS_H
#define PEER_CHANNELS_H

#include <cstdint>
#include <optional>

namespace ns3
{

class CollectivePlacement;
struct CollectiveCall;

/**
 * @ingroup workload-replay
 * @brief The channels by which NCCL moves point-to-point messages, of which all-to-all, gather and
 *        scatter are made (src/graph/paths.cc, src/enqueue.cc, version 2.18.6).
 *
 * A pair of members has as many channels as the pair with the fewest: two for each NVLink between
 * two GPUs, two between servers. So in a communicator of several servers each pair has two, inside
 * a server as well. Each channel is a thread block, half of which sends while the other half
 * receives, so that it carries half of what NCCL counts on for a channel of trees, whose halves
 * reduce and broadcast.
 */
class PeerChannels
{
  public:
    /**
     * @param placement where the members of a communicator stand; must outlive this. Where it does
     *                  not know the channels of rings and trees, those of pairs are what NCCL has
     *                  between GPUs with many NVLinks: as many as it may in one server.
     */
    explicit PeerChannels(const CollectivePlacement& placement);

    /**
     * @return channels of all pairs together
     */
    uint32_t CountAll() const;

    /**
     * @param bytes bytes of a message
     * @return channels that it is spread over
     */
    uint32_t Count(uint64_t bytes) const;

    /**
     * A channel sends to one member and receives from another.
     *
     * @param bytes bytes of each message
     * @param peers members that one member sends such messages to at the same time, or receives
     *              them from, at least 1
     * @return channels that they are spread over
     */
    uint32_t Count(uint64_t bytes, uint32_t peers) const;

    /**
     * @param bytes bytes of each message
     * @param peers members that one member sends such messages to at the same time, at least 1
     * @return most that the member sends, bytes per second; the placement must know its channels
     */
    double GetRate(uint64_t bytes, uint32_t peers) const;

    /**
     * @param call a collective of sends and receives
     * @return what its channels drive of the NVLink of a GPU, as a share; 1 = its placement does
     *         not know its channels
     */
    static double GetUsedShare(const CollectiveCall& call);

    /**
     * @param call a collective of sends and receives, as one member calls it
     * @return channels that it uses there, each on a multiprocessor; nullopt = it is not known
     *         where members stand
     */
    static std::optional<uint32_t> FindChannels(const CollectiveCall& call);

    /**
     * @param from a member
     * @param to another member
     * @return the first channel of messages from one to the other
     */
    uint32_t FindChannel(uint32_t from, uint32_t to) const;

    /**
     * A message to another server leaves by the NIC that the receiver's counterpart in the sender's
     * server prefers, so that it does not change rails on the way (PXN).
     *
     * @param from a member
     * @param to another member
     * @return the member that hands the message to the network, maybe the first one itself, as in
     *         one server
     */
    uint32_t FindSender(uint32_t from, uint32_t to) const;

  private:
    const CollectivePlacement& m_placement; //!< where the members stand
    uint32_t m_size;                        //!< members
    uint32_t m_servers;                     //!< servers
    uint32_t m_all;                         //!< channels of all pairs together
    uint32_t m_each;                        //!< channels of a pair
    double m_channelRate{0};                //!< what a channel sends, bytes per second
};

} // namespace ns3

#endif /* PEER_CHANNELS_H */
