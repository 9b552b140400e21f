/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "collective-fault.h"

namespace ns3
{

std::string
CollectiveFault::Describe() const
{
    std::string text = "rank " + std::to_string(member) + (step.empty() ? "" : ", " + step);
    if (part.bytes > 0)
    {
        const auto scratch = part.offset & CollectiveTransfer::SCRATCH;
        const auto first = part.offset - scratch;
        const auto last = first + part.bytes - 1;
        text += scratch ? ", scratch bytes " : ", bytes ";
        text += std::to_string(first) + " to " + std::to_string(last);
    }
    return text + ": expected " + expected + ", found " + found +
           (advice.empty() ? "" : "; look at " + advice);
}

} // namespace ns3
