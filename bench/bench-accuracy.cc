/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

/**
 * @file
 * @ingroup workload-replay
 * Packet trains against plain packets: iteration time, median and 99th percentile of the time that
 * messages take, bytes that links carry, and what it costs, for a set of workloads. Where a start
 * jitter of 100 ns moves plain packets by more than 1 %, means over a hundred seeds, with the
 * standard error of what they differ by, and their spread.
 */

#include "accuracy-cases.h"
#include "child-run.h"

#include "ns3/core-module.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iomanip>
#include <iostream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

using namespace ns3;

namespace
{

/// A value with blanks in it, of which ns-3's CommandLine would give a string the first word alone.
struct WholeText
{
    std::string value; //!< all of it
};

/**
 * @param [in,out] input an option's value
 * @param [out] text all of it
 * @return the stream
 */
std::istream&
operator>>(std::istream& input, WholeText& text)
{
    return std::getline(input, text.value);
}

/**
 * @param [in,out] output where to write
 * @param [in] text what to write
 * @return the stream
 */
std::ostream&
operator<<(std::ostream& output, const WholeText& text)
{
    return output << text.value;
}

/// What one run has come to.
struct Outcome
{
    double end{0};             //!< iteration time, or when the last message has arrived, ns
    std::vector<double> times; //!< time that each message has taken, ns; ascending
    std::vector<double> bytes; //!< bytes that each direction of each link has carried
    double cpu{0};             //!< CPU time, s
};

/**
 * @param path a CSV file whose first line names its columns
 * @return the cells of each other line
 */
std::vector<std::vector<std::string>>
ReadCells(const std::string& path)
{
    std::vector<std::vector<std::string>> rows;
    std::ifstream file(path);
    std::string line;
    for (std::getline(file, line); std::getline(file, line);)
    {
        rows.emplace_back();
        std::istringstream cells(line);
        for (std::string cell; std::getline(cells, cell, ',');)
        {
            rows.back().push_back(cell);
        }
    }
    return rows;
}

/**
 * @param folder where a run has written its files
 * @param largest bytes of the largest message that counts
 * @return what they say
 */
Outcome
ReadOutcome(const std::string& folder, double largest)
{
    Outcome outcome;
    for (const auto& row : ReadCells(folder + "/flows.csv"))
    {
        if (std::stod(row.at(4)) <= largest)
        {
            outcome.times.push_back(std::stod(row.at(6)) - std::stod(row.at(5)));
        }
    }
    std::sort(outcome.times.begin(), outcome.times.end());
    for (const auto& row : ReadCells(folder + "/links.csv"))
    {
        outcome.bytes.push_back(std::stod(row.at(4)));
    }
    std::ifstream summary(folder + "/summary.json");
    outcome.end = nlohmann::json::parse(summary).at("iterations").at(0).at("time_ns");
    return outcome;
}

/**
 * @param item what to run
 * @param run how
 * @return what it has come to
 */
Outcome
Measure(const AccuracyCase& item, const AccuracyRun& run)
{
    const ChildCost cost = RunInChild([&] { item.start(run); });
    Outcome outcome = ReadOutcome(run.folder, item.largest);
    outcome.cpu = cost.seconds;
    return outcome;
}

/// Finds a number in an outcome.
using Metric = double (*)(const Outcome& outcome);

/**
 * @param outcome what a run has come to
 * @param share from 0 to 1
 * @return time that this share of the messages does not exceed, ns
 */
double
GetQuantile(const Outcome& outcome, double share)
{
    const auto count = static_cast<double>(outcome.times.size());
    return outcome.times.at(static_cast<std::size_t>(std::ceil(share * count)) - 1);
}

/// A number of several runs, of which it is the mean.
struct Mean
{
    double value{0};  //!< the mean
    double error{0};  //!< its standard error
    double spread{0}; //!< largest less smallest
};

/**
 * @param outcomes what the runs have come to
 * @param metric a number in each
 * @return its mean
 */
Mean
GetMean(const std::vector<Outcome>& outcomes, Metric metric)
{
    const auto runs = static_cast<double>(outcomes.size());
    Mean mean;
    double least = metric(outcomes[0]);
    double most = least;
    for (const auto& outcome : outcomes)
    {
        const double value = metric(outcome);
        mean.value += value / runs;
        least = std::min(least, value);
        most = std::max(most, value);
    }
    mean.spread = most - least;
    double squares = 0;
    for (const auto& outcome : outcomes)
    {
        squares += std::pow(metric(outcome) - mean.value, 2);
    }
    mean.error = runs > 1 ? std::sqrt(squares / (runs - 1) / runs) : 0;
    return mean;
}

/**
 * @param plain what the runs of plain packets have come to
 * @param trains what those of trains have
 * @return largest difference of the bytes of a link of equal runs, as a share of those bytes or, of
 *         an almost idle link, of a thousandth of the busiest link's
 */
double
GetByteDifference(const std::vector<Outcome>& plain, const std::vector<Outcome>& trains)
{
    double worst = 0;
    for (std::size_t run = 0; run < plain.size(); ++run)
    {
        const auto& bytes = plain[run].bytes;
        const double busiest = *std::max_element(bytes.begin(), bytes.end());
        for (std::size_t link = 0; link < bytes.size(); ++link)
        {
            const double scale = std::max(bytes[link], busiest / 1000);
            worst = std::max(worst, std::abs(trains[run].bytes[link] - bytes[link]) / scale);
        }
    }
    return worst;
}

/**
 * @param value a number
 * @param digits digits behind the point
 * @return its text
 */
std::string
Text(double value, int digits)
{
    std::ostringstream text;
    text << std::fixed << std::setprecision(digits) << value;
    return text.str();
}

/**
 * Print the cells of a line.
 *
 * @param name what stands in front
 * @param cells right-aligned behind it
 */
void
PrintLine(const std::string& name, const std::vector<std::string>& cells)
{
    std::cout << std::left << std::setw(30) << name << std::right;
    for (const auto& cell : cells)
    {
        std::cout << std::setw(12) << cell;
    }
    std::cout << std::endl;
}

/// Print what the columns are.
void
PrintHead()
{
    std::cout << "Plain packets, ms; what trains are off by and its standard error, %; spread over "
                 "seeds, plain/trains, %\n";
    PrintLine("",
              {"iteration",
               "",
               "",
               "",
               "median",
               "message",
               "",
               "",
               "99 %",
               "",
               "",
               "",
               "links",
               "CPU, s"});
    PrintLine("workload",
              {"ms",
               "%",
               "+-",
               "spread",
               "ms",
               "%",
               "+-",
               "spread",
               "ms",
               "%",
               "+-",
               "spread",
               "%",
               "plain",
               "trains",
               "faster"});
}

/**
 * Run a case and print its line.
 *
 * @param item the case
 * @param seeds number of runs; 0 = what the case asks for
 * @param maxTrain most packets of a train
 * @param folder where runs may write files
 */
void
Compare(const AccuracyCase& item, uint32_t seeds, uint32_t maxTrain, const std::string& folder)
{
    std::vector<Outcome> plain;
    std::vector<Outcome> trains;
    for (uint32_t seed = 1; seed <= (seeds == 0 ? item.seeds : seeds); ++seed)
    {
        plain.push_back(Measure(item, {1, seed, folder}));
        trains.push_back(Measure(item, {maxTrain, seed, folder}));
    }
    std::vector<std::string> cells;
    for (const Metric metric : {Metric([](const Outcome& o) { return o.end; }),
                                Metric([](const Outcome& o) { return GetQuantile(o, 0.5); }),
                                Metric([](const Outcome& o) { return GetQuantile(o, 0.99); })})
    {
        const Mean before = GetMean(plain, metric);
        const Mean now = GetMean(trains, metric);
        const double percent = 100 / before.value;
        cells.push_back(Text(before.value / 1e6, 4));
        cells.push_back(Text(percent * (now.value - before.value), 3));
        cells.push_back(Text(percent * std::hypot(before.error, now.error), 2));
        cells.push_back(Text(percent * before.spread, 1) + "/" + Text(percent * now.spread, 1));
    }
    cells.push_back(Text(100 * GetByteDifference(plain, trains), 3));
    const double cpu = GetMean(plain, [](const Outcome& o) { return o.cpu; }).value;
    const double trainCpu = GetMean(trains, [](const Outcome& o) { return o.cpu; }).value;
    cells.push_back(Text(cpu, 2));
    cells.push_back(Text(trainCpu, 2));
    cells.push_back(Text(cpu / trainCpu, 1));
    PrintLine(item.name, cells);
}

} // namespace

