/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

/**
 * @file
 * @ingroup workload-replay-tests
 *
 * Feeds inputs that libFuzzer makes up to one of the targets: FUZZ_TARGET=NAME fuzz CORPUS...
 * FUZZ_TARGET=list prints the names. An input may be refused with a WorkloadError; anything else
 * that goes wrong is a finding.
 */

#include "fuzz-targets.h"

#include "ns3/nstime.h"
#include "ns3/workload-error.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <unistd.h>

using namespace ns3;

namespace
{

const FuzzTarget* g_target;     //!< the target
std::filesystem::path g_folder; //!< where its file is

/// Choose the target, and make room for its file.
void
Prepare()
{
    const char* asked = std::getenv("FUZZ_TARGET");
    const std::string name = asked == nullptr ? "" : asked;
    const auto& targets = GetFuzzTargets();
    const auto found = std::find_if(targets.begin(), targets.end(), [&name](const auto& target) {
        return target.name == name;
    });
    if (found == targets.end())
    {
        for (const auto& target : targets)
        {
            std::cout << target.name << "\n";
        }
        std::exit(name == "list" ? 0 : 1);
    }
    g_target = &*found;
    Time::SetResolution(Time::PS);
    g_folder = std::filesystem::temp_directory_path() / ("fuzz-" + std::to_string(getpid()));
    std::filesystem::create_directories(g_folder);
    std::atexit([] { std::filesystem::remove_all(g_folder); });
}

} // namespace

void
ns3::Require(bool holds, const char* what)
{
    if (!holds)
    {
        std::cerr << "this does not hold: " << what << std::endl;
        std::abort();
    }
}

/**
 * libFuzzer calls this once, first.
 *
 * @return 0
 */
extern "C" int
LLVMFuzzerInitialize(int* /* argc */, char*** /* argv */)
{
    Prepare();
    return 0;
}

/**
 * libFuzzer calls this for each input.
 *
 * @param data the input
 * @param size its bytes
 * @return 0
 */
extern "C" int
LLVMFuzzerTestOneInput(const uint8_t* data, std::size_t size)
{
    FuzzInput input{data, size, ""};
    if (!g_target->file.empty())
    {
        input.path = (g_folder / g_target->file).string();
        std::ofstream file(input.path, std::ios::binary);
        file.write(reinterpret_cast<const char*>(data), static_cast<std::streamsize>(size));
    }
    try
    {
        g_target->run(input);
    }
    catch (const WorkloadError& refused)
    {
        const std::string message = refused.what();
        Require(message.find('\n') == std::string::npos, "a message is one line");
        Require(message.find("error: expected ") != std::string::npos, "it says what was expected");
    }
    return 0;
}
