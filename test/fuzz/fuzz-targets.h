/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef FUZZ_TARGETS_H
#define FUZZ_TARGETS_H

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay-tests
 * @brief Some input, as bytes and in a file.
 */
struct FuzzInput
{
    const uint8_t* data; //!< the bytes
    std::size_t size;    //!< how many
    std::string path;    //!< file that holds them, if the target has one
};

/**
 * @ingroup workload-replay-tests
 * @brief Something that reads what others have written.
 */
struct FuzzTarget
{
    std::string name;                    //!< name on the command line
    std::string file;                    //!< name of the file that it reads; empty = none
    void (*run)(const FuzzInput& input); //!< reads; may throw WorkloadError and nothing else
};

/**
 * @return all targets
 */
const std::vector<FuzzTarget>& GetFuzzTargets();

/**
 * Make a packet of the input, send it to another process and put it on a cable, and read both
 * again.
 *
 * @param input what gives its fields
 */
void FuzzFrame(const FuzzInput& input);

/**
 * Abort if something that must hold does not.
 *
 * @param holds whether it holds
 * @param what what must hold
 */
void Require(bool holds, const char* what);

} // namespace ns3

#endif /* FUZZ_TARGETS_H */
