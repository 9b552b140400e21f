/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "chakra-test-cases.h"
#include "workload-test-tools.h"

#include <string>
#include <vector>

namespace ns3
{

namespace
{

/// Writes traces.
using Trace = ChakraTestTrace;

/**
 * @ingroup workload-replay-tests
 * @brief Files that are damaged, hostile or of another schema.
 */
class ChakraFramingTestCase : public ChakraTestCase
{
  public:
    ChakraFramingTestCase()
        : ChakraTestCase("framing and schemas")
    {
    }

  private:
    void DoRun() override;

    /// Schemas that are read, and those that are not.
    void CheckSchemas();
};

void
ChakraFramingTestCase::DoRun()
{
    const auto good = Trace().Node(1, Trace::COMP, "a").Lasts(1).GetBytes();
    // The metadata takes 8 bytes with its length, the node 10.
    NS_TEST_EXPECT_MSG_EQ(good.size(), 18, "bytes of the trace");
    NS_TEST_EXPECT_MSG_EQ(ErrorOf(good), "no error", "a good trace");
    NS_TEST_EXPECT_MSG_EQ(ErrorOf(good.substr(0, 15)),
                          "t.0.et, byte 8: error: expected a message of 9 bytes, found the end of "
                          "the file after 6",
                          "a truncated node");
    NS_TEST_EXPECT_MSG_EQ(ErrorOf(good + '\x80'),
                          "t.0.et, byte 18: error: expected the length of a message, found the end "
                          "of the file in it",
                          "a truncated length");
    NS_TEST_EXPECT_MSG_EQ(ErrorOf(""),
                          "t.0.et, byte 0: error: expected the metadata of a Chakra trace, found "
                          "an empty file",
                          "an empty file");
    NS_TEST_EXPECT_MSG_EQ(ErrorOf(good + Trace::Varint(1ULL << 60)),
                          "t.0.et, byte 18: error: expected a length of a message of at most 5 "
                          "bytes, found a longer one",
                          "a length of 2^60");
    NS_TEST_EXPECT_MSG_EQ(ErrorOf(good + Trace::Varint(1ULL << 35)),
                          "t.0.et, byte 18: error: expected a length of a message of at most 5 "
                          "bytes, found a longer one",
                          "a length that takes six bytes");
    NS_TEST_EXPECT_MSG_EQ(ErrorOf(good + Trace::Varint(1U << 31)),
                          "t.0.et, byte 18: error: expected a message of at most 67108864 bytes, "
                          "found one of 2147483648",
                          "a length of 2 GiB");
    NS_TEST_EXPECT_MSG_EQ(ErrorOf(good + "\x02\x08\x80"),
                          "t.0.et, byte 18: error: expected a node of a Chakra trace, found bytes "
                          "that are not that",
                          "a node that ends in a field");
    CheckSchemas();
}

void
ChakraFramingTestCase::CheckSchemas()
{
    NS_TEST_EXPECT_MSG_EQ(ErrorOf(Trace("", false, "0.0.3").GetBytes()),
                          "t.0.et: error: expected the Chakra schema 0.0.4 or 1.0.0 (convert older "
                          "traces), found '0.0.3'",
                          "a version");
    NS_TEST_EXPECT_MSG_EQ(ErrorOf(Trace("1.0.2-chakra.0.0.2", false, "").GetBytes()),
                          "t.0.et: error: expected the Chakra schema 0.0.4 or 1.0.0 (convert older "
                          "traces), found '1.0.2-chakra.0.0.2'",
                          "a version in the schema of the recorder");
    NS_TEST_EXPECT_MSG_EQ(ErrorOf(Trace("", false, "1.0.0").GetBytes()), "no error", "1.0.0");
    // id 1, name, node_type 3, tensor_size 5 of the schema that had no metadata.
    const std::string node("\x08\x01\x12\x01x\x18\x03\x30\x05");
    NS_TEST_EXPECT_MSG_EQ(ErrorOf(Trace::Varint(node.size()) + node),
                          "t.0.et: error: expected the Chakra schema 0.0.4 or 1.0.0 (convert older "
                          "traces), found a node with no metadata before it (schema 0.0.1)",
                          "schema 0.0.1");
}

/**
 * @ingroup workload-replay-tests
 * @brief Graphs that cannot be replayed.
 */
class ChakraNodeErrorTestCase : public ChakraTestCase
{
  public:
    ChakraNodeErrorTestCase()
        : ChakraTestCase("wrong nodes")
    {
    }

  private:
    void DoRun() override;

    /// Wrong collectives, and numbers beyond all measure.
    void CheckCollectives();

    /// Wrong sends and receives.
    void CheckPeers();

    /// Operations that take a million seconds, and more.
    void CheckOperations();

