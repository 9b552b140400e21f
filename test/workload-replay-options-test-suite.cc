/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "option-test-cases.h"

#include "ns3/job-request.h"
#include "ns3/keyed-values.h"
#include "ns3/replay-option-table.h"
#include "ns3/test.h"
#include "ns3/workload-error.h"

#include <cmath>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

using namespace ns3;

namespace
{

/// Wrong configuration files, and what is told of them after their name.
const std::vector<std::pair<std::string, std::string>> CONFIG_ERRORS{
    {"{\"world\": 0}", "/world: error: expected a whole number from 1 to 1000000, found '0'"},
    {"{\"world\": 1.5}", "/world: error: expected a whole number from 1 to 1000000, found '1.5'"},
    {"{\"wrold\": 8}",
     "/wrold: error: expected an option (--help lists all), found 'wrold'; did you mean "
     "world?"},
    {"{\"world\": 8, \"dp\": 8, \"world\": 4}",
     "/world: error: expected every key once, found it a second time"},
    {"{\"dryRun\": \"on\"}", "/dryRun: error: expected true or false, found 'on'"},
    {"{\"world\": [8]}", "/world: error: expected a string, a number or a boolean, found an array"},
    {"{\"straggler\": [\"1:2\", \"one\"]}",
     "/straggler/1: error: expected RANK:FACTOR, a rank and how many times as long as the "
     "others it computes, such as 3:1.5, found 'one'"},
    {"{\"straggler\": [[\"1:2\"]]}",
     "/straggler/0: error: expected a string, a number or a boolean, found an array"},
    {"{\"job\": [{\"workload\": \"a\", \"straggler\": [\"0:2\", [1]]}]}",
     "/job/0/straggler/1: error: expected a string, a number or a boolean, found an array"},
    {"{\"job\": [{\"workload\": \"a\", \"dp\": [1]}]}",
     "/job/0/dp: error: expected a string, a number or a boolean, found an array"},
    {"{\"world\": null}", "/world: error: expected a string, a number or a boolean, found null"},
    {"{\"config\": \"b\"}",
     "/config: error: expected an option of the replay, found 'config', which only the command "
     "line has"},
    {"{\n  \"world\": 8,\n  \"dp\" 8\n}",
     "3:8: error: expected JSON, found '8', which does not fit"},
    {"{\"world\": 8", "1:12: error: expected JSON, found the end of the file"},
    {"", " error: expected at least one line of text, found an empty file"},
};

} // namespace

/**
 * @ingroup workload-replay
 * @brief Configuration files: values, precedence, and the places of faults.
 */
class OptionConfigTestCase : public TestCase
{
  public:
    OptionConfigTestCase();

  private:
    void DoRun() override;

    /**
     * @param text what the configuration file holds
     * @param more arguments besides it
     * @return the command line
     */
    Arguments Write(const std::string& text, const Arguments& more = {});

    /// Give an option several times.
    void CheckLists();

    /// Give options as objects.
    void CheckObjects();

    std::string m_file; //!< path of the configuration file
};

OptionConfigTestCase::OptionConfigTestCase()
    : TestCase("configuration files have the same keys, the command line wins")
{
}

Arguments
OptionConfigTestCase::Write(const std::string& text, const Arguments& more)
{
    std::ofstream(m_file) << text;
    Arguments arguments{"--config=" + m_file};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return arguments;
}

void
OptionConfigTestCase::CheckLists()
{
    const auto slow = ParseReplayOptions(
        Write("{\"straggler\": [\"3:2\", \"0:4\"]}", {"--straggler=3:5", "--straggler=1:6"}));
    NS_TEST_ASSERT_MSG_EQ(slow.stragglers.size(), 3, "a list, and more on the command line");
    NS_TEST_EXPECT_MSG_EQ(slow.stragglers.at(3).factor, 5, "the command line wins");
    NS_TEST_EXPECT_MSG_EQ(slow.stragglers.at(0).where.ToString(),
                          m_file + ":/straggler/1",
                          "its place");
    NS_TEST_EXPECT_MSG_EQ(ParseReplayOptions(Write("{\"straggler\": \"2:3\"}")).stragglers.size(),
                          1,
                          "a single one needs no list");
}

