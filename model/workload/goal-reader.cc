/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "goal-reader.h"

#include "goal-binary-reader.h"
#include "goal-text-reader.h"

#include "ns3/workload-error.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace ns3
{

namespace
{

/**
 * @param file a file
 * @return true if it begins like the binary form
 */
bool
IsBinary(const std::string& file)
{
    BinaryWindow window(file);
    if (window.GetSize() < 8)
    {
        return false;
    }
    const auto magic = window.Read(0, 8);
    return magic == GoalBinaryReader::MAGIC || magic == GoalBinaryReader::MAGIC_USED;
}

/**
 * @param schedule a schedule
 * @param file its file
 * @throws WorkloadError if too many ranks have nothing to do
 */
void
CheckIdle(const GoalSchedule& schedule, const std::string& file)
{
    const auto& programs = schedule.programs;
    const auto idle = std::count(programs.begin(), programs.end(), nullptr);
    if (idle > GoalSchedule::MAX_IDLE)
    {
        throw WorkloadError({file, 0, 0, ""},
                            "at most " + std::to_string(GoalSchedule::MAX_IDLE) +
                                " ranks that do nothing",
                            std::to_string(idle) + " of " + std::to_string(programs.size()));
    }
}

} // namespace

bool
LooksLikeGoal(const std::string& file)
{
    try
    {
        return IsBinary(file) || GoalScanner(file).Get().text == "num_ranks";
    }
    catch (const WorkloadError&)
    {
        return false;
    }
}

std::shared_ptr<const Workload>
ReadGoal(const std::string& file)
{
    auto schedule = IsBinary(file) ? GoalBinaryReader(file).Read() : GoalTextReader(file).Read();
    CheckIdle(schedule, file);
    ParallelLayout layout;
    layout.world = static_cast<uint32_t>(schedule.programs.size());
    auto workload = std::make_shared<Workload>("goal", file, layout);
    std::vector<uint32_t> ranks(layout.world);
    std::iota(ranks.begin(), ranks.end(), 0);
    const auto world = workload->AddCommunicator({"world", Dimension::WORLD, std::move(ranks)});
    const auto idle = GoalLowering(file, false, 0, layout.world).Build();
    for (uint32_t rank = 0; rank < layout.world; ++rank)
    {
        auto& program = schedule.programs[rank];
        workload->SetRank(rank, program ? std::move(program) : idle, {world});
    }
    if (schedule.longTags > 0)
    {
        workload->AddWarning(std::to_string(schedule.longTags) +
                             " tags do not fit 32 bits: they are compared whole, but the binary "
                             "form, and so LogGOPSim, cuts them off");
    }
    return workload;
}

} // namespace ns3
