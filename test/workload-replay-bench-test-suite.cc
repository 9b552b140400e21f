/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "collective-bench-test-cases.h"

#include "ns3/collective-bench-options.h"
#include "ns3/collective-bench.h"
#include "ns3/config.h"
#include "ns3/test.h"
#include "ns3/workload-error.h"

#include <fstream>
#include <functional>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

using namespace ns3;

namespace
{

/// A command line, without the name of the program.
using Arguments = std::vector<std::string>;

/// Hosts on one switch at 10 GB/s; a message of B bytes takes B / 10 ns + 2 us.
const Arguments PLAIN{"--transport=ideal",
                      "--topology=single-switch",
                      "--gpusPerServer=1",
                      "--nicRate=80Gbps",
                      "--linkDelay=1us"};

/**
 * @param arguments a command line
 * @param more what follows it
 * @return both
 */
Arguments
Join(Arguments arguments, const Arguments& more)
{
    arguments.insert(arguments.end(), more.begin(), more.end());
    return arguments;
}

/**
 * @param arguments a command line
 * @return what it asks for, checked
 */
CollectiveBenchOptions
Parse(const Arguments& arguments)
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
GetError(const Arguments& arguments)
{
    try
    {
        const CollectiveBench bench(Parse(arguments));
    }
    catch (const WorkloadError& error)
    {
        return error.what();
    }
    return "";
}

/**
 * @param arguments a command line
 * @return what the program prints for it
 */
std::string
Print(const Arguments& arguments)
{
    std::ostringstream os;
    std::ostringstream errors;
    CollectiveBench bench(Parse(arguments));
    bench.Run(os, errors);
    Config::Reset(); // of the defaults that options have set
    return os.str() + errors.str();
}

/**
 * @param arguments options besides those of PLAIN
 * @return the rows of the CSV table, after its header has been checked
 */
std::string
PrintRows(const Arguments& arguments)
{
    const std::string header = "size_bytes,count,time_us,algbw_gbs,busbw_gbs,algorithm\n";
    const auto text = Print(Join(Join(PLAIN, {"--csv"}), arguments));
    return text.compare(0, header.size(), header) == 0 ? text.substr(header.size()) : text;
}

} // namespace

/**
 * @ingroup workload-replay-tests
 * @brief Options of wl-collective: right values, wrong ones, contradictions.
 */
class CollectiveBenchOptionsTestCase : public TestCase
{
  public:
    CollectiveBenchOptionsTestCase();

  private:
    void DoRun() override;

    /// Give every option a right value.
    void CheckValues();

    /// Choose algorithms.
    void CheckAlgorithms();

    /// Read the help.
    void CheckHelp();
};

CollectiveBenchOptionsTestCase::CollectiveBenchOptionsTestCase()
    : TestCase("options of wl-collective: values, errors, help")
{
}

void
CollectiveBenchOptionsTestCase::CheckValues()
{
    struct Row
    {
        std::string name;                                           //!< the option
        std::string text;                                           //!< a right value
        std::function<bool(const CollectiveBenchOptions&)> isRight; //!< was it understood?
    };

    using O = const CollectiveBenchOptions&;
    const std::vector<Row> rows{
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
        {"plot", "a.svg", [](O o) { return o.plot == "a.svg"; }},
        // those that wl-replay has too are tested with it
        {"nicRate", "200Gbps", [](O o) { return o.fabric.nicRate == DataRate("200Gbps"); }},
        {"cc", "hpcc", [](O o) { return o.cc == "hpcc"; }},
        {"channels", "2", [](O o) { return o.channels == 2; }},
        {"seed", "5", [](O o) { return o.seed == 5; }},
    };
    for (const auto& row : rows)
    {
        const auto argument = "--" + row.name + "=" + row.text;
        NS_TEST_EXPECT_MSG_EQ(row.isRight(ParseCollectiveBenchOptions({argument})), true, argument);
    }
    NS_TEST_EXPECT_MSG_EQ(Parse({"--csv"}).csv, true, "a switch");
    const auto sizes = Parse({"--minBytes=1KiB", "--maxBytes=5000"}).GetSizes();
    NS_TEST_EXPECT_MSG_EQ((sizes == std::vector<uint64_t>{1024, 2048, 4096}), true, "doubling");
    const auto one = Parse({"--minBytes=7", "--maxBytes=7", "--factor=3"}).GetSizes();
    NS_TEST_EXPECT_MSG_EQ((one == std::vector<uint64_t>{7}), true, "one size");
    const auto barrier = Parse({"--kind=barrier"}).GetSizes();
    NS_TEST_EXPECT_MSG_EQ((barrier == std::vector<uint64_t>{0}), true, "no bytes");
    NS_TEST_EXPECT_MSG_EQ(Parse({}).GetSizes().size(), 16, "2 KiB to 64 MiB");
    NS_TEST_EXPECT_MSG_EQ(
        Parse({"--maxBytes=18446744073709551615", "--factor=4294967295"}).GetSizes().size(),
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
        NS_TEST_EXPECT_MSG_EQ(Parse({"--kind=" + kind}).CountElements(4096), count, kind);
    }
}

