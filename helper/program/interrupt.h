/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef INTERRUPT_H
#define INTERRUPT_H

namespace ns3
{

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
     * Note SIGINT and SIGTERM from now on, unless the process was told to ignore them, as nohup and
     * the background jobs of a script are. SIGPIPE and SIGXFSZ are ignored: what cannot be written
     * is told by the write that fails, and the other files are finished.
     */
    static void Listen();

    /**
     * @return whether a signal has come since Listen()
     */
    static bool HasCome();
};

} // namespace ns3

#endif /* INTERRUPT_H */
