/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

/**
 * @file
 * @ingroup workload-replay
 *
 * Replays a training workload on simulated nodes and reports where the time goes:
 *
 *     ./ns3 run wl-replay -- --workload=FILE
 *
 * --help lists the options. To replay on nodes of your own, see replay-on-own-nodes.cc.
 */

#include "ns3/nstime.h"
#include "ns3/program-guards.h"
#include "ns3/replay-command.h"

using namespace ns3;

namespace
{

/**
 * From now on Ctrl-C ends the replay well. (Before, there is nothing worth keeping.)
 *
 * @return what says whether it was pressed
 */
ReplaySession::StopCondition
ListenToInterrupts()
{
    Interrupt::Listen();
    return &Interrupt::HasCome;
}

} // namespace

int
main(int argc, char* argv[])
{
    StandardOutput::Guard("wl-replay");
    MemoryShortage::Guard("wl-replay",
                          "fewer ranks, microbatches or iterations need less, and "
                          "--transport=ideal needs less than packets");
    // Picoseconds: a packet takes less than a nanosecond on fast links. To be set before any time.
    Time::SetResolution(Time::PS);
    return RunReplayCommand({argv + 1, argv + argc}, &ListenToInterrupts);
}
