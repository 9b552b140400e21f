/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "layer-file-reader.h"

#include "layer-file-lowering.h"
#include "layer-file-parser.h"
#include "layer-file-stages.h"
#include "parallel-groups.h"
#include "pipeline-schedule.h"
#include "stage-program.h"

#include "ns3/workload-error.h"
#include "ns3/workload-text.h"

#include <utility>
#include <vector>

namespace ns3
{

namespace
{

/// A program for each pipeline stage.
using StagePrograms = std::vector<std::shared_ptr<const WorkloadProgram>>;

/**
 * @param options what the user says
 * @param policy policy of the file
 * @return whether the file runs in pipeline stages
 */
bool
IsPipelined(const LayerFileOptions& options, LayerFilePolicy policy)
{
    if (options.order != "megatron" && options.order != "literal")
    {
        throw WorkloadError({"--order", 0, 0, ""},
                            "megatron or literal",
                            Quoted(options.order),
                            NearestName(options.order, {"megatron", "literal"}));
    }
    return options.order == "megatron" &&
           (policy == LayerFilePolicy::HYBRID_TRANSFORMER ||
            policy == LayerFilePolicy::HYBRID_TRANSFORMER_FWD_IN_BCKWD);
}

/**
 * Make a workload of which only the programs are missing.
 *
 * @param file the file
 * @param layout shape of the job
 * @return the workload
 */
std::shared_ptr<Workload>
MakeWorkload(const LayerFile& file, const ParallelLayout& layout)
{
    auto workload = std::make_shared<Workload>("simai", file.file, layout);
    if (file.header.isInference)
    {
        workload->AddWarning("the file is of inference (mode 1), so what its rows say of backward "
                             "passes does not run");
    }
    return workload;
}

/**
 * @param workload receives the programs
 * @param programs the program of each stage
 */
void
SetPrograms(Workload& workload, const StagePrograms& programs)
{
    const ParallelGroups groups(workload.GetLayout());
    auto slots = groups.AddTo(workload);
    for (uint32_t rank = 0; rank < slots.size(); ++rank)
    {
        workload.SetRank(rank, programs[groups.GetPlace(rank).pp], std::move(slots[rank]));
    }
}

/**
 * Settle the size of a pipeline message.
 *
 * @param file the file
 * @param stages its stages
 * @param options what the user says
 * @param workload the workload; receives a warning if the size is derived
 * @return bytes of a message; 0 = there is only one stage
 */
uint64_t
GetMessageBytes(const LayerFile& file,
                const LayerFileStages& stages,
                const LayerFileOptions& options,
                Workload& workload)
{
    const auto& layout = workload.GetLayout();
    if (layout.pp == 1)
    {
        return 0;
    }
    // The user's word first, then the header's, then an estimate.
    if (options.ppBytes > 0)
    {
        return options.ppBytes;
    }
    if (file.header.pipelineBytes > 0)
    {
        return file.header.pipelineBytes;
    }
    const auto bytes = stages.GetActivationBytes(layout.tp);
    if (bytes == 0)
    {
        throw WorkloadError(file.header.where,
                            "pp_comm, or --ppBytes on the command line, because pp is " +
                                std::to_string(layout.pp),
                            "neither, and no layer communicates an activation over tp");
    }
    workload.AddWarning("the file does not say pp_comm, so a pipeline message has " +
                        std::to_string(bytes) +
                        " bytes, the activation that the layers communicate over tp; --ppBytes "
                        "sets it");
    return bytes;
}

/**
 * @param schedule a schedule
 * @param shape shape of a pipeline
 * @param layers layers of a stage
 * @return why the schedule can not serve it; empty = it can
 */
std::string
FindUnsupportedReason(const PipelineSchedule& schedule, const PipelineShape& shape, uint32_t layers)
{
    const auto reason = schedule.GetUnsupportedReason(shape);
    const auto chunks = schedule.CountParts(shape) / shape.stages;
    if (reason.empty() && layers % chunks != 0)
    {
        return std::to_string(chunks) + " model chunks (vpp) do not divide the " +
               std::to_string(layers) + " layers of a stage";
    }
    return reason;
}

/**
 * Find a schedule that can serve the pipeline.
 *
 * @param options what the user says
 * @param layers layers of a stage
 * @param shape shape of the pipeline; its chunks become 0 if those asked for can not be served
 * @param workload receives a warning in that case
 * @return the schedule
 * @throws WorkloadError if the schedule that the user names can not serve it without them either
 */
std::unique_ptr<const PipelineSchedule>
ChooseSchedule(const LayerFileOptions& options,
               uint32_t layers,
               PipelineShape& shape,
               Workload& workload)
{
    auto schedule = PipelineSchedule::Create(options.schedule);
    // More than one chunk asks for interleaving, unless the user has named a schedule.
    if (options.schedule == "1f1b" && shape.chunks > 1)
    {
        schedule = PipelineSchedule::Create("interleaved");
    }
    const auto reason = FindUnsupportedReason(*schedule, shape, layers);
    if (reason.empty())
    {
        return schedule;
    }
    // Files may ask for chunks that do not fit: without them the job may still run.
    shape.chunks = 0;
    schedule =
        PipelineSchedule::Create(options.schedule == "interleaved" ? "1f1b" : options.schedule);
    const auto plainReason = FindUnsupportedReason(*schedule, shape, layers);
    if (!plainReason.empty())
    {
        throw WorkloadError({"--schedule", 0, 0, ""},
                            "a schedule for this pipeline",
                            options.schedule + "; " + plainReason);
    }
    workload.AddWarning(reason + ", so the schedule is " + schedule->GetName() + " with " +
                        std::to_string(schedule->CountChunks(shape)) + " model chunk" +
                        (schedule->CountChunks(shape) > 1 ? "s" : "") + " per stage");
    return schedule;
}

/**
 * Find out how many layers a stage has.
 *
 * @param file a file
 * @param layers layers of the file: those of a stage or, of inference, of all of them
 * @param stages number of stages
 * @return layers of a stage
 */
uint32_t
CountStageLayers(const LayerFile& file, uint32_t layers, uint32_t stages)
{
    if (!file.header.isInference)
    {
        return layers;
    }
    if (layers % stages != 0)
    {
        throw WorkloadError(file.header.where,
                            "a number of layers that " + std::to_string(stages) +
                                " stages (pp) divide, as a file of inference has those of all "
                                "stages",
                            std::to_string(layers));
    }
    return layers / stages;
}

/**
 * @param file a file
 * @param options what the user says
 * @param layout shape of the job
 * @return model chunks of a stage that are asked for; 0 = as many as the schedule has
 */
uint32_t
GetChunks(const LayerFile& file, const LayerFileOptions& options, const ParallelLayout& layout)
{
    // AICB writes a vpp where there is no pipeline, and one of 1 where nobody asked for any.
    const auto vpp = file.header.layout.vpp.value_or(1);
    return layout.pp == 1 ? 0 : options.layout.vpp.value_or(vpp == 1 ? 0 : vpp);
}

/**
 * @param file a file
 * @param options what the user says
 * @return the workload of the file in pipeline stages
 */
std::shared_ptr<const Workload>
LowerPipeline(const LayerFile& file, const LayerFileOptions& options)
{
    const auto layout = CompleteLayout(file.header.layout, file.header.where, options.layout);
    auto workload = MakeWorkload(file, layout);
    LayerFileStages stages(file, file.header.layout.microbatches.value_or(layout.microbatches));
    // A file shows one microbatch, which stands for all, or each of them.
    const auto written = stages.CountMicrobatches();
    if (written != 1 && written != layout.microbatches)
    {
        throw WorkloadError(options.layout.microbatches ? SourceLocation{"--microbatches", 0, 0, ""}
                                                        : file.header.where,
                            std::to_string(written) +
                                " microbatches, as many as rows of embedding_layer",
                            std::to_string(layout.microbatches));
    }
    PipelineShape shape{layout.pp, layout.microbatches, GetChunks(file, options, layout)};
    shape.forwardOnly = file.header.isInference;
    const auto layers = CountStageLayers(file, stages.CountLayers(), layout.pp);
    const auto schedule = ChooseSchedule(options, layers, shape, *workload);
    workload->SetPlacement(schedule->GetPlacement());
    if (layout.microbatches < layout.pp && !shape.forwardOnly)
    {
        workload->AddWarning(
            "the pipeline has " + std::to_string(layout.pp) + " stages and fewer microbatches, " +
            std::to_string(layout.microbatches) + ", so the stages mostly wait for one another");
    }
    const auto messageBytes = GetMessageBytes(file, stages, options, *workload);
    StagePrograms programs;
    for (uint32_t stage = 0; stage < layout.pp; ++stage)
    {
        programs.push_back(LowerStage(stages.GetWork(*schedule, shape, stage, messageBytes),
                                      *schedule,
                                      shape,
                                      stage));
    }
    SetPrograms(*workload, programs);
    const auto order = shape.forwardOnly ? "forward" : schedule->GetName();
    workload->SetSchedule(layout.pp > 1 ? order : "", "megatron");
    return workload;
}

/**
 * Adapt what is said about the shape of a job to the order of the rows.
 *
 * @param file a file that runs in the order of its rows
 * @param options what the user says
 * @return what the file says, with what its policy and the order imply
 */
LayoutRequest
ImplyLayout(const LayerFile& file, const LayerFileOptions& options)
{
    auto layout = file.header.layout;
    const auto imply = [&](std::optional<uint32_t> LayoutRequest::*count,
                           const std::string& option,
                           const std::string& reason) {
        layout.*count = 1;
        if ((options.layout.*count).value_or(1) != 1)
        {
            throw WorkloadError({option, 0, 0, ""},
                                "1, because " + reason,
                                std::to_string(*(options.layout.*count)));
        }
    };
    const auto policy = ToString(file.header.policy);
    imply(&LayoutRequest::pp, "--pp", "rows in literal order have no pipeline");
    imply(&LayoutRequest::vpp, "--vpp", "rows in literal order have no pipeline");
    imply(&LayoutRequest::microbatches, "--microbatches", "rows in literal order are one pass");
    switch (file.header.policy)
    {
    case LayerFilePolicy::DATA:
    case LayerFilePolicy::MICRO:
    case LayerFilePolicy::HYBRID_DLRM:
    case LayerFilePolicy::HYBRID_DLRM_ENHANCED:
        imply(&LayoutRequest::tp, "--tp", policy + " has no tensor parallel groups");
        break;
    case LayerFilePolicy::MODEL:
        // All ranks are one tensor-parallel group.
        layout.tp = MergeLayouts(layout, options.layout).world;
        break;
    default:
        if (!MergeLayouts(layout, options.layout).tp)
        {
            throw WorkloadError({"--tp", 0, 0, ""},
                                "the number of tensor parallel ranks, because " + policy +
                                    " needs it",
                                "none, nor does the file say it");
        }
    }
    return layout;
}

/**
 * @param file a file
 * @param options what the user says
 * @return the workload of the file in the order of its rows
 */
std::shared_ptr<const Workload>
LowerLiteral(const LayerFile& file, const LayerFileOptions& options)
{
    const auto layout =
        CompleteLayout(ImplyLayout(file, options), file.header.where, options.layout);
    auto workload = MakeWorkload(file, layout);
    if (file.header.policy == LayerFilePolicy::HYBRID_MODEL_DATA)
    {
        workload->AddWarning("under HYBRID_MODEL_DATA tp counts neighbours, which are replicas "
                             "here, and the model is split over dp");
    }
    StageWork work;
    work.file = file.file;
    work.passes = {{std::make_shared<StagePass>(LowerLiteralOrder(file))}};
    PipelineShape shape;
    shape.forwardOnly = file.header.isInference;
    // One stage and one microbatch: of any schedule that is one forward and one backward pass.
    SetPrograms(*workload, {LowerStage(work, *PipelineSchedule::Create("gpipe"), shape, 0)});
    workload->SetSchedule("", "literal");
    return workload;
}

} // namespace

std::shared_ptr<const Workload>
ReadLayerFile(const std::string& file, const LayerFileOptions& options)
{
    const auto layers = ParseLayerFile(WorkloadText(file,
                                                    {ForeignFile::GOAL,
                                                     ForeignFile::LAYER_FILE,
                                                     ForeignFile::RANK_TRACE,
                                                     ForeignFile::OP_TABLE}));
    return IsPipelined(options, layers.header.policy) ? LowerPipeline(layers, options)
                                                      : LowerLiteral(layers, options);
}

bool
LooksLikeLayerFile(const WorkloadText& text)
{
    const auto words = text.SplitWords(text.GetLines().front(), ":");
    return !words.empty() && FindLayerFilePolicy(words.front().text);
}

} // namespace ns3
