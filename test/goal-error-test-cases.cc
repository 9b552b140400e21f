/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "goal-test-cases.h"
#include "workload-test-tools.h"

#include "ns3/goal-reader.h"
#include "ns3/workload-error.h"

#include <algorithm>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

namespace
{

/**
 * @ingroup workload-replay-tests
 * @brief Faults of the text form are told with line and column.
 */
class GoalTextErrorTestCase : public GoalTestCase
{
  public:
    GoalTextErrorTestCase()
        : GoalTestCase("faults of the text form")
    {
    }

  private:
    void DoRun() override;
};

void
GoalTextErrorTestCase::DoRun()
{
    const std::string label = ": error: expected a label that stands above in this rank, found ";
    const std::string peer = ": error: expected a rank from 0 to 1 other than rank 0 itself";
    const std::pair<std::string, std::string> rows[] = {
        {"", "FILE: error: expected a GOAL schedule, found an empty file"},
        {"rank 0 {",
         "FILE:1:1: error: expected num_ranks, with which a GOAL schedule begins, "
         "found 'rank'"},
        {"num_ranks 0",
         "FILE:1:11: error: expected a number of ranks from 1 to 1000000, found '0'"},
        {"num_ranks 99999999999999999999999",
         "FILE:1:11: error: expected a number of ranks from 1 "
         "to 1000000, found '99999999999999999999999'"},
        {"num_ranks 1000000 rank 0 {\ncalc 5 }",
         "FILE: error: expected at most 65536 ranks that do nothing, found 999999 of 1000000"},
        {"num_ranks 2\n ranks 0 {}",
         "FILE:2:2: error: expected rank, or the end of the file, found "
         "'ranks'"},
        {"num_ranks 2\nrank 2 {}", "FILE:2:6: error: expected a rank from 0 to 1, found '2'"},
        {"num_ranks 2 rank 0 {} rank 0 {}",
         "FILE:1:28: error: expected each rank once, found 0 "
         "again"},
        {"num_ranks 2 rank 0 {\ncalc 5",
         "FILE:2:7: error: expected send, recv, calc, a label or }, "
         "found the end of the file"},
        {"num_ranks 2 rank 0 {\nsend 5 to 1 }",
         "FILE:2:8: error: expected b, the unit of sizes, "
         "found 'to'"},
        {"num_ranks 2 rank 0 {\nsend 5b from 1 }", "FILE:2:9: error: expected to, found 'from'"},
        {"num_ranks 2 rank 0 {\nsend 5b to 2 }", "FILE:2:12" + peer + ", found '2'"},
        {"num_ranks 2 rank 0 {\nsend 5b to -1 }", "FILE:2:12" + peer + ", found '-1'"},
        {"num_ranks 2 rank 0 {\nrecv 5b from 0 }", "FILE:2:14" + peer + ", or -1 (any), found '0'"},
        {"num_ranks 2 rank 0 {\nrecv 5b from 4294967295 }",
         "FILE:2:14" + peer + ", or -1 (any), found '4294967295'"},
        {"num_ranks 2 rank 0 {\nsend 1152921504606846976b to 1 }",
         "FILE:2:6: error: expected a number of bytes up to 1125899906842624, found "
         "'1152921504606846976'"},
        {"num_ranks 2 rank 0 {\ncalc 9223372036854776 }",
         "FILE:2:6: error: expected a time of at most 9223372036854775 ns, found "
         "'9223372036854776'"},
        {"num_ranks 2 rank 0 {\ncalc 18446744073709551621 }",
         "FILE:2:6: error: expected a time of at most 9223372036854775 ns, found "
         "'18446744073709551621'"},
        {"num_ranks 2 rank 0 {\ncalc 5 cpu 65536 }",
         "FILE:2:12: error: expected a number from 0 to 65535, found '65536'"},
        {"num_ranks 2 rank 0 {\nsend 5b to 1 tag 18446744073709551615 }",
         "FILE:2:18: error: expected a tag below 2^64 - 1, or -1 (any), found "
         "'18446744073709551615'"},
        {"num_ranks 2 rank 0 {\ncalc 5 nic 1 }",
         "FILE:2:8: error: expected send, recv, calc, a "
         "label or }, found 'nic'"},
        {"num_ranks 1 rank 0 {\nfirst: calc 5\nsecond: calc 5\nsecond requires frist }",
         "FILE:4:17" + label + "'frist'; did you mean first?"},
        {"num_ranks 1 rank 0 {\na: calc 5\na requires b\nb: calc 5 }", "FILE:3:12" + label + "'b'"},
        {"num_ranks 1 rank 0 {\na: calc 5\na requires 5 }",
         "FILE:3:12: error: expected a label, found '5'"},
        {"num_ranks 1 rank 0 {\na: calc 5\n b: calc 5\na requires b\nb irequires a }",
         "FILE:2: error: expected ops that can be put in an order, found 'a', which waits for "
         "itself through its dependencies"},
        {"num_ranks 1 rank 0 {\n/* calc 5 }",
         "FILE:2:1: error: expected a comment that ends with "
         "*/, found the end of the file"},
        {"num_ranks 1 rank 0 {\nl0: AllReduce 8 bytes comm 5 }",
         "FILE:2:5: error: expected send, recv or calc: the generator expands collectives to these "
         "if it is run without --intermediate_goal, found 'AllReduce'"},
    };
    for (const auto& [content, message] : rows)
    {
        NS_TEST_EXPECT_MSG_EQ(ErrorOf(content), message, content);
    }
    const auto longLabel =
        ErrorOf("num_ranks 1 rank 0 {\n" + std::string(2000, 'a') + ": calc 5 }");
    NS_TEST_EXPECT_MSG_EQ(longLabel.rfind("FILE:2:1: error: expected a label of at most 1000", 0),
                          0,
                          longLabel);
}

/**
 * @ingroup workload-replay-tests
 * @brief Faults of the binary form are told with the byte offset.
 */
class GoalBinaryErrorTestCase : public GoalTestCase
{
  public:
    GoalBinaryErrorTestCase()
        : GoalTestCase("faults of the binary form")
    {
    }

