/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef REPLAY_SUMMARY_H
#define REPLAY_SUMMARY_H

#include "message-times.h"
#include "replay-result.h"

#include <string>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief The result of a replay as JSON, for programs to read.
 *
 * Times of ranks are sums over all iterations; those of a rank add up to the times of the
 * iterations exactly, see RankAccount. Only the object "run" holds what differs between two runs of
 * the same input.
 *
 * @param result the result
 * @param messages how long messages took, by job and dimension
 * @return the text of summary.json
 */
std::string FormatReplaySummary(const ReplayResult& result, const MessageTimesTable& messages);

/**
 * @ingroup workload-replay
 * @brief Make a directory ready for files: make it if it is not there, and try to write.
 *
 * @param directory the directory
 * @return what is wrong with it, a phrase; empty if files can be written
 */
std::string PrepareOutputDirectory(const std::string& directory);

/**
 * @ingroup workload-replay
 * @brief Write summary.json, whole or not at all.
 *
 * @param directory where to; PrepareOutputDirectory() has found nothing wrong with it
 * @param name the name that it is written under
 * @param result the result
 * @param messages how long messages took, by job and dimension
 * @return what OutputFile::Finish() returns
 */
std::string WriteReplaySummary(const std::string& directory,
                               const std::string& name,
                               const ReplayResult& result,
                               const MessageTimesTable& messages);

} // namespace ns3

#endif /* REPLAY_SUMMARY_H */
