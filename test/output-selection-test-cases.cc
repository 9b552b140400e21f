/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "output-test-cases.h"

#include "ns3/output-selection.h"
#include "ns3/trace-selection.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <vector>

using namespace ns3;

namespace
{

/**
 * @param list a list of files
 * @return the names that they are written under
 */
std::vector<std::string>
GetNames(const std::string& list)
{
    const OutputSelection selection({list, {"--files", 0, 0, ""}});
    std::vector<std::string> names;
    for (const auto& file : OutputSelection::GetFiles())
    {
        const auto name = selection.GetName(file);
        if (!name.empty())
        {
            names.push_back(name);
        }
    }
    return names;
}

/**
 * @param pp pipeline stages
 * @param world ranks
 * @return a job of that shape
 */
std::shared_ptr<Workload>
MakeJob(uint32_t pp, uint32_t world)
{
    ParallelLayout layout;
    layout.world = world;
    layout.pp = pp;
    layout.dp = world / pp;
    return std::make_shared<Workload>("test", "a.txt", layout);
}

/**
 * @param workload a job
 * @param request what is asked for
 * @return the ranks that are shown
 */
std::vector<uint32_t>
GetRanks(const Workload& workload, const TraceRequest& request)
{
    const TraceSelection selection(workload, request);
    std::vector<uint32_t> ranks;
    for (uint32_t rank = 0; rank < workload.GetLayout().world; ++rank)
    {
        if (selection.HasRank(rank))
        {
            ranks.push_back(rank);
        }
    }
    return ranks;
}

/**
 * @param workload a job
 * @param request what is asked for
 * @return what is told of it; empty = it is right
 */
std::string
GetError(const Workload& workload, const TraceRequest& request)
{
    try
    {
        TraceSelection(workload, request);
    }
    catch (const WorkloadError& error)
    {
        return error.what();
    }
    return "";
}

} // namespace

OutputSelectionTestCase::OutputSelectionTestCase()
    : TestCase("lists of files")
{
}

void
OutputSelectionTestCase::CheckRemoval()
{
    const auto directory = CreateTempDirFilename("removal");
    std::filesystem::create_directories(directory);
    for (const std::string name :
         {"ops.csv", "ops.csv.gz", "flows.csv", "flows.csv.gz", "trace.json", "notes.txt"})
    {
        std::ofstream(directory + "/" + name) << "before";
    }
    OutputSelection({"ops,flows.csv.gz", {}}).RemoveOthers(directory);
    std::set<std::string> left;
    for (const auto& entry : std::filesystem::directory_iterator(directory))
    {
        left.insert(entry.path().filename().string());
    }
    NS_TEST_EXPECT_MSG_EQ((left == std::set<std::string>{"flows.csv.gz", "notes.txt", "ops.csv"}),
                          true,
                          "what is written stays, and what is none of a replay");
}

void
OutputSelectionTestCase::DoRun()
{
    using Names = std::vector<std::string>;
    const auto& all = OutputSelection::GetFiles();
    NS_TEST_EXPECT_MSG_EQ((GetNames("all") == all), true, "all");
    NS_TEST_EXPECT_MSG_EQ(
        (GetNames("links.csv,summary.json") == Names{"summary.json", "links.csv"}),
        true,
        "two of them");
    NS_TEST_EXPECT_MSG_EQ((GetNames("ops,fabric") == Names{"ops.csv", "fabric.json", "fabric.dot"}),
                          true,
                          "without endings");
    Names others;
    std::remove_copy(all.begin(), all.end(), std::back_inserter(others), "flows.csv");
    for (const std::string list : {"all,-flows.csv", "-flows.csv", "-flows", "-flows.csv.gz"})
    {
        NS_TEST_EXPECT_MSG_EQ((GetNames(list) == others), true, "all but one: " << list);
    }
    NS_TEST_EXPECT_MSG_EQ((GetNames("ops.csv.gz,trace.gz") == Names{"ops.csv.gz", "trace.json.gz"}),
                          true,
                          "compressed");
    NS_TEST_EXPECT_MSG_EQ((GetNames("ops.csv.gz,trace,-trace,ops") == Names{"ops.csv"}),
                          true,
                          "later ones win");
    const auto names = GetNames("all.gz,-fabric");
    NS_TEST_EXPECT_MSG_EQ(names.size(), all.size() - 2, "all compressed, but for two");
    NS_TEST_EXPECT_MSG_EQ(names.front(), "summary.json.gz", "all compressed");
    CheckRemoval();
}

