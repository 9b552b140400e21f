/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "collective-bench-test-cases.h"

#include "ns3/collective-bench-cluster.h"
#include "ns3/collective-bench-options.h"
#include "ns3/collective-bench.h"
#include "ns3/collective-reference.h"
#include "ns3/config.h"
#include "ns3/ns3-arguments.h"
#include "ns3/workload-error.h"

#include <fstream>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

using namespace ns3;

namespace
{

/// Servers of three and of one host; their names are in no order.
const std::string UNEVEN = R"({"name": "uneven", "nodes": [
        {"name": "a", "kind": "host", "server": 7}, {"name": "b", "kind": "host", "server": 7},
        {"name": "c", "kind": "host", "server": 2}, {"name": "d", "kind": "host", "server": 7},
        {"name": "s", "kind": "switch"}], "links": [
        {"a": "a", "b": "s", "rate": "1Gbps", "delay": "1us"},
        {"a": "b", "b": "s", "rate": "1Gbps", "delay": "1us"},
        {"a": "c", "b": "s", "rate": "1Gbps", "delay": "1us"},
        {"a": "d", "b": "s", "rate": "1Gbps", "delay": "1us"}]})";

/// The header of a right table.
const std::string HEADER = "size_bytes,time_us\n";

/**
 * @param size bytes
 * @param inPlace 0 or 1
 * @param time us
 * @param name name of the collective
 * @return a record of rccl-tests
 */
std::string
MakeRecord(const std::string& size,
           const std::string& inPlace,
           const std::string& time,
           const std::string& name = "AllReduce")
{
    return R"({"numCycle":0, "name":")" + name +
           R"(", "nodes":2, "ranks":16, "ranksPerNode":8, "gpusPerRank":1, "size":)" + size +
           R"(, "type":"float", "redop":"sum", "inPlace":)" + inPlace + R"(, "time":)" + time +
           R"(, "algBw":1.5, "busBw":2.8, "wrong":"0"})";
}

/// A log of two collectives, all-reduce in 5 us and all-gather in 7 us.
const std::string TWO_KINDS = "# Collective test starting: all_reduce_perf\n"
                              "8 2 float sum -1 5 1 1 0 6 1 1 0\n"
                              "# Collective test starting: all_gather_perf\n"
                              "8 2 float none -1 7 1 1 0 8 1 1 0\n";

/// Wrong tables, and what is told of them after the name of the file.
const std::vector<std::pair<std::string, std::string>> WRONG_TABLES{
    {"size,time_us\n1,2\n",
     ":1: error: expected a column 'size_bytes', found a header line without it"},
    {"size_bytes,time\n1,2\n",
     ":1: error: expected a column 'time_us', found a header line without it"},
    {"size_bytes,time_us, time_us\n1,2,3\n",
     ":1:21: error: expected each column once, found 'time_us' again"},
    {HEADER, ": error: expected a row for a size, found the header alone"},
    {HEADER + "2048\n", ":2: error: expected 2 fields separated by commas, found 1"},
    {HEADER + "2048,1,2\n", ":2:8: error: expected 2 fields separated by commas, found 3"},
    {HEADER + "2048,0\n", ":2:6: error: expected time_us above 0, found '0'"},
    {HEADER + "1,2\n2048,5\n2048,6\n",
     ":4:1: error: expected every size once, found '2048' a second time"},
    {HEADER + "2048,\"5\n",
     ":2:6: error: expected quotes that are closed in their line, found quotes that are not"},
    {"[" + MakeRecord("8", "0", "5") + "," + MakeRecord("8", "0", "5", "AllGather") + "]",
     ":/1/size: error: expected runs of one collective, as the one before (all-reduce of 16 ranks "
     "on 2 servers), unless kind says which count, found all-gather of 16 ranks on 2 servers"},
    {"[" + MakeRecord("8", "0", "5") + "," + MakeRecord("8", "0", "5", "AlltoAllv") + "," +
         MakeRecord("8", "0", "0") + "]",
     ":/2/time: error: expected a time above 0 us, found '0'"},
    {MakeRecord("8", "0", "5") + "\nwarm-up\n",
     ":2: error: expected a record of rccl-tests, {\"numCycle\": ...}, as in the lines before, "
     "found 'warm-up'"},
    {"{\"inPlace\": 0,}\n",
     ":1: error: expected a record of rccl-tests, {\"numCycle\": ...}, found '{\"inPlace\": 0,}'"},
    {"[" + MakeRecord("8", "2", "5") + "]",
     ":/0/inPlace: error: expected a whole number from 0 to 1, found 2"},
    {"# nThread 1 nGpus 1 minBytes 8 maxBytes 64 step: 2(factor)\n# Using devices\n",
     ": error: expected a line of nccl-tests with a size above 0 and its times, found none"},
    {TWO_KINDS,
     ":4:1: error: expected runs of one collective, as the one before (all-reduce of an unknown "
     "number of ranks), unless kind says which count, found all-gather of an unknown number of "
     "ranks"},
    {"[" + MakeRecord("8", "0", "0") + "]",
     ":/0/time: error: expected a time above 0 us, found '0'"},
};

