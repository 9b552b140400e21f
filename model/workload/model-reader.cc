/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "model-reader.h"

#include "model-lowering.h"
#include "model-size.h"
#include "model-stage.h"
#include "parallel-groups.h"

#include "ns3/accelerator-file.h"
#include "ns3/input-values.h"

#include <algorithm>
#include <set>
#include <sstream>
#include <utility>

namespace ns3
{

namespace
{

/**
 * @param job a job
 * @return names of its operators, each once
 */
std::vector<std::string>
GetOperatorNames(const ModelJob& job)
{
    const ModelStepMaker maker(job, 0);
    std::vector<std::string> names{"optimizer"};
    const auto add = [&names](const ModelSteps& steps) {
        for (const auto& step : steps)
        {
            if (std::find(names.begin(), names.end(), step.name) == names.end())
            {
                names.push_back(step.name);
            }
        }
    };
    if (job.training.CopiesParameters())
    {
        add({maker.MakeParameterCopies(0)});
    }
    add(maker.MakeEmbedding());
    for (uint32_t layer = 0; layer < job.model.layers + job.model.mtpLayers; ++layer)
    {
        add(maker.MakeLayer(layer));
    }
    add(maker.MakeHead());
    return names;
}

/**
 * @param job a job
 * @param times measured times of operators
 * @throws WorkloadError if one of them is not the job's
 */
void
CheckOperators(const ModelJob& job, const OperatorTimes& times)
{
    const auto names = GetOperatorNames(job);
    for (const auto& row : times.GetRows())
    {
        FindWord(row.name, names, "an operator of the model (" + JoinWords(names) + ")");
    }
}

/**
 * @param job a job
 * @param accelerator what its ranks compute on
 * @return what a rank of the fullest stage needs, and which options need less; empty = it fits, or
 *         it is not known what there is
 */
std::string
DoubtMemory(const ModelJob& job, const Accelerator::Parameters& accelerator)
{
    ModelMemory most;
    for (uint32_t stage = 0; stage < job.layout.pp; ++stage)
    {
        const auto memory = GetMemory(job, stage);
        most = memory.GetTotal() > most.GetTotal() ? memory : most;
    }
    const auto there = static_cast<double>(accelerator.memoryBytes);
    if (there == 0 || most.GetTotal() <= there)
    {
        return "";
    }
    constexpr double gib = 1024. * 1024 * 1024;
    // What is left to layouts is the smaller part where activations alone do not fit.
    const bool isOfTokens = most.activations > most.GetTotal() / 2;
    std::ostringstream text;
    text.precision(1);
    text << std::fixed << "a rank needs " << most.GetTotal() / gib << " GiB of memory, "
         << most.activations / gib << " of them for activations, and " << accelerator.name
         << " has " << there / gib << " GiB; "
         << (isOfTokens ? "--recompute=full, --tp, --cp, a smaller --microbatchSize or a shorter "
                          "--sequence"
                        : "--tp, --pp, --ep, more ranks (--world) or --zero=3")
         << " need less";
    return text.str();
}

/**
 * @param job a job
 * @param [in,out] workload receives what the memory of an accelerator does not hold, and other
 *        doubts
 * @param times times of operators
 */
void
AddWarnings(const ModelJob& job, const ModelTimes& times, Workload& workload)
{
    const auto& layout = job.layout;
    for (const auto& notes :
         {job.model.notes, DescribeReach(job.model, job.training.sequence, job.SkipsBeyondReach())})
    {
        for (const auto& note : notes)
        {
            workload.AddWarning(note);
        }
    }
    if (layout.pp > 1 && layout.microbatches < layout.pp)
    {
        workload.AddWarning("the pipeline has " + std::to_string(layout.pp) +
                            " stages and fewer microbatches, " +
                            std::to_string(layout.microbatches) +
                            ", so the stages mostly wait for one another; --microbatches or "
                            "--globalBatch sets them");
    }
    const auto doubt = DoubtMemory(job, times.accelerator.GetParameters());
    if (!doubt.empty())
    {
        workload.AddWarning(doubt);
    }
}

} // namespace

ModelTimes
ReadModelTimes(const ModelOptions& options)
{
    ModelTimes times{FindAccelerator(options.accelerator), nullptr};
    times.accelerator.SetEfficiency(options.efficiency);
    times.accelerator.FindPrecision({options.precision, options.Locate("precision")});
    if (!options.operatorTimes.empty())
    {
        times.measured = std::make_shared<OperatorTimes>(options.operatorTimes);
    }
    return times;
}

std::shared_ptr<Workload>
LowerModel(const ModelJob& job, const ModelTimes& times)
{
    if (times.measured)
    {
        CheckOperators(job, *times.measured);
    }
    auto workload = std::make_shared<Workload>("model", job.model.file, job.layout);
    workload->SetSchedule(job.layout.pp > 1 ? job.schedule->GetName() : "", "");
    const ParallelGroups groups(job.layout);
    auto slots = groups.AddTo(*workload);
    if (job.model.experts)
    {
        groups.AddExpertGroupsTo(*workload, std::max(1U, job.training.dispatchGroups), slots);
    }
    const bool isUneven = job.training.HasUnevenExperts();
    std::map<std::pair<uint32_t, uint32_t>, std::shared_ptr<const WorkloadProgram>> programs;
    for (uint32_t rank = 0; rank < slots.size(); ++rank)
    {
        const auto place = groups.GetPlace(rank);
        // With even loads all expert ranks of a stage do the same, and share a program.
        const uint32_t expertRank = isUneven ? place.ep : 0;
        auto& program = programs[{place.pp, expertRank}];
        if (!program)
        {
            const auto work = ModelStageMaker(job, times, place.pp, expertRank).MakeWork();
            program = LowerStage(work, *job.schedule, job.shape, place.pp);
        }
        workload->SetRank(rank, program, std::move(slots[rank]));
    }
    AddWarnings(job, times, *workload);
    return workload;
}

std::shared_ptr<const Workload>
ReadModel(const ModelOptions& options)
{
    const auto job = CompleteModelJob(options);
    return LowerModel(job, ReadModelTimes(options));
}

} // namespace ns3
