/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "collective-bench-options.h"

#include "network-option-table.h"
#include "option-arguments.h"
#include "option-rules.h"

#include <algorithm>

namespace ns3
{

namespace
{

/**
 * @param kind a kind of collective
 * @return whether every member brings or keeps a part of the size, so that NCCL's call is given the
 *         elements of a part
 */
bool
IsCalledByPart(CollectiveKind kind)
{
    switch (kind)
    {
    case CollectiveKind::ALL_GATHER:
    case CollectiveKind::REDUCE_SCATTER:
    case CollectiveKind::ALL_TO_ALL:
    case CollectiveKind::GATHER:
    case CollectiveKind::SCATTER:
        return true;
    case CollectiveKind::ALL_REDUCE:
    case CollectiveKind::SHIFT:
    case CollectiveKind::BROADCAST:
    case CollectiveKind::REDUCE:
    case CollectiveKind::BARRIER:
        break;
    }
    return false;
}

/**
 * Add the options that say what to time.
 *
 * @param table the table
 * @param o what the options set
 */
void
AddTaskOptions(OptionTable& table, CollectiveBenchOptions& o)
{
    using V = OptionValue;
    table.Add(
        "Collective",
        {{"kind",
          {"KIND", ToString(o.kind), [&o](const auto& v) { o.kind = ParseCollectiveKind(v); }},
          "what to time: all-reduce, all-gather, reduce-scatter, all-to-all, shift "
          "(nccl-tests' sendrecv), broadcast, reduce, gather, scatter, barrier"},
         {"ranks", V::Number(o.ranks, 2, MAX_WORLD), "ranks that take part"},
         {"servers",
          V::Number(o.servers, 1, MAX_WORLD).Default("ranks / gpusPerServer, rounded up"),
          "servers that the ranks are dealt out to evenly, neighbours together; the other GPUs "
          "of a server are idle"},
         {"root",
          V::Number(o.root, 0, MAX_WORLD - 1, "RANK"),
          "root of a broadcast, reduce, gather or scatter"},
         {"minBytes",
          V::Bytes(o.minBytes, 1).Default("2KiB, with check 1"),
          "first size, counted as nccl-tests counts it: the larger of a rank's input and output"},
         {"maxBytes", V::Bytes(o.maxBytes, 1).Default("64MiB"), "largest size"},
         {"factor", V::Number(o.factor, 2), "factor from one size to the next"},
         {"iterations",
          V::Number(o.iterations),
          "calls of each size, one after the other; the time is their mean"},
         {"elementBytes",
          V::Number(o.elementBytes, 1, 1024),
          "bytes of an element, for the column count"},
         {"check",
          V::Switch(o.check),
          "check that all algorithms of the kind, or the one of collective, bring every rank the "
          "right data, at each size from 1 byte on and one byte more; simulate nothing"}});
}

/**
 * Add the options that say what becomes of the times.
 *
 * @param table the table
 * @param o what the options set
 */
void
AddOutputOptions(OptionTable& table, CollectiveBenchOptions& o)
{
    using V = OptionValue;
    table.Add(
        "Output",
        {{"csv",
          V::Switch(o.csv),
          "print a CSV table, its header and a row for each size, and nothing else; ./wl-report "
          "draws it"},
         {"reference",
          V::NonEmpty(o.reference, "FILE").Default("none"),
          "table to compare with: the output of nccl-tests as it is (kind, ranks and servers "
          "choose among several runs), or CSV with the columns size_bytes and time_us"},
         {"fit",
          V::NonEmpty(o.fit, "LOG[:KEY=VALUE,...][,...]").Default("none"),
          "fit the named fabric to tables measured by nccl-tests, its output as it is or CSV as "
          "for "
          "reference, and print what rows left out are predicted at; keys kind, ranks and servers "
          "where a log does not say them, or to choose among its runs"},
         {"output",
          V::NonEmpty(o.output, "FILE.json").Default("none"),
          "with fit: where the fitted fabric goes, for --fabric=FILE.json"},
         {"outputDir",
          V::Text(o.outputDir, "DIRECTORY").Default("none"),
          "with dryRun: where fabric.json and fabric.dot go; made if it is not "
          "there"}});
}

/**
 * @param options what the user asks for
 * @return why there is no root; empty = there is one
 */
std::string
FindRootlessKind(const CollectiveBenchOptions& options)
{
    return HasRoot(options.kind) ? ""
                                 : " with the kind " + ToString(options.kind) + ", which has none";
}

/**
 * @param options what the user asks for
 * @throws WorkloadError if there are more servers than ranks, or the root is no rank
 */
void
CheckRanks(const CollectiveBenchOptions& options)
{
    if (options.servers > options.ranks)
    {
        throw WorkloadError(options.Locate("servers"),
                            "at most " + std::to_string(options.ranks) + ", a rank on each server",
                            std::to_string(options.servers));
    }
    if (options.root >= options.ranks)
    {
        throw WorkloadError(options.Locate("root"),
                            "a rank from 0 to " + std::to_string(options.ranks - 1),
                            std::to_string(options.root));
    }
}

/**
 * Check the sizes.
 *
 * @param options what the user asks for
 * @throws WorkloadError if there are none
 */
void
CheckSizes(const CollectiveBenchOptions& options)
{
    if (options.minBytes > options.maxBytes)
    {
        const bool isMaxGiven = options.IsGiven("maxBytes");
        const auto least = std::to_string(options.minBytes);
        const auto most = std::to_string(options.maxBytes);
        throw WorkloadError(options.Locate(isMaxGiven ? "maxBytes" : "minBytes"),
                            isMaxGiven ? "at least " + least + ", which is minBytes"
                                       : "at most " + most + ", which is maxBytes",
                            isMaxGiven ? most : least);
    }
}

/// What a fit finds itself, by the fabric that it starts from.
const std::vector<std::string> FITTED{"nicRate", "nvlinkRate", "launchLatency", "stepLatency"};

/// What of a measurement a fit has no use for.
const std::vector<std::string> MEASURED{"factor", "reference", "root", "csv", "dryRun"};

/**
 * @param options what the user asks for
 * @throws WorkloadError if it is a fit and something is missing or in its way
 */
void
CheckFit(const CollectiveBenchOptions& options)
{
    if (options.fit.empty())
    {
        options.Refuse({"output"}, " without --fit=LOG, whose result it is");
        return;
    }
    if (options.fabricSet.empty())
    {
        throw WorkloadError(options.Locate("fit"),
                            "a fabric to start from, such as --fabric=h100",
                            "none");
    }
    options.Refuse(FITTED,
                   " with a fit, which finds it; a fabric of your own (--fabric=FILE.json) "
                   "may say where it starts");
    options.Refuse(MEASURED, " with a fit, whose rows are those of its logs");
    const auto& file = options.output;
    const std::string json = ".json";
    if (!file.empty() && (file.size() <= json.size() ||
                          file.compare(file.size() - json.size(), json.size(), json) != 0))
    {
        throw WorkloadError(options.Locate("output"),
                            "a name that ends in .json, as --fabric takes it",
                            Quoted(file));
    }
}

/**
 * @param options what the user asks for
 * @throws WorkloadError if algorithms are to be checked, and something is of no use for that
 */
void
CheckCheck(const CollectiveBenchOptions& options)
{
    if (options.check)
    {
        options.Refuse({"iterations", "elementBytes", "csv", "reference", "dryRun", "fit"},
                       " with a check, which times nothing");
    }
}

/// Which options go together; the first rule that is broken is reported.
const std::vector<OptionRule<CollectiveBenchOptions>> BENCH_RULES{
    {CheckNetworkOptions},
    {CheckCheck},
    {CheckFit},
    {{"root"}, FindRootlessKind},
    {{"minBytes", "maxBytes", "factor", "elementBytes", "reference"},
     [](const auto& o) { return o.kind == CollectiveKind::BARRIER; },
     " with a barrier, which moves no bytes"},
    {CheckRanks},
    {"outputDir",
     [](const auto& o) { return o.IsGiven("outputDir") && !o.dryRun; },
     "--dryRun with it; otherwise there are no files, see --csv",
     "it alone"},
    {CheckSizes},
};

} // namespace

CollectiveKind
ParseCollectiveKind(const TextField& value)
{
    std::vector<std::string> names;
    for (const auto kind : GetCollectiveKinds())
    {
        names.push_back(ToString(kind));
    }
    const auto name = ParseWord(value, names);
    const auto found = std::find(names.begin(), names.end(), name);
    return GetCollectiveKinds()[static_cast<std::size_t>(found - names.begin())];
}

std::vector<uint64_t>
CollectiveBenchOptions::GetSizes() const
{
    if (kind == CollectiveKind::BARRIER)
    {
        return {0};
    }
    std::vector<uint64_t> sizes{minBytes};
    // Divided, since the product could exceed 64 bits.
    while (sizes.back() <= maxBytes / factor)
    {
        sizes.push_back(sizes.back() * factor);
    }
    return sizes;
}

uint64_t
CollectiveBenchOptions::CountElements(uint64_t bytes) const
{
    return bytes / elementBytes / (IsCalledByPart(kind) ? ranks : 1);
}

OptionTable
CreateCollectiveBenchOptionTable(CollectiveBenchOptions& options)
{
    OptionTable table;
    AddTaskOptions(table, options);
    AddFabricOptions(table,
                     options,
                     "print what the fabric is and which algorithms would run; simulate nothing");
    // Which algorithms are right depends on the kind, which may stand behind them.
    table.Add(
        COLLECTIVE_GROUP,
        {{"collective",
          OptionValue::Text(options.algorithms, "NAME|LIST"),
          "ALGORITHM[/PROTOCOL], such as ring or, with a fabric, ring/ll128 (protocols: simple, "
          "ll128, ll), a file of MSCCL or MSCCL++, or a list for several kinds as wl-replay takes "
          "it, "
          "such as "
          "all-reduce=tree,broadcast=chain; auto = the fastest by the costs of the fabric, or "
          "without one by kind and size"}});
    AddCollectiveOptions(table, options);
    AddOutputOptions(table, options);
    AddRunOptions(table, options);
    return table;
}

CollectiveBenchOptions
ParseCollectiveBenchOptions(const std::vector<std::string>& arguments)
{
    CollectiveBenchOptions options;
    const auto table = CreateCollectiveBenchOptionTable(options);
    ParseArguments({"kind", "measurement"}, table, arguments, options);
    if (!options.fit.empty() && !options.IsSet("transport"))
    {
        // Tables are of idle networks, of which it says what packets would.
        options.transport = "ideal";
    }
    if (options.check && !options.IsSet("minBytes"))
    {
        // Errors hide where parts are short, or empty.
        options.minBytes = 1;
    }
    options.collectives =
        ParseCollectiveChoicesFor({options.algorithms, options.Locate("collective")}, options.kind);
    return options;
}

void
CheckCollectiveBenchOptions(const CollectiveBenchOptions& options)
{
    ApplyRules(BENCH_RULES, options);
}

void
PrintCollectiveBenchHelp(std::ostream& os)
{
    CollectiveBenchOptions options;
    os << "Usage: wl-collective [--NAME=VALUE ...]\n\n"
          "Times a collective on a simulated network, size by size, as nccl-tests does on a real "
          "one.\nTIME has a unit (10us), RATE too (400Gbps), SIZE is in bytes or has one (512KiB). "
          "Defaults stand in\nbrackets.\n";
    CreateCollectiveBenchOptionTable(options).PrintHelp(os);
    PrintNetworkHelp(os);
    os << "\nExit code: 0 done, 1 an option, the input or an algorithm is wrong, 2 a size could "
          "not "
          "finish.\n";
}

} // namespace ns3
