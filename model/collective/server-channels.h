/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef SERVER_CHANNELS_H
#define SERVER_CHANNELS_H

#include "channel-search.h"

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief The channels that NCCL finds in equal servers, by which of their GPUs a communicator uses.
 *
 * What was found once is kept: a search takes up to a second.
 */
class ServerChannels
{
  public:
    /**
     * @param model the servers
     */
    explicit ServerChannels(const ServerModel& model);

    /// What a server gives a communicator.
    struct Found
    {
        ChannelGraph ring; //!< rings
        ChannelGraph tree; //!< trees
        ChannelGraph nvls; //!< GPUs that NVSwitches reduce to
        /// By channel of ring the GPU that sends to the NIC for the last GPU, maybe that itself.
        std::vector<uint32_t> ringRelays;
        /// By GPU, by GPU of the receiver and by channel the GPU that sends a point-to-point
        /// message to another server for it, maybe that itself; empty without other servers.
        std::map<std::pair<uint32_t, uint32_t>, std::vector<uint32_t>> senders;
    };

    /**
     * @param gpus the GPUs that the communicator uses, ascending
     * @param hasNetwork whether it uses other servers too
     * @return the channels; stay as long as this object
     */
    const Found& Find(const std::vector<uint32_t>& gpus, bool hasNetwork) const;

    /**
     * @return the servers
     */
    const ServerModel& GetModel() const;

    /// Most channels of a communicator (NCCL, MAXCHANNELS).
    static constexpr uint32_t MAX_CHANNELS = 32;

  private:
    ServerModel m_model; //!< the servers
    /// What was found, by the GPUs and whether there is a network.
    mutable std::map<std::pair<std::vector<uint32_t>, bool>, Found> m_found;
};

} // namespace ns3

#endif /* SERVER_CHANNELS_H */
