/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "collective-fit-report.h"

#include "collective-fit-log.h"
#include "collective-fit.h"
#include "collective-reference.h"
#include "networked-job.h"

#include "ns3/input-json.h"
#include "ns3/input-values.h"
#include "ns3/output-file.h"
#include "ns3/output-text.h"
#include "ns3/replay-report.h"
#include "ns3/text-table.h"
#include "ns3/workload-text.h"

#include <algorithm>
#include <filesystem>
#include <functional>

namespace ns3
{

namespace
{

/// A size may take so many times as long as the next larger one: noise of measurements.
constexpr double LARGER_NOISE = 1.1;

/// And so many times as long as in another table of the same ranks.
constexpr double TABLE_NOISE = 1.25;

/**
 * @param log a table
 * @return what it is of
 */
std::string
DescribeLog(const CollectiveFitLog& log)
{
    auto text = log.file + ": " + ToString(log.kind) + ", " + FormatCount(log.ranks, "rank");
    text += log.servers > 0 ? " on " + FormatCount(log.servers, "server") : "";
    return text + ", " + FormatCount(log.times.size(), "size");
}

/**
 * @param log a table
 * @return what its file has beside
 */
std::string
DescribeRest(const CollectiveFitLog& log)
{
    const auto sizes =
        log.nLeft > 0 ? ", " + std::to_string(log.nLeft) + " not looked at (--minBytes, --maxBytes)"
                      : "";
    return log.leftOut.empty()
               ? sizes
               : sizes + "; left out: " + JoinWords({log.leftOut.begin(), log.leftOut.end()});
}

/**
 * @param log a table
 * @param bytes a size of it
 * @param microseconds its time, us
 * @return both, for people
 */
std::string
DescribeTime(const CollectiveFitLog& log, uint64_t bytes, double microseconds)
{
    return log.file + ": " + FormatCount(bytes, "byte") + " in " + FormatFixed(microseconds, 1) +
           " us";
}

/**
 * @param error an error, as a share
 * @return it in percent
 */
std::string
FormatPercent(double error)
{
    return FormatFixed(100 * error, 1) + " %";
}

/**
 * @param rows rows of the fit
 * @param time which time of a row is compared with the measured one
 * @return mean and worst error
 */
std::string
DescribeErrors(const std::vector<CollectiveFit::Row>& rows,
               const CollectiveFitModel::Time CollectiveFit::Row::*time)
{
    CollectiveComparison comparison;
    for (const auto& row : rows)
    {
        comparison.Add({row.measured.bytes, (row.*time).microseconds, row.measured.microseconds});
    }
    const auto& worst = comparison.GetWorst();
    return FormatPercent(comparison.GetMeanError()) + " in the geometric mean, worst " +
           FormatPercent(worst.GetRatio() - 1) + " (" + FormatCount(worst.bytes, "byte") + ")";
}

/**
 * @param fit what was fitted
 * @param parameters what may be fitted
 * @param os where to
 */
void
PrintFitParameters(const CollectiveFit& fit,
                   const std::vector<FitParameter>& parameters,
                   std::ostream& os)
{
    TextTable table;
    table.AddColumn("parameter", TextTable::LEFT);
    table.AddColumn("before", TextTable::RIGHT);
    table.AddColumn("fitted", TextTable::RIGHT);
    table.AddColumn("bounds", TextTable::RIGHT);
    table.AddColumn("", TextTable::LEFT);
    std::vector<std::string> notes;
    for (std::size_t i = 0; i < parameters.size(); ++i)
    {
        const auto& parameter = parameters[i];
        const auto step = fit.GetPoint()[i];
        const auto [least, most] = parameter.GetSteps();
        const auto value = parameter.GetValue(step);
        const bool isDetermined = fit.GetDetermined()[i];
        // Shares have three decimals; one is enough for rates and latencies.
        const auto decimals = parameter.base + parameter.most > 20 ? 1 : 3;
        table.AddRow({parameter.name,
                      FormatFixed(parameter.base, decimals),
                      isDetermined ? FormatFixed(value, decimals) : "-",
                      FormatFixed(parameter.least, decimals) + " to " +
                          FormatFixed(parameter.most, decimals),
                      isDetermined ? "" : "stays: no row depends on it"});
        if (isDetermined && value > 0 && (step == least || step == most))
        {
            notes.push_back(parameter.name + ": at its bound, " + parameter.bounds);
        }
    }
    table.Print(os);
    PrintLines(os, notes);
}

/**
 * @param fit what was fitted
 * @param logs the tables
 * @param os where to
 */
void
PrintFitRows(const CollectiveFit& fit, const std::vector<CollectiveFitLog>& logs, std::ostream& os)
{
    for (std::size_t log = 0; log < logs.size(); ++log)
    {
        os << "\n";
        PrintHanging(os, "", "  ", DescribeLog(logs[log]) + DescribeRest(logs[log]));
        TextTable table;
        for (const auto* heading :
             {"bytes", "measured, us", "before, us", "fitted, us", "error, %", "left out, us"})
        {
            table.AddColumn(heading, TextTable::RIGHT);
        }
        table.AddColumn("error, %", TextTable::RIGHT);
        table.AddColumn("algorithm", TextTable::LEFT);
        for (const auto& row : fit.GetRows())
        {
            const auto measured = row.measured.microseconds;
            const auto error = [measured](double time) {
                return FormatFixed(100 * (time / measured - 1), 1);
            };
            if (row.measured.log == log)
            {
                table.AddRow({std::to_string(row.measured.bytes),
                              FormatFixed(measured, 1),
                              FormatFixed(row.base.microseconds, 1),
                              FormatFixed(row.fitted.microseconds, 1),
                              error(row.fitted.microseconds),
                              FormatFixed(row.leftOut.microseconds, 1),
                              error(row.leftOut.microseconds),
                              row.fitted.algorithm});
            }
        }
        table.Print(os);
    }
}

/**
 * @param options what the user asks for
 * @param source where the values come from
 * @param values what was fitted
 * @return the fabric, as ReadFabricSet() reads it
 */
nlohmann::ordered_json
MakeFabric(const CollectiveBenchOptions& options,
           const std::string& source,
           const std::vector<FabricSet::Value>& values)
{
    nlohmann::ordered_json fabric;
    const auto& base = options.fabricSet;
    // A file starts from a named set, if from anything, so one that was fitted to repeats it.
    if (std::filesystem::path(base).extension() == ".json")
    {
        fabric = ParseJson(WorkloadText(base));
    }
    else
    {
        fabric["fabric"] = base;
    }
    fabric["source"] = source;
    for (const auto& [name, text] : values)
    {
        fabric[name] = text;
    }
    return fabric;
}

/**
 * @param file path of a file
 * @param fabric what to write
 * @return why it could not be written; empty = it was
 */
std::string
WriteFabric(const std::string& file, const nlohmann::ordered_json& fabric)
{
    const std::filesystem::path path(file);
    const auto folder = path.parent_path();
    OutputFile output(folder.empty() ? "." : folder.string(), path.filename().string());
    output.GetStream() << fabric.dump(2) << "\n";
    return output.Finish();
}

} // namespace

std::vector<std::string>
FindContradictions(const std::vector<CollectiveFitLog>& logs)
{
    std::vector<std::string> lines;
    for (std::size_t i = 0; i < logs.size(); ++i)
    {
        const auto& log = logs[i];
        for (auto row = log.times.begin(); std::next(row) != log.times.end(); ++row)
        {
            // More bytes never take less time.
            const auto larger = std::next(row);
            if (row->second > LARGER_NOISE * larger->second)
            {
                lines.push_back(DescribeTime(log, row->first, row->second) + ", but " +
                                FormatCount(larger->first, "byte") + " in " +
                                FormatFixed(larger->second, 1) + " us");
            }
        }
        // Nor does the same call take different times, but for noise.
        for (std::size_t j = i + 1; j < logs.size(); ++j)
        {
            const auto& other = logs[j];
            const bool isAlike =
                other.kind == log.kind && other.ranks == log.ranks && other.servers == log.servers;
            for (const auto& [bytes, time] : log.times)
            {
                const auto found = other.times.find(bytes);
                if (isAlike && found != other.times.end() &&
                    std::max(time / found->second, found->second / time) > TABLE_NOISE)
                {
                    lines.push_back(DescribeTime(log, bytes, time) + ", but " +
                                    DescribeTime(other, bytes, found->second));
                }
            }
        }
    }
    return lines;
}

bool
FitCollectives(const CollectiveBenchOptions& options, std::ostream& os, std::ostream& errors)
{
    SetNetworkDefaults(options);
    const auto logs = ReadCollectiveFitLogs(options);
    CollectiveFitModel model(options, logs);
    CollectiveFit fit(model);
    fit.Fit();
    fit.LeaveOut();

    os << "fabric " << options.fabricSet << " fitted to "
       << FormatCount(fit.GetRows().size(), "row") << " by "
       << FormatCount(model.CountReplays(), "replay") << " on the transport " << options.transport
       << "\n\n";
    PrintFitParameters(fit, model.GetParameters(), os);
    PrintFitRows(fit, logs, os);
    using Row = CollectiveFit::Row;
    const auto leftOut = DescribeErrors(fit.GetRows(), &Row::leftOut);
    os << "\nbefore    " << DescribeErrors(fit.GetRows(), &Row::base) << "\nfitted    "
       << DescribeErrors(fit.GetRows(), &Row::fitted) << "\nleft out  " << leftOut << "\n";
    const auto contradictions = FindContradictions(logs);
    if (!contradictions.empty())
    {
        os << "\nrows that contradict each other, so that no fabric meets both\n";
        PrintLines(os, contradictions);
    }
    if (options.output.empty())
    {
        return true;
    }
    std::string source = "Fitted by wl-collective, rows left out are met within " + leftOut + ":";
    for (const auto& log : logs)
    {
        source += " " + DescribeLog(log) + ";";
    }
    source.back() = '.';
    const auto fault = WriteFabric(
        options.output,
        MakeFabric(options, source, model.MakeValues(fit.GetPoint(), fit.GetDetermined())));
    if (!fault.empty())
    {
        errors << fault << "\n";
        return false;
    }
    os << "\nwrote " << options.output << ", for --fabric=" << options.output << "\n";
    return true;
}

} // namespace ns3
