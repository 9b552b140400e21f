/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

/**
 * @file
 * @ingroup workload-replay
 *
 * wl-replay with the classes of this folder, which its options take by name, see doc/extending.rst:
 *
 *     ./ns3 run extended-replay -- --workload=FILE --routing=two-choices --schedule=first-back
 *         --background=bursts:bytes=64KiB,period=100us --outputDir=out --files=op-times.csv
 */

#include "ns3/nstime.h"
#include "ns3/replay-command.h"

int
main(int argc, char* argv[])
{
    ns3::Time::SetResolution(ns3::Time::PS);
    return ns3::RunReplayCommand({argv + 1, argv + argc});
}
