/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef SWITCH_TAG_H
#define SWITCH_TAG_H

#include "ns3/abort.h"

#include <cstdint>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief What the tag of a message to or from an NVSwitch that takes part in a collective says.
 *
 * The rail of a member is its index among the members of its server.
 */
struct SwitchTag
{
    /// Rail that stands for all members of the server.
    static constexpr uint32_t ALL = 0xffff;

    uint32_t lane{0}; //!< lane of the collective, below 65536
    /// To the switch: rail of the member that gets the sum, or ALL: send it on to all. From the
    /// switch: rail of the member that sent it on or, of a sum, that gets it.
    uint32_t rail{0};

    /**
     * @return the tag
     */
    uint32_t Pack() const
    {
        NS_ABORT_MSG_IF(lane > 0xffff || rail > 0xffff,
                        "nvls takes more than 65,536 lanes: ask for fewer channels "
                        "(ns3::NvlsCollective::Channels) or a smaller PipelineDepth");
        return rail << 16 | lane;
    }

    /**
     * @param tag a tag
     * @return what it says
     */
    static SwitchTag Unpack(uint32_t tag)
    {
        return {tag & 0xffff, tag >> 16};
    }
};

} // namespace ns3

#endif /* SWITCH_TAG_H */
