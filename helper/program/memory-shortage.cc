/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "memory-shortage.h"

#include <cstdlib>
#include <new>
#include <unistd.h>

namespace ns3
{

namespace
{

/// The message, made while there is memory; never freed, because it may be needed to the end.
const std::string* g_message = nullptr;

/**
 * What operator new does when it finds no memory.
 */
void
Finish()
{
    // Whoever does not listen to standard error has the exit code.
    [[maybe_unused]] const auto written =
        write(STDERR_FILENO, g_message->data(), g_message->size());
    std::_Exit(MemoryShortage::CODE);
}

} // namespace

void
MemoryShortage::Guard(const std::string& program, const std::string& advice)
{
    g_message = new std::string(program + ": error: there is not enough memory: " + advice + "\n");
    std::set_new_handler(&Finish);
}

} // namespace ns3
