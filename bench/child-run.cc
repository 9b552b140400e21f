/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "child-run.h"

#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <iostream>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace ns3
{

namespace
{

/**
 * @param time a time
 * @return it in s
 */
double
GetSeconds(const timeval& time)
{
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
}

} // namespace

ChildCost
RunInChild(const std::function<void()>& run)
{
    std::cout.flush();
    const pid_t child = fork();
    if (child == 0)
    {
        dup2(open("/dev/null", O_WRONLY), STDOUT_FILENO);
        run();
        std::exit(EXIT_SUCCESS);
    }
    int status = 0;
    rusage usage{};
    if (child < 0 || wait4(child, &status, 0, &usage) != child || status != 0)
    {
        std::cerr << "a run has failed\n";
        std::exit(EXIT_FAILURE);
    }
    // ru_maxrss is in KiB on Linux.
    return {GetSeconds(usage.ru_utime) + GetSeconds(usage.ru_stime),
            static_cast<double>(usage.ru_maxrss) * 1024};
}

ScratchFolder::ScratchFolder()
    : m_path((std::filesystem::temp_directory_path() / "bench-XXXXXX").string())
{
    if (mkdtemp(m_path.data()) == nullptr)
    {
        std::cerr << "cannot make a folder like " << m_path << "\n";
        std::exit(EXIT_FAILURE);
    }
}

ScratchFolder::~ScratchFolder()
{
    std::error_code ignored;
    std::filesystem::remove_all(m_path, ignored);
}

const std::string&
ScratchFolder::GetPath() const
{
    return m_path;
}

} // namespace ns3