void
OptionConfigTestCase::CheckObjects()
{
    const auto options =
        ParseReplayOptions(Write("{\"job\": [\"a.tsv:dp=2\", {\"workload\": \"b:c,d.tsv\",\n"
                                 " \"communicationShare\": \"server:0.1,network:0.2\",\n"
                                 " \"straggler\": [\"0:2\", \"1:3\"]}]}"));
    NS_TEST_ASSERT_MSG_EQ(options.jobs.size(), 2, "a text and an object");
    const KeyedValues text(options.jobs[0]);
    NS_TEST_EXPECT_MSG_EQ(text.GetName(), "a.tsv", "before the colon");
    NS_TEST_EXPECT_MSG_EQ(text.GetField("dp").where.ToString(), m_file + ":/job/0", "a text");
    const KeyedValues job(options.jobs[1]);
    NS_TEST_EXPECT_MSG_EQ(job.GetName(), "b:c,d.tsv", "nothing separates in an object");
    NS_TEST_EXPECT_MSG_EQ(job.GetNameField().where.ToString(),
                          m_file + ":/job/1/workload",
                          "a member");
    const auto share = job.GetField("communicationShare");
    NS_TEST_EXPECT_MSG_EQ(share.text, "server:0.1,network:0.2", "with its comma");
    NS_TEST_EXPECT_MSG_EQ(share.where.ToString(), m_file + ":/job/1/communicationShare", "member");
    const auto range = job.GetValues().equal_range("straggler");
    std::string stragglers;
    for (auto value = range.first; value != range.second; ++value)
    {
        stragglers += value->second.text + " " + value->second.where.pointer + " ";
    }
    NS_TEST_EXPECT_MSG_EQ(stragglers,
                          "0:2 /job/1/straggler/0 1:3 /job/1/straggler/1 ",
                          "both of a list, in its order");
}

void
OptionConfigTestCase::DoRun()
{
    m_file = CreateTempDirFilename("run.json");
    const auto options = ParseReplayOptions(
        Write("{\"workload\": \"a.tsv\", \"world\": 1.6e1, \"elementBytes\": 2,\n"
              " \"backwardScale\": 2.5, \"run\": 1e9, \"ns3::TcpSocket::SegmentSize\": 1448}",
              {"--elementBytes=4"}));
    NS_TEST_EXPECT_MSG_EQ(options.workload, "a.tsv", "a string");
    NS_TEST_EXPECT_MSG_EQ((options.layout.world == 16U),
                          true,
                          "a whole number written with an exponent");
    NS_TEST_EXPECT_MSG_EQ(options.run, 1000000000, "1e9 is whole");
    NS_TEST_EXPECT_MSG_EQ(options.backwardScale, 2.5, "a fraction");
    NS_TEST_EXPECT_MSG_EQ(options.elementBytes, 4, "the command line wins");
    NS_TEST_EXPECT_MSG_EQ(options.Locate("world").ToString(), m_file + ":/world", "its place");
    NS_TEST_EXPECT_MSG_EQ(options.Locate("elementBytes").ToString(), "--elementBytes", "its place");
    CheckLists();
    CheckObjects();

    const std::string start = m_file + ":";
    for (const auto& [text, message] : CONFIG_ERRORS)
    {
        NS_TEST_EXPECT_MSG_EQ(GetOptionError(Write(text)), start + message, text);
    }
    NS_TEST_EXPECT_MSG_EQ(GetOptionError(Write("[8]")),
                          m_file +
                              ": error: expected a JSON object of options, such as {\"world\": "
                              "8}, found a JSON array",
                          "not an object");
    NS_TEST_EXPECT_MSG_EQ(
        GetOptionError(Write("{\"mtu\": 1500}", {"--workload=a", "--transport=ideal"})),
        start + "/mtu: error: expected no mtu with the transport ideal, which has no packets, "
                "found one",
        "contradictions name the place, too");
}

/**
 * @ingroup workload-replay
 * @brief The help names every option and the defaults, and fits the page.
 */
class OptionHelpTestCase : public TestCase
{
  public:
    OptionHelpTestCase();

  private:
    void DoRun() override;
};

OptionHelpTestCase::OptionHelpTestCase()
    : TestCase("the help has all options, groups, defaults and topologies")
{
}

