/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "program-guards.h"

#include <atomic>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <iostream>
#include <new>
#include <system_error>
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
CheckOutput()
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

/// The message, made while there is memory; never freed, because it may be needed to the end.
const std::string* g_message = nullptr;

/**
 * What operator new does when it finds no memory.
 */
void
EndWithoutMemory()
{
    // Whoever does not listen to standard error has the exit code.
    [[maybe_unused]] const auto written =
        write(STDERR_FILENO, g_message->data(), g_message->size());
    std::_Exit(MemoryShortage::CODE);
}

/// A signal has come. Lock-free, so that a handler may set it whatever thread it runs on.
std::atomic<bool> g_hasCome{false};

/// Processes between ./ns3 and a program: a debugger, a profiler, mpirun and its daemon.
constexpr int MAX_BETWEEN = 4;

/**
 * @param process number of a process
 * @return whether it is `./ns3 run`, by its command line
 */
bool
IsNs3Run(int process)
{
    std::ifstream file("/proc/" + std::to_string(process) + "/cmdline");
    bool isNs3 = false;
    for (std::string word; std::getline(file, word, '\0');)
    {
        if (isNs3 && (word == "run" || word == "--run"))
        {
            return true;
        }
        isNs3 = isNs3 || std::filesystem::path(word).filename() == "ns3";
    }
    return false;
}

/**
 * @param process number of a process
 * @return number of the process that started it; 0 = there is none, or it is not known
 */
int
GetParent(int process)
{
    std::ifstream file("/proc/" + std::to_string(process) + "/status");
    for (std::string word; file >> word;)
    {
        if (word == "PPid:")
        {
            int parent = 0;
            file >> parent;
            return parent;
        }
    }
    return 0;
}

/**
 * @return whether `./ns3 run` has started this process, be it through others
 */
bool
IsStartedByNs3()
{
    auto process = getppid();
    for (int i = 0; i <= MAX_BETWEEN && process > 1; ++i)
    {
        if (IsNs3Run(process))
        {
            return true;
        }
        process = GetParent(process);
    }
    return false;
}

} // namespace

void
StandardOutput::Guard(const std::string& program)
{
    for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    {
        // One that cannot be written to: what is said there is lost, and known to be.
        // open() takes the lowest number that is free, which is this one, as those below are open.
        if (fcntl(descriptor, F_GETFD) < 0 && open("/dev/null", O_RDONLY) != descriptor)
        {
            std::_Exit(LOST);
        }
    }
    g_program = new std::string(program);
    std::atexit(&CheckOutput);
}

void
MemoryShortage::Guard(const std::string& program, const std::string& advice)
{
    g_message = new std::string(program + ": error: there is not enough memory: " + advice + "\n");
    std::set_new_handler(&EndWithoutMemory);
}

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

        // If the first signal does not end the program the second one does, by the system.
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
        // Who ignores signals, as nohup does, has set that for this program.
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
    // A write that fails returns an error, which is reported; the signal would end the program.
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

void
StartFolder::Enter()
{
    std::error_code error;
    const char* const folder = std::getenv("PWD");
    // What --cwd names is no root of a tree, and is left alone.
    if (folder && std::filesystem::exists("ns3", error) &&
        std::filesystem::is_directory(folder, error) &&
        !std::filesystem::equivalent(folder, ".", error) && IsStartedByNs3())
    {
        std::filesystem::current_path(folder, error);
    }
}

} // namespace ns3
