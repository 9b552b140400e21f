/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "run-log.h"

#include "ns3/nstime.h"
#include "ns3/simulator.h"
#include "ns3/text-table.h"

#include <boost/core/null_deleter.hpp>
#include <boost/log/attributes/attribute_value_set.hpp>
#include <boost/log/attributes/function.hpp>
#include <boost/log/attributes/value_extraction.hpp>
#include <boost/log/core.hpp>
#include <boost/log/expressions/message.hpp>
#include <boost/log/sinks/sync_frontend.hpp>
#include <boost/log/sinks/text_ostream_backend.hpp>
#include <boost/log/sources/record_ostream.hpp>
#include <boost/log/sources/severity_channel_logger.hpp>
#include <boost/make_shared.hpp>
#include <boost/smart_ptr/shared_ptr.hpp>
#include <iostream>

namespace ns3
{

namespace
{

namespace logging = boost::log;

/// Takes lines with how grave they are and where they come from.
using Logger = logging::sources::severity_channel_logger<RunLog::Severity, std::string>;
/// Writes them to the terminal.
using Console = logging::sinks::synchronous_sink<logging::sinks::text_ostream_backend>;

/// What the functions of RunLog share.
struct State
{
    bool isEnabled{false};              //!< messages are emitted
    boost::shared_ptr<Console> console; //!< sink on standard error, if it was enabled
};

/**
 * @return the state
 */
State&
GetState()
{
    static State state;
    return state;
}

/**
 * @return what messages are emitted through
 */
Logger&
GetLogger()
{
    static Logger logger = [] {
        Logger made(logging::keywords::channel = std::string(RunLog::CHANNEL_NAME));
        made.add_attribute(RunLog::SIMULATION_TIME,
                           logging::attributes::make_function(&Simulator::Now));
        return made;
    }();
    return logger;
}

/**
 * Print a message of the console.
 *
 * @param record the message
 * @param stream where to
 */
void
FormatRecord(const logging::record_view& record, logging::formatting_ostream& stream)
{
    const auto time = logging::extract<Time>(RunLog::SIMULATION_TIME, record);
    const auto severity = logging::extract<RunLog::Severity>(RunLog::SEVERITY, record);
    stream << "[" << FormatMs(*time) << " ms] ";
    stream << (*severity == RunLog::WARNING ? "warning: " : "");
    stream << record[logging::expressions::smessage];
}

} // namespace

void
RunLog::EnableConsole(Severity threshold)
{
    // One console at a time.
    Disable();
    const auto backend = boost::make_shared<logging::sinks::text_ostream_backend>();
    // Without a deleter, since std::cerr does not belong to the log.
    backend->add_stream(boost::shared_ptr<std::ostream>(&std::cerr, boost::null_deleter()));
    backend->auto_flush(true);
    const auto console = boost::make_shared<Console>(backend);
    console->set_formatter(&FormatRecord);
    // Boost's log belongs to the whole program, which may write other messages.
    console->set_filter([threshold](const logging::attribute_value_set& values) {
        const auto channel = logging::extract<std::string>(CHANNEL, values);
        const auto severity = logging::extract<Severity>(SEVERITY, values);
        return channel && *channel == CHANNEL_NAME && severity && *severity >= threshold;
    });
    logging::core::get()->add_sink(console);
    GetState().console = console;
    Enable();
}

void
RunLog::Enable()
{
    GetState().isEnabled = true;
}

void
RunLog::Disable()
{
    State& state = GetState();
    if (state.console)
    {
        logging::core::get()->remove_sink(state.console);
        state.console.reset();
    }
    state.isEnabled = false;
}

void
RunLog::Write(Severity severity, const std::string& text)
{
    if (GetState().isEnabled)
    {
        BOOST_LOG_SEV(GetLogger(), severity) << text;
    }
}

} // namespace ns3
