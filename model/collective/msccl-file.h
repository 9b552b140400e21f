/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef MSCCL_FILE_H
#define MSCCL_FILE_H

#include "msccl-plan.h"

#include <cstdint>
#include <map>
#include <memory>
#include <string>

namespace ns3
{

struct MscclppProgram;

/**
 * @ingroup workload-replay
 * @brief An algorithm of MSCCL in XML, or an execution plan of MSCCL++ in JSON.
 *
 * Its plan is the same for calls of any length, unless it has pipelines: these go round as often as
 * the chunks of a call ask for. Every plan is checked, see CheckMscclPlan().
 */
class MscclFile
{
  public:
    /**
     * @param path path of the file
     * @throws WorkloadError if it is none, or does not do what it says
     */
    explicit MscclFile(const std::string& path);

    /**
     * @param plan a plan for calls of any length that CheckMscclPlan() has found to be right
     */
    explicit MscclFile(MscclPlan plan);

    /**
     * @return the plan; pipelines go round twice in it, so that it is not to be run
     */
    const MscclPlan& GetPlan() const;

    /**
     * @param bytes bytes of a call that the file is for
     * @return the plan for it
     * @throws WorkloadError if it does not do what it says, or has too many steps
     */
    std::shared_ptr<const MscclPlan> GetPlanFor(uint64_t bytes) const;

  private:
    std::shared_ptr<const MscclppProgram> m_program; //!< of one with pipelines; else null
    std::shared_ptr<const MscclPlan> m_plan;         //!< the plan for calls of any length
    mutable std::map<uint64_t, std::shared_ptr<const MscclPlan>> m_plans; //!< others, by bytes
};

} // namespace ns3

#endif /* MSCCL_FILE_H */