  private:
    void DoRun() override;

    /**
     * @param offset where to change the schedule
     * @param bytes what to write there
     * @return the error that it then gives
     */
    std::string ChangedError(std::size_t offset, const std::string& bytes);

    std::string m_good; //!< the schedule: 2 ranks; the first has 3 nodes and 2 roots
};

std::string
GoalBinaryErrorTestCase::ChangedError(std::size_t offset, const std::string& bytes)
{
    return ErrorOf(std::string(m_good).replace(offset, bytes.size(), bytes));
}

void
GoalBinaryErrorTestCase::DoRun()
{
    GoalTestSchedule schedule(2);
    schedule.Calc(0, 5);
    schedule.Send(0, 100, 1);
    schedule.Calc(0, 7, 1);
    schedule.Receive(1, 100, 0);
    m_good = schedule.GetBinary();
    NS_TEST_ASSERT_MSG_EQ(ErrorOf(m_good), "no error", "it is good as it is");
    // Ranks at 8, table at 14 (32 bytes), first rank at 46: counts, 2 roots at 54, records at 62,
    // 101 and 140, an appendix of 1 entry at 179; second rank at 183.
    NS_TEST_EXPECT_MSG_EQ(m_good.size(), 183 + 8 + 4 + 39, "as counted by hand");
    const std::string many("\xff\xff\xff\x7f", 4);
    const std::string zero(4, '\0');
    const std::string longLength("\0\0\0\0\0\0\0\x10", 8);
    const std::pair<std::string, std::string> rows[] = {
        {ErrorOf(m_good.substr(0, 10)),
         "FILE, byte 8: error: expected 4 bytes at 8, found the end of the file after 10 bytes"},
        {ErrorOf(m_good.substr(0, m_good.size() - 1)),
         "FILE, byte 30: error: expected begin and end of rank 1 between 38 and 225, found 175 to "
         "226"},
        {ChangedError(8, many),
         "FILE, byte 8: error: expected a number of ranks from 1 to 1000000, and a file that holds "
         "where each begins, found 2147483647 ranks in a file of 234 bytes"},
        {ChangedError(14, longLength),
         "FILE, byte 14: error: expected begin and end of rank 0 between 38 and 226, found "
         "1152921504606846976 to 175"},
        {ChangedError(30, std::string("\x26\0\0\0", 4)),
         "FILE, byte 30: error: expected ranks that do not overlap, found 38 to 226"},
        {ChangedError(46, many),
         "FILE, byte 46: error: expected nodes and roots that fit into the 137 bytes of rank 0, "
         "found 2147483647 and 2"},
        {ChangedError(66, "\x04"),
         "FILE, byte 66: error: expected 1 (send), 2 (recv) or 3 (calc), found 4"},
        {ChangedError(71, longLength + "\0"),
         "FILE, byte 62: error: expected a time of at most 9223372036854775 ns, found "
         "1152921504606846976 ns"},
        {ChangedError(110, longLength),
         "FILE, byte 101: error: expected a message of at most 1125899906842624 bytes, found send "
         "of 1152921504606846976 bytes with rank 1"},
        {ChangedError(106, many),
         "FILE, byte 101: error: expected a rank from 0 to 1 other than rank 0 itself, found send "
         "of 100 bytes with rank 2147483647"},
        {ChangedError(124, many),
         "FILE, byte 124: error: expected dependencies among the 1 of the rank's appendix, each "
         "once, found 2147483647 from the one with number 0"},
        {ChangedError(179, many),
         "FILE, byte 179: error: expected a node from 0 to 2, found 2147483647"},
        {ChangedError(140, zero),
         "FILE, byte 140: error: expected 1 dependencies, as many as name the node, found 0"},
        {ChangedError(58, std::string("\x02\0\0\0", 4)),
         "FILE, byte 58: error: expected the 2 nodes without dependencies, found node 2 as one of "
         "2"},
        {ChangedError(179, std::string("\x01\0\0\0", 4)).substr(0, 47),
         "FILE, byte 101: error: expected 1 dependencies,"},
    };
    for (const auto& [found, expected] : rows)
    {
        NS_TEST_EXPECT_MSG_EQ(found, expected, "an error");
    }
    GoalTestSchedule cycle(1);
    cycle.Calc(0, 1);
    cycle.Calc(0, 2, 0);
    cycle.Require(0, 0, 1, true);
    NS_TEST_EXPECT_MSG_EQ(ErrorOf(cycle.GetBinary()),
                          "FILE, rank 0, node 0: error: expected ops that can be put in an order, "
                          "found 'calc', which waits for itself through its dependencies",
                          "a cycle");
}

/**
 * @ingroup workload-replay-tests
 * @brief Damaged schedules are read or refused, whatever was damaged.
 */
class GoalFuzzTestCase : public GoalTestCase
{
  public:
    GoalFuzzTestCase()
        : GoalTestCase("damaged schedules")
    {
    }

