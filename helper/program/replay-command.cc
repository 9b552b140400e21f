/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "replay-command.h"

#include "dry-run.h"
#include "kept-defaults.h"
#include "model-calibration.h"
#include "ns3-arguments.h"
#include "process-agreement.h"
#include "process-group.h"
#include "program-guards.h"
#include "replay-option-table.h"
#include "workload-reader.h"

#include "ns3/chakra-writer.h"
#include "ns3/output-file.h"
#include "ns3/text-table.h"
#include "ns3/workload-error.h"

#include <filesystem>
#include <functional>
#include <iostream>
#include <memory>
#include <ostream>

namespace ns3
{

namespace
{

namespace fs = std::filesystem;

/**
 * @param name what the traces have in common
 * @param rank a rank
 * @return name of its trace
 */
std::string
NameTrace(const std::string& name, uint32_t rank)
{
    return name + "." + std::to_string(rank) + ".et";
}

/**
 * Traces are counted by their names: one of a larger job would be taken for one more rank.
 *
 * @param options what the user asks for
 * @param world number of ranks
 */
void
CheckNoneBeyond(const ReplayOptions& options, uint32_t world)
{
    const auto next = NameTrace(options.exportChakra, world);
    std::error_code error;
    if (fs::exists(next, error))
    {
        throw WorkloadError(options.Locate("exportChakra"),
                            "a name that no larger job has: there are " + std::to_string(world) +
                                " ranks",
                            Quoted(next));
    }
}

/**
 * @param options what the user asks for
 * @param workload what was written
 * @param writer what has written it
 * @param os where to report it
 */
void
TellExport(const ReplayOptions& options,
           const Workload& workload,
           const ChakraWriter& writer,
           std::ostream& os)
{
    os << "Wrote " << FormatCount(writer.GetNodeCount(), "node") << " of "
       << FormatCount(workload.GetLayout().world, "rank") << " to " << options.exportChakra
       << ".RANK.et and " << FormatCount(workload.GetCommunicators().size(), "group") << " to "
       << options.exportChakra << ".json\n";
    auto warnings = workload.GetWarnings();
    const auto more = writer.GetWarnings();
    warnings.insert(warnings.end(), more.begin(), more.end());
    for (const auto& warning : warnings)
    {
        PrintHanging(os, "  - ", "    ", warning);
    }
}

/**
 * Write the workload as Chakra traces, PREFIX.RANK.et, and its groups, PREFIX.json, instead of
 * replaying it; see ChakraWriter.
 *
 * @param options what the user asks for; checked by CheckReplayOptions()
 * @param os where it is reported what was written
 * @return what could not be written, one line: nothing is written after the first fault
 * @throws WorkloadError if the workload is wrong, if Chakra cannot say it, or if the directory
 *         cannot be written to; nothing is written then
 */
std::vector<std::string>
ExportChakra(const ReplayOptions& options, std::ostream& os)
{
    const auto where = options.Locate("exportChakra");
    const fs::path prefix(options.exportChakra);
    const auto name = prefix.filename().string();
    const auto folder = prefix.has_parent_path() ? prefix.parent_path().string() : ".";
    if (name.empty() || name == "." || name == "..")
    {
        throw WorkloadError(where, "DIRECTORY/NAME", Quoted(options.exportChakra));
    }
    const auto workload = ReadWorkload(options);
    const auto world = workload->GetLayout().world;
    ChakraWriter writer(workload);
    CheckNoneBeyond(options, world);
    PrepareDirectory(folder, where);
    const auto write = [&folder](const std::string& file,
                                 const std::function<void(std::ostream&)>& writeTo) {
        OutputFile output(folder, file);
        writeTo(output.GetStream());
        return output.Finish();
    };
    auto error = write(name + ".json", [&](auto& stream) { writer.WriteGroups(stream); });
    for (uint32_t rank = 0; rank < world && error.empty(); ++rank)
    {
        error =
            write(NameTrace(name, rank), [&](auto& stream) { writer.WriteTrace(rank, stream); });
    }
    if (!error.empty())
    {
        return {error};
    }
    TellExport(options, *workload, writer, os);
    return {};
}

/**
 * Print what no simulation is needed for.
 *
 * @param options ask for it
 * @return the exit code
 */
ReplaySession::ExitCode
Print(const ReplayOptions& options)
{
    if (options.help)
    {
        PrintReplayHelp(std::cout);
        return ReplaySession::DONE;
    }
    const auto errors =
        options.dryRun ? DryRun(options, std::cout) : ExportChakra(options, std::cout);
    return PrintLines(std::cerr, errors) ? ReplaySession::UNFINISHED : ReplaySession::DONE;
}

/**
 * Find the efficiency that a measured iteration time asks for. If a replay does not finish, that
 * with the efficiency given will not either, and says why.
 *
 * @param [in,out] options what the user asks for; receives it
 * @param stop see ReplaySession::SetStopCondition()
 */
void
SetEfficiency(ReplayOptions& options, const ReplaySession::StopCondition& stop)
{
    auto calibrationRun = options;
    // Runs that calibrate write no files.
    calibrationRun.given.erase("outputDir");
    const auto calibration =
        CalibrateEfficiency(options.stepTime, [&calibrationRun, &stop](double efficiency) {
            calibrationRun.model.efficiency = efficiency;
            auto session = ReplaySession::Make(calibrationRun);
            session->SetStopCondition(stop);
            return session->Measure();
        });
    options.model.efficiency = calibration.efficiency;
    // A run did not finish, so the replay will not finish either; it reports why.
    if (calibration.iteration.IsZero())
    {
        return;
    }
    if (!calibration.hasConverged)
    {
        throw WorkloadError(options.Locate("stepTime"),
                            "a time that an iteration takes with some efficiency up to 10",
                            DescribeCalibration(calibration, options.stepTime));
    }
    options.calibration = DescribeCalibration(calibration, options.stepTime);
}

/**
 * Do what the user asks for.
 *
 * @param given what that is
 * @param listen see RunReplayCommand()
 * @param hook see RunReplayCommand()
 * @return the exit code
 */
ReplaySession::ExitCode
Run(const ReplayOptions& given, ReplaySession::StopCondition (*listen)(), const ReplayHook& hook)
{
    if (given.help || given.dryRun || given.IsGiven("exportChakra"))
    {
        return ProcessGroup::IsFirst() ? Print(given) : ReplaySession::DONE;
    }
    auto options = given;
    if (!options.stepTime.IsZero())
    {
        SetEfficiency(options, listen ? listen() : ReplaySession::StopCondition());
    }
    auto session = ReplaySession::Make(options);
    if (hook)
    {
        hook(session->GetScene());
    }
    session->SetStopCondition(listen ? listen() : ReplaySession::StopCondition());
    return session->Run(std::cout, std::cerr);
}

/**
 * @param arguments see RunReplayCommand()
 * @param [out] options receives what they ask for
 * @return what is wrong with them; empty = nothing
 */
std::string
TakeArguments(const std::vector<std::string>& arguments, ReplayOptions& options)
{
    try
    {
        options = ParseReplayOptions(arguments);
        if (!options.help)
        {
            ApplyNs3Arguments(ReplaySession::PROGRAM, options.ns3Arguments);
            CheckReplayOptions(options);
        }
    }
    catch (const WorkloadError& error)
    {
        return error.what();
    }
    return "";
}

} // namespace

ReplaySession::ExitCode
RunReplayCommand(const std::vector<std::string>& arguments,
                 ReplaySession::StopCondition (*listen)(),
                 const ReplayHook& hook)
{
    auto code = ReplaySession::BAD_INPUT;
    const KeptDefaults defaults;
    StartFolder::Enter();
    try
    {
        ProcessGroup::Join();
        ReplayOptions options;
        const auto fault = TakeArguments(arguments, options);
        Agree(fault, {{"command line", HashArguments(arguments)}});
        code = Run(options, listen, hook);
    }
    catch (const ProcessError& error)
    {
        if (ProcessGroup::IsFirst())
        {
            std::cerr << error.what() << "\n";
        }
    }
    catch (const WorkloadError& error)
    {
        // Others may not have met it, and would wait for this process.
        const bool isAlone = ProcessGroup::GetSize() == 1;
        if (!isAlone)
        {
            std::cerr << "process " << ProcessGroup::GetRank() << ": ";
        }
        if (!isAlone || ProcessGroup::IsFirst())
        {
            std::cerr << error.what() << "\n";
        }
        ProcessGroup::Abort(code);
    }
    ProcessGroup::Leave();
    return code;
}

} // namespace ns3
