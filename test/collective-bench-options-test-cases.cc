/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "collective-bench-test-cases.h"

#include "ns3/collective-bench.h"
#include "ns3/workload-error.h"

#include <functional>
#include <sstream>
#include <utility>

using namespace ns3;

namespace
{

/// An option with a right value.
struct Row
{
    std::string name;                                           //!< the option
    std::string text;                                           //!< a right value
    std::function<bool(const CollectiveBenchOptions&)> isRight; //!< was it understood?
};

/// What was understood.
using O = const CollectiveBenchOptions&;
/// Right values.
const std::vector<Row> VALUES{
    {"kind", "reduce-scatter", [](O o) { return o.kind == CollectiveKind::REDUCE_SCATTER; }},
    {"ranks", "1000000", [](O o) { return o.ranks == 1000000; }},
    {"servers", "3", [](O o) { return o.servers == 3; }},
    {"root", "7", [](O o) { return o.root == 7; }},
    {"minBytes", "1", [](O o) { return o.minBytes == 1; }},
    {"maxBytes", "1GiB", [](O o) { return o.maxBytes == 1073741824; }},
    {"factor", "4", [](O o) { return o.factor == 4; }},
    {"iterations", "20", [](O o) { return o.iterations == 20; }},
    {"elementBytes", "2", [](O o) { return o.elementBytes == 2; }},
    {"collective", "ring", [](O o) { return o.collectives.front().algorithm == "ring"; }},
    {"reference", "a.csv", [](O o) { return o.reference == "a.csv"; }},
    {"outputDir", "out", [](O o) { return o.outputDir == "out"; }},
    // those that wl-replay has too are tested with it
    {"nicRate", "200Gbps", [](O o) { return o.fabric.nicRate == DataRate("200Gbps"); }},
    {"cc", "hpcc", [](O o) { return o.cc == "hpcc"; }},
    {"channels", "2", [](O o) { return o.channels == 2; }},
    {"seed", "5", [](O o) { return o.seed == 5; }},
};

/// Wrong command lines, and what is told of them.
const std::vector<std::pair<Arguments, std::string>> ERRORS{
    {{"--kind=allreduce"},
     "--kind: error: expected all-reduce, all-gather, reduce-scatter, all-to-all, shift, "
     "broadcast, reduce, gather, scatter or barrier, found 'allreduce'; did you mean "
     "all-reduce?"},
    {{"all-gather"},
     "command line: error: expected --NAME=VALUE, found 'all-gather'; did you mean "
     "--kind=all-gather?"},
    {{"--ranks=1"}, "--ranks: error: expected a whole number from 2 to 1000000, found '1'"},
    {{"--factor=1"}, "--factor: error: expected a whole number from 2 to 4294967295, found '1'"},
    {{"--workload=a"},
     "--workload: error: expected an option (--help lists all), found '--workload'"},
    {{"--minBytes=0"},
     "--minBytes: error: expected a size of at least 1 in bytes, KiB, MiB or GiB, such as "
     "512KiB, found '0'"},
    {{"--minBytes=1GiB"},
     "--minBytes: error: expected at most 67108864, which is maxBytes, found 1073741824"},
    {{"--maxBytes=1KiB"},
     "--maxBytes: error: expected at least 2048, which is minBytes, found 1024"},
    {{"--servers=9"}, "--servers: error: expected at most 8, a rank on each server, found 9"},
    {{"--root=8", "--kind=reduce"}, "--root: error: expected a rank from 0 to 7, found 8"},
    {{"--root=0"},
     "--root: error: expected no root with the kind all-reduce, which has none, found one"},
    {{"--kind=barrier", "--maxBytes=1KiB"},
     "--maxBytes: error: expected no maxBytes with a barrier, which moves no bytes, found one"},
    {{"--check", "--csv"},
     "--csv: error: expected no csv with a check, which times nothing, found one"},
    {{"--outputDir=out"},
     "--outputDir: error: expected --dryRun with it; otherwise there are no files, see "
     "--csv, found it alone"},
    {{"--transport=ideal", "--mtu=1500"},
     "--mtu: error: expected no mtu with the transport ideal, which has no packets, found one"},
    {{"--ranks=17", "--servers=2"},
     "--servers: error: expected servers that hold 17 ranks, found 2, of which server 0 would "
     "have 9 ranks on 8 GPUs; did you mean 3?"},
    {{"--ranks=16", "--gpusPerServer=4000000000", "--servers=2"},
     "--gpusPerServer: error: expected at most 1000000 GPUs on all servers, found 4000000008 "
     "on 2"},
    {{"--topology=clos:leaves=1,hostsPerLeaf=8", "--ranks=16", "--gpusPerServer=1"}, "--topolo"},
    {{"--reference=/no/such.csv"},
     "/no/such.csv: error: expected a text file, found no file of that name"},
};

} // namespace

