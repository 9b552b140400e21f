/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

/**
 * @file
 * @ingroup workload-replay
 *
 * Several replays in one script: a job with trains of packets, and with each packet by itself, and
 * what sinks of the script have counted of both, in one process or in several:
 *
 *     mpirun -np 2 PATH/ns3.48-trains-or-packets-optimized --workload=FILE
 */

#include "ns3/process-group.h"
#include "ns3/replay-command.h"
#include "ns3/workload-error.h"

#include <cstddef>
#include <cstdint>
#include <iostream>
#include <string>
#include <vector>

namespace ns3
{

/// Messages that have arrived.
struct Arrivals
{
    uint64_t bytes{0};    //!< payload
    uint64_t messages{0}; //!< messages

    /**
     * A sink of the trace source Delivered of transports.
     *
     * @param message the first of them, with the bytes of all
     * @param count how many
     */
    void Add(const Message& message, uint64_t count)
    {
        bytes += message.bytes;
        messages += count;
    }
};

/**
 * Run a job, and print what has arrived.
 *
 * @param arguments those of the replay
 * @return its exit code
 */
static int
Replay(const std::vector<std::string>& arguments)
{
    Arrivals own;
    const int code = RunReplayCommand(arguments, nullptr, [&own](const ReplayScene& scene) {
        for (const auto& transport : scene.transports)
        {
            if (transport) // else another process has it
            {
                transport->TraceConnectWithoutContext("Delivered",
                                                      MakeCallback(&Arrivals::Add, &own));
            }
        }
    });
    // Every process has counted what its own ranks have received. All come here, as they have one
    // exit code.
    Arrivals all;
    for (const auto& part :
         ProcessGroup::Gather(std::to_string(own.bytes) + " " + std::to_string(own.messages)))
    {
        std::size_t read = 0;
        all.bytes += std::stoull(part, &read);
        all.messages += std::stoull(part.substr(read));
    }
    if (ProcessGroup::IsFirst())
    {
        std::cout << arguments.back() << ": " << all.messages << " messages, " << all.bytes
                  << " bytes" << std::endl;
    }
    return code;
}

} // namespace ns3

int
main(int argc, char* argv[])
{
    using namespace ns3;
    Time::SetResolution(Time::PS);
    try
    {
        ProcessGroup::Join(); // before the first replay, so that it lasts to the end
    }
    catch (const WorkloadError& error)
    {
        std::cerr << error.what() << "\n";
        return 1;
    }
    int code = 0;
    // Both without reuse: reused collectives have no messages.
    for (const auto level : {"--exact=on", "--reuse=off"})
    {
        std::vector<std::string> arguments(argv + 1, argv + argc);
        arguments.emplace_back(level);
        code = code == 0 ? Replay(arguments) : code;
    }
    ProcessGroup::Leave();
    return code;
}
