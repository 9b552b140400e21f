/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef CATCHING_UP_H
#define CATCHING_UP_H

#include "ns3/catch-up-simulator-impl.h"
#include "ns3/global-value.h"
#include "ns3/simulator.h"
#include "ns3/string.h"

namespace ns3
{

/// Has simulations run on CatchUpSimulatorImpl as long as it lives.
class CatchingUp
{
  public:
    CatchingUp()
    {
        CatchUpSimulatorImpl::Choose();
    }

    ~CatchingUp()
    {
        Simulator::Destroy();
        GlobalValue::Bind("SimulatorImplementationType", StringValue("ns3::DefaultSimulatorImpl"));
    }
};

} // namespace ns3

#endif /* CATCHING_UP_H */
