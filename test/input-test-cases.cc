/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "input-test-cases.h"

#include "workload-test-tools.h"

#include "ns3/input-values.h"
#include "ns3/workload-error.h"
#include "ns3/workload-text.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay-tests
 * @brief The text of errors: locations, quoting, and the nearest valid name.
 */
class WorkloadErrorTestCase : public TestCase
{
  public:
    WorkloadErrorTestCase()
        : TestCase("error messages")
    {
    }

  private:
    void DoRun() override;
};

void
WorkloadErrorTestCase::DoRun()
{
    const WorkloadError inFile({"a.tsv", 3, 7, ""}, "a number", "'x'", "xyz");
    NS_TEST_EXPECT_MSG_EQ(std::string(inFile.what()),
                          "a.tsv:3:7: error: expected a number, found 'x'; did you mean xyz?",
                          "file, line, column and suggestion");
    NS_TEST_EXPECT_MSG_EQ(inFile.GetLocation().line, 3, "the location is kept");
    const WorkloadError inJson({"a.json", 0, 0, "/fabric/mtu"}, "a number", "true");
    NS_TEST_EXPECT_MSG_EQ(std::string(inJson.what()),
                          "a.json:/fabric/mtu: error: expected a number, found true",
                          "JSON pointer");
    const WorkloadError inOddFile({std::string("a\nb\0c", 5), 3, 0, ""}, "a number", "none");
    NS_TEST_EXPECT_MSG_EQ(std::string(inOddFile.what()),
                          "a\\x0ab\\x00c:3: error: expected a number, found none",
                          "one line, whatever the name of the file");
    const SourceLocation lineOnly{"a.tsv", 3, 0, ""};
    NS_TEST_EXPECT_MSG_EQ(lineOnly.ToString(), "a.tsv:3", "no column");

    NS_TEST_EXPECT_MSG_EQ(Quoted("a\tb\xc3\xa9"), "'a\\x09b\\xc3\\xa9'", "bytes are escaped");
    NS_TEST_EXPECT_MSG_EQ(Quoted("~ \x7f"), "'~ \\x7f'", "and so is the one after the last letter");
    NS_TEST_EXPECT_MSG_EQ(Quoted(std::string(60, 'a')),
                          "'" + std::string(60, 'a') + "'",
                          "60 bytes are shown whole");
    NS_TEST_EXPECT_MSG_EQ(Quoted(std::string(61, 'a')),
                          "'" + std::string(60, 'a') + "...'",
                          "61 bytes are cut");

    const std::vector<std::string> names{"ALLREDUCE", "ALLGATHER", "ALLTOALL"};
    NS_TEST_EXPECT_MSG_EQ(NearestName("ALLREDUCED", names), "ALLREDUCE", "one insertion");
    NS_TEST_EXPECT_MSG_EQ(NearestName("allgather", names), "ALLGATHER", "case is ignored");
    NS_TEST_EXPECT_MSG_EQ(NearestName("ALLOTALL", names), "ALLTOALL", "swapped neighbours");
    NS_TEST_EXPECT_MSG_EQ(NearestName("BROADCAST", names), "", "nothing is near");
    NS_TEST_EXPECT_MSG_EQ(NearestName("ab", {"xy"}), "", "no letter in common");
    NS_TEST_EXPECT_MSG_EQ(NearestName("row", {"rows", "crow"}), "rows", "the first on a tie");
    NS_TEST_EXPECT_MSG_EQ(NearestName(std::string(1 << 26, 'A'), names), "", "a word of 64 MiB");
}

/**
 * @ingroup workload-replay-tests
 * @brief Lines, fields and their places in a text file, and files that are no text.
 */
class WorkloadTextTestCase : public TestCase
{
  public:
    WorkloadTextTestCase()
        : TestCase("text files")
    {
    }

  private:
    void DoRun() override;

    /// What is legal besides plain lines.
    void CheckLines();

    /// Files that cannot be read.
    void CheckErrors();
};

void
WorkloadTextTestCase::DoRun()
{
    CheckLines();
    CheckErrors();
}

void
WorkloadTextTestCase::CheckLines()
{
    const auto file = CreateTempDirFilename("lines.txt");
    WriteWorkloadFile(file,
                      "\xef\xbb\xbf"
                      "a\t\t\xc3\xa9\tb\r\n\r\n \t\v\f\nlast");
    const WorkloadText text(file);
    const auto& lines = text.GetLines();
    NS_TEST_ASSERT_MSG_EQ(lines.size(), 2, "blank lines are left out");
    NS_TEST_EXPECT_MSG_EQ(lines[0].text, "a\t\t\xc3\xa9\tb", "byte order mark and CR are gone");
    NS_TEST_EXPECT_MSG_EQ(lines[1].text, "last", "the last line needs no line end");
    NS_TEST_EXPECT_MSG_EQ(lines[1].number, 4, "blank lines are counted");

    const auto fields = text.Split(lines[0], '\t');
    NS_TEST_ASSERT_MSG_EQ(fields.size(), 4, "an empty field is a field");
    const std::vector<std::string> texts{"a", "", "\xc3\xa9", "b"};
    const std::vector<uint32_t> columns{1, 3, 4, 6};
    for (std::size_t i = 0; i < fields.size(); ++i)
    {
        NS_TEST_EXPECT_MSG_EQ(fields[i].text, texts[i], "text of field " << i);
        NS_TEST_EXPECT_MSG_EQ(fields[i].where.column, columns[i], "column of field " << i);
        NS_TEST_EXPECT_MSG_EQ(fields[i].where.line, 1, "line of field " << i);
    }
    NS_TEST_EXPECT_MSG_EQ(text.Split({1, "a\t"}, '\t').size(), 2, "a trailing tab opens a field");
}