void
CollectiveBenchOptionsTestCase::CheckAlgorithms()
{
    const auto choose = [](const Arguments& arguments) {
        std::string text;
        for (const auto& choice : Parse(arguments).collectives)
        {
            text += ToString(choice.kind) + "=" + choice.algorithm;
            text += (choice.protocol ? "/" + ToString(*choice.protocol) : "") + " ";
        }
        return text;
    };
    NS_TEST_EXPECT_MSG_EQ(choose({}), "", "automatic");
    NS_TEST_EXPECT_MSG_EQ(choose({"--collective=auto"}), "", "automatic");
    NS_TEST_EXPECT_MSG_EQ(choose({"--collective=chain", "--kind=reduce"}),
                          "reduce=chain ",
                          "a name is for the kind, which stands behind it");
    NS_TEST_EXPECT_MSG_EQ(choose({"--collective=all-reduce.world=tree,broadcast=chain"}),
                          "all-reduce=tree broadcast=chain ",
                          "a list may choose for other kinds, too");
    NS_TEST_EXPECT_MSG_EQ(choose({"--collective=tree/ll128", "--fabric=h100"}),
                          "all-reduce=tree/ll128 ",
                          "a name with a protocol");
    NS_TEST_EXPECT_MSG_EQ(GetError({"--collective=tree/ll"}),
                          "--collective: error: expected a fabric, without which protocols cost "
                          "nothing, such as --fabric=h100, found none, but tree/ll",
                          "a protocol that would do nothing");
    NS_TEST_EXPECT_MSG_EQ(GetError({"--collective=tree/ll12", "--fabric=h100"}),
                          "--collective: error: expected a protocol: simple, ll128, ll, found "
                          "'ll12'; did you mean ll128?",
                          "no such protocol");
    NS_TEST_EXPECT_MSG_EQ(GetError({"--collective=nvls/ll128", "--fabric=h100"}),
                          "--collective: error: expected a protocol of nvls: simple, found "
                          "'ll128'",
                          "NVSwitches have no flags");
    NS_TEST_EXPECT_MSG_EQ(choose({"--collective=nvls/simple", "--fabric=h100"}),
                          "all-reduce=nvls/simple ",
                          "the protocol that they have");
    NS_TEST_EXPECT_MSG_EQ(GetError({"--collective=auto/ll", "--fabric=h100"}),
                          "--collective: error: expected an algorithm for all-reduce: ring, tree, "
                          "halving-doubling, nvls, hierarchical, found 'auto'",
                          "the automatic choice takes no protocol");
    NS_TEST_EXPECT_MSG_EQ(GetError({"--collective=trea"}),
                          "--collective: error: expected an algorithm for all-reduce: auto, ring, "
                          "tree, halving-doubling, nvls, hierarchical, found 'trea'; did you mean "
                          "tree?",
                          "no such algorithm");
    NS_TEST_EXPECT_MSG_EQ(GetError({"--collective=tree", "--kind=all-gather"}),
                          "--collective: error: expected an algorithm for all-gather: auto, ring, "
                          "direct, halving-doubling, nvls, hierarchical, pat, found 'tree'",
                          "not for this kind");
    for (const std::string useless : {"broadcast=tree", "all-reduce.dp=tree"})
    {
        NS_TEST_EXPECT_MSG_EQ(GetError({"--collective=" + useless}),
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
                                   "--PrintVersion tell what there is."})
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
    CheckHelp();
    const std::vector<std::pair<Arguments, std::string>> rows{
        {{"--kind=allreduce"},
         "--kind: error: expected all-reduce, all-gather, reduce-scatter, all-to-all, shift, "
         "broadcast, reduce, gather, scatter or barrier, found 'allreduce'; did you mean "
         "all-reduce?"},
        {{"all-gather"},
         "command line: error: expected --NAME=VALUE, found 'all-gather'; did you mean "
         "--kind=all-gather?"},
        {{"--ranks=1"}, "--ranks: error: expected a whole number from 2 to 1000000, found '1'"},
        {{"--factor=1"},
         "--factor: error: expected a whole number from 2 to 4294967295, found '1'"},
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
        {{"--outputDir=out"},
         "--outputDir: error: expected --dryRun with it; otherwise there is one picture, see "
         "--plot, found it alone"},
        {{"--transport=ideal", "--mtu=1500"},
         "--mtu: error: expected no mtu with the transport ideal, which has no packets, found one"},
        {{"--ranks=17", "--servers=2"},
         "--servers: error: expected servers that hold 17 ranks, found 2, of which server 0 would "
         "have 9 ranks on 8 GPUs; did you mean 3?"},
        {{"--ranks=16", "--gpusPerServer=4000000000", "--servers=2"},
         "--gpusPerServer: error: expected at most 1000000 GPUs on all servers, found 4000000008 "
         "on 2"},
        {{"--topology=clos:leaves=1,hostsPerLeaf=8", "--ranks=16", "--gpusPerServer=1"},
         "--topolo"},
        {{"--reference=/no/such.csv"},
         "/no/such.csv: error: expected a text file, found no file of that name"},
    };
    for (const auto& [arguments, message] : rows)
    {
        NS_TEST_EXPECT_MSG_EQ(GetError(arguments).substr(0, message.size()), message, message);
        NS_TEST_EXPECT_MSG_EQ(
            (GetError(arguments).size() == message.size() || message == "--topolo"),
            true,
            "nothing more: " << GetError(arguments));
    }
}