/// A choice of an algorithm, and what runs.
struct FabricRow
{
    std::string ranks;      //!< number of ranks, on servers of 8
    std::string bytes;      //!< the size
    std::string collective; //!< the choice
    std::string name;       //!< what runs
};

/// What runs on h800.
const std::vector<FabricRow> FABRIC_ROWS{
    // asked for by the fabric (NvlsMembers)
    {"8", "2048", "auto", "nvls/simple"},
    // 6.8 + 2 (7 x 0.6 + 5) = 25.2 us, against 6.6 + 28 x 1 + 2 x 2.7 = 40 us of ring/ll
    {"16", "2048", "auto", "tree/ll"},
    // 23 + 2 x 19 us + 67.1 MB / 85.75 GB/s = 844 us, against 14 + 26 x 1.9 + 4 x 4 us + 67.1 MB /
    // 70.7 GB/s = 1029 us of ring/ll128
    {"16", "67108864", "auto", "nvls/simple"},
    {"16", "2048", "ring/simple", "ring/simple"},
    {"16", "2048", "nvls", "nvls/simple"},
    {"16", "2048", "halving-doubling/ll128", "halving-doubling/ll128"},
};

} // namespace

CollectiveBenchClusterTestCase::CollectiveBenchClusterTestCase()
    : TestCase("ranks are dealt out evenly to servers")
{
}

void
CollectiveBenchClusterTestCase::DoRun()
{
    struct Row
    {
        Arguments arguments;         //!< a command line
        uint32_t hosts;              //!< hosts of the topology
        std::vector<uint32_t> ranks; //!< host of each rank
    };

    const auto file = CreateTempDirFilename("servers.json");
    std::ofstream(file) << UNEVEN;
    const std::vector<Row> rows{
        {{"--ranks=3"}, 3, {0, 1, 2}},
        {{"--ranks=2", "--servers=2"}, 9, {0, 8}},
        {{"--ranks=9"}, 12, {0, 1, 2, 3, 4, 8, 9, 10, 11}},
        {{"--ranks=6", "--servers=4", "--gpusPerServer=2"}, 7, {0, 1, 2, 3, 4, 6}},
        {{"--ranks=3", "--servers=3", "--gpusPerServer=1"}, 3, {0, 1, 2}},
        {{"--ranks=12", "--topology=torus"}, 12, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}},
        {{"--ranks=3", "--topology=" + file}, 4, {0, 1, 3}},
        {{"--ranks=2", "--servers=2", "--topology=" + file}, 4, {0, 2}},
        {{"--ranks=3", "--servers=2", "--topology=" + file}, 4, {0, 1, 2}},
    };
    for (const auto& row : rows)
    {
        std::string name;
        for (const auto& argument : row.arguments)
        {
            name += argument + " ";
        }
        const auto cluster =
            BuildCollectiveBenchCluster(ParseCollectiveBenchOptions(row.arguments));
        NS_TEST_EXPECT_MSG_EQ(cluster.graph.GetHosts().size(), row.hosts, name);
        NS_TEST_EXPECT_MSG_EQ((cluster.hosts == row.ranks), true, name);
    }
    const auto torus = BuildCollectiveBenchCluster(
        ParseCollectiveBenchOptions({"--ranks=12", "--topology=torus"}));
    NS_TEST_EXPECT_MSG_EQ((torus.serverShares == std::vector<uint32_t>(12, 1)),
                          true,
                          "hosts without servers are servers of one");
    CheckErrors(file);
}

void
CollectiveBenchClusterTestCase::CheckErrors(const std::string& file)
{
    const auto getError = [](const Arguments& arguments) -> std::string {
        try
        {
            BuildCollectiveBenchCluster(ParseCollectiveBenchOptions(arguments));
        }
        catch (const WorkloadError& error)
        {
            return error.what();
        }
        return "";
    };
    NS_TEST_EXPECT_MSG_EQ(getError({"--ranks=4", "--topology=" + file}),
                          "--ranks: error: expected ranks that can be dealt out evenly to servers "
                          "of the topology, found 4",
                          "four on one do not fit, nor two on each");
    NS_TEST_EXPECT_MSG_EQ(getError({"--ranks=3", "--servers=3", "--topology=" + file}),
                          "--servers: error: expected at most 2, the servers of the topology, "
                          "found 3",
                          "more than there are");
}

