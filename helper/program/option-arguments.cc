/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "option-arguments.h"

#include "astra-system.h"
#include "fabric-set.h"
#include "hpcc-config.h"
#include "ns3-arguments.h"
#include "rdma-replay-fabric.h"
#include "replay-config.h"
#include "transport-kind.h"

#include "ns3/foreign-file.h"
#include "ns3/nccl-topology.h"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <utility>

namespace ns3
{

namespace
{

/**
 * @param word an option that there is not, without dashes
 * @param table the options that there are
 * @return what may have been meant: the option or argument of ns-3 that is nearest, else the
 * options that hold the word, if they are few; may be none
 */
std::vector<std::string>
FindMeantOptions(const std::string& word, const OptionTable& table)
{
    const auto lower = [](std::string text) {
        std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) {
            return static_cast<char>(std::tolower(c));
        });
        return text;
    };
    auto names = table.GetNames();
    std::vector<std::string> holding;
    std::copy_if(names.begin(), names.end(), std::back_inserter(holding), [&](const auto& name) {
        return lower(name).find(lower(word)) != std::string::npos;
    });
    // A word of one or two letters is in too many names to say which was meant.
    constexpr std::size_t shortest = 3;
    constexpr std::size_t few = 6;
    if (word.size() >= shortest && !holding.empty() && holding.size() <= few)
    {
        return holding;
    }
    const auto more = GetNs3ArgumentNames();
    names.insert(names.end(), more.begin(), more.end());
    const auto nearest = NearestName(word, names);
    return nearest.empty() ? std::vector<std::string>{} : std::vector<std::string>{nearest};
}

/**
 * Set an option, or keep an argument for ns-3.
 *
 * @param table the options
 * @param options what they set
 * @param assignment the option and its value
 * @throws WorkloadError if there is no such option or the value is wrong
 */
void
Assign(const OptionTable& table, NetworkOptions& options, const OptionAssignment& assignment)
{
    const auto& [name, value] = assignment;
    if (table.Find(name) != nullptr)
    {
        table.Set(name, value);
        options.given[name] = value.where;
        // The command line wins over a file, whichever of the two says off.
        options.switchedOff.erase(name);
        if (value.text == "off")
        {
            options.switchedOff.insert(name);
        }
        return;
    }
    if (CheckNs3Argument(name, value))
    {
        options.ns3Arguments.push_back(value.text.empty() ? name : name + "=" + value.text);
        options.given[name] = value.where;
        return;
    }
    // A key of a file has a JSON pointer, and no dashes.
    const std::string dashes = value.where.pointer.empty() ? "--" : "";
    auto meant = FindMeantOptions(name, table);
    for (auto& option : meant)
    {
        option = dashes + option;
    }
    throw WorkloadError(value.where,
                        "an option (--help lists all)",
                        Quoted(dashes + name),
                        JoinWords(meant));
}

/**
 * Take an argument apart.
 *
 * @param program what messages say of the program
 * @param table the options
 * @param argument the argument
 * @param next the argument after it; empty if there is none
 * @return the option it sets
 * @throws WorkloadError if it is not of the form --NAME=VALUE
 */
OptionAssignment
SplitArgument(const ProgramWords& program,
              const OptionTable& table,
              const std::string& argument,
              const std::string& next)
{
    // ns-3's CommandLine takes one dash as well as two.
    const auto start = argument.find_first_not_of('-');
    if (start == 0 || start > 2 || start == std::string::npos)
    {
        throw WorkloadError({"command line", 0, 0, ""},
                            "--NAME=VALUE",
                            Quoted(argument),
                            start == 0 ? "--" + program.mainOption + "=" + argument : "");
    }
    const auto equals = argument.find('=');
    auto name = argument.substr(start, equals == std::string::npos ? equals : equals - start);
    if (name == "h" || name == "PrintHelp")
    {
        name = "help";
    }
    const SourceLocation where{"--" + name, 0, 0, ""};
    const Option* option = table.Find(name);
    // An option without a form takes no value.
    if (option != nullptr && option->value.form.empty() != (equals == std::string::npos))
    {
        const bool takesValue = !option->value.form.empty();
        // The user may have typed a blank for the equals sign.
        const bool valueFollows = takesValue && !next.empty() && next.front() != '-';
        throw WorkloadError(where,
                            takesValue ? "--" + name + "=" + option->value.form : "no value",
                            takesValue ? "no value" : Quoted(argument.substr(equals + 1)),
                            valueFollows ? "--" + name + "=" + next : "");
    }
    return {name, {{equals == std::string::npos ? "" : argument.substr(equals + 1), where}}};
}

