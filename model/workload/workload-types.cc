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
    static const std::array<const char*, 5> names{"all-reduce",
                                                  "all-gather",
                                                  "reduce-scatter",
                                                  "all-to-all",
                                                  "shift"};
    return names.at(static_cast<std::size_t>(kind));
}

std::string
ToString(Dimension dimension)
{
    static const std::array<const char*, N_DIMENSIONS>
        names{"tp", "cp", "ep", "dp", "edp", "pp", "embedding", "world"};
    return names.at(static_cast<std::size_t>(dimension));
}

} // namespace ns3
