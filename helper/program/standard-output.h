/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef STANDARD_OUTPUT_H
#define STANDARD_OUTPUT_H

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

} // namespace ns3

#endif /* STANDARD_OUTPUT_H */