CollectiveReferenceTestCase::CollectiveReferenceTestCase()
    : TestCase("references: columns, faults with their place, ratios")
{
}

void
CollectiveReferenceTestCase::CheckTables()
{
    const auto file = CreateTempDirFilename("right.csv");
    // In nccl-tests' order of columns, in another one, with quotes, blanks, and lines that end in
    // CRLF.
    const std::vector<std::string> right{
        "size_bytes,count,time_us,errors\n2048,512,38.5,0\n4096,1024,40,0\n",
        "time_us,size_bytes\n38.5,2048\n40,4096\n",
        "\"note, free\",\"size_bytes\",\"time_us\"\n\"a,b\",2048,38.5\n\"say \"\"c\"\"\",4096,40\n",
        "size_bytes, time_us\r\n 2048 , 3.85e1\r\n\r\n4096, 40\r\n",
        // nccl-tests with reduction and root, an empty message, and lines of others between.
        "# nThread 1 nGpus 1\nNCCL version 2.20.5\n# out-of-place in-place\n"
        "           0   0  float  none  -1  56.05  0.00  0.00  0  47.29  0.00  0.00  N/A\n"
        "        2048 512  float   sum  -1  38.50  9.90 17.33  0  105.7  9.92 17.37    0\n"
        "node0:7:8 [0] NCCL INFO comm 0x5 rank 0 nranks 8\n"
        "        4096 1024 float   sum  -1     40  9.90 17.33  0  105.7  9.92 17.37  N/A\n"
        "# Avg bus bandwidth    : 17.3\n",
        // Tagged by mpirun and srun; without root, as old versions have it; the mean of two runs.
        "[1,0]<stdout>:  2048 512 half sum 38.5 9.90 17.33 0e+00 105.7 9.92 17.37 0e+00\n"
        "[1,0]<stdout>:  4096 1024 half sum 4.1e+01 9.90 17.33 0e+00 105.7 9.92 17.37 0e+00\n"
        "0:              4096 1024 half sum 39 9.90 17.33 0e+00 105.7 9.92 17.37 0e+00\n",
        // Without a reduction.
        "2048 512 bfloat16 38.5 9.90 17.33 0 105.7 9.92 17.37 0\n"
        "4096 1024 bfloat16 40 9.90 17.33 0 105.7 9.92 17.37 0\n",
        // In place alone.
        "2048 512 float sum -1                              38.5 9.90 17.33 0\n"
        "4096 1024 float sum -1                              40 9.90 17.33 N/A\n",
        // As JSON.
        "{\"version\": \"2.17\", \"results\": [{\"size\": 2048, \"type\": \"float\","
        "\"out_of_place\": {\"time\": 38.5, \"nwrong\": \"0\"}, \"in_place\": {\"time\": 1}},"
        "{\"size\": 4096, \"out_of_place\": null, \"in_place\": {\"time\": 40}}]}\n",
        // As JSON of rccl-tests, a list, out of place and in place; and lines, in place alone.
        "[\n" + MakeRecord("2048", "0", "38.5") + ",\n" + MakeRecord("2048", "1", "7") + ",\n" +
            MakeRecord("4096", "0", "40.000000") + "\n]\n",
        MakeRecord("2048", "1", "38.5") + "\n" + MakeRecord("4096", "1", "40") + "\n",
    };
    for (const auto& text : right)
    {
        std::ofstream(file) << text;
        const CollectiveReference reference(file);
        NS_TEST_EXPECT_MSG_EQ(reference.GetTimes().size(), 2, text);
        NS_TEST_EXPECT_MSG_EQ(reference.Find(2048).value_or(0), 38.5, text);
        NS_TEST_EXPECT_MSG_EQ(reference.Find(4096).value_or(0), 40, text);
        NS_TEST_EXPECT_MSG_EQ(reference.Find(8192).has_value(), false, text);
    }
}

