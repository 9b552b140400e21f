/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "collective-protocol.h"

namespace ns3
{

const std::vector<CollectiveProtocol>&
GetCollectiveProtocols()
{
    static const std::vector<CollectiveProtocol> protocols = {CollectiveProtocol::SIMPLE,
                                                              CollectiveProtocol::LL128,
                                                              CollectiveProtocol::LL};
    return protocols;
}

std::string
ToString(CollectiveProtocol protocol)
{
    switch (protocol)
    {
    case CollectiveProtocol::LL:
        return "ll";
    case CollectiveProtocol::LL128:
        return "ll128";
    case CollectiveProtocol::SIMPLE:
        break;
    }
    return "simple";
}

} // namespace ns3
