/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef PACKED_FILE_H
#define PACKED_FILE_H

#include "foreign-file.h"

#include <cstddef>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief Read a file that may be compressed by gzip.
 *
 * @param file path of the file
 * @param most bytes to read at most, unpacked
 * @return what it holds, unpacked; empty = nothing, or it cannot be read or unpacked
 */
std::string ReadPackedFile(const std::string& file, std::size_t most);

/**
 * @ingroup workload-replay
 * @brief Read a trace as a whole, which may be compressed by gzip.
 *
 * @param file path of the file
 * @param what what it is to be, with an article
 * @return what it holds, unpacked
 * @throws WorkloadError if it cannot be read, is empty, or has 4 GiB or more
 */
std::string ReadPackedTrace(const std::string& file, const std::string& what);

/**
 * @ingroup workload-replay
 * @param file path of a file, which may be compressed by gzip
 * @return what it is by its first bytes, unpacked; NONE if it cannot be read
 */
ForeignFile FindPackedKind(const std::string& file);

/**
 * @ingroup workload-replay
 * @brief Find the files of a kind, which is written in JSON and may be compressed by gzip.
 *
 * @param path a directory, of whose files those count that have .json in their names, or a file
 * @param kind the kind
 * @return the files, by name
 */
std::vector<std::string> ListPackedFiles(const std::string& path, ForeignFile kind);

} // namespace ns3

#endif /* PACKED_FILE_H */
