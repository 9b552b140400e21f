/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-port-turns.h"

namespace ns3
{

RdmaPortTurns::RdmaPortTurns(RdmaPortBacklog& backlog)
    : m_backlog(backlog)
{
}

void
RdmaPortTurns::SetSource(RdmaPacketSource* source)
{
    m_source = source;
}

void
RdmaPortTurns::Alternate()
{
    m_alternates = true;
}

} // namespace ns3