    /// As many threads as there may be, and one more.
    void CheckThreads();
};

void
ChakraNodeErrorTestCase::DoRun()
{
    NS_TEST_EXPECT_MSG_EQ(ErrorOf(Trace()
                                      .Node(4, Trace::COMP, "root")
                                      .Node(7, Trace::COMP, "behind", {9})
                                      .Node(8, Trace::COMP, "first", {4, 9})
                                      .Node(9, Trace::COMP, "second", {8})
                                      .GetBytes()),
                          "t.0.et, node 8: error: expected ops that can be put in an order, found "
                          "'first', which waits for itself through its dependencies",
                          "a cycle, and a node behind it");
    NS_TEST_EXPECT_MSG_EQ(ErrorOf(Trace().Node(4, Trace::COMP, "a", {5}).GetBytes()),
                          "t.0.et, node 4: error: expected dependencies on other nodes of the "
                          "file, found one on node 5, which is not there, in 'a'",
                          "a dangling dependency");
    NS_TEST_EXPECT_MSG_EQ(
        ErrorOf(Trace().Node(6, Trace::COMP, "a").Node(4, Trace::COMP, "b", {5}).GetBytes()),
        "t.0.et, node 4: error: expected dependencies on other nodes of the "
        "file, found one on node 5, which is not there, in 'b'",
        "a dangling dependency where nodes are not in the order of their ids");
    NS_TEST_EXPECT_MSG_EQ(ErrorOf(Trace().Node(4, Trace::COMP, "a").Control({4}).GetBytes()),
                          "t.0.et, node 4: error: expected dependencies on other nodes of the "
                          "file, found one on node 4, itself, in 'a'",
                          "a dependency on itself");
    NS_TEST_EXPECT_MSG_EQ(
        ErrorOf(Trace()
                    .Node(4, Trace::COMP, "a")
                    .Node(3, Trace::COMP, "b")
                    .Node(4, Trace::COMP, "c")
                    .GetBytes()),
        "t.0.et, node 4: error: expected one node of each id, found two of this one",
        "an id twice");
    NS_TEST_EXPECT_MSG_EQ(ErrorOf(Trace().Node(4, static_cast<Trace::Type>(9), "a").GetBytes()),
                          "t.0.et, node 4: error: expected a node type from 1 to 7, found 9 in 'a'",
                          "an unknown type");
    CheckCollectives();
    CheckPeers();
    CheckOperations();
    CheckThreads();
}

void
ChakraNodeErrorTestCase::CheckThreads()
{
    Trace trace("1.1.1-chakra.0.0.4", true);
    for (uint64_t thread = 1; thread <= 60000; ++thread)
    {
        trace.Node(thread, Trace::COMP, "a").With("is_cpu_op", 1, 27).With("tid", thread);
    }
    NS_TEST_EXPECT_MSG_EQ(ErrorOf(trace.GetBytes()), "no error", "60000 threads");
    trace.Node(60001, Trace::COMP, "a").With("is_cpu_op", 1, 27).With("tid", 60001);
    NS_TEST_EXPECT_MSG_EQ(ErrorOf(trace.GetBytes()),
                          "t.0.et: error: expected at most 60000 streams, threads and groups, "
                          "found more",
                          "one more");
}

void
ChakraNodeErrorTestCase::CheckOperations()
{
    ChakraOptions options;
    options.peakFlops = 2e9;
    const auto errorOf = [this, &options](int64_t operations) {
        Trace trace("symbolic_tensor_network", false, "");
        trace.Node(1, Trace::COMP, "a").With("num_ops", operations).With("tensor_size", 0);
        return CutFolders(WorkloadErrorOf([&]() { Read({trace}, options); }));
    };
    NS_TEST_EXPECT_MSG_EQ(errorOf(2000000000000000), "no error", "10^6 s");
    NS_TEST_EXPECT_MSG_EQ(errorOf(2000000000001000),
                          "t.0.et, node 1: error: expected num_ops and tensor_size for at most "
                          "10^6 s, found more in 'a'",
                          "500 ns more");
}

void
ChakraNodeErrorTestCase::CheckCollectives()
{
    NS_TEST_EXPECT_MSG_EQ(
        ErrorOf(Trace().Node(4, Trace::COLL, "a").With("comm_type", 10).GetBytes()),
        "t.0.et, node 4: error: expected a comm_type from 0 to 9, found 10 in 'a'",
        "an unknown collective");
    NS_TEST_EXPECT_MSG_EQ(
        ErrorOf(Trace().Node(4, Trace::COLL, "a").With("comm_type", int64_t{0}).GetBytes()),
        "t.0.et, node 4: error: expected comm_size, a number, found none in 'a'",
        "a collective without a size");
    NS_TEST_EXPECT_MSG_EQ(ErrorOf(Trace()
                                      .Node(4, Trace::COLL, "a")
                                      .With("comm_type", int64_t{0})
                                      .With("comm_size", 1LL << 60)
                                      .GetBytes()),
                          "t.0.et, node 4: error: expected a comm_size of at most 2^50 bytes, "
                          "found 1152921504606846976 in 'a'",
                          "a size of 2^60");
    NS_TEST_EXPECT_MSG_EQ(ErrorOf(Trace().Node(4, Trace::COMP, "a").Lasts(1ULL << 60).GetBytes()),
                          "t.0.et, node 4: error: expected a duration of at most 10^12 us, found "
                          "1152921504606846976 in 'a'",
                          "a duration of 2^60");
}

void
ChakraNodeErrorTestCase::CheckPeers()
{
    NS_TEST_EXPECT_MSG_EQ(
        ErrorOf(Trace().Node(4, Trace::SEND, "a").With("comm_dst", 1000000).GetBytes()),
        "t.0.et, node 4: error: expected comm_dst from 0 to 0 and not 0 itself, found 1000000 in "
        "'a'",
        "a rank that there is not");
    NS_TEST_EXPECT_MSG_EQ(
        ErrorOf(Trace().Node(4, Trace::RECV, "a").With("comm_dst", 3).GetBytes()),
        "t.0.et, node 4: error: expected comm_dst 0, the rank of the trace, found 3 in 'a'",
        "the trace of another rank");
    NS_TEST_EXPECT_MSG_EQ(
        ErrorOf(Trace("1.1.1-chakra.0.0.4", true).Node(4, Trace::SEND, "a").GetBytes()),
        "t.0.et, node 4: error: expected comm_dst, the other rank, found none in 'a': PyTorch "
        "traces do not carry the peers of sends and receives",
        "what PyTorch does not tell");
}

/**
 * @ingroup workload-replay-tests
 * @brief Jobs of which files are missing or groups are wrong.
 */
class ChakraJobErrorTestCase : public ChakraTestCase
{
  public:
    ChakraJobErrorTestCase()
        : ChakraTestCase("missing files and wrong groups")
    {
    }

