/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "standard-output.h"

#include <cstdlib>
#include <fcntl.h>
#include <initializer_list>
#include <iostream>
#include <unistd.h>

namespace ns3
{

namespace
{

/// Name of the program; never freed, because it is used when the program ends.
const std::string* g_program = nullptr;

/**
 * The last thing that a program does.
 */
void
Finish()
{
    if (!std::cout.flush())
    {
        std::cerr << *g_program
                  << ": error: standard output could not be written (closed, not read, or a full "
                     "disk)"
                  << std::endl;
        std::_Exit(StandardOutput::LOST);
    }
}

} // namespace

void
StandardOutput::Guard(const std::string& program)
{
    for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    {
        // One that cannot be written to: what is said there is lost, and known to be.
        if (fcntl(descriptor, F_GETFD) < 0 && open("/dev/null", O_RDONLY) != descriptor)
        {
            std::_Exit(LOST);
        }
    }
    g_program = new std::string(program);
    std::atexit(&Finish);
}

} // namespace ns3
