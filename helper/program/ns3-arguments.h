/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef NS3_ARGUMENTS_H
#define NS3_ARGUMENTS_H

#include "option-values.h"

#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief Check an argument that ns-3 itself understands.
 *
 * These are the defaults of attributes (ns3::TcpSocket::SegmentSize=1448), global values (RngRun=3)
 * and what ns3::CommandLine prints (PrintAttributes=ns3::TcpSocket). Nothing is set: names and
 * values are only checked, because ns-3 answers most faults by aborting the program.
 *
 * @param name name without dashes
 * @param value its value and where it was written; empty text = none was given
 * @return true if ns-3 understands it, false if the name means nothing to ns-3
 * @throws WorkloadError if the name is that of an attribute that does not exist, or the value is
 *         wrong
 */
bool CheckNs3Argument(const std::string& name, const TextField& value);

/**
 * @ingroup workload-replay
 * @return names of the global values and of what ns3::CommandLine prints
 */
std::vector<std::string> GetNs3ArgumentNames();

/**
 * @ingroup workload-replay
 * @brief Let ns3::CommandLine act on arguments; ends the program if one of them prints something.
 *
 * @param program name of the program
 * @param arguments arguments that were checked, as NAME=VALUE
 */
void ApplyNs3Arguments(const std::string& program, const std::vector<std::string>& arguments);

} // namespace ns3

#endif /* NS3_ARGUMENTS_H */