  private:
    void DoRun() override;

    /**
     * @param groups file of groups
     * @param name group that a collective of rank 0 of 2 names
     * @return the error
     */
    std::string GroupErrorOf(const std::string& groups, const std::string& name);
};

std::string
ChakraJobErrorTestCase::GroupErrorOf(const std::string& groups, const std::string& name)
{
    const auto trace = Trace()
                           .Node(4, Trace::COLL, "a")
                           .With("comm_type", int64_t{0})
                           .With("comm_size", 8)
                           .With("pg_name", name);
    return CutFolders(WorkloadErrorOf([&]() { Read({trace, Trace()}, {}, groups); }));
}

void
ChakraJobErrorTestCase::DoRun()
{
    const auto path = Write({Trace().GetBytes(), Trace().GetBytes()});
    ChakraOptions options;
    options.world = 3;
    NS_TEST_EXPECT_MSG_EQ(CutFolders(WorkloadErrorOf([&]() { ReadChakraTraces(path, options); })),
                          "t: error: expected t.2.et, the trace of rank 2, found 't.1.et' as the "
                          "last one",
                          "more ranks than traces");
    options.world = 1;
    NS_TEST_EXPECT_MSG_EQ(ReadChakraTraces(path, options)->GetLayout().world, 1, "fewer ranks");
    WriteWorkloadFile(path + ".1000000.et", Trace().GetBytes());
    NS_TEST_EXPECT_MSG_EQ(CutFolders(WorkloadErrorOf([&]() { ReadChakraTraces(path, {}); })),
                          "t: error: expected t.2.et, the trace of rank 2, found 't.1000000.et' as "
                          "the next one",
                          "a million ranks with a hole");
    NS_TEST_EXPECT_MSG_EQ(GroupErrorOf("{\"5\": [0, 1]}", "6"),
                          "t.0.et, node 4: error: expected a group that the file of groups "
                          "defines, found '6' in 'a'",
                          "a group that is not defined");
    NS_TEST_EXPECT_MSG_EQ(GroupErrorOf("{\"5\": [1]}", "5"),
                          "t.0.et, node 4: error: expected a group with rank 0, found '5' in 'a', "
                          "which it is no member of",
                          "a group of others");
    NS_TEST_EXPECT_MSG_EQ(GroupErrorOf("{\"5\": [0, 1000000]}", "5"),
                          "t.json:/5: error: expected ranks from 0 to 1 in group '5', each once, "
                          "found 1000000",
                          "a rank that there is not");
    NS_TEST_EXPECT_MSG_EQ(GroupErrorOf("{\"5\": \"0,1\"}", "5"),
                          "t.json:/5: error: expected a list of ranks, found '\"0,1\"'",
                          "no list");
}

} // namespace

std::vector<TestCase*>
MakeChakraErrorTestCases()
{
    return {new ChakraFramingTestCase, new ChakraNodeErrorTestCase, new ChakraJobErrorTestCase};
}

} // namespace ns3
