/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef PROGRAM_GUARDS_H
#define PROGRAM_GUARDS_H

#include <string>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief What a program owes to whoever reads its standard output: the text is whole, or the
 * program fails. For programs; a library leaves standard output alone.
 */
class StandardOutput
{
  public:
    /// Exit code of a program whose standard output is not whole; wl-replay's for unfinished work.
    static constexpr int LOST = 2;

    /**
     * From now on, if the program ends and its standard output could not be written (a full disk, a
     * pipe without a reader, a closed descriptor), it says so on standard error and its exit code
     * is LOST. To be called first: a file that is opened afterwards never gets the descriptor of a
     * closed standard stream, so that no report goes into it.
     *
     * @param program name of the program, for the message
     */
    static void Guard(const std::string& program);
};

/**
 * @ingroup workload-replay
 * @brief What a program says if there is no memory left for what it is asked to do. For programs; a
 * library throws std::bad_alloc.
 */
class MemoryShortage
{
  public:
    /// Exit code of a program that had too little memory; wl-replay's for unfinished work.
    static constexpr int CODE = 2;

    /**
     * From now on, if memory cannot be had, the program says so on standard error and ends at once
     * with CODE; of its files those are left that were whole before. (To take back what was built
     * would need memory, too.) Where the system promises more memory than it has, as Linux does
     * by default, the system may end the program before.
     *
     * @param program name of the program, for the message
     * @param advice what needs less memory, for the message
     */
    static void Guard(const std::string& program, const std::string& advice);
};

/**
 * @ingroup workload-replay
 * @brief Ctrl-C and SIGTERM as a wish to end well. For programs; a library leaves signals alone.
 *
 * The first one is noted, the next one ends the process at once, as if nobody had listened.
 */
class Interrupt
{
  public:
    /**
     * Note SIGINT and SIGTERM from now on, unless the process ignores them, as nohup and
     * the background jobs of a script are. SIGPIPE and SIGXFSZ are ignored: what cannot be written
     * is reported by the write that fails, and the other files are finished.
     */
    static void Listen();

    /**
     * @return whether a signal has come since Listen()
     */
    static bool HasCome();
};

/**
 * @ingroup workload-replay
 * @brief The folder that relative paths of the command line refer to. For programs.
 */
class StartFolder
{
  public:
    /**
     * The script of ns-3 starts programs in the root of its tree, wherever it is called from. If
     * that is where this one was started, and by it, work from now on where the user stands ($PWD).
     */
    static void Enter();
};

} // namespace ns3

#endif /* PROGRAM_GUARDS_H */
