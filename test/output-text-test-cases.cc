/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "output-test-cases.h"

#include "ns3/output-file.h"
#include "ns3/output-text.h"
#include "ns3/replay-statistics.h"
#include "ns3/text-table.h"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <vector>

using namespace ns3;

std::string
ReadFile(const std::string& directory, const std::string& name)
{
    std::ifstream stream(directory + "/" + name, std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>());
}

RoundingTestCase::RoundingTestCase()
    : TestCase("rounded parts add up to the rounded whole")
{
}

void
RoundingTestCase::DoRun()
{
    using Times = std::vector<int64_t>;
    // Boundaries 1.4, 2.8, 4.2 ns. Rounded one by one, the parts would add up to 3.
    NS_TEST_EXPECT_MSG_EQ((RoundToNanoseconds({1400, 1400, 1400}) == Times{1, 2, 1}),
                          true,
                          "thirds");
    // Boundaries 1.6, 3.2, 4.8 ns. Rounded one by one, the parts would add up to 6.
    NS_TEST_EXPECT_MSG_EQ((RoundToNanoseconds({1600, 1600, 1600}) == Times{2, 1, 2}), true, "up");
    NS_TEST_EXPECT_MSG_EQ((RoundToNanoseconds({499, 1, 0, 500}) == Times{0, 1, 0, 0}),
                          true,
                          "half");
    NS_TEST_EXPECT_MSG_EQ((RoundToNanoseconds({0, 0}) == Times{0, 0}), true, "nothing");
    NS_TEST_EXPECT_MSG_EQ(
        (RoundToNanoseconds({1000000000000000499, 1}) == Times{1000000000000000, 1}),
        true,
        "a million seconds");
    int64_t sum = 0;
    Times parts;
    for (int64_t i = 1; i <= 1000; ++i)
    {
        parts.push_back(i * 777);
    }
    for (const auto part : RoundToNanoseconds(parts))
    {
        sum += part;
    }
    NS_TEST_EXPECT_MSG_EQ(sum, 388889, "777 ps times 500500 is 388888.5 ns");
}

OutputTextTestCase::OutputTextTestCase()
    : TestCase("quotes, escapes, times")
{
}

void
OutputTextTestCase::DoRun()
{
    NS_TEST_EXPECT_MSG_EQ(FormatCsvField(""), "", "an empty field needs no quotes");
    NS_TEST_EXPECT_MSG_EQ(FormatCsvField("a b;c'd"), "a b;c'd", "nor does a plain one");
    NS_TEST_EXPECT_MSG_EQ(FormatCsvField("a,b"), "\"a,b\"", "comma");
    NS_TEST_EXPECT_MSG_EQ(FormatCsvField("\""), "\"\"\"\"", "quote");
    NS_TEST_EXPECT_MSG_EQ(FormatCsvField("a\r"), "\"a\r\"", "carriage return");
    NS_TEST_EXPECT_MSG_EQ(FormatJsonString("a b/c"), "\"a b/c\"", "plain text");
    NS_TEST_EXPECT_MSG_EQ(FormatJsonString("\"\\\n\x01"), R"("\"\\\n\u0001")", "escapes");
    NS_TEST_EXPECT_MSG_EQ(FormatJsonString("\xc3\xa9"), "\"\xc3\xa9\"", "UTF-8");
    NS_TEST_EXPECT_MSG_EQ(FormatJsonString("\xe9"), "\"\xef\xbf\xbd\"", "not UTF-8");
    // The clock of test-runner knows no less than a nanosecond, so that nothing is rounded here.
    NS_TEST_EXPECT_MSG_EQ(ToNanoseconds(MicroSeconds(3)), 3000, "a time");
}

TableWidthTestCase::TableWidthTestCase()
    : TestCase("tables that are nearly too wide")
{
}

void
TableWidthTestCase::DoRun()
{
    // Two blanks before the text of a row, 49 characters behind it.
    CheckRow(47, "  ");
    CheckRow(48, " ");
}