/**
 * @param arguments a command line
 * @return what it asks for, checked
 */
CollectiveBenchOptions
ParseBenchOptions(const Arguments& arguments)
{
    const auto options = ParseCollectiveBenchOptions(arguments);
    CheckCollectiveBenchOptions(options);
    return options;
}

/**
 * @param arguments a command line
 * @return the message of the error it is, the topology and reference included; empty if it is right
 */
std::string
GetBenchError(const Arguments& arguments)
{
    try
    {
        const CollectiveBench bench(ParseBenchOptions(arguments));
    }
    catch (const WorkloadError& error)
    {
        return error.what();
    }
    return "";
}

CollectiveBenchOptionsTestCase::CollectiveBenchOptionsTestCase()
    : TestCase("options of wl-collective: values, errors, help")
{
}

void
CollectiveBenchOptionsTestCase::CheckValues()
{
    for (const auto& row : VALUES)
    {
        const auto argument = "--" + row.name + "=" + row.text;
        NS_TEST_EXPECT_MSG_EQ(row.isRight(ParseCollectiveBenchOptions({argument})), true, argument);
    }
    NS_TEST_EXPECT_MSG_EQ(ParseBenchOptions({"--csv"}).csv, true, "a switch");
    const auto check = ParseBenchOptions({"--check"});
    NS_TEST_EXPECT_MSG_EQ(check.check, true, "another switch");
    NS_TEST_EXPECT_MSG_EQ(check.minBytes, 1, "checks begin with one byte");
    const auto sizes = ParseBenchOptions({"--minBytes=1KiB", "--maxBytes=5000"}).GetSizes();
    NS_TEST_EXPECT_MSG_EQ((sizes == std::vector<uint64_t>{1024, 2048, 4096}), true, "doubling");
    const auto one = ParseBenchOptions({"--minBytes=7", "--maxBytes=7", "--factor=3"}).GetSizes();
    NS_TEST_EXPECT_MSG_EQ((one == std::vector<uint64_t>{7}), true, "one size");
    const auto barrier = ParseBenchOptions({"--kind=barrier"}).GetSizes();
    NS_TEST_EXPECT_MSG_EQ((barrier == std::vector<uint64_t>{0}), true, "no bytes");
    NS_TEST_EXPECT_MSG_EQ(ParseBenchOptions({}).GetSizes().size(), 16, "2 KiB to 64 MiB");
    NS_TEST_EXPECT_MSG_EQ(
        ParseBenchOptions({"--maxBytes=18446744073709551615", "--factor=4294967295"})
            .GetSizes()
            .size(),
        2,
        "no overflow");

    // nccl-tests' count is what the call of NCCL is given: the share of a rank in an all-gather.
    const std::vector<std::pair<std::string, uint64_t>> counts{{"all-reduce", 1024},
                                                               {"all-gather", 128},
                                                               {"reduce-scatter", 128},
                                                               {"all-to-all", 128},
                                                               {"gather", 128},
                                                               {"scatter", 128},
                                                               {"shift", 1024},
                                                               {"broadcast", 1024},
                                                               {"reduce", 1024}};
    for (const auto& [kind, count] : counts)
    {
        NS_TEST_EXPECT_MSG_EQ(ParseBenchOptions({"--kind=" + kind}).CountElements(4096),
                              count,
                              kind);
    }
}

void
CollectiveBenchOptionsTestCase::CheckAlgorithms()
{
    const auto choose = [](const Arguments& arguments) {
        std::string text;
        for (const auto& choice : ParseBenchOptions(arguments).collectives)
        {
            text += ToString(choice.kind) + "=" + choice.algorithm;
            text += (choice.protocol ? "/" + ToString(*choice.protocol) : "") + " ";
        }
        return text;
    };
    NS_TEST_EXPECT_MSG_EQ(choose({}), "", "automatic");
    NS_TEST_EXPECT_MSG_EQ(choose({"--collective=auto"}), "", "automatic");
    NS_TEST_EXPECT_MSG_EQ(choose({"--collective=all-reduce=auto,broadcast=chain"}),
                          "all-reduce=auto broadcast=chain ",
                          "automatic in a list");
    NS_TEST_EXPECT_MSG_EQ(choose({"--collective=chain", "--kind=reduce"}),
                          "reduce=chain ",
                          "a name is for the kind, which stands behind it");
    NS_TEST_EXPECT_MSG_EQ(choose({"--collective=all-reduce.world=tree,broadcast=chain"}),
                          "all-reduce=tree broadcast=chain ",
                          "a list may choose for other kinds, too");
    NS_TEST_EXPECT_MSG_EQ(choose({"--collective=tree/ll128", "--fabric=h100"}),
                          "all-reduce=tree/ll128 ",
                          "a name with a protocol");
    NS_TEST_EXPECT_MSG_EQ(choose({"--collective=nvls/simple", "--fabric=h100"}),
                          "all-reduce=nvls/simple ",
                          "the protocol that they have");
}

