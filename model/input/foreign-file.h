/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef FOREIGN_FILE_H
#define FOREIGN_FILE_H

#include <string>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief Refuse a file that other tools write or read and no reader here does, by what it is.
 *
 * A reader that is given such a file would complain of its first word, which tells nobody what to
 * do.
 *
 * @param file its path, for the message
 * @param head its first bytes; what lies behind 64 KiB tells nothing more
 * @throws WorkloadError if it is one: what it is, and what makes something of it that is read
 */
void RefuseForeignFile(const std::string& file, const std::string& head);

} // namespace ns3

#endif /* FOREIGN_FILE_H */