void
WorkloadTextTestCase::CheckErrors()
{
    const auto file = CreateTempDirFilename("bad.txt");
    auto messageFor = [](const std::string& path) {
        return WorkloadErrorOf([&path]() { WorkloadText text(path); });
    };
    NS_TEST_EXPECT_MSG_EQ(messageFor(file + ".none"),
                          file + ".none: error: expected a text file, found no file of that name",
                          "missing file");
    const auto directory = CreateTempDirFilename(".");
    NS_TEST_EXPECT_MSG_EQ(messageFor(directory),
                          directory + ": error: expected a text file, found a directory",
                          "directory");
    WriteWorkloadFile(file, "");
    NS_TEST_EXPECT_MSG_EQ(messageFor(file),
                          file + ": error: expected at least one line of text, found an empty file",
                          "empty file");
    // A file taken for a directory cannot be opened, whatever the rights of the user.
    NS_TEST_EXPECT_MSG_EQ(messageFor(file + "/x"),
                          file + "/x: error: expected a text file, found a file that cannot be "
                                 "read (Not a directory)",
                          "unreadable file");
    WriteWorkloadFile(file, "\r\n  \n");
    NS_TEST_EXPECT_MSG_EQ(messageFor(file),
                          file + ": error: expected at least one line of text, found blank lines "
                                 "only",
                          "blank file");
    WriteWorkloadFile(file, std::string("ab\ncd\0e\n", 8));
    NS_TEST_EXPECT_MSG_EQ(messageFor(file),
                          file + ":2:3: error: expected text in ASCII or UTF-8, found a NUL byte, "
                                 "as in binary and UTF-16 files",
                          "binary file");
    // Schedules begin with 4223 in 64 bits, and with 2342 once LogGOPSim has run them.
    for (const std::string begin : {"\x7f\x10", "&\x09"})
    {
        WriteWorkloadFile(file, begin + std::string(30, '\0'));
        NS_TEST_EXPECT_MSG_EQ(messageFor(file),
                              file + ": error: expected a file of a format that is read, found a "
                                     "GOAL schedule in the binary form; --workload reads it, as "
                                     "it reads the text that it was made of",
                              "binary schedule");
    }
}

/**
 * @ingroup workload-replay-tests
 * @brief Numbers are read exactly or refused.
 */
class WorkloadNumberTestCase : public TestCase
{
  public:
    WorkloadNumberTestCase()
        : TestCase("numbers")
    {
    }

  private:
    void DoRun() override;

    /// Numbers with a fraction.
    void CheckNumbers();

    /// Whole numbers.
    void CheckCounts();

    const SourceLocation m_where{"f", 1, 2, ""}; //!< place of all texts
};

void
WorkloadNumberTestCase::DoRun()
{
    CheckNumbers();
    CheckCounts();
}

void
WorkloadNumberTestCase::CheckNumbers()
{
    const std::map<std::string, double> numbers{
        {"0", 0.0},
        {"0.0", 0.0},
        {"1e-3", 0.001},
        {"4.8e-09", 4.8e-9},
        {"12.5", 12.5},
        {".5", 0.5},
        {"5.", 5.0},
        {"2E+2", 200.0},
    };
    for (const auto& [text, value] : numbers)
    {
        NS_TEST_EXPECT_MSG_EQ(ParseNonNegative({text, m_where}, "t"), value, "number " << text);
    }
    for (const std::string text :
         {"nan", "inf", "-1", "-0", "+1", "0x10", "1,5", "1e", ".", "e3", " 1", "1 ", "1.2.3"})
    {
        NS_TEST_EXPECT_MSG_EQ(WorkloadErrorOf([&]() {
                                  ParseNonNegative({text, m_where}, "t");
                              }),
                              "f:1:2: error: expected t as a number of 0 or more, such as 0.25 or "
                              "1e-3, found '" +
                                  text + "'",
                              "no number");
        NS_TEST_EXPECT_MSG_EQ(WorkloadErrorOf([&]() {
                                  ParseCount({text, m_where}, "n");
                              }),
                              "f:1:2: error: expected n as a whole number of 0 or more, found '" +
                                  text + "'",
                              "no count");
    }
    NS_TEST_EXPECT_MSG_EQ(WorkloadErrorOf([&]() {
                              ParseNonNegative({"", m_where}, "t");
                          }),
                          "f:1:2: error: expected t as a number of 0 or more, such as 0.25 or "
                          "1e-3, found an empty field",
                          "nothing");
    NS_TEST_EXPECT_MSG_EQ(WorkloadErrorOf([&]() {
                              ParseNonNegative({"1e309", m_where}, "t");
                          }),
                          "f:1:2: error: expected t as a number below 1.8e308, found '1e309'",
                          "more than a double holds");
}