/**
 * @param option name of an option
 * @param assignments options, of which later ones win
 * @return its value; empty = it is not given
 */
std::string
FindText(const std::string& option, const std::vector<OptionAssignment>& assignments)
{
    std::string text;
    for (const auto& assignment : assignments)
    {
        text = assignment.name == option ? assignment.value.text : text;
    }
    return text;
}

/**
 * @param program what messages say of the program
 * @param table the options
 * @param assignments options of the command line
 * @param [out] notes receives what of the file has no counterpart
 * @return options of the configuration file that they name; empty if they name none
 * @throws WorkloadError if the file is wrong, or several are named
 */
std::vector<OptionAssignment>
ReadNamedConfig(const ProgramWords& program,
                const OptionTable& table,
                const std::vector<OptionAssignment>& assignments,
                std::vector<std::string>& notes)
{
    const OptionAssignment* config = nullptr;
    for (const auto& assignment : assignments)
    {
        if (assignment.name != "config")
        {
            continue;
        }
        if (config != nullptr)
        {
            throw WorkloadError(assignment.value.where,
                                "one configuration file",
                                Quoted(config->value.text) + " and " +
                                    Quoted(assignment.value.text));
        }
        config = &assignment;
    }
    if (config == nullptr)
    {
        return {};
    }
    OptionValue::RefuseEmpty(config->value, "FILE");
    const auto& file = config->value.text;
    const auto kind = FindForeignFile(file);
    if (kind == ForeignFile::HPCC_CONFIG || kind == ForeignFile::ASTRA_SYSTEM)
    {
        auto foreign = kind == ForeignFile::HPCC_CONFIG
                           ? ReadHpccConfig(file)
                           : ReadAstraSystem(file, FindText("topology", assignments), table);
        notes = std::move(foreign.notes);
        return foreign.assignments;
    }
    auto read = ReadReplayConfig(file, table);
    for (const auto& assignment : read)
    {
        if (assignment.name == "config" || assignment.name == "help")
        {
            throw WorkloadError(assignment.value.where,
                                "an option of the " + program.task,
                                Quoted(assignment.name) + ", which only the command line has");
        }
    }
    return read;
}

/**
 * Apply the named set of the fabric, if there is one.
 *
 * @param table the options
 * @param options what they set
 * @param lists lists of assignments, of which later ones win
 * @throws WorkloadError if there is no such set, or a value is wrong
 */
void
AssignFabric(const OptionTable& table,
             NetworkOptions& options,
             const std::vector<const std::vector<OptionAssignment>*>& lists)
{
    const OptionAssignment* fabric = nullptr;
    for (const auto* list : lists)
    {
        for (const auto& assignment : *list)
        {
            // The last one wins.
            fabric = assignment.name == "fabric" ? &assignment : fabric;
        }
    }
    if (fabric == nullptr)
    {
        return;
    }
    for (const auto& assignment : ReadFabricSet(fabric->value, table))
    {
        Assign(table, options, assignment);
        options.fromFabric.insert(assignment.name);
    }
    // Nobody has typed these.
    options.given.clear();
}

/**
 * Apply what the file of a server says beside the places of GPUs and NICs: its rates win over the
 * fabric, and what the user says wins over them.
 *
 * @param options what is asked for
 * @param lists lists of assignments, of which later ones win
 */