void
OptionHelpTestCase::DoRun()
{
    std::ostringstream stream;
    PrintReplayHelp(stream);
    const auto help = stream.str();
    ReplayOptions options;
    const auto table = CreateReplayOptionTable(options);
    for (const auto& name : table.GetNames())
    {
        const auto form = table.Find(name)->value.form;
        const auto head = "\n  --" + name + (form.empty() ? " " : "=" + form);
        NS_TEST_EXPECT_MSG_EQ((help.find(head) != std::string::npos), true, name);
    }
    for (const std::string text :
         {"\nWorkload:\n",
          "\nShape of the job (an option wins over the file, the file over the "
          "default):\n",
          "\nCompute times:\n",
          "[world / (tp cp pp)]",
          "\nFabric:\n",
          "\nTransport:\n",
          "\nCollectives:\n",
          "\nRun:\n",
          "\nTopologies:\n",
          "\n  clos: ",
          "[400Gbps]",
          "[3600Gbps]",
          "[250ns]",
          "[500ns]",
          "[rdma: 4096, tcp: 9000]",
          "[rdma]",
          "[rdma: dcqcn, uec: nscc,",
          "ns3::TcpCubic]",
          "[ecmp]"})
    {
        NS_TEST_EXPECT_MSG_EQ((help.find(text) != std::string::npos), true, text);
    }
    std::istringstream lines(help);
    for (std::string line; std::getline(lines, line);)
    {
        NS_TEST_EXPECT_MSG_LT_OR_EQ(line.size(), 100, line);
    }
}

/**
 * @ingroup workload-replay-tests
 * @brief The factors of ranks' compute times have the moments of their distribution.
 */
class SpeedSpreadTestCase : public TestCase
{
  public:
    SpeedSpreadTestCase()
        : TestCase("spread of the speeds of accelerators")
    {
    }

  private:
    void DoRun() override
    {
        constexpr double spread = 0.02;
        constexpr uint32_t ranks = 2000;
        double sum = 0;
        double squares = 0;
        for (uint32_t rank = 0; rank < ranks; ++rank)
        {
            const double factor = GetSpeedFactor(spread, rank);
            NS_TEST_EXPECT_MSG_EQ_TOL(factor, 1, 3 * spread, "within three deviations");
            sum += factor - 1;
            squares += (factor - 1) * (factor - 1);
        }
        // Four deviations of a mean. Without what is beyond three, a normal distribution has 0.973
        // of its variance.
        NS_TEST_EXPECT_MSG_EQ_TOL(sum / ranks, 0, 4 * spread / std::sqrt(ranks), "mean");
        NS_TEST_EXPECT_MSG_EQ_TOL(std::sqrt(squares / ranks),
                                  spread * std::sqrt(0.973),
                                  4 * spread / std::sqrt(2. * ranks),
                                  "deviation");
        NS_TEST_EXPECT_MSG_EQ(GetSpeedFactor(spread, 7), GetSpeedFactor(spread, 7), "no change");
        NS_TEST_EXPECT_MSG_EQ(GetSpeedFactor(0, 7), 1, "no spread");
    }
};

/**
 * @ingroup workload-replay
 * @brief The options of wl-replay.
 */
class WorkloadReplayOptionsTestSuite : public TestSuite
{
  public:
    WorkloadReplayOptionsTestSuite();
};

WorkloadReplayOptionsTestSuite::WorkloadReplayOptionsTestSuite()
    : TestSuite("workload-replay-options", TestSuite::Type::UNIT)
{
    AddTestCase(new OptionValuesTestCase);
    AddTestCase(new OptionErrorsTestCase);
    AddTestCase(new ScriptOptionsTestCase);
    AddTestCase(new OptionContradictionsTestCase);
    AddTestCase(new OptionConfigTestCase);
    AddTestCase(new OptionHelpTestCase);
    for (auto* testCase : MakeAstraSystemTestCases())
    {
        AddTestCase(testCase);
    }
    for (auto* testCase : MakeHpccConfigTestCases())
    {
        AddTestCase(testCase);
    }
    AddTestCase(new SpeedSpreadTestCase);
}

/// The suite, found by test-runner.
static WorkloadReplayOptionsTestSuite g_workloadReplayOptionsTestSuite;