void
CollectiveBenchOptionsTestCase::CheckAlgorithmErrors()
{
    NS_TEST_EXPECT_MSG_EQ(GetBenchError({"--collective=tree/ll"}),
                          "--collective: error: expected a fabric, without which protocols cost "
                          "nothing, such as --fabric=h100, found none, but tree/ll",
                          "a protocol that would do nothing");
    NS_TEST_EXPECT_MSG_EQ(GetBenchError({"--collective=tree/ll12", "--fabric=h100"}),
                          "--collective: error: expected a protocol: simple, ll128, ll, found "
                          "'ll12'; did you mean ll128?",
                          "no such protocol");
    NS_TEST_EXPECT_MSG_EQ(GetBenchError({"--collective=nvls/ll128", "--fabric=h100"}),
                          "--collective: error: expected a protocol of nvls: simple, found "
                          "'ll128'",
                          "NVSwitches have no flags");
    NS_TEST_EXPECT_MSG_EQ(
        GetBenchError({"--collective=auto/ll", "--fabric=h100"}),
        "--collective: error: expected an algorithm for all-reduce: ring, tree, "
        "halving-doubling, nvls, hierarchical, collnet-chain, collnet-direct, bucket, found 'auto'",
        "the automatic choice takes no protocol");
    NS_TEST_EXPECT_MSG_EQ(
        GetBenchError({"--collective=trea"}),
        "--collective: error: expected an algorithm for all-reduce: auto, ring, "
        "tree, halving-doubling, nvls, hierarchical, collnet-chain, collnet-direct, bucket, "
        "found 'trea'; did you mean "
        "tree?",
        "no such algorithm");
    NS_TEST_EXPECT_MSG_EQ(
        GetBenchError({"--collective=tree", "--kind=all-gather"}),
        "--collective: error: expected an algorithm for all-gather: auto, ring, "
        "direct, halving-doubling, nvls, hierarchical, pat, bucket, found 'tree', "
        "which is one for all-reduce, broadcast, reduce",
        "not for this kind");
    for (const std::string useless : {"broadcast=tree", "all-reduce.dp=tree"})
    {
        NS_TEST_EXPECT_MSG_EQ(GetBenchError({"--collective=" + useless}),
                              "--collective: error: expected an algorithm for all-reduce, such as "
                              "all-reduce=ring, found '" +
                                  useless + "'",
                              "a choice that would do nothing");
    }
}

void
CollectiveBenchOptionsTestCase::CheckHelp()
{
    std::ostringstream stream;
    PrintCollectiveBenchHelp(stream);
    const auto help = stream.str();
    CollectiveBenchOptions options;
    for (const auto& name : CreateCollectiveBenchOptionTable(options).GetNames())
    {
        NS_TEST_EXPECT_MSG_EQ((help.find("\n  --" + name) != std::string::npos), true, name);
    }
    for (const std::string text : {"\nCollective:\n",
                                   "\nFabric:\n",
                                   "\nTransport:\n",
                                   "\nCollectives:\n",
                                   "\nOutput:\n",
                                   "\nRun:\n",
                                   "\nTopologies:\n",
                                   "[all-reduce]",
                                   "[64MiB]",
                                   "--PrintVersion list what there is."})
    {
        NS_TEST_EXPECT_MSG_EQ((help.find(text) != std::string::npos), true, text);
    }
    std::istringstream lines(help);
    for (std::string line; std::getline(lines, line);)
    {
        NS_TEST_EXPECT_MSG_LT_OR_EQ(line.size(), 100, line);
    }
}

void
CollectiveBenchOptionsTestCase::DoRun()
{
    CheckValues();
    CheckAlgorithms();
    CheckAlgorithmErrors();
    CheckHelp();
    for (const auto& [arguments, message] : ERRORS)
    {
        NS_TEST_EXPECT_MSG_EQ(GetBenchError(arguments).substr(0, message.size()), message, message);
        NS_TEST_EXPECT_MSG_EQ(
            (GetBenchError(arguments).size() == message.size() || message == "--topolo"),
            true,
            "nothing more: " << GetBenchError(arguments));
    }
}
