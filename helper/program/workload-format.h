/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef WORKLOAD_FORMAT_H
#define WORKLOAD_FORMAT_H

#include "replay-options.h"

#include "ns3/object.h"
#include "ns3/workload-text.h"
#include "ns3/workload.h"

#include <memory>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief A format of workloads, which the option format names: reads files into the one form that
 *        ranks run.
 *
 * A format registers itself with NS_STRATEGY_ENSURE_REGISTERED().
 */
class WorkloadFormat : public Object
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    WorkloadFormat();
    ~WorkloadFormat() override;

    /**
     * @return what such a file is called, with an article: "an op table"
     */
    virtual std::string GetFileKind() const = 0;

    /**
     * @return names of the options that say more about it, all others of workloads are refused;
     * here none
     */
    virtual std::vector<std::string> GetOptions() const;

    /**
     * Find out whether a workload is of the format, before its content is looked at as lines of
     * text. Formats are asked in their order.
     *
     * @param path path of a file or directory, or what else the option workload may say
     * @return whether it is; here it is not
     */
    virtual bool RecognizesPath(const std::string& path) const;

    /**
     * Find out whether a file is of the format, if no format has recognized its path.
     *
     * @param text its lines
     * @return whether it is; here it is not
     */
    virtual bool RecognizesText(const WorkloadText& text) const;

    /**
     * Read a workload.
     *
     * @param options what the user asks for: the path in workload, the shape of the job in layout
     * @return the workload
     * @throws WorkloadError if it is wrong, or the options contradict it
     */
    virtual std::shared_ptr<const Workload> Read(const ReplayOptions& options) const = 0;
};

} // namespace ns3

#endif /* WORKLOAD_FORMAT_H */
