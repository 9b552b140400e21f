/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef REPLAY_COMMAND_H
#define REPLAY_COMMAND_H

#include "replay-scene.h"
#include "replay-session.h"

#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief All of wl-replay but for the resolution of time, in one process or in each of several that
 * mpirun has started.
 *
 * A script may call it several times: defaults of attributes and global values that its arguments
 * set are put back. In several processes it calls ProcessGroup::Join() before the first time.
 *
 * @param arguments the arguments without the program's name
 * @param listen called when all is ready and the simulation is about to run: begins to listen
 *               to who may stop it, and returns what says so; null = nobody may
 * @param hook called before that with what was built, in each process with its own part: connects
 * sinks, for example; not for runs that calibrate of stepTime, nor for jobs that are run alone;
 * empty = nobody wants it
 * @return the exit code, the same in all processes; the first one alone prints the report and
 * writes files, and errors are reported on standard error, by the first
 */
ReplaySession::ExitCode RunReplayCommand(const std::vector<std::string>& arguments,
                                         ReplaySession::StopCondition (*listen)() = nullptr,
                                         const ReplayHook& hook = {});

} // namespace ns3

#endif /* REPLAY_COMMAND_H */
