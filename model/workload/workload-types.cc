/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "workload-types.h"

#include <array>

namespace ns3
{

std::string
ToString(OpKind kind)
{
    static const std::array<const char*, 4> names{"compute", "collective", "send", "recv"};
    return names.at(static_cast<std::size_t>(kind));
}

std::string
ToString(OpPhase phase)
{
    static const std::array<const char*, 5> names{"forward",
                                                  "backward-input",
                                                  "backward-weight",
                                                  "grad-sync",
                                                  "optimizer"};
    return names.at(static_cast<std::size_t>(phase));
}

std::string
ToString(CollectiveKind kind)
{
    static const std::array<const char*, 10> names{"all-reduce",
                                                   "all-gather",
                                                   "reduce-scatter",
                                                   "all-to-all",
                                                   "shift",
                                                   "broadcast",
                                                   "reduce",
                                                   "gather",
                                                   "scatter",
                                                   "barrier"};
    return names.at(static_cast<std::size_t>(kind));
}

bool
HasRoot(CollectiveKind kind)
{
    switch (kind)
    {
    case CollectiveKind::BROADCAST:
    case CollectiveKind::REDUCE:
    case CollectiveKind::GATHER:
    case CollectiveKind::SCATTER:
        return true;
    case CollectiveKind::ALL_REDUCE:
    case CollectiveKind::ALL_GATHER:
    case CollectiveKind::REDUCE_SCATTER:
    case CollectiveKind::ALL_TO_ALL:
    case CollectiveKind::SHIFT:
    case CollectiveKind::BARRIER:
        break;
    }
    return false;
}

const std::vector<CollectiveKind>&
GetCollectiveKinds()
{
    static const std::vector<CollectiveKind> kinds{CollectiveKind::ALL_REDUCE,
                                                   CollectiveKind::ALL_GATHER,
                                                   CollectiveKind::REDUCE_SCATTER,
                                                   CollectiveKind::ALL_TO_ALL,
                                                   CollectiveKind::SHIFT,
                                                   CollectiveKind::BROADCAST,
                                                   CollectiveKind::REDUCE,
                                                   CollectiveKind::GATHER,
                                                   CollectiveKind::SCATTER,
                                                   CollectiveKind::BARRIER};
    return kinds;
}

std::string
ToString(Dimension dimension)
{
    static const std::array<const char*, N_DIMENSIONS>
        names{"tp", "cp", "ep", "dp", "edp", "pp", "embedding", "world"};
    return names.at(static_cast<std::size_t>(dimension));
}

} // namespace ns3
