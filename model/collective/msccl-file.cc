/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "msccl-file.h"

#include "msccl-check.h"
#include "msccl-xml.h"
#include "mscclpp-lowering.h"
#include "mscclpp-reader.h"

#include "ns3/foreign-file.h"

#include <algorithm>
#include <utility>

namespace ns3
{

namespace
{

/**
 * @param program what a file of MSCCL++ says
 * @return whether it has pipelines
 */
bool
HasPipelines(const MscclppProgram& program)
{
    const auto hasOne = [](const auto& block) {
        return std::any_of(block.begin(), block.end(), [](const auto& op) { return op.unit > 0; });
    };
    return std::any_of(program.gpus.begin(), program.gpus.end(), [&](const auto& gpu) {
        return std::any_of(gpu.blocks.begin(), gpu.blocks.end(), hasOne);
    });
}

} // namespace

MscclFile::MscclFile(const std::string& path)
{
    if (FindForeignFile(path) == ForeignFile::MSCCLPP)
    {
        const auto program = std::make_shared<const MscclppProgram>(ReadMscclppProgram(path));
        m_plan = std::make_shared<const MscclPlan>(LowerMscclpp(*program, 0));
        m_program = HasPipelines(*program) ? program : nullptr;
    }
    else
    {
        m_plan = std::make_shared<const MscclPlan>(ReadMscclXml(path));
    }
    // Before anything runs: a plan that is wrong would hang, or end with wrong sums unnoticed.
    CheckMscclPlan(*m_plan);
}

MscclFile::MscclFile(MscclPlan plan)
    : m_plan(std::make_shared<const MscclPlan>(std::move(plan)))
{
}

const MscclPlan&
MscclFile::GetPlan() const
{
    return *m_plan;
}

std::shared_ptr<const MscclPlan>
MscclFile::GetPlanFor(uint64_t bytes) const
{
    if (!m_program)
    {
        return m_plan;
    }
    auto& plan = m_plans[bytes];
    if (!plan)
    {
        auto lowered = LowerMscclpp(*m_program, bytes / m_program->head.chunks);
        CheckMscclPlan(lowered);
        plan = std::make_shared<const MscclPlan>(std::move(lowered));
    }
    return plan;
}

} // namespace ns3