void
CollectiveReferenceTestCase::CheckKinds()
{
    const auto file = CreateTempDirFilename("kinds.log");
    const auto records = MakeRecord("8", "0", "5") + "\n" + MakeRecord("8", "0", "7", "AllGather");
    for (const auto& [text, ranks] : {std::make_pair(TWO_KINDS, "an unknown number of ranks"),
                                      std::make_pair(records, "16 ranks on 2 servers")})
    {
        std::ofstream(file) << text;
        const CollectiveReference reduce(file, {CollectiveKind::ALL_REDUCE});
        NS_TEST_EXPECT_MSG_EQ(reduce.Find(8).value_or(0), 5, text);
        NS_TEST_EXPECT_MSG_EQ(*reduce.GetLeftOut().begin(),
                              std::string("all-gather of ") + ranks,
                              text);
        const CollectiveReference gather(file, {CollectiveKind::ALL_GATHER});
        NS_TEST_EXPECT_MSG_EQ(gather.Find(8).value_or(0), 7, text);
        NS_TEST_EXPECT_MSG_EQ(*gather.GetLeftOut().begin(),
                              std::string("all-reduce of ") + ranks,
                              text);
        std::string found;
        try
        {
            const CollectiveReference reference(file, {CollectiveKind::BROADCAST});
        }
        catch (const WorkloadError& error)
        {
            found = error.what();
        }
        NS_TEST_EXPECT_MSG_EQ(found,
                              file +
                                  ": error: expected runs of the kind that is asked for, "
                                  "broadcast, found others alone: all-gather of " +
                                  ranks + ", all-reduce of " + ranks,
                              text);
    }
}

void
CollectiveReferenceTestCase::CheckErrors()
{
    const auto file = CreateTempDirFilename("wrong.csv");
    for (const auto& [text, message] : WRONG_TABLES)
    {
        std::ofstream(file) << text;
        std::string found;
        try
        {
            const CollectiveReference reference(file);
        }
        catch (const WorkloadError& error)
        {
            found = error.what();
        }
        NS_TEST_EXPECT_MSG_EQ(found, file + message, text);
    }
    // The number itself is told by the parser that all line-based readers share.
    for (const std::string row : {"2K,5", "-1,5", "2048,fast", "2048,-5", "2048,", "2048,nan"})
    {
        std::ofstream(file) << HEADER << row << "\n";
        std::string found;
        try
        {
            const CollectiveReference reference(file);
        }
        catch (const WorkloadError& error)
        {
            found = error.what();
        }
        const bool isSize = row[0] != '2' || row[1] == 'K';
        const std::string start = file + (isSize ? ":2:1" : ":2:6") + ": error: expected ";
        NS_TEST_EXPECT_MSG_EQ(found.substr(0, start.size()), start, row);
        const auto column = found.find(isSize ? "size_bytes" : "time_us");
        NS_TEST_EXPECT_MSG_EQ((column != std::string::npos), true, "names the column: " << found);
    }
}

void
CollectiveReferenceTestCase::CheckRatios()
{
    CollectiveComparison comparison;
    NS_TEST_EXPECT_MSG_EQ(comparison.GetMeanError(), 0, "nothing to compare");
    // Twice and half as long are equally far off: the geometric mean of 2 and 2 is 2.
    comparison.Add({1024, 20, 10});
    comparison.Add({2048, 5, 10});
    NS_TEST_EXPECT_MSG_EQ(comparison.GetCount(), 2, "sizes");
    NS_TEST_EXPECT_MSG_EQ_TOL(comparison.GetMeanError(), 1, 1e-12, "off by a factor of 2");
    NS_TEST_EXPECT_MSG_EQ(comparison.GetWorst().bytes, 1024, "the first one on a tie");
    // With two that agree, the mean of 2, 2, 1 and 1 is the square root of 2.
    comparison.Add({4096, 7, 7});
    comparison.Add({8192, 9, 9});
    NS_TEST_EXPECT_MSG_EQ_TOL(comparison.GetMeanError(), 0.41421356237, 1e-10, "square root of 2");
    // One that is a third becomes the worst.
    comparison.Add({16384, 3, 9});
    NS_TEST_EXPECT_MSG_EQ(comparison.GetWorst().bytes, 16384, "farthest off, below");
    NS_TEST_EXPECT_MSG_EQ_TOL(comparison.GetWorst().GetRatio(), 1 / 3.0, 1e-12, "its ratio");
}

void
CollectiveReferenceTestCase::DoRun()
{
    CheckTables();
    CheckKinds();
    CheckErrors();
    CheckRatios();
}

CollectiveBenchFabricTestCase::CollectiveBenchFabricTestCase()
    : TestCase("algorithms and protocols of wl-collective on a named fabric")
{
}