/**
 * @ingroup workload-replay-tests
 * @brief Tables against closed forms on the ideal transport.
 */
class CollectiveBenchTableTestCase : public TestCase
{
  public:
    CollectiveBenchTableTestCase();

  private:
    void DoRun() override;

    /// Compare with a reference.
    void CheckReference();
};

CollectiveBenchTableTestCase::CollectiveBenchTableTestCase()
    : TestCase("tables and CSV of wl-collective against closed forms")
{
}

void
CollectiveBenchTableTestCase::CheckReference()
{
    const auto file = CreateTempDirFilename("reference.csv");
    std::ofstream(file) << "time_us,size_bytes\n2.1,2000\n17.6,4000\n";
    const Arguments arguments{"--ranks=2",
                              "--minBytes=2000",
                              "--maxBytes=8000",
                              "--reference=" + file};
    // 4.2 / 2.1 = 2 and 4.4 / 17.6 = 1 / 4: the mean of 2 and 4 is the square root of 8, 2.8284.
    NS_TEST_EXPECT_MSG_EQ(
        Print(Join(Join(PLAIN, {"--csv"}), arguments)),
        "size_bytes,count,time_us,algbw_gbs,busbw_gbs,algorithm,reference_us,ratio\n"
        "2000,500,4.200000,0.476190,0.476190,ring,2.100000,2.000000\n"
        "4000,1000,4.400000,0.909091,0.909091,ring,17.600000,0.250000\n"
        "8000,2000,4.800000,1.666667,1.666667,ring,,\n",
        "two columns more, empty where the reference has no row");
    const auto table = Print(Join(PLAIN, arguments));
    const std::vector<std::string> parts{
        "\n# reference   " + file + ";",
        "        algorithm  reference_us    ratio\n",
        "       0.476             ring         2.100    2.000\n",
        "       1.667             ring             -        -\n",
        "\n# against the reference, 2 sizes: geometric mean of max(ratio, 1 / ratio) less 1: "
        "182.84 %\n# worst: 4000 bytes, 4.400 us instead of 17.600 us, ratio 0.250\n"};
    for (const auto& part : parts)
    {
        NS_TEST_EXPECT_MSG_EQ((table.find(part) != std::string::npos), true, part);
    }
    const std::string found = ", found other sizes alone, 2000 to 4000 bytes";
    NS_TEST_EXPECT_MSG_EQ(GetError(Join(PLAIN, {"--maxBytes=2KiB", "--reference=" + file})),
                          file + ": error: expected a row for 2048 bytes" + found,
                          "nothing to compare with");
    NS_TEST_EXPECT_MSG_EQ(GetError(Join(PLAIN, {"--maxBytes=8KiB", "--reference=" + file})),
                          file +
                              ": error: expected a row for one of the 3 sizes to be timed, 2048 "
                              "to 8192 bytes" +
                              found,
                          "nothing to compare with");
}

