/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

/**
 * @file
 * @ingroup workload-replay
 *
 * Times a collective on a simulated network, size by size, in the manner of nccl-tests:
 *
 *     ./ns3 run wl-collective -- --kind=all-reduce --ranks=16 --servers=2 --maxBytes=1GiB
 *
 * --help lists the options.
 */

#include "ns3/collective-bench.h"
#include "ns3/nstime.h"
#include "ns3/program-guards.h"

using namespace ns3;

int
main(int argc, char* argv[])
{
    StandardOutput::Guard("wl-collective");
    MemoryShortage::Guard("wl-collective", "fewer ranks need less");
    // Picoseconds: a packet takes less than a nanosecond on fast links. To be set before any time.
    Time::SetResolution(Time::PS);
    return CollectiveBench::Main({argv + 1, argv + argc});
}
