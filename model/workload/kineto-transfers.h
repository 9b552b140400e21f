/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef KINETO_TRANSFERS_H
#define KINETO_TRANSFERS_H

#include "kineto-message.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief Spans of a thread of the host about communications.
 */
struct KinetoSpans
{
    std::vector<const KinetoEvent*> all; //!< the spans
    std::size_t spent{0};                //!< of which so many were looked at for messages
};

/**
 * @ingroup workload-replay
 * @brief A message that a kernel sends or receives.
 */
struct KinetoTransfer
{
    bool isSend{false};            //!< sent, or received
    uint32_t peer{0};              //!< index of the other member
    std::optional<uint64_t> bytes; //!< its length; none = not said
};

/**
 * @ingroup workload-replay
 * @param event a kernel that sends or receives
 * @param message what is said of it
 * @param [in,out] spans of the thread that has launched it, of which those up to then are used up;
 *                 null = not known
 * @param call what has launched it; null = not known
 * @param member place of the rank in the group
 * @param members members of the group
 * @return its messages: those of the spans since the kernel before, as a kernel does all of a
 *         group call; or what the kernel says
 */
std::vector<KinetoTransfer> ListKinetoTransfers(const KinetoEvent& event,
                                                const KinetoMessage& message,
                                                KinetoSpans* spans,
                                                const KinetoEvent* call,
                                                uint32_t member,
                                                std::size_t members);

} // namespace ns3

#endif /* KINETO_TRANSFERS_H */
