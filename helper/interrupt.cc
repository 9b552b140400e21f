/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "interrupt.h"

#include <csignal>
#include <initializer_list>

namespace ns3
{

namespace
{

/// A signal has come.
volatile std::sig_atomic_t g_hasCome = 0;

} // namespace

extern "C"
{
    /**
     * Note a signal, and leave the next one to the system.
     *
     * @param signal the signal
     */
    static void NoteSignal(int signal [[maybe_unused]])
    {
        g_hasCome = 1;
        std::signal(SIGINT, SIG_DFL);
        std::signal(SIGTERM, SIG_DFL);
    }
}

void
Interrupt::Listen()
{
    for (const int signal : {SIGINT, SIGTERM})
    {
        if (std::signal(signal, &NoteSignal) == SIG_IGN)
        {
            std::signal(signal, SIG_IGN);
        }
    }
}

bool
Interrupt::HasCome()
{
    return g_hasCome != 0;
}

} // namespace ns3
