/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef TRAFFIC_CLASS_CHOICE_H
#define TRAFFIC_CLASS_CHOICE_H

#include "option-values.h"

#include "ns3/workload-error.h"
#include "ns3/workload-types.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ns3
{

class Workload;

/**
 * @ingroup workload-replay
 * @brief The traffic class that the user wants for some messages: those of a dimension, of a job,
 * of a dimension of a job, or of background traffic.
 */
struct TrafficClassChoice
{
    std::string job;                    //!< the job, or "background"; empty = every job
    std::optional<Dimension> dimension; //!< the dimension; absent = all of the job's
    uint8_t trafficClass{0};            //!< their class, 0 to 7
    SourceLocation where;               //!< where it was given

    /**
     * @return whose messages, as the user writes it
     */
    std::string GetName() const;
};

/**
 * @ingroup workload-replay
 * @param value NAME:CLASS once or several times with commas between, where NAME is DIMENSION, JOB,
 *              JOB.DIMENSION or background
 * @return the choices in their order
 * @throws WorkloadError if it is anything else, or chooses twice for the same name
 */
std::vector<TrafficClassChoice> ParseTrafficClasses(const TextField& value);

/**
 * @ingroup workload-replay
 * @param choices what the user wants, with the transport rdma
 * @throws WorkloadError if a class is that of acknowledgements
 */
void CheckTrafficClasses(const std::vector<TrafficClassChoice>& choices);

/**
 * @ingroup workload-replay
 * @param choices what the user wants where there is one job, which has no name
 * @throws WorkloadError if one of them names a job
 */
void CheckNoJobs(const std::vector<TrafficClassChoice>& choices);

/**
 * @ingroup workload-replay
 * @param choices what the user wants of a job, or of several
 * @param workload the job or the jobs
 * @throws WorkloadError if there is no job of such a name, or no ranks of the job communicate in
 * one of the dimensions
 */
void CheckTrafficClasses(const std::vector<TrafficClassChoice>& choices, const Workload& workload);

/**
 * @ingroup workload-replay
 * @brief Find the class of each communicator. What names a job and a dimension wins over what names
 *        a job, and that over what names a dimension.
 *
 * @param choices what the user wants
 * @param workload the job or the jobs
 * @return classes by communicator; absent = nobody has said anything
 */
std::vector<std::optional<uint8_t>> FindTrafficClasses(
    const std::vector<TrafficClassChoice>& choices,
    const Workload& workload);

/**
 * @ingroup workload-replay
 * @brief Have flow control act on the classes as on the one that all messages have without them.
 *
 * @param choices what the user wants
 * @return value of LosslessPriorities of RdmaSwitch: those that it has, and the classes
 */
uint32_t GetLosslessPriorities(const std::vector<TrafficClassChoice>& choices);

/**
 * @ingroup workload-replay
 * @param choices what the user wants
 * @return them as ParseTrafficClasses() takes them
 */
std::string DescribeTrafficClasses(const std::vector<TrafficClassChoice>& choices);

} // namespace ns3

#endif /* TRAFFIC_CLASS_CHOICE_H */
