/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RUN_LOG_H
#define RUN_LOG_H

#include <string>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief Messages of a run to the person who runs it: configuration, warnings, progress.
 *
 * They are Boost.Log records of one channel. Nothing is emitted, and no sink, filter or formatter
 * is touched, until the program calls EnableConsole(), or Enable() if it has set up Boost.Log
 * itself. (Without any sink Boost.Log prints records in a way of its own, hence the switch.) Each
 * record carries the attributes named below besides its message. For the debugging of models there
 * is NS_LOG, for data there are trace sources.
 */
class RunLog
{
  public:
    /// How much a message matters; the value of the attribute SEVERITY.
    enum Severity
    {
        INFO,   //!< what is going on
        WARNING //!< something the result should be read with
    };

    /// Value of the attribute CHANNEL, a std::string.
    static constexpr const char* CHANNEL_NAME = "workload-replay";
    /// Attribute of type std::string: who speaks.
    static constexpr const char* CHANNEL = "Channel";
    /// Attribute of type RunLog::Severity: how much it matters.
    static constexpr const char* SEVERITY = "Severity";
    /// Attribute of type ns3::Time: simulated time of the message.
    static constexpr const char* SIMULATION_TIME = "SimulationTime";

    /**
     * Emit messages, and print them on standard error.
     *
     * @param threshold least severity that is printed
     */
    static void EnableConsole(Severity threshold);

    /**
     * Emit messages to the sinks that the program has added to Boost.Log.
     */
    static void Enable();

    /**
     * Emit nothing any more, and remove the console if it was enabled.
     */
    static void Disable();

    /**
     * @param severity how much it matters
     * @param text the message, one line without its end
     */
    static void Write(Severity severity, const std::string& text);
};

} // namespace ns3

#endif /* RUN_LOG_H */