int
main(int argc, char* argv[])
{
    WholeText files{"contrib/workload-replay/examples/workloads"};
    WholeText only;
    bool quick = false;
    uint32_t seeds = 0;
    uint32_t maxTrain = 1024;
    CommandLine cmd(__FILE__);
    cmd.AddValue("files", "Folder of the example workloads", files);
    cmd.AddValue("quick", "Run a small set", quick);
    cmd.AddValue("only", "Run cases whose name has this in it", only);
    cmd.AddValue("seeds",
                 "Runs of each case; 0 = one, and a hundred of those that are unstable",
                 seeds);
    cmd.AddValue("maxTrain", "Most packets of a train", maxTrain);
    cmd.Parse(argc, argv);
    Time::SetResolution(Time::PS);
    auto cases = MakeAccuracyCases(files.value);
    const auto isLeftOut = [&](const AccuracyCase& item) {
        return (quick && !item.quick) || item.name.find(only.value) == std::string::npos;
    };
    cases.erase(std::remove_if(cases.begin(), cases.end(), isLeftOut), cases.end());
    if (cases.empty())
    {
        std::cerr << "--only: error: no case " << (quick ? "of the small set " : "") << "has \""
                  << only.value << "\" in its name\n";
        return 1;
    }
    const ScratchFolder folder;
    PrintHead();
    for (const auto& item : cases)
    {
        Compare(item, seeds, maxTrain, folder.GetPath());
    }
    return 0;
}