void
TableWidthTestCase::CheckRow(std::size_t width, const std::string& gap)
{
    const std::string words(width, 'x');
    const std::string number(49, '1');
    TextTable table;
    table.AddColumn("words", TextTable::LEFT);
    table.AddColumn("number", TextTable::RIGHT);
    table.AddRow({words, number});
    std::ostringstream stream;
    table.Print(stream);
    const auto heading = "words" + std::string(89, ' ') + "number\n";
    NS_TEST_EXPECT_MSG_EQ(stream.str(),
                          heading + "  " + words + gap + number + "\n",
                          "100 characters, of which the first column has " << width);
}

OutputFileTestCase::OutputFileTestCase()
    : TestCase("files are there whole or not at all")
{
}

void
OutputFileTestCase::DoRun()
{
    const auto directory = CreateTempDirFilename("whole");
    std::filesystem::create_directories(directory);
    std::ofstream(directory + "/a") << "before";
    {
        OutputFile file(directory, "a");
        file.GetStream() << 1234567;
        NS_TEST_EXPECT_MSG_EQ(ReadFile(directory, "a"), "before", "not yet replaced");
        NS_TEST_EXPECT_MSG_EQ(file.Finish(), "", "written");
        NS_TEST_EXPECT_MSG_EQ(ReadFile(directory, "a"), "1234567", "replaced");
    }
    {
        OutputFile file(directory, "b");
        file.GetStream() << "never finished";
    }
    {
        OutputFile file(directory + "/a", "c");
        NS_TEST_EXPECT_MSG_EQ(file.Finish(),
                              directory +
                                  "/a/c: error: could not be written (the disk is full or gone)",
                              "a file is no directory");
    }
    std::filesystem::create_directories(directory + "/d/e");
    {
        OutputFile file(directory, "d");
        NS_TEST_EXPECT_MSG_EQ(file.Finish(),
                              directory + "/d: error: could not be written (Is a directory)",
                              "a directory has the name");
    }
    std::filesystem::remove_all(directory + "/d");
    const std::filesystem::directory_iterator left(directory);
    NS_TEST_EXPECT_MSG_EQ(std::distance(begin(left), end(left)), 1, "nothing but a is left");
}

CompressedFileTestCase::CompressedFileTestCase()
    : TestCase("files ending in .gz are compressed, the same each time")
{
}

void
CompressedFileTestCase::DoRun()
{
    const auto directory = CreateTempDirFilename("compressed");
    std::filesystem::create_directories(directory);
    const std::string line(1000000, 'x');
    std::vector<std::string> contents;
    for (const std::string name : {"a.gz", "b.gz"})
    {
        OutputFile file(directory, name);
        file.GetStream() << line << 1234567;
        NS_TEST_EXPECT_MSG_EQ(file.Finish(), "", name << " is written");
        contents.push_back(ReadFile(directory, name));
    }
    // RFC 1952: magic number, deflate, no flags (hence no name), no time.
    const std::string header("\x1f\x8b\x08\x00\x00\x00\x00\x00", 8);
    NS_TEST_EXPECT_MSG_EQ((contents[0].compare(0, header.size(), header) == 0), true, "header");
    NS_TEST_EXPECT_MSG_EQ((contents[0] == contents[1]), true, "the name is not in it");
    NS_TEST_EXPECT_MSG_LT(contents[0].size(), 20000, "it is smaller");
    // RFC 1952: it ends in the length of the content, least significant byte first.
    const uint32_t length = 1000007;
    for (std::size_t i = 0; i < 4; ++i)
    {
        NS_TEST_EXPECT_MSG_EQ(
            static_cast<uint32_t>(static_cast<unsigned char>(contents[0].end()[i - 4])),
            (length >> (8 * i) & 0xff),
            "byte " << i << " of its length");
    }
    {
        OutputFile file(directory, "c.gz");
        file.GetStream() << "never finished";
    }
    NS_TEST_EXPECT_MSG_EQ(std::filesystem::exists(directory + "/c.gz"), false, "not finished");
    OutputFile lost(directory + "/a.gz", "d.gz");
    lost.GetStream() << "nowhere";
    NS_TEST_EXPECT_MSG_EQ(lost.Finish(),
                          directory +
                              "/a.gz/d.gz: error: could not be written (the disk is full or gone)",
                          "a file is no directory");
}