  private:
    void DoRun() override;
};

void
GoalFuzzTestCase::DoRun()
{
    GoalTestSchedule schedule(3);
    for (uint32_t rank = 0; rank < 3; ++rank)
    {
        const auto calc = schedule.Calc(rank, 1000);
        const auto send = schedule.Send(rank, 5000, (rank + 1) % 3, 7, calc);
        const auto receive = schedule.Receive(rank, 5000, (rank + 2) % 3, 7);
        schedule.Require(rank, receive, send, true);
        schedule.Calc(rank, 10, receive, 1);
    }
    std::mt19937 random(1);
    uint32_t refused = 0;
    for (const auto& good : {schedule.GetText(), schedule.GetBinary()})
    {
        for (uint32_t i = 0; i < 300; ++i)
        {
            auto bad = good;
            for (uint32_t changes = 1 + random() % 3; changes > 0; --changes)
            {
                bad[random() % bad.size()] = static_cast<char>(random());
            }
            bad.resize(i % 4 == 0 ? random() % bad.size() : bad.size());
            const auto error = ErrorOf(bad);
            const bool isRefused = error != "no error";
            refused += isRefused ? 1 : 0;
            NS_TEST_EXPECT_MSG_EQ(
                (!isRefused || error.find("error: expected ") != std::string::npos),
                true,
                error);
        }
    }
    // Most bytes matter; where all are taken nothing was checked.
    NS_TEST_EXPECT_MSG_GT(refused, 300, "schedules that are refused");
}

} // namespace

std::vector<TestCase*>
MakeGoalErrorTestCases()
{
    return {new GoalTextErrorTestCase, new GoalBinaryErrorTestCase, new GoalFuzzTestCase};
}

} // namespace ns3
