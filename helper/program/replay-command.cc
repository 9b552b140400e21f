/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "replay-command.h"

#include "chakra-export.h"
#include "dry-run.h"
#include "model-calibration.h"
#include "ns3-arguments.h"
#include "process-agreement.h"
#include "process-group.h"

#include "ns3/text-table.h"
#include "ns3/workload-error.h"

#include <iostream>

namespace ns3
{

namespace
{

/**
 * Tell what no simulation is needed for.
 *
 * @param options ask for it
 * @return the exit code
 */
ReplaySession::ExitCode
Tell(const ReplayOptions& options)
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
 * with the efficiency given will not either, and tells why.
 *
 * @param [in,out] options what the user asks for; receives it
 * @param stop see ReplaySession::SetStopCondition()
 */
void
SetEfficiency(ReplayOptions& options, const ReplaySession::StopCondition& stop)
{
    auto trial = options;
    // Trials write no files.
    trial.given.erase("outputDir");
    const auto calibration =
        CalibrateEfficiency(options.stepTime, [&trial, &stop](double efficiency) {
            trial.model.efficiency = efficiency;
            auto session = ReplaySession::Make(trial);
            session->SetStopCondition(stop);
            return session->Measure();
        });
    options.model.efficiency = calibration.efficiency;
    // A trial did not finish, so that the replay will not, and tells why.
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
 * @return the exit code
 */
ReplaySession::ExitCode
Run(const ReplayOptions& given, ReplaySession::StopCondition (*listen)())
{
    if (given.help || given.dryRun || given.IsGiven("exportChakra"))
    {
        return ProcessGroup::IsFirst() ? Tell(given) : ReplaySession::DONE;
    }
    auto options = given;
    if (!options.stepTime.IsZero())
    {
        SetEfficiency(options, listen ? listen() : ReplaySession::StopCondition());
    }
    auto session = ReplaySession::Make(options);
    session->SetStopCondition(listen ? listen() : ReplaySession::StopCondition());
    return session->Run(std::cout, std::cerr);
}

} // namespace

ReplaySession::ExitCode
RunReplayCommand(const std::vector<std::string>& arguments,
                 ReplaySession::StopCondition (*listen)())
{
    auto code = ReplaySession::BAD_INPUT;
    std::string fault;
    try
    {
        ProcessGroup::Join();
        ReplayOptions options;
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
            fault = error.what();
        }
        Agree(fault, {{"command line", HashArguments(arguments)}});
        code = Run(options, listen);
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
