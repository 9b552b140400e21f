/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef WORKLOAD_TEST_TOOLS_H
#define WORKLOAD_TEST_TOOLS_H

#include "ns3/workload-program.h"

#include <functional>
#include <string>

namespace ns3
{

/**
 * @ingroup workload-replay-tests
 * @brief Write a small input of a test.
 *
 * @param file path of the file to write
 * @param content what it is to hold
 */
void WriteWorkloadFile(const std::string& file, const std::string& content);

/**
 * @ingroup workload-replay-tests
 * @brief Catch the error that an action is to end in.
 *
 * @param action what is to fail
 * @return the message of the WorkloadError it throws, or "no error"
 */
std::string WorkloadErrorOf(const std::function<void()>& action);

/**
 * @ingroup workload-replay-tests
 * @brief While it lives, LeakSanitizer, where it is loaded, does not ask for what is allocated:
 * ns-3 loses it if what it calls ends in an exception. CreateObject() has an object that nobody
 * owns yet if an attribute refuses its value, and the simulator the event that it runs.
 */
class LossAllowed
{
  public:
    LossAllowed();
    ~LossAllowed();

    LossAllowed(const LossAllowed&) = delete;
    LossAllowed& operator=(const LossAllowed&) = delete;
};

/**
 * @ingroup workload-replay-tests
 * @brief Spell out a program, to compare it with one written by hand.
 *
 * @param program a program
 * @return its ops, one a line: index, stream, name, phase, collective or kind, amount, line of the
 *         file, and the ops of which it needs the finish
 */
std::string DescribeProgram(const WorkloadProgram& program);

/**
 * @ingroup workload-replay-tests
 * @param text any text
 * @param part a part of it
 * @param other what to put in its place
 * @return the text with the first such part replaced
 */
std::string ReplaceFirst(std::string text, const std::string& part, const std::string& other);

} // namespace ns3

#endif /* WORKLOAD_TEST_TOOLS_H */
