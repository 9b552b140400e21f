/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef SCATTERED_TRANSFER_H
#define SCATTERED_TRANSFER_H

#include "collective-algorithm.h"

#include <cstdint>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief Add a transfer of bytes that stand in several places, unless there are no bytes.
 *
 * Parts that follow each other in the buffer become one.
 *
 * @param step where to add it
 * @param action what to do
 * @param peer index of the other member
 * @param parts where the bytes stand, in the order of the message; any of them may be empty
 */
void AddScatteredTransfer(CollectiveStep& step,
                          CollectiveTransfer::Action action,
                          uint32_t peer,
                          const std::vector<BufferPart>& parts);

} // namespace ns3

#endif /* SCATTERED_TRANSFER_H */
