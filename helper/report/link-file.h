/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LINK_FILE_H
#define LINK_FILE_H

#include "replay-result.h"

#include "ns3/nstime.h"

#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief Write links.csv: a row for each direction of each link.
 *
 * @param directory where the file goes
 * @param links what the links have seen; empty = the file has a header only
 * @param duration time that utilisation is a share of; 0 = none, then all are 0
 * @return what OutputFile::Finish() returns
 */
std::string WriteLinkFile(const std::string& directory,
                          const std::vector<LinkUse>& links,
                          const Time& duration);

} // namespace ns3

#endif /* LINK_FILE_H */
