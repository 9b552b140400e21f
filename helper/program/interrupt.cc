/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "interrupt.h"

#include <atomic>
#include <csignal>
#include <initializer_list>

namespace ns3
{

namespace
{

/// A signal has come. Lock-free, so that a handler may set it whatever thread it runs on.
std::atomic<bool> g_hasCome{false};

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
        g_hasCome = true;

        struct sigaction standard
        {
        };

        standard.sa_handler = SIG_DFL;
        sigaction(SIGINT, &standard, nullptr);
        sigaction(SIGTERM, &standard, nullptr);
    }
}

void
Interrupt::Listen()
{
    for (const int signal : {SIGINT, SIGTERM})
    {
        struct sigaction present
        {
        };

        sigaction(signal, nullptr, &present);
        if (present.sa_handler != SIG_IGN)
        {
            struct sigaction own
            {
            };

            own.sa_handler = &NoteSignal;
            own.sa_flags = SA_RESTART;
            sigaction(signal, &own, nullptr);
        }
    }
    for (const int signal : {SIGPIPE, SIGXFSZ})
    {
        std::signal(signal, SIG_IGN);
    }
}

bool
Interrupt::HasCome()
{
    return g_hasCome;
}

} // namespace ns3