TraceSelectionTestCase::TraceSelectionTestCase()
    : TestCase("ranks, stages and times of trace.json")
{
}

void
TraceSelectionTestCase::CheckErrors()
{
    const auto job = MakeJob(4, 16);
    TraceRequest request;
    request.ranks = {16, 3};
    request.ranksWhere = {"--traceRanks", 0, 0, ""};
    request.stagesWhere = {"--traceStages", 0, 0, ""};
    NS_TEST_EXPECT_MSG_EQ(GetError(*job, request),
                          "--traceRanks: error: expected ranks from 0 to 15, found 16",
                          "no such rank");
    request.ranks = {0, 5};
    request.stages = {4};
    NS_TEST_EXPECT_MSG_EQ(GetError(*job, request),
                          "--traceStages: error: expected pipeline stages from 0 to 3, found 4",
                          "no such stage");
    request.stages = {2, 3};
    NS_TEST_EXPECT_MSG_EQ(
        GetError(*job, request),
        "--traceStages: error: expected stages of the ranks in traceRanks, found others",
        "ranks of other stages");
    request.stages = {1};
    NS_TEST_EXPECT_MSG_EQ(GetError(*MakeJob(1, 8), request),
                          "--traceStages: error: expected no pipeline stage but 0, found 1",
                          "no pipeline");
}

void
TraceSelectionTestCase::DoRun()
{
    using Ranks = std::vector<uint32_t>;
    const auto job = MakeJob(4, 16);
    TraceRequest request;
    NS_TEST_EXPECT_MSG_EQ((GetRanks(*job, request) == Ranks{0, 4, 8, 12}),
                          true,
                          "the first rank of each stage");
    NS_TEST_EXPECT_MSG_EQ((GetRanks(*MakeJob(1, 8), request) == Ranks{0}), true, "one stage");
    request.stages = {3, 1};
    NS_TEST_EXPECT_MSG_EQ((GetRanks(*job, request) == Ranks{4, 12}), true, "of two stages");
    request.hasAllRanks = true;
    NS_TEST_EXPECT_MSG_EQ((GetRanks(*job, request) == Ranks{4, 5, 6, 7, 12, 13, 14, 15}),
                          true,
                          "all of two stages");
    request.hasAllRanks = false;
    request.ranks = {15, 0, 6, 4};
    NS_TEST_EXPECT_MSG_EQ((GetRanks(*job, request) == Ranks{4, 6, 15}), true, "some of them");

    request.from = MicroSeconds(10);
    request.to = MicroSeconds(20);
    const TraceSelection selection(*job, request);
    const auto overlaps = [&selection](int64_t start, int64_t end) {
        return selection.Overlaps(MicroSeconds(start), MicroSeconds(end));
    };
    NS_TEST_EXPECT_MSG_EQ(overlaps(8, 9), false, "before");
    NS_TEST_EXPECT_MSG_EQ(overlaps(8, 10), true, "until it begins");
    NS_TEST_EXPECT_MSG_EQ(overlaps(0, 99), true, "all the time");
    NS_TEST_EXPECT_MSG_EQ(overlaps(20, 99), true, "from when it ends");
    NS_TEST_EXPECT_MSG_EQ(overlaps(21, 99), false, "after");
    CheckErrors();
}