void
WorkloadNumberTestCase::CheckCounts()
{
    const std::map<std::string, uint64_t> counts{
        {"0", 0},
        {"0.00", 0},
        {"0e99999999999999999999", 0},
        {"1310720.0", 1310720},
        {"1e9", 1000000000},
        {"1.5e1", 15},
        {"1500e-2", 15},
        {"007", 7},
        {"9007199254740993.0", 9007199254740993}, // 2^53 + 1, which no double holds
        {"18446744073709551615", UINT64_MAX},
    };
    for (const auto& [text, value] : counts)
    {
        NS_TEST_EXPECT_MSG_EQ(ParseCount({text, m_where}, "n"), value, "count " << text);
    }
    for (const std::string text : {"1.5", "1e-1", "15e-2"})
    {
        NS_TEST_EXPECT_MSG_EQ(WorkloadErrorOf([&]() {
                                  ParseCount({text, m_where}, "n");
                              }),
                              "f:1:2: error: expected n as a whole number of 0 or more, found '" +
                                  text + "'",
                              "a fraction is no count");
    }
    for (const std::string text :
         {"18446744073709551616", "184467440737095516150", "2e19", "1e9223372036854775808"})
    {
        NS_TEST_EXPECT_MSG_EQ(WorkloadErrorOf([&]() {
                                  ParseCount({text, m_where}, "n");
                              }),
                              "f:1:2: error: expected n of at most 18446744073709551615, found '" +
                                  text + "'",
                              "more than 64 bits");
    }
}

/**
 * @ingroup workload-replay-tests
 * @brief Values with units are read as the unit says, or refused.
 */
class InputUnitTestCase : public TestCase
{
  public:
    InputUnitTestCase()
        : TestCase("rates, durations and sizes")
    {
    }

  private:
    void DoRun() override
    {
        const std::map<std::string, uint64_t> rates{{"400Gbps", 400000000000},
                                                    {"2.5e2Gbps", 250000000000},
                                                    {"50GB/s", 400000000000},
                                                    {"1KiB/s", 8192},
                                                    {"1.5bps", 2}};
        for (const auto& [text, value] : rates)
        {
            NS_TEST_EXPECT_MSG_EQ(ParseRate({text, {}}, 1).GetBitRate(), value, "rate " << text);
        }
        for (const std::string text : {"400Gbps", "1500Mbps", "3kbps", "7bps"})
        {
            NS_TEST_EXPECT_MSG_EQ(FormatRate(ParseRate({text, {}}, 0)), text, "there and back");
        }
        const std::map<std::string, Time> durations{{"0ps", Time(0)},
                                                    {"0.5us", NanoSeconds(500)},
                                                    {"1e-3s", MilliSeconds(1)},
                                                    {"1000000s", Seconds(1000000)}};
        for (const auto& [text, value] : durations)
        {
            NS_TEST_EXPECT_MSG_EQ(ParseDuration({text, {}}), value, "duration " << text);
        }
        for (const std::string text : {"", "5", "us", "5 us", "-5us", "1000001s", "5min"})
        {
            NS_TEST_EXPECT_MSG_EQ(ReadDuration(text).has_value(), false, "no duration " << text);
        }
        NS_TEST_EXPECT_MSG_EQ(FormatDuration(MicroSeconds(5)), "5000ns", "in whole ns");
        NS_TEST_EXPECT_MSG_EQ(ParseBytes({"3MiB", {}}, 1), 3 * 1048576, "size");
        NS_TEST_EXPECT_MSG_EQ(ParseBytes({"17", {}}, 1), 17, "bytes");
        NS_TEST_EXPECT_MSG_EQ(WorkloadErrorOf([] {
                                  ParseFraction({"1.01", {"f", 1, 2, ""}}, "a share");
                              }),
                              "f:1:2: error: expected a share from 0 to 1, found '1.01'",
                              "more than all");
        NS_TEST_EXPECT_MSG_EQ(JoinWords({"a", "b", "c"}), "a, b, c", "a list");
    }
};

std::vector<TestCase*>
MakeInputTestCases()
{
    return {new WorkloadErrorTestCase,
            new WorkloadTextTestCase,
            new WorkloadNumberTestCase,
            new InputUnitTestCase};
}

} // namespace ns3