void
CollectiveBenchTableTestCase::DoRun()
{
    struct Row
    {
        Arguments arguments; //!< options besides those of PLAIN
        std::string rows;    //!< the table without its header
    };

    const std::string size1000 = "--minBytes=1000";
    const std::string size4000 = "--minBytes=4000";
    const std::string to4000 = "--maxBytes=4000";
    const std::vector<Row> rows{
        // all-reduce on a ring of 2: 2 steps of half the size, so S / 10 + 4000 ns
        {{"--ranks=2", "--minBytes=2000", to4000},
         "2000,500,4.200000,0.476190,0.476190,ring\n4000,1000,4.400000,0.909091,0.909091,ring\n"},
        // 3 calls one after the other, each launched within 1 us
        {{"--ranks=2", size4000, to4000, "--iterations=3", "--launchLatency=1us"},
         "4000,1000,5.400000,0.740741,0.740741,ring\n"},
        // ring of 4: 6 steps of 100 + 2000 ns; bus bandwidth 3 / 2 of 4000 / 12.6 us
        {{"--ranks=4", size4000, to4000}, "4000,1000,12.600000,0.317460,0.476190,ring\n"},
        // 3 steps; 3 / 4 of 4000 / 6.3 us; each rank brings 250 elements of 4 bytes
        {{"--ranks=4", "--kind=all-gather", size4000, to4000},
         "4000,250,6.300000,0.634921,0.476190,ring\n"},
        // to the neighbour: 100 + 2000 ns; elements of 2 bytes
        {{"--ranks=4", "--kind=shift", size1000, "--maxBytes=1000", "--elementBytes=2"},
         "1000,500,2.100000,0.476190,0.476190,direct\n"},
        // three shares of 1000 bytes through one port: 300 + 2000 ns
        {{"--ranks=4", "--kind=scatter", "--root=3", size4000, to4000},
         "4000,250,2.300000,1.739130,1.304348,direct\n"},
        // one round of empty messages
        {{"--ranks=2", "--kind=barrier"}, "0,0,2.000000,0.000000,0.000000,halving-doubling\n"},
        // the one byte is the root's own: nothing moves, and there is no time to divide by
        {{"--ranks=2", "--kind=gather", "--minBytes=1", "--maxBytes=1", "--elementBytes=1"},
         "1,0,0.000000,0.000000,0.000000,direct\n"},
    };
    for (const auto& row : rows)
    {
        NS_TEST_EXPECT_MSG_EQ(PrintRows(row.arguments), row.rows, row.rows);
    }
    NS_TEST_EXPECT_MSG_EQ(
        Print(Join(PLAIN, {"--ranks=2", "--minBytes=2000", to4000, "--collective=ring"})),
        "# collective  all-reduce, 1 call of each size\n"
        "# placement   2 ranks on 2 servers, 1 on each\n"
        "# network     single-switch, 3 nodes, 2 links; transport ideal\n"
        "# algorithm   ring\n"
        "#\n"
        "# size_bytes       count     time_us   algbw_gbs   busbw_gbs        algorithm\n"
        "        2000         500       4.200       0.476       0.476             ring\n"
        "        4000        1000       4.400       0.909       0.909             ring\n"
        "#\n"
        "# mean bus bandwidth: 0.693 GB/s\n",
        "for people");
    // Two ranks on two servers of 8 meet at a leaf: 2 steps of 500 kB at 50 GB/s and 1 us.
    NS_TEST_EXPECT_MSG_EQ(Print({"--transport=ideal",
                                 "--ranks=2",
                                 "--servers=2",
                                 "--minBytes=1000000",
                                 "--maxBytes=1000000",
                                 "--csv"}),
                          "size_bytes,count,time_us,algbw_gbs,busbw_gbs,algorithm\n"
                          "1000000,250000,22.000000,45.454545,45.454545,ring\n",
                          "idle hosts between them");
    // On two servers of two both NICs carry a ring: 6 steps of an eighth at 10 GB/s are 600 us, a
    // bus bandwidth of 20 GB/s, of which delays and NVLink take less than 1 %.
    std::istringstream rails(Print({"--transport=ideal",
                                    "--ranks=4",
                                    "--gpusPerServer=2",
                                    "--nicRate=80Gbps",
                                    "--minBytes=8000000",
                                    "--maxBytes=8000000",
                                    "--csv"}));
    std::string cell;
    for (int i = 0; i < 10; ++i)
    {
        std::getline(rails, cell, ',');
    }
    NS_TEST_EXPECT_MSG_EQ_TOL(std::stod(cell), 19.9, 0.1, "two rails");
    CheckReference();
}