double
TimeCollective(const Arguments& arguments)
{
    auto all = arguments;
    all.emplace_back("--csv");
    // What options of another run have set as defaults is none of this one.
    Config::Reset();
    std::ostringstream table;
    CollectiveBench(ParseCollectiveBenchOptions(all)).Run(table, table);
    Config::Reset();
    const auto text = table.str();
    // The header, then size_bytes, count, time_us and others.
    auto begin = text.find('\n');
    for (int column = 0; column < 2; ++column)
    {
        begin = text.find(',', begin + 1);
    }
    return std::stod(text.substr(begin + 1)) / 1e6;
}

CollectiveBoundTestCase::CollectiveBoundTestCase()
    : TestCase("wl-collective: all that NICs carry is used")
{
}

void
CollectiveBoundTestCase::DoRun()
{
    // Bytes of a length that does not divide, and those of it that a server sends by a NIC.
    constexpr double bytes = 64000001;
    const std::vector<std::pair<Arguments, double>> rows{
        // NICs that hosts share mark nothing: a ring enters and leaves each server by them.
        {{"--ranks=32", "--nicsPerServer=1"}, 2 * 31 / 32.0 * bytes},
        {{"--ranks=32", "--nicsPerServer=4"}, 2 * 31 / 32.0 * bytes / 4},
        // All of a server exchange with one other server at a time: 16 of 24 blocks of each of
        // eight go by two NICs, and 20 of 24 of each of four by their own.
        {{"--ranks=24", "--nicsPerServer=2", "--kind=all-to-all"}, 16 / 24.0 * bytes * 4},
        {{"--ranks=24", "--gpusPerServer=4", "--topology=dual-plane", "--kind=all-to-all"},
         20 / 24.0 * bytes},
        {{"--ranks=24", "--topology=single-switch", "--kind=all-to-all"}, 16 / 24.0 * bytes}};
    for (const auto& [arguments, sent] : rows)
    {
        for (const std::string transport : {"ideal", "fluid", "rdma"})
        {
            auto all = arguments;
            all.insert(all.end(),
                       {"--transport=" + transport,
                        "--nicRate=400Gbps",
                        "--minBytes=64000001",
                        "--maxBytes=64000001"});
            // Packets of 4096 bytes have 82 of headers and gap.
            const double goodput = transport == "ideal" ? 50e9 : 50e9 * 4096 / 4178;
            const double expected = sent / goodput;
            NS_TEST_EXPECT_MSG_EQ_TOL(TimeCollective(all),
                                      expected,
                                      expected / 50,
                                      transport << " " << arguments[0] << " " << arguments[1]);
        }
    }
}

void
CollectiveBenchFabricTestCase::CheckUnsupported()
{
    std::ostringstream os;
    std::string error;
    const auto options =
        ParseCollectiveBenchOptions({"--collective=nvls", "--ranks=2", "--servers=2"});
    CollectiveBench bench(options);
    for (const bool isDryRun : {false, true})
    {
        try
        {
            isDryRun ? bench.DryRun(os, os) : bench.Run(os, os);
        }
        catch (const WorkloadError& fault)
        {
            error = fault.what();
        }
        NS_TEST_EXPECT_MSG_EQ(error,
                              "--collective: error: expected algorithms that suit where the ranks "
                              "stand (--collective=KIND.DIMENSION=ALGORITHM takes another), found "
                              "nvls for all-reduce in world: no two of its members share a server",
                              "nothing to add up inside a server");
        NS_TEST_EXPECT_MSG_EQ(os.str(), "", "nothing was printed");
        error.clear();
    }
    Config::Reset();
}

void
CollectiveBenchFabricTestCase::DoRun()
{
    for (const auto& row : FABRIC_ROWS)
    {
        const auto options = ParseCollectiveBenchOptions({"--transport=ideal",
                                                          "--fabric=h800",
                                                          "--ranks=" + row.ranks,
                                                          "--minBytes=" + row.bytes,
                                                          "--maxBytes=" + row.bytes,
                                                          "--collective=" + row.collective,
                                                          "--csv"});
        ApplyNs3Arguments("wl-collective", options.ns3Arguments);
        std::ostringstream table;
        std::stringstream list;
        CollectiveBench bench(options);
        bench.DryRun(list, list);
        bench.Run(table, table);
        Config::Reset(); // of the defaults that the fabric has set
        const auto text = table.str();
        NS_TEST_EXPECT_MSG_EQ(text.substr(text.rfind(',') + 1), row.name + "\n", row.name);
        std::string listed;
        for (std::string word; list >> word;)
        {
            listed += word + " ";
        }
        const auto found = listed.find(" " + row.bytes + " bytes " + row.name + " ");
        NS_TEST_EXPECT_MSG_EQ((found != std::string::npos), true, listed);
    }
    CheckUnsupported();
}