void
ApplyServerFile(NetworkOptions& options,
                const std::vector<const std::vector<OptionAssignment>*>& lists)
{
    std::string file;
    for (const auto* list : lists)
    {
        for (const auto& assignment : *list)
        {
            file = assignment.name == "server" ? assignment.value.text : file;
        }
    }
    if (!IsServerFile(file) || options.fabric.server.IsEmpty())
    {
        return;
    }
    const auto read = ReadNcclTopology(file);
    options.configNotes.insert(options.configNotes.end(), read.notes.begin(), read.notes.end());
    auto& fabric = options.fabric;
    if (read.nicRate > 0 && !options.IsGiven("nicRate"))
    {
        fabric.nicRate = DataRate(read.nicRate);
    }
    if (read.nvlinkRate > 0 && !options.IsGiven("nvlinkRate"))
    {
        fabric.nvlinkRate = DataRate(read.nvlinkRate);
    }
    if (read.isLinkless && !options.IsGiven("intraServer") && !options.IsGiven("nvlinkRate"))
    {
        // The costs of collectives that a fabric has are those of NVLink.
        fabric.pcie = options.fabricSet.empty();
        options.configNotes.push_back("GPUs of " + file + " have no NVLinks: " +
                                      (fabric.pcie ? "they reach each other through PCIe "
                                                     "(--intraServer=pcie)"
                                                   : "they are taken to have those of the fabric"));
    }
}

/**
 * Make a server that nobody describes of the channels that NCCL has found in it.
 *
 * @param [in,out] options what was read so far
 */
void
ApplyGraphFile(NetworkOptions& options)
{
    if (!options.ncclGraph)
    {
        return;
    }
    const auto& graph = *options.ncclGraph;
    options.configNotes.insert(options.configNotes.end(), graph.notes.begin(), graph.notes.end());
    if (options.fabric.server.IsEmpty())
    {
        options.fabric.server = graph.MakeServer();
        options.configNotes.push_back(graph.file +
                                      " does not say where NICs stand: each is taken to be beside "
                                      "the first GPU that a channel enters from it (--server)");
    }
}

/**
 * Take as many GPUs of a server as the user describes, unless he says otherwise.
 *
 * @param [in,out] options what was read so far
 */
void
FitServer(NetworkOptions& options)
{
    const auto gpus = options.fabric.server.gpus.size();
    const bool isDescribed = options.IsGiven("server") || options.ncclGraph;
    if (gpus > 0 && isDescribed && !options.IsGiven("gpusPerServer"))
    {
        options.fabric.gpusPerServer = static_cast<uint32_t>(gpus);
    }
}

} // namespace

void
ParseArguments(const ProgramWords& program,
               const OptionTable& table,
               const std::vector<std::string>& arguments,
               NetworkOptions& options)
{
    std::vector<OptionAssignment> typed;
    for (std::size_t i = 0; i < arguments.size(); ++i)
    {
        const auto next = i + 1 < arguments.size() ? arguments[i + 1] : "";
        typed.push_back(SplitArgument(program, table, arguments[i], next));
    }
    const auto configured = ReadNamedConfig(program, table, typed, options.configNotes);
    // Later ones win: first the fabric, then the configuration file, then the command line.
    AssignFabric(table, options, {&configured, &typed});
    for (const auto& assignment : configured)
    {
        Assign(table, options, assignment);
    }
    for (const auto& assignment : typed)
    {
        Assign(table, options, assignment);
    }
    ApplyServerFile(options, {&configured, &typed});
    ApplyGraphFile(options);
    FitServer(options);
    const auto transport = TransportKind::Get(options);
    if (options.IsSet("cc") && transport->Supports(TransportKind::Use::PACKETS))
    {
        // What is right depends on the transport, which may stand behind it.
        options.cc = transport->ParseCongestionControl({options.cc, options.Locate("cc")});
    }
}

} // namespace ns3