/**
 * @ingroup workload-replay-tests
 * @brief A size takes the same time alone and after others.
 */
class CollectiveBenchIndependenceTestCase : public TestCase
{
  public:
    CollectiveBenchIndependenceTestCase();

  private:
    void DoRun() override;
};

CollectiveBenchIndependenceTestCase::CollectiveBenchIndependenceTestCase()
    : TestCase("sizes do not depend on each other")
{
}

void
CollectiveBenchIndependenceTestCase::DoRun()
{
    // Incast of large all-to-alls over a 4:1 oversubscribed spine: queues build, packets are marked
    // by chance, and congestion control has something to remember.
    const Arguments common{"--csv",
                           "--kind=all-to-all",
                           "--ranks=8",
                           "--gpusPerServer=1",
                           "--topology=clos:leaves=2,oversubscription=4,placement=interleaved",
                           "--nicRate=100Gbps",
                           "--factor=4"};
    const auto sweep = Print(Join(common, {"--minBytes=64KiB", "--maxBytes=1MiB"}));
    std::istringstream lines(sweep);
    std::string header;
    std::getline(lines, header);
    for (const std::string size : {"65536", "262144", "1048576"})
    {
        std::string row;
        std::getline(lines, row);
        NS_TEST_EXPECT_MSG_EQ(Print(Join(common, {"--minBytes=" + size, "--maxBytes=" + size})),
                              header + "\n" + row + "\n",
                              size << " bytes alone");
    }
}

/**
 * @ingroup workload-replay-tests
 * @brief wl-collective.
 */
class WorkloadReplayBenchTestSuite : public TestSuite
{
  public:
    WorkloadReplayBenchTestSuite();
};

WorkloadReplayBenchTestSuite::WorkloadReplayBenchTestSuite()
    : TestSuite("workload-replay-bench", TestSuite::Type::UNIT)
{
    AddTestCase(new CollectiveBenchOptionsTestCase);
    AddTestCase(new CollectiveBenchClusterTestCase);
    AddTestCase(new CollectiveBenchTableTestCase);
    AddTestCase(new CollectiveBenchFabricTestCase);
    AddTestCase(new CollectiveBenchIndependenceTestCase);
    AddTestCase(new CollectiveReferenceTestCase);
    AddTestCase(new LogChartTestCase);
}

/// The suite, found by test-runner.
static WorkloadReplayBenchTestSuite g_workloadReplayBenchTestSuite;
